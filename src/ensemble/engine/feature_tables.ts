/**
 * What kernels need to know of all features at once: which cells are theirs, which can be scanned in one
 * call.
 *
 * @module
 */
import { type BinLayout, hasLevels, isNumericAlone } from "../../binning/binned.ts";
import type { LevelTable } from "../../grow/histogram/workspace/layout.ts";
import { CELLS8, LEVEL_ENTRY_BYTES, STRIDE8 } from "../../kernels/types.ts";
import type { Arena } from "../../kernels/memory.ts";

/** Cells of each slot and two-byte feature. */
export function layOutRanges(arena: Arena, bins: BinLayout): number {
  const { places, slots8, order16, features8, sparse8, numCells } = bins;
  const at = arena.alloc(8 * (features8 + order16.length));
  const put = (i: number, from: number, to: number) => {
    arena.memory.u32.set([from, to], (at >>> 2) + 2 * i);
  };
  for (let p = 0; p < features8; p++) {
    if (!sparse8) put(p, p * STRIDE8, p * STRIDE8 + CELLS8);
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

/** Features for `scanLevels`, with the bins of their joint codes or their codes in a bundle. */
export function layOutLevels(arena: Arena, { places, slots8, features8 }: BinLayout): LevelTable {
  const { memory } = arena;
  const others = places.some((place) => !isNumericAlone(place) && !hasLevels(place));
  const bySlot = Array.from(
    { length: features8 },
    (_, slot) => (slots8[slot]?.features ?? []).filter((feature) => hasLevels(places[feature])),
  );
  const features = bySlot.flat();
  const at = arena.alloc(LEVEL_ENTRY_BYTES * features.length);
  features.forEach((feature, i) => {
    const { cell, numBins, joint, bundled, categorical } = places[feature];
    const bytes = joint ?? bundled?.codes ?? [];
    const bytesAt = bytes.length === 0 ? 0 : arena.alloc(bytes.length);
    memory.u8.set(bytes, bytesAt);
    const kind = bundled !== undefined ? 2 + bundled.usual : categorical ? 1 : 0;
    memory.u32.set(
      [cell, numBins, feature, bytesAt, bytes.length, kind],
      (at + LEVEL_ENTRY_BYTES * i) >>> 2,
    );
  });
  const first = [0];
  for (const some of bySlot) first.push(first[first.length - 1] + some.length);
  return { at, first, others };
}
