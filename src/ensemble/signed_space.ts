/**
 * Memory in which one number a row and output stands for both derivatives of softmax
 * (`kernels/twin_signed.ts`).
 *
 * @module
 */
import type { HistLayout, SignedLayout } from "../grow/histogram/layout.ts";
import { SMALL_ROWS } from "../grow/histogram/quanta.ts";
import type { Arena } from "../kernels/memory.ts";
import { SIGNED_WORK_BYTES } from "../kernels/types.ts";
import type { BoostPlan } from "./plan.ts";

/**
 * Lays it out.
 *
 * @param isWatched Whether the scores of the training rows are looked at after a round.
 * @returns `undefined` where histograms would be wide for sure, or gradients are changed before trees
 * grow on them.
 */
export function layOutSigned(
  arena: Arena,
  { numThreads, numOutputs, lossKernel, weight, factor, leafBytes, sets: [train] }: HistLayout,
  { linear, dart, parallelTrees = 1 }: BoostPlan,
  { maxLeaves, isWatched }: { readonly maxLeaves: number; readonly isWatched: boolean },
): SignedLayout | undefined {
  const { numRows } = train.rows;
  if (
    lossKernel !== "softmax" || weight !== 0 || factor !== 0 || linear !== undefined ||
    parallelTrees > 1 || numRows <= SMALL_ROWS
  ) return undefined;
  const workBytes = SIGNED_WORK_BYTES + 64 * numOutputs;
  const zeros = (byteLength: number) => {
    const at = arena.alloc(byteLength);
    arena.memory.u8.fill(0, at, at + byteLength);
    return at;
  };
  return {
    // The kernels read up to three rows beyond the last.
    at: arena.alloc(4 * numRows * numOutputs + 16),
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
