/**
 * Going on from a finished model: more rounds, or new leaf values for the same trees.
 *
 * @module
 */
import { alignDataset } from "../data/align.ts";
import { labelsOf } from "../data/target.ts";
import type { Column, Dataset, Schema } from "../data/types.ts";
import type { TrainOptions } from "../ensemble/types.ts";
import { ModelError, ParameterError } from "../errors.ts";
import { resolveLoss } from "../loss/losses.ts";
import type { Loss } from "../loss/types.ts";
import { appendEnsemble } from "../model/edit.ts";
import { createModel, type Model } from "../model/model.ts";
import { canonicalParams, resolveParams } from "../params/resolve.ts";
import type { ParamInput } from "../params/types.ts";
import { trainBoost } from "./boost.ts";
import type { ResolvedBoost } from "./boost_plan.ts";
import { namedSets } from "./validation.ts";

/**
 * Adds rounds to a model. The data must have the model's columns and no class that it does not
 * know; the loss stays the model's. Early stopping counts the new rounds only.
 *
 * @param params `rounds` (of new trees), and anything that may differ from the first run.
 * @throws {ModelError} `E_MODEL_SCHEMA` for a model that was not boosted here.
 * @throws {ParameterError} `E_PARAM_CONFLICT` for another loss.
 */
export async function continueBoost(
  model: Model,
  data: Dataset,
  params: ParamInput = {},
  options: TrainOptions = {},
): Promise<Model> {
  const merged = mergedParams(model, params);
  const { data: train, loss } = inShapeOf(model, data, merged);
  const valid = Object.entries(namedSets(options.valid))
    .map(([name, set]) => [name, besideModel(model, inShapeOf(model, set, merged).data)] as const);
  const { committee = 1 } = model.info;
  const start = { ...merged, committee, loss: loss.given, baseScore: responseOfZero(loss.loss) };
  const added = await trainBoost(besideModel(model, train), start, {
    ...options,
    ...(valid.length === 0 ? {} : { valid: Object.fromEntries(valid) }),
  });
  const before = model.numRounds;
  const { best } = added.info;
  return createModel({
    schema: joinedSchema(model.schema, added.schema),
    ensemble: appendEnsemble(model.ensemble, added.ensemble),
    info: {
      ...model.info,
      ...(best === undefined ? {} : { best: { ...best, round: best.round + before } }),
      continued: [
        ...(Array.isArray(model.info.continued) ? model.info.continued : []),
        { rounds: added.numRounds, numRows: added.info.numRows ?? 0, seed: added.info.seed ?? 0 },
      ],
    },
    ...(model.calibration === undefined ? {} : { calibration: model.calibration }),
  });
}

/** How leaves are refitted. */
export interface RefitOptions {
  /** Share of the old leaf value that is kept, 0 to 1. @default 0.9 */
  readonly decay?: number;
}

/**
 * Keeps the trees and fits their leaves to new data, round by round:
 * leaf ← decay · leaf + (1 − decay) · learningRate · step. Leaves that no row reaches stay.
 *
 * @throws {ModelError} `E_MODEL_SCHEMA` for a model that was not boosted here.
 */
export function refitBoost(model: Model, data: Dataset, options: RefitOptions = {}): Model {
  const { decay = 0.9 } = options;
  if (!(decay >= 0 && decay <= 1)) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use decay ${decay}: expected a number in [0, 1]`,
      { details: { param: "decay", value: decay } },
    );
  }
  const params = mergedParams(model, {});
  const { data: shaped, loss: { loss } } = inShapeOf(model, data, params);
  const labels = labelsOf(shaped);
  loss.checkLabels(labels);
  const resolved = resolveParams("boost", params) as unknown as ResolvedBoost;
  const { ensemble } = model;
  const { numRows } = shaped;
  const leaves = model.predictLeaf(shaped);
  const raw = new Float64Array(numRows * loss.numOutputs);
  const { offset } = shaped;
  for (let i = 0; i < raw.length; i++) {
    const [k, row] = [Math.floor(i / numRows), i % numRows];
    raw[i] = ensemble.baseScore[k] + (offset?.[row * loss.numOutputs + k] ?? 0);
  }
  const gradient = new Float64Array(raw.length);
  const hessian = new Float64Array(raw.length);
  const leaf = ensemble.trees.leaf.slice();
  const cover = ensemble.trees.cover.slice();
  for (let t = 0; t < model.numTrees; t++) {
    if (t % ensemble.treesPerRound === 0) {
      loss.gradients(labels, raw, gradient, hessian, 0, numRows);
    }
    const at = ensemble.treeOutput[t] * numRows;
    const rowsOf = rowsByLeaf(leaves.data, leaves.cols, t, numRows);
    const weight = loss.weighted === true ? undefined : labels.weight;
    for (const [local, rows] of rowsOf) {
      const node = ensemble.trees.treeStart[t] + local;
      let g = 0;
      let h = 0;
      for (const row of rows) {
        const w = weight?.[row] ?? 1;
        g += w * gradient[at + row];
        h += w * hessian[at + row];
      }
      const step = loss.refitLeaf?.(labels, raw, Int32Array.from(rows), ensemble.treeOutput[t]) ??
        (h + resolved.lambda > 0 ? -g / (h + resolved.lambda) : 0);
      const scale = ensemble.treeWeight[t];
      leaf[node] = Math.fround(
        decay * leaf[node] + (1 - decay) * resolved.learningRate * step / scale,
      );
      cover[node] = h;
    }
    for (const [local, rows] of rowsOf) {
      const value = ensemble.treeWeight[t] * leaf[ensemble.trees.treeStart[t] + local];
      for (const row of rows) raw[at + row] += value;
    }
  }
  return createModel({
    schema: model.schema,
    ensemble: { ...ensemble, trees: settleInner({ ...ensemble.trees, leaf, cover }) },
    info: { ...model.info, refitted: { numRows, decay } },
    ...(model.calibration === undefined ? {} : { calibration: model.calibration }),
  });
}

/** Rows that end in each node of one tree. */
function rowsByLeaf(
  leaves: Int32Array,
  cols: number,
  tree: number,
  numRows: number,
): ReadonlyMap<number, number[]> {
  const found = new Map<number, number[]>();
  for (let row = 0; row < numRows; row++) {
    const node = leaves[row * cols + tree];
    const rows = found.get(node);
    if (rows === undefined) found.set(node, [row]);
    else rows.push(row);
  }
  return found;
}

/** Cover of inner nodes as the sum of their children, and their value as the weighted mean. */
function settleInner<T extends Model["ensemble"]["trees"]>(trees: T): T {
  const { firstChild, cover, leaf } = trees;
  for (let node = firstChild.length - 1; node >= 0; node--) {
    const child = firstChild[node];
    if (child < 0) continue;
    cover[node] = cover[child] + cover[child + 1];
    if (Number.isNaN(leaf[node]) || !(cover[node] > 0)) continue;
    leaf[node] = (cover[child] * leaf[child] + cover[child + 1] * leaf[child + 1]) / cover[node];
  }
  return trees;
}

/** The model's own parameters under those given now. */
function mergedParams(model: Model, params: ParamInput): ParamInput {
  const { algorithm, params: stored, loss } = model.info;
  if (algorithm !== "boost" || typeof loss !== "string") {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot go on from this model: expected one trained by "boost", found "${algorithm}"`,
      { details: { algorithm } },
    );
  }
  const given = Object.fromEntries(canonicalParams("boost", params));
  if (given.loss !== undefined) {
    const name = typeof given.loss === "string" ? given.loss : (given.loss as Loss).name;
    if (name !== loss && name !== (stored?.loss ?? "auto")) {
      throw new ParameterError(
        "E_PARAM_CONFLICT",
        `Cannot go on with loss "${name}": the model was trained with "${loss}"`,
        { details: { param: "loss", value: name, model: loss } },
      );
    }
  }
  return { ...stored, loss, ...given };
}

/** The data with the model's columns, vocabularies and classes, and the model's loss for it. */
function inShapeOf(
  model: Model,
  data: Dataset,
  params: ParamInput,
): { readonly data: Dataset; readonly loss: { readonly loss: Loss; readonly given: unknown } } {
  const { schema } = model;
  const reference: Dataset = {
    numRows: 0,
    features: schema.features.map((feature): Column =>
      feature.kind === "numeric"
        ? { kind: "numeric", name: feature.name, values: new Float64Array(0) }
        : {
          kind: "categorical",
          name: feature.name,
          codes: new Int32Array(0),
          categories: feature.categories,
        }
    ),
    target: schema.classes.length > 0
      ? {
        kind: "classification",
        name: schema.target?.name ?? "target",
        codes: new Int32Array(0),
        classes: schema.classes,
      }
      : {
        kind: "regression",
        name: schema.target?.name ?? "target",
        values: new Float64Array(0),
      },
  };
  const aligned = alignDataset(reference, data, "training");
  const features = aligned.features.map((column) =>
    column.kind === "numeric" ? column : {
      ...column,
      // A value that the model has never seen cannot enter its vocabulary now.
      codes: column.codes.map((code) => code < column.categories.length ? code : -1),
    }
  );
  const resolved = resolveParams("boost", params) as unknown as ResolvedBoost;
  const { loss, data: shaped } = resolveLoss(params.loss, { ...aligned, features }, resolved);
  if (loss.name !== model.info.loss || loss.numOutputs !== model.numOutputs) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot go on: the loss "${loss.name}" gives ${loss.numOutputs} outputs, the model has ` +
        `${model.numOutputs} of "${String(model.info.loss)}"`,
    );
  }
  return { data: shaped, loss: { loss, given: params.loss } };
}

/** The data with the model's raw scores as offset. */
function besideModel(model: Model, data: Dataset): Dataset {
  const { offset: _, ...plain } = data;
  const { data: raw } = model.predictRaw(plain);
  if (data.offset !== undefined) { for (let i = 0; i < raw.length; i++) raw[i] += data.offset[i]; }
  return { ...data, offset: raw };
}

/** The response of raw score 0: the model's scores are the rows' offsets, with nothing beside them. */
function responseOfZero({ postprocess: { name } }: Loss): number {
  return name === "exp" ? 1 : name === "sigmoid" || name === "oneVsAll" ? 0.5 : 0;
}

/** A feature has a learnt side for missing values once either run had some. */
function joinedSchema(first: Schema, next: Schema): Schema {
  return {
    ...first,
    features: first.features.map((feature, i) =>
      next.features[i].missing === "learnt" ? { ...feature, missing: "learnt" } : feature
    ),
  };
}
