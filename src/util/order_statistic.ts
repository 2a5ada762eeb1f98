/**
 * One number of those in order, without sorting all of them.
 *
 * @module
 */

/** Upper half-words: the exponent and four bits of the significand. */
const BUCKETS = 65_536;

/**
 * What `values.slice().sort()[index]` gives, in time linear in the values unless most of them lie
 * within a sixteenth of an octave: numbers that are not negative have the order of their bits, so
 * their upper halves tell the bucket, and only that one is sorted.
 *
 * @param values None is negative or -0; NaN comes last.
 * @param index From 0, below the number of values.
 */
export function orderStatistic(values: Float64Array, index: number): number {
  // A copy, since values may be a part of a buffer that starts anywhere.
  const bits = new Uint16Array(Float64Array.from(values).buffer);
  const counts = new Uint32Array(BUCKETS);
  for (let at = 3; at < bits.length; at += 4) counts[bits[at]]++;
  let bucket = 0;
  let below = 0;
  while (below + counts[bucket] <= index) below += counts[bucket++];
  const held = new Float64Array(counts[bucket]);
  let next = 0;
  for (let i = 0; i < values.length; i++) {
    if (bits[4 * i + 3] === bucket) held[next++] = values[i];
  }
  return held.sort()[index - below];
}
