/**
 * What is needed of a column to choose its cuts, from one pass over its values: every distinct value
 * with its count while they are few, and a sketch of quantiles beyond.
 *
 * The sketch keeps buffers of sorted values; two of one level become one of the next by keeping
 * every other value (Munro & Paterson 1980; Manku, Rajagopalan & Lindsay, SIGMOD 1998). A value kept
 * at level l stands for 2^l, and a halving there moves no rank by more than 2^l, so that
 * `rankError` is a bound, not an estimate.
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
  /** Sorted buffers by level, for `merge`. */
  readonly parts: () => { readonly level: number; readonly values: Float64Array }[];
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
    const sorted = buffer.slice(0, used).sort();
    used = 0;
    countDistinct(sorted);
    carry(sorted, 0);
  }

  /** Counts distinct values while they are few. */
  function countDistinct(sorted: Float64Array): void {
    if (exact === undefined) return;
    const merged = mergeWeighted(exact, distinctOf(sorted, 1));
    exact = merged.values.length > exactSize ? undefined : merged;
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

  function parts(): { level: number; values: Float64Array }[] {
    const all = levels.flatMap((values, level) => values === undefined ? [] : [{ level, values }]);
    if (used > 0) all.push({ level: 0, values: buffer.slice(0, used).sort() });
    return all;
  }

  function weighted(): WeightedValues {
    if (used > 0) {
      const rest = buffer.slice(0, used).sort();
      if (exact !== undefined) return mergeWeighted(exact, distinctOf(rest, 1));
    } else if (exact !== undefined) return exact;
    return parts().reduce(
      (sum, { level, values }) => mergeWeighted(sum, distinctOf(values, 2 ** level)),
      { values: new Float64Array(0), counts: new Float64Array(0) } as WeightedValues,
    );
  }

  return {
    add(values, from, to) {
      for (let i = from; i < to; i++) {
        const value = values[i];
        if (value !== value) {
          missing++;
          continue;
        }
        buffer[used++] = value;
        count++;
        if (used === bufferSize) flush();
      }
    },
    merge(other) {
      if (used > 0) flush();
      const both = exact !== undefined && other.rankError() === 0;
      const theirs = both ? other.weighted() : undefined;
      for (const { level, values } of other.parts()) carry(values.slice(), level);
      if (theirs === undefined) exact = undefined;
      else {
        const merged = mergeWeighted(exact!, theirs);
        exact = merged.values.length > exactSize ? undefined : merged;
      }
      error += other.rankError();
      count += other.count();
      missing += other.missing();
    },
    count: () => count,
    missing: () => missing,
    rankError: () => exact === undefined ? error : 0,
    weighted,
    parts,
  };
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

function mergeWeighted(a: WeightedValues, b: WeightedValues): WeightedValues {
  const most = a.values.length + b.values.length;
  const values = new Float64Array(most);
  const counts = new Float64Array(most);
  let i = 0;
  let j = 0;
  let n = 0;
  while (i < a.values.length || j < b.values.length) {
    const left = j >= b.values.length || (i < a.values.length && a.values[i] <= b.values[j]);
    const value = left ? a.values[i] : b.values[j];
    const weight = left ? a.counts[i++] : b.counts[j++];
    if (n === 0 || values[n - 1] !== value) values[n++] = value;
    counts[n - 1] += weight;
  }
  return { values: values.slice(0, n), counts: counts.slice(0, n) };
}
