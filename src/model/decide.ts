/**
 * Exact early exit: is the raw score above a threshold? The smallest and the largest leaf of the trees
 * not yet walked bound what they can add; once the bound lies on one side, the rest is not walked. The
 * answer is that of the full sum, on every row: bounds are widened by what rounding can do.
 *
 * @module
 */
import { checkArgument, checkModel } from "../door.ts";
import { ModelError, ParameterError } from "../errors.ts";
import { createEnds, isAdditive, weighLeaf } from "./score/additive.ts";
import { createContract } from "./contract.ts";
import { encodeInput, type PredictInput } from "./encode.ts";
import type { Model } from "./model.ts";
import { createTreeWalk } from "./score/walk.ts";

/** Answers of {@linkcode decideAbove}, and how many trees they took. */
export interface Decisions {
  /** For each row, 1 if its raw score is above the threshold, else 0. */
  readonly above: Uint8Array;
  /** Number of trees that were evaluated, over all rows. */
  readonly treesWalked: number;
  /** Number of trees that complete scores would take. */
  readonly treesTotal: number;
}

/**
 * Decides for each row whether its raw score is above a threshold, and stops evaluating trees as soon
 * as the rest cannot change the answer. The answers are those of the complete scores.
 *
 * @param threshold On the raw scale: for the probability p of a logistic model, ln(p / (1 − p)).
 * @throws {ParameterError} `E_PARAM_CONFLICT` unless the model is a sum of trees with two-way splits
 * and has one output.
 * @throws {ModelError} `E_MODEL_SCHEMA` for rows that do not fit the model.
 */
export function decideAbove(model: Model, input: PredictInput, threshold: number): Decisions {
  checkModel("decideAbove", model);
  checkArgument("decideAbove", "threshold", threshold, "number");
  const { storage, rules, schema } = model;
  const sum = rules.aggregate === "sum" && isAdditive(rules) && rules.profile.base === "first";
  if (storage.layout !== "packed" || rules.numOutputs !== 1 || !sum) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      "Cannot decide early: it takes a sum of two-way trees with one output",
    );
  }
  const { packed } = storage;
  const { treeNodes, leaves, leafIndex } = packed;
  const numTrees = treeNodes.length;
  const f32 = rules.profile.sum === "f32";
  const { low, high } = suffixBounds(model);
  const start = createEnds(rules).start[0];
  const walk = createTreeWalk(packed);
  const encoded = encodeInput(createContract(schema), input);
  const starts = encoded.offset?.length ?? (model.info.offset === undefined ? encoded.rows : 0);
  if (starts !== encoded.rows) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot add ${starts} offsets: expected ${encoded.rows}`,
    );
  }
  const numFeatures = schema.features.length;
  const x = new Float64Array(numFeatures);
  const above = new Uint8Array(encoded.rows);
  let treesWalked = 0;
  for (let r = 0; r < encoded.rows; r++) {
    encoded.fill(r, r + 1, x);
    if (rules.profile.input === "f32") {
      for (let f = 0; f < numFeatures; f++) x[f] = Math.fround(x[f]);
    }
    walk.load(x, 0);
    const offset = encoded.offset === undefined ? 0 : encoded.offset[r];
    const margin = 2 ** -50 * Math.abs(offset);
    let total = start;
    let j = 0;
    let b = 0;
    let t = 0;
    for (; t < numTrees; t++) {
      if (total + low[t] + offset - margin > threshold) break;
      if (total + high[t] + offset + margin <= threshold) break;
      const n = treeNodes[t];
      const leaf = walk.leafOf(j, n, b);
      const value = weighLeaf(rules, t, leaves[leafIndex === undefined ? leaf : leafIndex[leaf]]);
      total = f32 ? Math.fround(total + value) : total + value;
      j += n;
      b += n + 1;
    }
    treesWalked += t;
    above[r] = t === numTrees
      ? +(total + offset > threshold)
      : +(total + low[t] + offset - margin > threshold);
  }
  encoded.finish();
  return { above, treesWalked, treesTotal: numTrees * encoded.rows };
}

/** What trees t … can add at least and at most, rounding included; length `numTrees + 1`. */
function suffixBounds(model: Model): { low: Float64Array; high: Float64Array } {
  const { storage, rules } = model;
  if (storage.layout !== "packed") throw new TypeError("unreachable: checked by the caller");
  const { treeNodes, leaves, leafIndex } = storage.packed;
  const numTrees = treeNodes.length;
  const least = new Float64Array(numTrees);
  const most = new Float64Array(numTrees);
  let b = 0;
  let size = Math.abs(rules.baseScore[0]);
  for (let t = 0; t < numTrees; t++) {
    least[t] = Infinity;
    most[t] = -Infinity;
    for (const end = b + treeNodes[t] + 1; b < end; b++) {
      const value = weighLeaf(rules, t, leaves[leafIndex === undefined ? b : leafIndex[b]]);
      if (value < least[t]) least[t] = value;
      if (value > most[t]) most[t] = value;
    }
    size += Math.max(Math.abs(least[t]), Math.abs(most[t]));
  }
  // Each of the additions ahead, and each made here, errs by half a unit of at most `size`; in float32
  // also by half of its smallest number. A sum that may overflow float32 has no bounds.
  const f32 = rules.profile.sum === "f32";
  const error = f32 ? 2 ** -24 * size + 2 ** -150 : 2 ** -53 * size;
  const slack = f32 && size >= 2 ** 127 ? Infinity : 2 * (numTrees + 4) * error;
  const low = new Float64Array(numTrees + 1);
  const high = new Float64Array(numTrees + 1);
  let lowest = 0;
  let highest = 0;
  for (let t = numTrees - 1; t >= 0; t--) {
    lowest += least[t];
    highest += most[t];
    low[t] = lowest - slack;
    high[t] = highest + slack;
  }
  return { low, high };
}
