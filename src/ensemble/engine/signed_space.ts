/**
 * Memory in which one number a row and output stands for both derivatives of softmax or logistic loss
 * (`kernels/twin/signed.ts`).
 *
 * @module
 */
import type { CodeSpace } from "../../binning/code_space.ts";
import type { Labels } from "../../data/types.ts";
import { SMALL_ROWS } from "../../grow/histogram/gradients/quanta.ts";
import type { HistLayout, SignedLayout } from "../../grow/histogram/workspace/layout.ts";
import { SIGNED_WORK_BYTES } from "../../kernels/types.ts";
import type { BoostPlan } from "../plan.ts";

/**
 * Lays it out.
 *
 * @param isWatched Whether the scores of the training rows are looked at after a round.
 * @returns `undefined` where histograms would be wide for sure, gradients are changed before trees grow
 * on them, or labels of two classes lie between 0 and 1.
 */
export function layOutSigned(
  { arena, kernels }: CodeSpace,
  { numThreads, numOutputs, lossKernel, weight, factor, leafBytes, sets: [train] }: HistLayout,
  { linear, dart, parallelTrees = 1 }: BoostPlan,
  { labels, maxLeaves, isWatched }: {
    readonly labels: Labels;
    readonly maxLeaves: number;
    readonly isWatched: boolean;
  },
): SignedLayout | undefined {
  const { numRows } = train.rows;
  if (
    lossKernel === undefined || lossKernel === "squared" || weight !== 0 || factor !== 0 ||
    linear !== undefined || parallelTrees > 1 || numRows <= SMALL_ROWS
  ) return undefined;
  // The kernels read up to three rows beyond the last.
  const at = arena.alloc(4 * numRows * numOutputs + 16);
  if (lossKernel === "logistic") {
    if (labels.counts === undefined) return undefined;
    // Scores begin later.
    arena.memory.f64.set(labels.values, train.raw >>> 3);
    kernels.labelSigns(train.raw, numRows, at);
  }
  const workBytes = SIGNED_WORK_BYTES + 64 * numOutputs;
  const zeros = (byteLength: number) => {
    const at = arena.alloc(byteLength);
    arena.memory.u8.fill(0, at, at + byteLength);
    return at;
  };
  return {
    at,
    work: arena.alloc(workBytes * numThreads),
    workBytes,
    // DART takes trees out of the scores, with leaf numbers of its own.
    ...(!isWatched && dart === undefined && {
      late: {
        leafOf: zeros(leafBytes * numRows * numOutputs),
        values: zeros(8 * maxLeaves * numOutputs),
        valuesBytes: 8 * maxLeaves,
      },
    }),
  };
}
