/**
 * Makes a model's file fit a size by giving up exactness: leaves are rounded to few levels, then
 * subtrees whose leaves are nearly equal are pruned, and trees of one leaf go into the base score. What a
 * raw score can change by at most is proved (cut_trees.ts); what it does change by is measured on rows.
 * Of linear leaves some become constants, or all do, whichever changes the rows' scores less.
 *
 * @module
 */
import { checkArgument, checkModel, checkOptions } from "../door.ts";
import { ModelError } from "../errors.ts";
import { createContract } from "../model/contract.ts";
import { firstRounds } from "../model/edit.ts";
import { encodeInput, type PredictInput } from "../model/encode.ts";
import { createModel, Model } from "../model/model.ts";
import type { ModelInfo } from "../model/types.ts";
import { encodeModel } from "./binary.ts";
import { createRanges, type FeatureRanges } from "./cut_linear.ts";
import { type Cut, type Cuttable, makeCuttable } from "./cut_trees.ts";
import { makeVotesCuttable } from "./cut_votes.ts";
import { contentsOf, selfTestRows } from "./self_test.ts";
import { trainingStatsOf } from "./training_stats.ts";

/** What was given up. */
export interface Shrunk {
  /** The smaller model. */
  readonly model: Model;
  /** Bytes of its file, without covers, gains and attachments. */
  readonly bytes: number;
  /** Levels that leaves were rounded to; undefined when they are exact. */
  readonly levels?: number;
  /** Share of inner nodes that were pruned. */
  readonly pruned: number;
  /** Trees that are left; the others are part of the base score. */
  readonly trees: number;
  /**
   * No raw score changes by more than this; with `within` only those of rows that lie there. Infinity:
   * nothing is proved, for the rows are so large that scores overflow.
   */
  readonly bound: number;
  /**
   * Of models with linear leaves: the features of their terms, and where `bound` holds, which is for
   * rows whose values lie in these ranges or are missing. Elsewhere there is no bound, for linear terms
   * grow with their features.
   */
  readonly within?: readonly FeatureRange[];
  /** Largest and mean change of the raw scores of the rows given, or else of the model's self-test. */
  readonly measured?: { readonly rows: number; readonly largest: number; readonly mean: number };
}

/** The finite values of a feature in the rows given, or in the self-test and the training statistics. */
export interface FeatureRange {
  /** Column name. */
  readonly name: string;
  /** Absent where the rows hold no value of it: there it must be missing. */
  readonly least?: number;
  /** Absent where the rows hold no value of it. */
  readonly most?: number;
}

/** Levels to try, finest first: a leaf then takes two bytes, or one. */
const LEVELS = [65536, 16384, 4096, 1024, 256, 64, 16];

/** Rows that are encoded at once. */
const BLOCK = 1024;

/**
 * Shrinks a model until its file has at most `maxBytes`. A model whose trees went into its base score is
 * one round: its trees are no longer those of single rounds. Rounds that were kept after the best one
 * weigh nothing, and go first.
 *
 * @param options `rows`: measure the change on them; models with linear leaves need rows, or those of
 * a self-test.
 * @throws {ModelError} `E_MODEL_LIMIT` with the smallest size when that is larger than `maxBytes`,
 * `E_MODEL_SCHEMA` for linear leaves without rows.
 */
export function shrinkModel(
  model: Model,
  options: { readonly maxBytes: number; readonly rows?: PredictInput },
): Shrunk {
  checkModel("shrinkModel", model);
  checkOptions<typeof options>("shrinkModel", options, { maxBytes: "number", rows: "any" });
  const { maxBytes, rows } = options;
  checkArgument("shrinkModel", "maxBytes", maxBytes, "number");
  const whole = new Model({ ...contentsOf(model), attachments: new Map() });
  const exact = exactly(whole);
  if (exact.bytes <= maxBytes) return report(model, exact, rows);
  const lean = counted(whole);
  if (lean !== whole) {
    const fewer = exactly(lean);
    if (fewer.bytes <= maxBytes) return report(model, fewer, rows);
  }
  if (model.ensemble.linear === undefined) {
    return report(model, fit(lean, maxBytes, attemptsOf(lean)), rows);
  }
  const ranges = rangesOf(model, rows);
  const meanOf = (smaller: Model) => measure(model, smaller, rows)?.mean ?? NaN;
  const best = fitLinear(lean, maxBytes, ranges, meanOf);
  return { ...report(model, best, rows), within: namedRanges(model, ranges) };
}

/** A model as it is. */
function exactly(model: Model): Attempt {
  return { smaller: model, bytes: sizeOf(model), bound: 0, cut: { span: -1 } };
}

/** The rounds that count, where a model keeps those after its best one, which weigh nothing. */
function counted(model: Model): Model {
  const { kept, ...info } = model.info as ModelInfo & { readonly kept?: { rounds: number } };
  if (kept === undefined) return model;
  const ensemble = firstRounds(model.ensemble, kept.rounds);
  return createModel({ ...contentsOf(model), info, ensemble });
}

/** A smaller model. */
interface Attempt {
  readonly smaller: Model;
  readonly bytes: number;
  readonly bound: number;
  readonly cut: Cut;
}

/** Makes attempts at a model. */
function attemptsOf(lean: Model) {
  return (trees: Cuttable, cut: Cut): Attempt => {
    const { ensemble, bound } = trees.cut(cut);
    const smaller = createModel({ ...contentsOf(lean), ensemble });
    return { smaller, bound, bytes: sizeOf(smaller), cut };
  };
}

/** Makes a model without linear leaves fit. */
function fit(model: Model, maxBytes: number, attempt: ReturnType<typeof attemptsOf>): Attempt {
  const { schema } = model;
  const isVote = model.ensemble.aggregate === "vote";
  const rounded = isVote
    ? makeVotesCuttable(model.ensemble, schema)
    : makeCuttable(model.ensemble, schema, false);
  // Votes know no levels: first what changes none.
  for (const cut of isVote ? [{ span: 0 }] : LEVELS.map((levels) => ({ levels, span: -1 }))) {
    const tried = attempt(rounded, cut);
    if (tried.bytes <= maxBytes) return tried;
  }
  // The least span that fits, by halving; 256 levels leave pruning the finest choice.
  const folded = isVote ? rounded : makeCuttable(model.ensemble, schema, true);
  const levels = isVote ? {} : { levels: 256 };
  let low = 0;
  let high = folded.largestSpan;
  let best = attempt(folded, { ...levels, span: high });
  if (best.bytes > maxBytes) throw tooLarge(best.bytes, maxBytes);
  for (let i = 0; i < 16; i++) {
    const middle = (low + high) / 2;
    const next = attempt(folded, { ...levels, span: middle });
    if (next.bytes <= maxBytes) {
      best = next;
      high = middle;
    } else low = middle;
  }
  return best;
}

/**
 * Makes a model with linear leaves fit. Proved bounds add up what trees do at worst, which hardly tells
 * good attempts from bad ones: what changes the scores of rows least, in the mean, is taken.
 */
function fitLinear(
  lean: Model,
  maxBytes: number,
  ranges: FeatureRanges,
  meanOf: (smaller: Model) => number,
): Attempt {
  const { ensemble, schema } = lean;
  const attempt = attemptsOf(lean);
  const dropped = makeCuttable(ensemble, schema, false, ranges);
  const constants = attempt(dropped, { span: -1, dropTerms: true });
  // Constants alone are stored in a fraction of the bytes, and rounded and pruned as such.
  let best = constants.bytes <= maxBytes
    ? constants
    : fit(constants.smaller, maxBytes, (trees, cut) => {
      const next = attempt(trees, cut);
      return { ...next, bound: constants.bound + next.bound };
    });
  let mean = meanOf(best.smaller);
  const folded = makeCuttable(ensemble, schema, true, ranges);
  for (const weighed of [false, true]) {
    const some = leastSpan(folded, weighed, (cut) => attempt(folded, cut), maxBytes);
    const next = some ? meanOf(some.smaller) : NaN;
    if (!(next < mean)) continue;
    best = some!;
    mean = next;
  }
  return best;
}

/** Cuts by the least of all spans that fits, by halving. */
function leastSpan(
  trees: Cuttable,
  weighed: boolean,
  attempt: (cut: Cut) => Attempt,
  maxBytes: number,
): Attempt | undefined {
  const spans = trees.spans(weighed);
  let best: Attempt | undefined;
  let low = 0;
  let high = spans.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const next = attempt({ span: spans[middle], weighed });
    if (next.bytes <= maxBytes) {
      best = next;
      high = middle - 1;
    } else low = middle + 1;
  }
  return best;
}

/** Where the features of rows lie, or those of the self-test and of training. */
function rangesOf(model: Model, rows: PredictInput | undefined): FeatureRanges {
  const { schema, ensemble } = model;
  const width = schema.features.length;
  const found = createRanges(width, ensemble.profile.input);
  const stored = rows === undefined ? selfTestRows(model) : undefined;
  const encoded = rows && encodeInput(createContract(schema), rows);
  const count = stored?.rows ?? encoded?.rows ?? 0;
  if (count === 0) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      "Cannot shrink linear leaves without rows: their values grow with the features, so that a " +
        "change is told for rows alone. Give rows like those to be scored",
    );
  }
  if (stored) {
    found.add(stored.x, count);
    // A self-test is of few rows: the limits of the training statistics tell where most rows lay.
    for (const end of [0, -1]) {
      const limits = trainingStatsOf(model)?.features.map((f) => f.limits?.at(end) ?? NaN);
      if (limits) found.add(Float64Array.from(limits), 1);
    }
  }
  const x = new Float64Array(width * BLOCK);
  for (let from = 0; encoded && from < count; from += BLOCK) {
    const to = Math.min(count, from + BLOCK);
    encoded.fill(from, to, x);
    found.add(x, to - from);
  }
  return found.ranges;
}

/** The ranges of the features that linear terms have. */
function namedRanges({ ensemble, schema }: Model, { least, most }: FeatureRanges): FeatureRange[] {
  const used = [...new Set(ensemble.linear!.termFeature)].sort((a, b) => a - b);
  return used.map((f) => ({
    name: schema.features[f].name,
    ...(least[f] <= most[f] && { least: least[f], most: most[f] }),
  }));
}

function sizeOf(model: Model): number {
  return encodeModel(model, { explain: false, attachments: false }).byteLength;
}

function report(
  before: Model,
  { smaller: after, bytes, cut, bound }: Attempt,
  rows: PredictInput | undefined,
): Shrunk {
  const inner = (model: Model) => model.ensemble.trees.gain.length - leaves(model);
  const old = inner(before);
  const measured = measure(before, after, rows);
  return {
    model: after,
    bytes,
    ...(cut.levels !== undefined && { levels: cut.levels }),
    pruned: old > 0 ? 1 - inner(after) / old : 0,
    trees: after.numTrees,
    bound,
    ...(measured && { measured }),
  };
}

function leaves(model: Model): number {
  return model.ensemble.trees.firstChild.reduce((count, child) => count + +(child < 0), 0);
}

function measure(
  before: Model,
  after: Model,
  rows: PredictInput | undefined,
): Shrunk["measured"] {
  const stored = rows === undefined ? selfTestRows(before) : undefined;
  if (rows === undefined && stored === undefined) return undefined;
  const score = (model: Model) => {
    if (stored === undefined) return treesOf(model).predictRaw(rows!).data;
    const raw = new Float64Array(stored.raw.length);
    model.positional(model.schemaHash).rawRowsInto(stored.x, raw);
    return raw;
  };
  const old = score(before);
  const now = score(after);
  let largest = 0;
  let total = 0;
  for (let i = 0; i < now.length; i++) {
    // Scores that overflow alike do not change; Infinity − Infinity would be NaN.
    const change = Object.is(now[i], old[i]) ? 0 : Math.abs(now[i] - old[i]);
    largest = Math.max(largest, change);
    total += change;
  }
  const mean = now.length > 0 ? total / now.length : 0;
  return { rows: now.length / before.numOutputs, largest, mean };
}

/** A model of the same trees without an offset column, which changes no difference. */
function treesOf(model: Model): Model {
  const { offset, ...info } = model.info;
  return offset === undefined ? model : new Model({ ...contentsOf(model), info });
}

function tooLarge(bytes: number, limit: number): ModelError {
  return new ModelError(
    "E_MODEL_LIMIT",
    `Cannot make this model fit ${limit} bytes: the smallest it gets is ${bytes}`,
    { details: { bytes, limit } },
  );
}
