/**
 * Levels of categories to codes, a piece of rows after the other: a piece is still in the nearest caches
 * when it is coded, and copying it is most of the work, so that threads would not help.
 *
 * @module
 */
import type { CategoricalColumn } from "../data/types.ts";
import { CELLS8 } from "../kernels/types.ts";
import { categoryBins, type FeatureBins } from "./bins.ts";
import type { CodeSpace } from "./code_space.ts";

/** Rows that are copied at a time. */
const PIECE = 8192;

/** Makes what writes the codes of categories, each its own vocabulary, to an address. */
export function createLevelBinner(
  { arena, kernels }: CodeSpace,
): (column: CategoricalColumn, codes: number) => FeatureBins {
  const { memory } = arena;
  const at = arena.alloc(4 * PIECE);
  return (column, codes) => {
    const { numBins } = categoryBins(column, false);
    const isWide = numBins + 1 > CELLS8;
    const write = isWide ? kernels.levels16 : kernels.levels8;
    let hasMissing = false;
    for (let from = 0; from < column.codes.length; from += PIECE) {
      const piece = column.codes.subarray(from, from + PIECE);
      memory.i32.set(piece, at >>> 2);
      // The code of missing is after that of unknown values.
      const missing = write(at, piece.length, numBins - 1, codes + (isWide ? 2 : 1) * from);
      hasMissing ||= missing === 1;
    }
    return categoryBins(column, hasMissing);
  };
}
