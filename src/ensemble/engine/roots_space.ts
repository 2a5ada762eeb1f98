/**
 * Memory in which the roots of several outputs' trees are built at once (`grow/histogram/operations/roots.ts`).
 *
 * @module
 */
import { SMALL_ROWS } from "../../grow/histogram/gradients/quanta.ts";
import type { HistLayout, RootsLayout } from "../../grow/histogram/workspace/layout.ts";
import { ROOT_SUM_BYTES, ROOT_TASK_BYTES } from "../../grow/histogram/operations/roots.ts";
import type { Arena } from "../../kernels/memory.ts";
import { ROOT_OUTPUTS, ROOT_VALUE_BYTES, STRIDE8 } from "../../kernels/types.ts";

/** With fewer outputs, a root by itself takes no longer. */
export const FEWEST_ROOTS = 4;

/** Cells of more features than these are far from a core. */
const MOST_FEATURES = 48;

/**
 * Lays out what building roots at once needs.
 *
 * @returns `undefined` where it does not pay, or where rows are left out or counted, or take two bytes.
 */
export function layOutRoots(
  arena: Arena,
  { numThreads, numOutputs, bins, counted, mask, sets: [train] }: HistLayout,
): RootsLayout | undefined {
  const { numRows } = train.rows;
  const { features8, order16 } = bins;
  if (
    numOutputs < FEWEST_ROOTS || numRows <= SMALL_ROWS || mask !== 0 || counted !== "none" ||
    order16.length > 0 || features8 > MOST_FEATURES
  ) return undefined;
  const cellBytes = features8 * STRIDE8 * 8 * ROOT_OUTPUTS;
  return {
    // The kernel reads up to three rows beyond the last.
    packed: arena.alloc(4 * numRows * Math.min(numOutputs, ROOT_OUTPUTS) + 16),
    tasks: arena.alloc(ROOT_TASK_BYTES),
    cells: arena.alloc(numThreads * cellBytes),
    cellBytes,
    copies: numThreads,
    sums: arena.alloc(numThreads * ROOT_SUM_BYTES),
    values: arena.alloc(numThreads * ROOT_VALUE_BYTES),
  };
}
