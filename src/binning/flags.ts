/**
 * Columns of one or two values, as the 0/1 columns of a category are: their bin closes between the two,
 * and a row's code is whether it has the larger one. One look at each value does; other columns are
 * counted or sorted first.
 *
 * @module
 */
import type { FloatArray } from "../data/types.ts";
import { type FeatureBins, numericBins } from "./bins.ts";
import type { CodeSpace } from "./code_space.ts";
import { thresholdBetween } from "./cuts.ts";

/** Rows, spread over all, that tell most columns from those of two values. */
const TOLD_BY = 128;
/** Rows that are copied at a time: they stay in the nearest caches until they are coded. */
const PIECE = 8192;

/**
 * Makes what bins such columns.
 *
 * @returns Writes the codes of a column, a byte a row, to an address; `undefined` where the column has
 * more values, or some are missing: what is at the address is then not defined.
 */
export function createFlagBinner(
  { arena, kernels }: CodeSpace,
): (values: FloatArray, codes: number) => FeatureBins | undefined {
  const { memory } = arena;
  const at = arena.alloc(8 * PIECE);

  function writeCodes(values: FloatArray, low: number, high: number, codes: number): boolean {
    const isNarrow = values instanceof Float32Array;
    const codesOf = isNarrow ? kernels.twoCodes32 : kernels.twoCodes64;
    const place = isNarrow
      ? new Float32Array(memory.u8.buffer, at, PIECE)
      : new Float64Array(memory.u8.buffer, at, PIECE);
    for (let from = 0; from < values.length; from += PIECE) {
      const piece = values.subarray(from, from + PIECE);
      place.set(piece);
      if (codesOf(at, piece.length, low, high, codes + from) === 0) return false;
    }
    return true;
  }

  return (values, codes) => {
    const pair = pairOf(values);
    if (pair === undefined) return undefined;
    const [low, high] = pair;
    const isConstant = low === high;
    // A constant has bin 0 alone; no value is equal to NaN.
    if (!writeCodes(values, low, isConstant ? NaN : high, codes)) return undefined;
    const cuts = isConstant ? [] : [thresholdBetween(low, high)];
    return numericBins(Float64Array.from(cuts), false);
  };
}

/** The smaller and the larger value of a column that seems to have no others; equal where it has one. */
function pairOf(values: FloatArray): readonly [low: number, high: number] | undefined {
  if (values.length === 0) return undefined;
  const first = values[0];
  let other = first;
  const stride = Math.ceil(values.length / TOLD_BY);
  for (let row = 0; row < values.length; row += stride) {
    const value = values[row];
    if (value === first || value === other) continue;
    if (other !== first) return undefined;
    other = value;
  }
  for (let row = 0; other === first && row < values.length; row++) other = values[row];
  if (first !== first || other !== other) return undefined;
  // A zero has no sign here.
  return [Math.min(first, other) + 0, Math.max(first, other) + 0];
}
