/**
 * Places of float32 values in ascending order, in time linear in their number.
 *
 * @module
 */

/** Three digits of eleven bits hold the 32 of a value. */
const DIGIT = 11;
const DIGITS = 3;
const BUCKETS = 1 << DIGIT;

/**
 * Places of all values but NaN in ascending order, the earlier of equal ones first: radix sort from the
 * lowest digit of keys that have the order of the values. -0 and 0 are equal.
 */
export function float32Order(values: Float32Array): Int32Array {
  const count = values.length;
  const keys = new Uint32Array(count);
  let order = new Int32Array(count);
  let numKnown = 0;
  const words = new Uint32Array(values.buffer, values.byteOffset, count);
  for (let i = 0; i < count; i++) {
    if (values[i] !== values[i]) continue;
    const word = values[i] === 0 ? 0 : words[i]; // -0 is 0
    // Negative numbers have the order of their bits turned round.
    keys[i] = word ^ (word >>> 31 === 1 ? 0xffffffff : 0x80000000);
    order[numKnown++] = i;
  }
  order = order.subarray(0, numKnown);
  let sorted = new Int32Array(numKnown);
  const next = new Uint32Array(BUCKETS);
  for (let digit = 0; digit < DIGITS; digit++) {
    const shift = DIGIT * digit;
    next.fill(0);
    for (let i = 0; i < numKnown; i++) next[(keys[order[i]] >>> shift) & (BUCKETS - 1)]++;
    let place = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const here = next[bucket];
      next[bucket] = place;
      place += here;
    }
    for (let i = 0; i < numKnown; i++) {
      const at = order[i];
      sorted[next[(keys[at] >>> shift) & (BUCKETS - 1)]++] = at;
    }
    [order, sorted] = [sorted, order];
  }
  return order;
}
