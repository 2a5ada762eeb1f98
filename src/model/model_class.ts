/**
 * The model: an input contract, trees and the rule that joins them. Immutable; every trainer and
 * importer makes one, and it scores the same whether it was just trained or read from a file.
 *
 * @module
 */
import type { InputReport, Matrix, Schema } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import { leastCost } from "../util/least_cost.ts";
import { respondInto } from "./calibrate.ts";
import { type Contract, createContract } from "./contract.ts";
import { type ColumnOptions, encodeInput, type PredictInput, schemaError } from "./encode.ts";
import { checkOptions, type OptionKinds, shown } from "../small_door.ts";
import type { Rules, Storage } from "./packed.ts";
import { createPositional, type PositionalScorer } from "./positional.ts";
import { isProbability } from "./postprocess.ts";
import { treesOfRounds } from "./rounds.ts";
import type { Scorer } from "./score/scorer.ts";
import { createGeneralScorer } from "./score/general.ts";
import type { Calibration, Ensemble, ModelInfo } from "./types.ts";
import { createTiers } from "./score/tiers.ts";

/** Options of all predict methods. */
export interface PredictOptions extends ColumnOptions {
  /**
   * Use only the first rounds of the ensemble. More rounds than count, and a part of a DART model
   * trained here, whose later rounds rescaled the earlier ones, are `E_PARAM_RANGE` (see `keepRounds`).
   * @default all
   */
  readonly rounds?: number;
  /** Called once with what was missing, unknown, absent or ignored. */
  readonly onReport?: (report: InputReport) => void;
}

const OPTIONS: OptionKinds<PredictOptions> = new Map<keyof PredictOptions, string | string[]>([
  ["columns", ["strict", "lenient"]],
  ["onReport", "function"],
  ["rounds", "number"],
]);

/** The node that each row reaches in each tree. */
export interface LeafMatrix {
  /** Number of the node within its tree (the root is 0), row-major `rows × cols`. */
  readonly data: Int32Array;
  /** Number of rows. */
  readonly rows: number;
  /** Number of trees in the rounds that were used. */
  readonly cols: number;
}

/** Rows that go through the trees together. */
const BLOCK = 1024;

/** Trees as they came. Brings what packs them along, so that a model that was read does not need it. */
export interface Draft {
  /** Packs them, when somebody needs that. */
  pack(): Storage;
  /** Scores them before they are packed, where that can be; `settled` scores them afterwards. */
  scorer(settled: () => Scorer): Scorer | undefined;
}

/** Everything a model holds, checked. */
export interface ModelContents {
  readonly schema: Schema;
  /** `hash64` of the schema's canonical JSON, or what gives it. */
  readonly schemaHash: string | (() => string);
  readonly info: ModelInfo;
  readonly rules: Rules;
  readonly storage: Storage | Draft;
  readonly calibration?: readonly Calibration[];
  /** Optional sections of the file that scoring does not need, by id; made when asked for. */
  readonly attachments?: Attachments | ((model: Model) => Attachments);
}

/** Bytes of optional sections by id. */
export type Attachments = ReadonlyMap<string, Uint8Array>;

/**
 * An immutable ensemble of trees that scores rows by column name. Trainers, importers, loaders and
 * {@linkcode createModel} make models. `postMessage` does not copy methods: send the bytes of
 * `encodeModel` to another thread, and call `decodeModel` there.
 *
 * All predict methods accept rows, a dataset or encoded input, match columns by name and categories
 * by value. They throw {@linkcode ModelError} `E_MODEL_SCHEMA` for columns that do not fit the model,
 * {@linkcode DataError} with column and row for a value that cannot be read, and
 * {@linkcode ParameterError} for wrong options.
 */
export class Model {
  /** Input columns, task and classes. */
  declare readonly schema: Schema;
  /** How the model was made. */
  declare readonly info: ModelInfo;
  /** How trees are combined: weights, base score, link, arithmetic. */
  declare readonly rules: Rules;
  /** Maps to calibrated responses, applied with the link; absent if the model is not calibrated. */
  declare readonly calibration: readonly Calibration[] | undefined;
  /** Number of raw scores of each row: 1, or the number of classes or targets. */
  declare readonly numOutputs: number;
  /** One private member: what makes more of them is compiled in each process. */
  #held: Held;

  /** Use {@linkcode createModel}. */
  constructor(contents: ModelContents) {
    this.schema = contents.schema;
    this.info = contents.info;
    this.rules = contents.rules;
    this.calibration = contents.calibration;
    this.numOutputs = contents.rules.numOutputs;
    this.#held = { ...contents };
  }

  /** Optional sections of the file that scoring does not need, by id (`TEST`, `STAT`). */
  get attachments(): Attachments {
    const held = this.#held;
    const { attachments = new Map() } = held;
    return held.attachments = typeof attachments === "function" ? attachments(this) : attachments;
  }

  /**
   * How the trees are held; see `ensemble` for a form that is easy to read. Packed on first use.
   *
   * @internal
   */
  get storage(): Storage {
    const held = this.#held;
    return held.storage = (held.storage as Partial<Draft>).pack?.() ?? held.storage as Storage;
  }

  /**
   * All nodes of all trees, and how trees are combined; unpacked on first use.
   *
   * @throws {ModelError} `E_MODEL_VERSION` if only `./predict` is imported, which cannot unpack.
   */
  get ensemble(): Ensemble {
    const { storage } = this;
    return this.#held.ensemble ??= storage.layout === "general"
      ? storage.ensemble
      : storage.unscored.unpack(this.rules);
  }

  /** Hash of the schema. Models with the same hash take the same columns in the same order. */
  get schemaHash(): string {
    const held = this.#held;
    const { schemaHash } = held;
    return held.schemaHash = typeof schemaHash === "string" ? schemaHash : schemaHash();
  }

  /** Number of trees. */
  get numTrees(): number {
    return this.rules.treeWeight.length;
  }

  /** Number of boosting rounds, or of trees in a forest. */
  get numRounds(): number {
    return this.numTrees / this.rules.treesPerRound;
  }

  /** Raw scores (margins), before the link: row-major `rows × numOutputs`. */
  predictRaw(input: PredictInput, options?: PredictOptions): Matrix {
    return predict(this, this.#held, input, true, options) as Matrix;
  }

  /** Responses: raw scores after link and calibration, row-major `rows × numOutputs`. */
  predictValue(input: PredictInput, options?: PredictOptions): Float64Array {
    const { data, cols } = this.predictRaw(input, options);
    respondInto(this.rules.postprocess, this.calibration, data, cols);
    return data;
  }

  /**
   * Probabilities of the classes in the order of `schema.classes`, row-major `rows × classes`.
   *
   * @throws {ParameterError} `E_PARAM_CONFLICT` if the responses of the model are not probabilities.
   */
  predictProba(input: PredictInput, options?: PredictOptions): Matrix {
    const cols = this.schema.classes.length;
    if (cols === 0 || !givesProbabilities(this)) throw cannotGive(this, "probabilities");
    const values = this.predictValue(input, options);
    const rows = values.length / this.numOutputs;
    if (this.numOutputs > 1) return { data: values, rows, cols };
    const data = new Float64Array(rows * cols).fill(1);
    for (let r = 0; cols > 1 && r < rows; r++) {
      data[2 * r] -= values[r];
      data[2 * r + 1] = values[r];
    }
    return { data, rows, cols };
  }

  /**
   * The most probable class of each row, or the one with the smallest expected cost if the model was
   * trained with costs of mistakes. On ties it is the first of them.
   *
   * @throws {ParameterError} `E_PARAM_CONFLICT` if the model has no classes.
   */
  predictClass(input: PredictInput, options?: PredictOptions): string[] {
    const { classes } = this.schema;
    if (classes.length === 0) throw cannotGive(this, "classes");
    const cols = this.numOutputs;
    const { costs, name } = this.rules.postprocess;
    // `softmaxZero` gives scores of zero no share, so that their order is that of the raw scores alone.
    const response = givesProbabilities(this) && name !== "softmaxZero";
    const values = response
      ? this.predictValue(input, options)
      : this.predictRaw(input, options).data;
    const result: string[] = new Array(values.length / cols);
    for (let r = 0; r < result.length; r++) {
      let best = 0;
      if (cols === 1) best = classes.length > 1 && values[r] > (response ? 0.5 : 0) ? 1 : 0;
      else if (costs !== undefined) best = leastCost(costs, values, r * cols, cols);
      else {
        for (let k = 1; k < cols; k++) if (values[r * cols + k] > values[r * cols + best]) best = k;
      }
      result[r] = classes[best];
    }
    return result;
  }

  /** The node that each row reaches in each tree, as its number in `ensemble.trees` less the root's. */
  predictLeaf(input: PredictInput, options?: PredictOptions): LeafMatrix {
    return predict(this, this.#held, input, false, options) as LeafMatrix;
  }

  /**
   * A scorer of numbers by position that allocates nothing for a row. For a model with an offset
   * column, raw scores are those without the offset, and responses are refused.
   *
   * @param schemaHash `schemaHash` of the model that the order of your columns was made for.
   * @throws {ModelError} `E_MODEL_SCHEMA` if this model has another hash.
   */
  positional(schemaHash: string): PositionalScorer {
    return positionalOf(this, schemaHash, scorerOf(this, this.#held));
  }
}

/** What a model holds, and what is made of it when it is needed. */
type Held = { -readonly [key in keyof ModelContents]: ModelContents[key] } & {
  contract?: Contract;
  scorer?: Scorer;
  ensemble?: Ensemble;
};

// Outside of the class: what V8 compiled of methods is not kept for the next process.

/** Scores encoded rows. */
function scorerOf(model: Model, held: Held): Scorer {
  return held.scorer ??= (held.storage as Partial<Draft>).scorer?.(() => settled(model)) ??
    settled(model);
}

/** Whether responses are probabilities of the classes. */
function givesProbabilities({ rules, calibration }: Model): boolean {
  return isProbability(rules.postprocess.name) ||
    calibration?.some((c) => c.method !== "temperature") === true;
}

function cannotGive({ schema, rules }: Model, what: string): ParameterError {
  return new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot give ${what}: this is a ${schema.task} model of link "${rules.postprocess.name}"`,
  );
}

/** Raw scores of rows, or the leaves that they reach. */
function predict(
  model: Model,
  held: Held,
  input: PredictInput,
  isRaw: boolean,
  options?: PredictOptions,
): Matrix | LeafMatrix {
  if (options !== undefined) checkOptions(options, OPTIONS);
  const numTrees = treesOfRounds(model, options?.rounds, isRaw);
  const encoded = encodeInput(held.contract ??= createContract(model.schema), input, options);
  const { rows, offset } = encoded;
  const cols = isRaw ? model.numOutputs : numTrees;
  const data = new (isRaw ? Float64Array : Int32Array)(rows * cols);
  const numFeatures = model.schema.features.length;
  const size = Math.min(BLOCK, rows);
  const x = new Float64Array(size * numFeatures);
  const f32 = model.rules.profile.input === "f32";
  for (let from = 0; from < rows; from += size) {
    const to = Math.min(rows, from + size);
    encoded.fill(from, to, x);
    if (f32) { for (let i = 0; i < x.length; i++) x[i] = Math.fround(x[i]); }
    const out = data.subarray(from * cols, to * cols);
    const scorer = scorerOf(model, held);
    if (isRaw) scorer.score(x, to - from, numTrees, out as Float64Array);
    else scorer.leaves(x, to - from, numTrees, out as Int32Array);
  }
  // Refuses absent columns even when nobody listens to the report.
  const report = encoded.finish();
  if (isRaw && (offset ?? model.info.offset)) addOffset(data as Float64Array, offset ?? []);
  options?.onReport?.(report);
  return { data, rows, cols } as Matrix | LeafMatrix;
}

function positionalOf(model: Model, schemaHash: string, scorer: Scorer): PositionalScorer {
  const expected = model.schemaHash;
  if (schemaHash !== expected) {
    throw schemaError(
      `by position: found schema hash ${shown(schemaHash)}, expected ${expected}`,
      { expected, found: schemaHash },
    );
  }
  return createPositional(model, scorer, (values) => {
    if (model.info.offset) addOffset(values, []); // refuses
    respondInto(model.rules.postprocess, model.calibration, values, model.numOutputs);
  });
}

/** Scores trees that are packed; `credit` as in {@linkcode createTiers}. */
export function settled({ storage, rules, schema }: Model, credit?: number): Scorer {
  return storage.layout === "general"
    ? createGeneralScorer(storage.ensemble, schema)
    : createTiers(storage.packed, rules, credit);
}

function addOffset(data: Float64Array, offset: ArrayLike<number>): void {
  if (offset.length !== data.length) {
    throw schemaError(`with ${offset.length} offsets: expected ${data.length}`);
  }
  for (let i = 0; i < data.length; i++) data[i] += offset[i];
}
