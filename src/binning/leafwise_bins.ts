/**
 * Bins as LightGBM 4 chooses them: greedy equal counts with at least three rows a bin, zero kept in
 * a bin of its own, bounds one double above the middle of neighbours; categories by falling count,
 * the rarest left out.
 *
 * Ke et al., "LightGBM", NeurIPS 2017; the rules are those of `src/io/bin.cpp` of release 4.6.0.
 *
 * @module
 */
import type { Column } from "../data/types.ts";
import { nextUp64 as nextUp } from "../util/float.ts";
import { createRanker, type Ranker } from "./rank.ts";

/** Bins of one feature and the bin of every row. */
export interface LeafwiseFeature {
  readonly kind: "numeric" | "categorical";
  /** Position in the dataset. */
  readonly feature: number;
  /** With the one of missing values. */
  readonly numBins: number;
  /**
   * Bin of missing values: the first of categories; of numbers the last, or that of zero where zeros
   * count as missing; −1 where there are none.
   */
  readonly missingBin: number;
  /** The bin with the most rows, or that of zero: its sums are what the others leave. */
  readonly restBin: number;
  /** Share of the rows in that bin. */
  readonly restShare: number;
  /** Numeric: bin b holds values up to and with entry b. */
  readonly upper: Float64Array;
  /** Categorical: category of each bin; −1 for the first, which holds missing and rare ones. */
  readonly categories: Int32Array;
  /** Categorical: size of the vocabulary. */
  readonly numCategories: number;
  /** Bin of each row. */
  readonly codes: Uint16Array;
}

/** How columns are binned. */
export interface LeafwiseBinning {
  /** Largest number of bins of a column. */
  readonly maxBins: number;
  /** Missing values are zeros: they share a bin. @default false */
  readonly zeroAsMissing?: boolean;
}

const ZERO = Math.fround(1e-35); // kZeroThreshold
const ROWS_PER_BIN = 3; // min_data_in_bin
const SPARSE = 0.7; // kSparseThreshold: share of rows that makes a bin the rest
const COMMON = Math.fround(0.99); // categories beyond this share of the rows are left out

/** Bins of a column before anything is known of leaves. */
export type LeafwiseColumn = Omit<LeafwiseFeature, "restBin" | "restShare">;

/** Bins a column; `ranker` is one for as many rows, where several columns are binned. */
export function leafwiseColumn(
  column: Column,
  feature: number,
  { maxBins, zeroAsMissing = false }: LeafwiseBinning,
  ranker?: Ranker,
): LeafwiseColumn {
  return column.kind === "numeric"
    ? numericFeature(
      column.values,
      feature,
      maxBins,
      zeroAsMissing,
      ranker ?? createRanker(column.values.length),
    )
    : categoricalFeature(column.codes, column.categories.length, feature, maxBins);
}

/** The feature, or undefined where no split of it leaves `minRowsPerLeaf` rows on both sides. */
export function usefulBins(
  found: LeafwiseColumn,
  minRowsPerLeaf: number,
): LeafwiseFeature | undefined {
  if (found.numBins <= 1) return undefined;
  const counts = new Int32Array(found.numBins);
  for (const bin of found.codes) counts[bin]++;
  if (isUseless(counts, found, minRowsPerLeaf)) return undefined;
  const rest = restBin(counts, found);
  return { ...found, restBin: rest, restShare: counts[rest] / found.codes.length };
}

/** Whether no cut has enough rows on both sides; three and more bins of categories are not looked at. */
function isUseless(counts: Int32Array, { kind, codes }: LeafwiseColumn, minRows: number): boolean {
  if (kind === "categorical" && counts.length > 2) return false;
  let left = 0;
  for (let bin = 0; bin < counts.length - 1; bin++) {
    left += counts[bin];
    if (left >= minRows && codes.length - left >= minRows) return false;
  }
  return true;
}

function restBin(counts: Int32Array, found: LeafwiseColumn): number {
  let most = 0;
  counts.forEach((count, bin) => {
    if (count > counts[most]) most = bin;
  });
  const zero = found.kind === "numeric"
    ? binOfValue(found.upper, valueBins(found), 0)
    : Math.max(0, found.categories.indexOf(0));
  return most !== zero && counts[most] / found.codes.length < SPARSE ? zero : most;
}

/** Bins that hold numbers: as many as there are bounds. */
function valueBins({ upper }: Pick<LeafwiseColumn, "upper">): number {
  return upper.length;
}

/** First bin whose bound is not below a value; the last takes what is above all. */
function binOfValue(upper: Float64Array, numBins: number, value: number): number {
  let low = 0;
  let high = numBins - 1;
  while (low < high) {
    const middle = (low + high - 1) >>> 1;
    if (value <= upper[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}

function numericFeature(
  values: ArrayLike<number>,
  feature: number,
  maxBins: number,
  zeroAsMissing: boolean,
  ranker: Ranker,
): LeafwiseColumn {
  // LightGBM's `zero_as_missing`: missing values are zeros, and zeros are missing.
  const known = zeroAsMissing
    ? Float64Array.from(values, (value) => value !== value ? 0 : value)
    : values;
  const ranks = ranker.values(known);
  const { hasMissing } = ranks;
  const counts = new Int32Array(ranks.values.length + 1);
  for (let row = 0; row < ranks.codes.length; row++) counts[ranks.codes[row]]++;
  const upper = boundsAroundZero(
    distinctOf(ranks.values, counts),
    hasMissing ? maxBins - 1 : maxBins,
  );
  const missingBin = zeroAsMissing
    ? binOfValue(upper, upper.length, 0)
    : hasMissing
    ? upper.length
    : -1;
  const binOf = new Uint16Array(ranks.values.length + 1);
  let bin = 0;
  for (let i = 0; i < ranks.values.length; i++) {
    while (bin < upper.length - 1 && ranks.values[i] > upper[bin]) bin++;
    binOf[i] = bin;
  }
  binOf[ranks.values.length] = missingBin;
  const codes = new Uint16Array(values.length);
  for (let row = 0; row < codes.length; row++) codes[row] = binOf[ranks.codes[row]];
  return {
    kind: "numeric",
    feature,
    numBins: Math.max(upper.length, missingBin + 1),
    missingBin,
    upper,
    categories: new Int32Array(0),
    numCategories: 0,
    codes,
  };
}

/** Distinct values and how often each occurs. */
interface Distinct {
  readonly values: Float64Array;
  readonly counts: Int32Array;
}

/**
 * Neighbours that are one double apart count as one value, the larger; near zero is zero.
 *
 * @param ascending Different values.
 */
function distinctOf(ascending: Float64Array, rows: Int32Array): Distinct {
  const values = new Float64Array(ascending.length + 1);
  const counts = new Int32Array(ascending.length + 1);
  let number = 0;
  let last = NaN;
  for (let i = 0; i < ascending.length; i++) {
    const value = Math.abs(ascending[i]) <= ZERO ? 0 : ascending[i];
    if (i > 0 && (value === 0 ? last === 0 : last !== 0 && isNextTo(last, value))) {
      values[number - 1] = value;
      counts[number - 1] += rows[i];
    } else {
      values[number] = value;
      counts[number++] = rows[i];
    }
    last = value;
  }
  // Without any value there is a zero that no row has.
  number = Math.max(1, number);
  return { values: values.subarray(0, number), counts: counts.subarray(0, number) };
}

/** Whether no double lies between two that are not near zero; the distance tells most apart at once. */
function isNextTo(last: number, value: number): boolean {
  return value - last <= Math.abs(last) * 2 ** -50 && value <= nextUp(last);
}

/** Upper bounds of the bins of values, negative and positive ones binned apart. */
function boundsAroundZero({ values, counts }: Distinct, maxBins: number): Float64Array {
  const sum = (from: number, to: number) => {
    let total = 0;
    for (let i = from; i < to; i++) total += counts[i];
    return total;
  };
  let left = values.findIndex((value) => value > -ZERO);
  if (left < 0) left = values.length;
  let right = values.findIndex((value, i) => i >= left && value > ZERO);
  if (right < 0) right = values.length;
  const below = sum(0, left);
  const above = sum(right, values.length);
  let bounds: number[] = [];
  if (left > 0 && maxBins > 1) {
    const share = Math.max(1, Math.trunc(below / (below + above) * (maxBins - 1)));
    bounds = greedyBounds({ values, counts }, 0, left, share, below);
    bounds[bounds.length - 1] = -ZERO;
  }
  const rest = maxBins - 1 - bounds.length;
  if (right < values.length && rest > 0) {
    bounds.push(ZERO, ...greedyBounds({ values, counts }, right, values.length, rest, above));
  } else bounds.push(Infinity);
  return Float64Array.from(bounds);
}

/** Bounds of bins of about equal count over distinct values `from … to − 1`; the last is ∞. */
function greedyBounds(
  { values, counts }: Distinct,
  from: number,
  to: number,
  maxBins: number,
  total: number,
): number[] {
  const bounds: number[] = [];
  const close = (low: number, high: number) => {
    const bound = nextUp((low + high) / 2);
    const last = bounds[bounds.length - 1];
    if (last === undefined || bound > nextUp(last)) {
      bounds.push(bound);
      return true;
    }
    return false;
  };
  if (to - from <= maxBins) {
    let inBin = 0;
    for (let i = from; i < to - 1; i++) {
      inBin += counts[i];
      if (inBin >= ROWS_PER_BIN && close(values[i], values[i + 1])) inBin = 0;
    }
    return [...bounds, Infinity];
  }
  const most = Math.max(1, Math.min(maxBins, Math.trunc(total / ROWS_PER_BIN)));
  let restBins = most;
  let restRows = total;
  const isBig = (i: number) => counts[i] >= total / most;
  for (let i = from; i < to; i++) {
    if (!isBig(i)) continue;
    restBins--;
    restRows -= counts[i];
  }
  let mean = restRows / restBins;
  let inBin = 0;
  const ends: number[] = [];
  for (let i = from; i < to - 1; i++) {
    if (!isBig(i)) restRows -= counts[i];
    inBin += counts[i];
    const full = isBig(i) || inBin >= mean || (isBig(i + 1) && inBin >= Math.max(1, mean * 0.5));
    if (!full) continue;
    ends.push(i);
    if (ends.length >= most - 1) break;
    inBin = 0;
    if (!isBig(i)) {
      restBins--;
      mean = restRows / restBins;
    }
  }
  for (const i of ends) close(values[i], values[i + 1]);
  return [...bounds, Infinity];
}

function categoricalFeature(
  codes: Int32Array,
  numCategories: number,
  feature: number,
  maxBins: number,
): LeafwiseColumn {
  const counts = new Int32Array(numCategories);
  let present = 0;
  for (const code of codes) {
    if (code < 0 || code >= numCategories) continue;
    counts[code]++;
    present++;
  }
  const order = Array.from(counts, (_, code) => code)
    .filter((code) => counts[code] > 0)
    .sort((a, b) => counts[b] - counts[a] || a - b);
  const enough = Math.trunc(Math.fround(present * COMMON) + 0.5);
  const most = Math.min(order.length + (present < codes.length ? 1 : 0), maxBins);
  const kept = [-1];
  let used = 0;
  for (const [i, code] of order.entries()) {
    if (used >= enough && kept.length >= most) break;
    if (counts[code] < ROWS_PER_BIN && i > 1) break;
    kept.push(code);
    used += counts[code];
  }
  const binOf = new Int32Array(numCategories);
  kept.forEach((code, bin) => {
    if (code >= 0) binOf[code] = bin;
  });
  return {
    kind: "categorical",
    feature,
    numBins: kept.length,
    missingBin: 0,
    upper: new Float64Array(0),
    categories: Int32Array.from(kept),
    numCategories,
    codes: Uint16Array.from(codes, (code) => code < 0 ? 0 : binOf[code] ?? 0),
  };
}
