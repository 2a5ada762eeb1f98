/**
 * Distinct values of a column with their counts, kept sorted in arrays that grow in place: 12 bytes
 * a value and no copies beside them.
 *
 * @module
 */

/** Distinct values, ascending, and how many rows each stands for. */
export interface WeightedValues {
  readonly values: Float64Array;
  readonly counts: Float64Array;
}

/** A growing set of counted values. */
export interface DistinctCounts {
  readonly size: () => number;
  /** Counts sorted values, one each. Writes to them. */
  add(sorted: Float64Array): void;
  /** Counts what another has counted. */
  addAll(other: DistinctCounts): void;
  /** Values, valid until the next `add`, and their counts. */
  weighted(): WeightedValues;
  /**
   * The values as sorted lists: a value is in the list of each bit of its count. Nothing is left
   * here, and the lists of the first bit lie where the values did.
   */
  takeParts(): Part[];
}

/** Sorted values that stand for 2^level rows each. */
export interface Part {
  readonly level: number;
  readonly values: Float64Array;
}

/** Room is doubled up to so many values; then it is made for all that may come. */
const MANY = 1 << 13;

/**
 * No values.
 *
 * @param most How many there may be in the end: room for them is made once. Memory that is not
 * written to costs nothing, and arrays that are given up cost until they are collected.
 */
export function createDistinctCounts(most: () => number = () => 0): DistinctCounts {
  let values = new Float64Array(0);
  // A dataset has fewer than 2³² rows.
  let counts = new Uint32Array(0);
  let size = 0;

  function makeRoom(more: number): void {
    if (size + more <= values.length) return;
    const wanted = size + more < MANY ? 2 * (size + more) : most();
    const room = Math.max(size + more, size + (size >> 2), wanted);
    const [before, countsBefore] = [values, counts];
    values = new Float64Array(room);
    counts = new Uint32Array(room);
    values.set(before.subarray(0, size));
    counts.set(countsBefore.subarray(0, size));
  }

  /** Adds distinct ascending values, which are left without those that were there already. */
  function merge(found: Float64Array, foundCounts: Uint32Array, length: number): void {
    let fresh = 0;
    let at = 0;
    for (let i = 0; i < length; i++) {
      const value = found[i];
      while (at < size && values[at] < value) at++;
      if (at < size && values[at] === value) counts[at] += foundCounts[i];
      else {
        found[fresh] = value;
        foundCounts[fresh++] = foundCounts[i];
      }
    }
    makeRoom(fresh);
    // From the end, so that nothing is written over before it has moved.
    let from = size - 1;
    let to = size + fresh - 1;
    for (let i = fresh - 1; i >= 0; to--) {
      if (from >= 0 && values[from] > found[i]) {
        values[to] = values[from];
        counts[to] = counts[from--];
      } else {
        values[to] = found[i];
        counts[to] = foundCounts[i--];
      }
    }
    size += fresh;
  }

  return {
    size: () => size,
    add(sorted) {
      const sortedCounts = new Uint32Array(sorted.length);
      let n = 0;
      for (let i = 0; i < sorted.length; i++) {
        if (n === 0 || sorted[n - 1] !== sorted[i]) sorted[n++] = sorted[i];
        sortedCounts[n - 1]++;
      }
      merge(sorted, sortedCounts, n);
    },
    addAll(other) {
      const { values: found, counts: foundCounts } = other.weighted();
      merge(found.slice(), Uint32Array.from(foundCounts), found.length);
    },
    takeParts() {
      const parts: Part[] = [];
      let largest = 0;
      for (let i = 0; i < size; i++) if (counts[i] > largest) largest = counts[i];
      for (let level = 31 - Math.clz32(largest); level >= 0; level--) {
        let length = 0;
        for (let i = 0; i < size; i++) length += counts[i] >>> level & 1;
        if (length === 0) continue;
        const chosen = level === 0 ? values : new Float64Array(length);
        let n = 0;
        for (let i = 0; i < size; i++) if ((counts[i] >>> level & 1) === 1) chosen[n++] = values[i];
        parts.unshift({ level, values: chosen.subarray(0, length) });
      }
      values = new Float64Array(0);
      counts = new Uint32Array(0);
      size = 0;
      return parts;
    },
    weighted: () => ({
      values: values.subarray(0, size),
      counts: Float64Array.from(counts.subarray(0, size)),
    }),
  };
}
