/**
 * What is needed of a column to choose its cuts, from one pass over its values: every distinct value
 * with its count while they are few, and a sketch of quantiles from then on.
 *
 * The sketch keeps buffers of sorted values; two of one level become one of the next by keeping
 * every other value (Munro & Paterson 1980; Manku, Rajagopalan & Lindsay, SIGMOD 1998). A value kept
 * at level l stands for 2^l, and a halving there moves no rank by more than 2^l, so that
 * `rankError` is a bound, not an estimate. A distinct value that was counted c times begins at the
 * levels of the bits of c, which moves no rank.
 *
 * @module
 */

/** Values in one buffer. */
const BUFFER = 1 << 16;

/** Distinct values up to which counts are exact. */
const EXACT = 1 << 18;

/** Distinct values, ascending, and how many rows each stands for. */
export interface WeightedValues {
  readonly values: Float64Array;
  readonly counts: Float64Array;
}

/** A summary of one column that grows. */
export interface Sketch {
  /** Takes `values[from … to − 1]`; NaN is missing. */
  add(values: ArrayLike<number>, from: number, to: number): void;
  /** Adds what another sketch has seen. */
  merge(other: Sketch): void;
  /** Rows that were not missing. */
  readonly count: () => number;
  /** Rows that were. */
  readonly missing: () => number;
  /** Most rows by which the rank of any value may be off; 0 while counts are exact. */
  readonly rankError: () => number;
  /** The values that stand for the column. */
  weighted(): WeightedValues;
  /** All distinct values with their counts, while they are few. */
  readonly counts: () => WeightedValues | undefined;
  /** Sorted buffers by level, for `merge`. */
  readonly parts: () => Part[];
}

/** Sorted values that stand for 2^level rows each. */
interface Part {
  readonly level: number;
  readonly values: Float64Array;
}

/** An empty sketch; the sizes are smaller in tests. */
export function createSketch(bufferSize: number = BUFFER, exactSize: number = EXACT): Sketch {
  const buffer = new Float64Array(bufferSize);
  const levels: (Float64Array | undefined)[] = [];
  const keepOdd: boolean[] = [];
  let used = 0;
  let count = 0;
  let missing = 0;
  let error = 0;
  let exact: WeightedValues | undefined = {
    values: new Float64Array(0),
    counts: new Float64Array(0),
  };

  function flush(): void {
    const sorted = sortNumbers(buffer.slice(0, used));
    used = 0;
    if (exact === undefined) return carry(sorted, 0);
    keepExact(mergeWeighted(exact, distinctOf(sorted, 1)));
  }

  /** Counts distinct values while they are few. */
  function keepExact(merged: WeightedValues): void {
    exact = merged;
    if (merged.values.length <= exactSize) return;
    exact = undefined;
    partsOf(merged).forEach(({ level, values }) => carry(values, level));
  }

  function carry(values: Float64Array, level: number): void {
    while (levels[level] !== undefined) {
      const merged = mergeSorted(levels[level]!, values);
      levels[level] = undefined;
      const start = keepOdd[level] === true ? 1 : 0;
      keepOdd[level] = start === 0;
      values = new Float64Array((merged.length - start + 1) >> 1);
      for (let i = 0; i < values.length; i++) values[i] = merged[start + 2 * i];
      error += 2 ** level;
      level++;
    }
    levels[level] = values;
  }

  function parts(): Part[] {
    const all = exact !== undefined
      ? partsOf(exact)
      : levels.flatMap((values, level) => values === undefined ? [] : [{ level, values }]);
    if (used > 0) all.push({ level: 0, values: sortNumbers(buffer.slice(0, used)) });
    return all;
  }

  function weighted(): WeightedValues {
    if (exact !== undefined && used === 0) return exact;
    if (exact !== undefined) {
      return mergeWeighted(exact, distinctOf(sortNumbers(buffer.slice(0, used)), 1));
    }
    return mergeAll(parts().map(({ level, values }) => distinctOf(values, 2 ** level)));
  }

  return {
    add(values, from, to) {
      for (let i = from; i < to; i++) {
        const value = values[i];
        if (value !== value) {
          missing++;
          continue;
        }
        buffer[used++] = value + 0; // −0 counts as 0
        count++;
        if (used === bufferSize) flush();
      }
    },
    merge(other) {
      if (used > 0) flush();
      error += other.rankError();
      if (exact !== undefined && other.rankError() === 0 && other.counts() !== undefined) {
        keepExact(mergeWeighted(exact, other.weighted()));
      } else {
        const mine = exact;
        exact = undefined;
        if (mine !== undefined) partsOf(mine).forEach(({ level, values }) => carry(values, level));
        for (const { level, values } of other.parts()) carry(values.slice(), level);
      }
      count += other.count();
      missing += other.missing();
    },
    count: () => count,
    missing: () => missing,
    rankError: () => exact === undefined ? error : 0,
    counts: () => exact,
    weighted,
    parts,
  };
}

/** Counted values as buffers: a value is at the level of each bit of its count. */
function partsOf({ values, counts }: WeightedValues): Part[] {
  const parts: Part[] = [];
  let largest = 0;
  for (let i = 0; i < counts.length; i++) largest = Math.max(largest, counts[i]);
  if (largest === 1) return [{ level: 0, values }];
  const chosen = new Float64Array(values.length);
  for (let level = 0; 2 ** level <= largest; level++) {
    let n = 0;
    for (let i = 0; i < values.length; i++) {
      // Counts may be beyond 2³², where bits are not taken by shifting.
      const bit = largest < 2 ** 32
        ? counts[i] >>> level & 1
        : Math.floor(counts[i] / 2 ** level) % 2;
      chosen[n] = values[i];
      n += bit;
    }
    if (n > 0) parts.push({ level, values: chosen.slice(0, n) });
  }
  return parts;
}

/** Sorts numbers without NaN in place. */
function sortNumbers(values: Float64Array): Float64Array {
  return values.sort();
}

function mergeSorted(a: Float64Array, b: Float64Array): Float64Array {
  const out = new Float64Array(a.length + b.length);
  let i = 0;
  let j = 0;
  for (let k = 0; k < out.length; k++) {
    out[k] = j >= b.length || (i < a.length && a[i] <= b[j]) ? a[i++] : b[j++];
  }
  return out;
}

/** Distinct values of a sorted array, each row counting `weight`. */
function distinctOf(sorted: Float64Array, weight: number): WeightedValues {
  const values = new Float64Array(sorted.length);
  const counts = new Float64Array(sorted.length);
  let n = 0;
  for (const value of sorted) {
    if (n === 0 || values[n - 1] !== value) values[n++] = value;
    counts[n - 1] += weight;
  }
  return { values: values.slice(0, n), counts: counts.slice(0, n) };
}

/** Values of both, each ascending and distinct. */
function mergeWeighted(a: WeightedValues, b: WeightedValues): WeightedValues {
  if (a.values.length === 0) return b;
  if (b.values.length === 0) return a;
  const { values: left, counts: leftCounts } = a;
  const { values: right, counts: rightCounts } = b;
  const values = new Float64Array(left.length + right.length);
  const counts = new Float64Array(values.length);
  let i = 0;
  let j = 0;
  let n = 0;
  while (i < left.length && j < right.length) {
    const x = left[i];
    const y = right[j];
    values[n] = x < y ? x : y;
    let count = 0;
    if (x <= y) count = leftCounts[i++];
    if (y <= x) count += rightCounts[j++];
    counts[n++] = count;
  }
  for (const [rest, weights, from] of [[left, leftCounts, i], [right, rightCounts, j]] as const) {
    values.set(rest.subarray(from), n);
    counts.set(weights.subarray(from), n);
    n += rest.length - from;
  }
  return { values: values.slice(0, n), counts: counts.slice(0, n) };
}

/** Values of all, merged two and two, so that each is copied few times. */
function mergeAll(all: WeightedValues[]): WeightedValues {
  while (all.length > 1) {
    all.sort((a, b) => a.values.length - b.values.length);
    const [a, b, ...others] = all;
    all = [mergeWeighted(a, b), ...others];
  }
  return all[0] ?? { values: new Float64Array(0), counts: new Float64Array(0) };
}
