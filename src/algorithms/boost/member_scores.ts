/**
 * What each member of a committee by itself says of rows, and which member has not seen them.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import { zerosMissing } from "../../data/dataset/zeros.ts";
import { columnsOf, termsOfTree } from "../../ensemble/linear_leaves.ts";
import { leafOutput, type LinearColumns } from "../../grow/linear_leaves.ts";
import { outputMajor } from "../../metric/response.ts";
import type { Model } from "../../model/model.ts";
import { committeePlan } from "./committee.ts";
import { rowsFingerprint } from "./start.ts";

/**
 * Raw scores of each member: base score, the rows' offsets, its own trees in full.
 *
 * @param baseScore Length `numOutputs`.
 * @returns Output-major, one array a member.
 */
export function memberScores(
  model: Model,
  data: Dataset,
  members: number,
  baseScore: Float64Array,
): Float64Array[] {
  const { ensemble, numOutputs } = model;
  const { numRows, offset, ...rest } = data;
  const leaves = model.predictLeaf({ numRows, ...rest });
  const start = new Float64Array(numRows * numOutputs);
  for (let i = 0; i < start.length; i++) {
    start[i] = baseScore[i % numOutputs] + (offset?.[i] ?? 0);
  }
  const scores = Array.from(
    { length: members },
    () => outputMajor(start, numRows, numOutputs).slice(),
  );
  const perMember = ensemble.treesPerRound / members;
  const { trees, linear } = ensemble;
  const { treeStart, leaf } = trees;
  const columns = linear && valuesFor(model, data);
  for (let t = 0; t < model.numTrees; t++) {
    const own = scores[Math.floor((t % ensemble.treesPerRound) / perMember)];
    const at = ensemble.treeOutput[t] * numRows;
    const factor = members * ensemble.treeWeight[t];
    const terms = linear && termsOfTree(linear, trees, t);
    for (let row = 0; row < numRows; row++) {
      const node = leaves.data[row * leaves.cols + t];
      const value = leaf[treeStart[t] + node];
      own[at + row] += factor *
        (terms && columns ? leafOutput(value, terms[node], columns, row) : value);
    }
  }
  return scores;
}

/** The values that linear leaves are answered from. */
function valuesFor({ schema: { features } }: Model, data: Dataset): LinearColumns {
  const zeros = features.some((feature) => feature.kind === "numeric" && feature.zeroIsMissing);
  return columnsOf(zeros ? zerosMissing(data) : data, features.map(({ name }) => name));
}

/**
 * Raw scores of a committee's training rows by the members that have not seen them, output-major;
 * undefined where the model is no committee, or was not trained on these rows.
 */
export function outOfFoldScores(model: Model, data: Dataset): Float64Array | undefined {
  const { committee, committeeRows, seed = 0 } = model.info;
  // Only a committee has a fingerprint of its rows.
  if (committeeRows !== rowsFingerprint(data)) return undefined;
  const members = Number(committee);
  const { partOf } = committeePlan(data, members, seed);
  const scores = memberScores(model, data, members, model.ensemble.baseScore);
  return scores[0].map((_, i) => scores[partOf[i % data.numRows]][i]);
}
