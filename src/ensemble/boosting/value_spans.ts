/**
 * What rows at a node may hold of a feature, after the splits above it.
 *
 * @module
 */
import { NodeKind, type Trees } from "../../model/types.ts";

/** What is known of a feature; an entry of `schema.features` does. */
export interface SpanOptions {
  readonly name?: string;
  /** Zeros are missing: no number is between −1e-35 and 1e-35. */
  readonly zeroIsMissing?: boolean;
  /** Categories; without them every side of a set counts as open. */
  readonly categories?: readonly string[];
}

/** Numbers above `low` up to `high`, categories, and whether missing ones. */
export interface Span {
  readonly low: number;
  readonly high: number;
  readonly missing: boolean;
  /** A bit set over codes, the last for values outside the vocabulary. */
  readonly codes?: Uint32Array;
  readonly zeroIsMissing: boolean;
}

const ZERO = Math.fround(1e-35); // as scoring has it

/** All values of a feature. */
export function spanOf({ zeroIsMissing = false, categories }: SpanOptions = {}): Span {
  const all = { low: -Infinity, high: Infinity, missing: true, zeroIsMissing };
  if (categories === undefined) return all;
  const size = categories.length + 1;
  const codes = new Uint32Array((size + 31) >>> 5).fill(0xffffffff);
  if (size % 32 !== 0) codes[codes.length - 1] >>>= 32 - size % 32;
  return { ...all, codes };
}

/** What of a span goes to a side of a node; undefined where nothing does. */
export function narrowSpan(
  { kind, threshold, missing, categoryAt, categoryPool }: Trees,
  node: number,
  side: number,
  span: Span,
): Span | undefined {
  const stays = span.missing && missing[node] === side;
  if (kind[node] !== NodeKind.threshold) {
    if (kind[node] !== NodeKind.subset || span.codes === undefined) return span;
    const from = categoryAt[node];
    const codes = span.codes.map((word, i) => {
      const set = categoryPool[from + i];
      return word & (side === 0 ? set : ~set);
    });
    return stays || codes.some((word) => word !== 0)
      ? { ...span, missing: stays, codes }
      : undefined;
  }
  const low = side === 0 ? span.low : Math.max(span.low, threshold[node]);
  const high = side === 1 ? span.high : Math.min(span.high, threshold[node]);
  const noNumber = low >= high || (span.zeroIsMissing && low >= -ZERO && high <= ZERO);
  if (noNumber && !stays) return undefined;
  return { ...span, low, high, missing: stays };
}
