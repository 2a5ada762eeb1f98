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
import {
  createDistinctCounts,
  type DistinctCounts,
  type Part,
  type WeightedValues,
} from "./distinct.ts";

/** Sizes of a sketch; they may shrink while it grows. */
export interface SketchSizes {
  /** Values in one buffer. */
  readonly buffer: number;
  /** Distinct values up to which counts are exact. */
  readonly exact: number;
}

const FULL: SketchSizes = { buffer: 1 << 16, exact: 1 << 18 };

/** The smallest sizes, for data of very many columns. */
const LEAST: SketchSizes = { buffer: 1 << 9, exact: 1 << 10 };

/** The first buffer of a sketch: most columns have few distinct values. */
const FIRST_BUFFER = 1 << 10;

/** Bytes that a sketch of full size takes. */
const FULL_BYTES = 5e6;

/** Sketches of many columns in a bounded memory. */
export interface SketchPool {
  /** One more sketch: the sizes of all get smaller where they would not fit. */
  create(): Sketch;
}

/**
 * Sketches that share about so many bytes.
 *
 * With 5 MB for each they are as exact as they get; with less, all have smaller buffers, so that
 * fewer distinct values are counted exactly and the bound on the rank error grows in proportion.
 */
export function createSketchPool(totalBytes: number): SketchPool {
  let count = 0;
  const spares = createSpares();
  const share = (size: "buffer" | "exact") => {
    const part = Math.min(1, totalBytes / (FULL_BYTES * count));
    return Math.max(LEAST[size], Math.floor(part * FULL[size]));
  };
  const sizes: SketchSizes = {
    get buffer() {
      return share("buffer");
    },
    get exact() {
      return share("exact");
    },
  };
  return {
    create() {
      count++;
      return createSketch(sizes, spares);
    },
  };
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
  counts(): DistinctCounts | undefined;
  /** Sorted buffers by level, for `merge`. */
  readonly parts: () => Part[];
}

/** Arrays that were given up, for others to use: the collector is slow to see that they are large. */
interface Spares {
  take(length: number): Float64Array;
  give(values: Float64Array): void;
}

/** Most arrays that are kept. */
const MOST_SPARES = 64;

function createSpares(): Spares {
  const free: Float64Array[] = [];
  return {
    take(length) {
      const at = free.findIndex((one) => one.length >= length && one.length <= 2 * length);
      return (at < 0 ? new Float64Array(length) : free.splice(at, 1)[0]).subarray(0, length);
    },
    give(values) {
      if (free.length < MOST_SPARES) free.push(new Float64Array(values.buffer));
    },
  };
}

/** An empty sketch. */
export function createSketch(
  sizes: SketchSizes = FULL,
  spares: Spares = createSpares(),
): Sketch {
  let buffer: Float64Array = new Float64Array(Math.min(FIRST_BUFFER, sizes.buffer));
  const levels: (Float64Array | undefined)[] = [];
  const keepOdd: boolean[] = [];
  let used = 0;
  let count = 0;
  let missing = 0;
  let error = 0;
  let exact: DistinctCounts | undefined = createDistinctCounts(() => sizes.exact + sizes.buffer);

  function flush(): void {
    const sorted = buffer.subarray(0, used).sort();
    used = 0;
    if (exact === undefined) {
      carry(sorted, 0);
      buffer = spares.take(sizes.buffer);
      return;
    }
    exact.add(sorted);
    leaveExact();
    // Counts are merged with what is there, so a buffer in proportion to it is as fast as a large one.
    const isSmall = exact === undefined || exact.size() > 2 * buffer.length;
    const size = Math.min(sizes.buffer, isSmall ? 2 * buffer.length : buffer.length);
    if (size !== buffer.length) buffer = new Float64Array(size);
  }

  /** Gives counts up where the values are many. */
  function leaveExact(): void {
    if (exact === undefined || exact.size() <= sizes.exact) return;
    const all = exact.takeParts();
    exact = undefined;
    all.forEach(({ level, values }) => carry(values, level));
  }

  /** Takes an array over. */
  function carry(values: Float64Array, level: number): void {
    for (let other = levels[level]; other !== undefined; other = levels[level]) {
      const start = keepOdd[level] === true ? 1 : 0;
      const half = spares.take((other.length + values.length - start + 1) >> 1);
      mergeHalf(other, values, start, half);
      spares.give(other);
      spares.give(values);
      levels[level] = undefined;
      keepOdd[level] = start === 0;
      error += 2 ** level;
      level++;
      values = half;
    }
    levels[level] = values;
  }

  function parts(): Part[] {
    const all = exact !== undefined
      ? partsOf(exact.weighted())
      : levels.flatMap((values, level) => values === undefined ? [] : [{ level, values }]);
    if (used > 0) all.push({ level: 0, values: buffer.slice(0, used).sort() });
    return all;
  }

  function weighted(): WeightedValues {
    if (exact === undefined) return mergeParts(parts());
    if (used > 0) {
      exact.add(buffer.subarray(0, used).sort());
      used = 0;
    }
    return exact.weighted();
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
        if (used === buffer.length) flush();
      }
    },
    merge(other) {
      if (used > 0) flush();
      error += other.rankError();
      const counted = other.counts();
      if (exact !== undefined && counted !== undefined) {
        exact.addAll(counted);
        leaveExact();
      } else {
        const mine = exact?.takeParts() ?? [];
        exact = undefined;
        mine.forEach(({ level, values }) => carry(values, level));
        for (const { level, values } of other.parts()) carry(values.slice(), level);
      }
      count += other.count();
      missing += other.missing();
    },
    count: () => count,
    missing: () => missing,
    rankError: () => exact === undefined ? error : 0,
    counts() {
      if (exact !== undefined) weighted(); // counts what the buffer holds
      return exact;
    },
    weighted,
    parts,
  };
}

/** Counted values as buffers: a value is at the level of each bit of its count. */
function partsOf({ values, counts }: WeightedValues): Part[] {
  const parts: Part[] = [];
  let largest = 0;
  for (let i = 0; i < counts.length; i++) largest = Math.max(largest, counts[i]);
  if (largest === 1) return [{ level: 0, values: values.slice() }];
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

/** Writes every other value of two sorted arrays together, from the first or the second on. */
function mergeHalf(a: Float64Array, b: Float64Array, start: 0 | 1, out: Float64Array): void {
  const total = a.length + b.length;
  let i = 0;
  let j = 0;
  for (let k = 0; k < total; k++) {
    const value = j >= b.length || (i < a.length && a[i] <= b[j]) ? a[i++] : b[j++];
    if ((k & 1) === start) out[k >> 1] = value;
  }
}

/** Distinct values of all parts, each with the rows that it stands for in all of them. */
function mergeParts(parts: readonly Part[]): WeightedValues {
  const total = parts.reduce((sum, { values }) => sum + values.length, 0);
  const values = new Float64Array(total);
  const counts = new Float64Array(total);
  const next = parts.map(() => 0);
  let size = 0;
  // Parts are few: the least of their first values is looked for each time.
  for (let done = 0; done < total;) {
    let least = Infinity;
    for (let p = 0; p < parts.length; p++) {
      const value = parts[p].values[next[p]];
      if (value < least) least = value;
    }
    values[size] = least;
    for (let p = 0; p < parts.length; p++) {
      const { level, values: held } = parts[p];
      let at = next[p];
      while (at < held.length && held[at] === least) at++;
      counts[size] += (at - next[p]) * 2 ** level;
      done += at - next[p];
      next[p] = at;
    }
    size++;
  }
  return { values: values.subarray(0, size), counts: counts.subarray(0, size) };
}
