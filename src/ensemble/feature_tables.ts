/**
 * What kernels need to know of all features at once: which cells are theirs, which can be scanned in one
 * call.
 *
 * @module
 */
import { type BinLayout, isNumericAlone } from "../binning/binned.ts";
import { CELLS8 } from "../kernels/types.ts";
import type { Arena } from "../kernels/memory.ts";

/** Cells of each slot and two-byte feature. */
export function layOutRanges(arena: Arena, bins: BinLayout): number {
  const { places, slots8, order16, features8, sparse8, numCells } = bins;
  const at = arena.alloc(8 * (features8 + order16.length));
  const put = (i: number, from: number, to: number) => {
    arena.memory.u32.set([from, to], (at >>> 2) + 2 * i);
  };
  for (let p = 0; p < features8; p++) {
    if (!sparse8) put(p, p * CELLS8, (p + 1) * CELLS8);
    else if (p < slots8.length) put(p, slots8[p].cell, slots8[p].cell + slots8[p].numCodes);
    else put(p, 0, 0);
  }
  order16.forEach((feature, i) => {
    const next = i + 1 < order16.length ? places[order16[i + 1]].cell : numCells;
    put(features8 + i, places[feature].cell, next);
  });
  return at;
}

/** Numeric features that no other shares cells with, for `scanFeatures`. */
export function layOutScanned(
  arena: Arena,
  { places, slots8, order16, features8 }: BinLayout,
): number {
  const at = arena.alloc(16 * (features8 + order16.length));
  const put = (i: number, features: readonly number[]) => {
    const of = features.length === 1 && isNumericAlone(places[features[0]]) ? features[0] : -1;
    const { cell, numBins } = places[Math.max(0, of)];
    arena.memory.u32.set([cell, numBins, of, 0], (at >>> 2) + 4 * i);
  };
  for (let p = 0; p < features8; p++) put(p, slots8[p]?.features ?? []);
  order16.forEach((feature, i) => put(features8 + i, [feature]));
  return at;
}
