/**
 * Random numbers with a published algorithm: PCG32 (XSH RR 64/32), M. O'Neill, "PCG: A Family of
 * Simple Fast Space-Efficient Statistically Good Algorithms for Random Number Generation",
 * HMC-CS-2014-0905. Child streams depend on their path only, so results do not depend on the
 * number of workers or the order in which they run.
 *
 * @module
 */

/** A stream of random numbers. */
export interface Rng {
  /** Uniform on 0 … 2³² − 1. */
  nextUint32(): number;
  /** Uniform on [0, 1), 53 bits. */
  nextFloat(): number;
  /** Uniform on 0 … n − 1 without bias, 1 ≤ n ≤ 2³². */
  nextInt(n: number): number;
  /** Seed and path, for `forkRng`. */
  readonly key: readonly number[];
  /** The two numbers that the key was mixed into, so that children go on from there. */
  readonly mixed?: readonly [number, number];
}

/** 32-bit finaliser of MurmurHash3 (A. Appleby): spreads seeds and path numbers. */
function mix(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * PCG32 as its author seeds it (`pcg32_srandom`): state and stream as halves of 64-bit numbers.
 *
 * @param state Initial state, high and low half.
 * @param stream Stream number, high and low half.
 * @param key Seed and path that the halves come from.
 * @param mixed The two numbers that the key was mixed into.
 */
export function createPcg32(
  state: readonly [number, number],
  stream: readonly [number, number],
  key: readonly number[] = [],
  mixed: readonly [number, number] | undefined = undefined,
): Rng {
  const incHigh = ((stream[0] << 1) | (stream[1] >>> 31)) >>> 0;
  const incLow = ((stream[1] << 1) | 1) >>> 0;
  // Signed, so that they are kept without a box: a run makes millions of steps.
  let high = 0;
  let low = 0;

  /** state ← state · 6364136223846793005 + inc modulo 2⁶⁴, the low product from 16-bit limbs. */
  function step(): void {
    const a = low & 0xffff;
    const b = low >>> 16;
    const ac = a * 0x7f2d;
    const middle = b * 0x7f2d + (ac >>> 16);
    const middle2 = a * 0x4c95 + (middle & 0xffff);
    const lowProduct = ((middle2 << 16) | (ac & 0xffff)) >>> 0;
    const carry = b * 0x4c95 + (middle >>> 16) + (middle2 >>> 16);
    const highProduct = carry + Math.imul(high, 0x4c957f2d) + Math.imul(low, 0x5851f42d);
    const sum = lowProduct + incLow;
    low = sum | 0;
    high = (highProduct + incHigh + (sum > 0xffffffff ? 1 : 0)) | 0;
  }

  step();
  const seeded = (low >>> 0) + (state[1] >>> 0);
  low = seeded | 0;
  high = (high + (state[0] >>> 0) + (seeded > 0xffffffff ? 1 : 0)) | 0;
  step();

  function nextUint32(): number {
    const h = high;
    const l = low;
    step();
    // xorshifted = ((s >> 18) ^ s) >> 27, rotated right by s >> 59.
    const xHigh = (h ^ (h >>> 18)) >>> 0;
    const xLow = (l ^ ((h << 14) | (l >>> 18))) >>> 0;
    const shifted = ((xHigh << 5) | (xLow >>> 27)) >>> 0;
    const rotation = h >>> 27;
    return ((shifted >>> rotation) | (shifted << (-rotation & 31))) >>> 0;
  }

  return {
    key,
    ...(mixed && { mixed }),
    nextUint32,
    nextFloat: () => (nextUint32() * 2097152 + (nextUint32() >>> 11)) / 9007199254740992,
    nextInt(n: number): number {
      // Rejects the incomplete last span, so that every value is equally likely.
      const limit = 4294967296 - (4294967296 % n);
      let value = nextUint32();
      while (value >= limit) value = nextUint32();
      return value % n;
    },
  };
}

/** Digits of π: a start that is not zero. */
const START = [0x243f6a88, 0x85a308d3] as const;

/** The two numbers that a path is mixed into; `from` are those of its first `done` numbers. */
function mixKey(
  key: readonly number[],
  from: readonly [number, number] = START,
  done = 0,
): readonly [number, number] {
  let [a, b] = from;
  for (let i = done; i < key.length; i++) {
    const part = key[i];
    const low = part >>> 0;
    const high = Math.floor(part / 4294967296) >>> 0;
    a = mix((Math.imul(a, 31) + low) ^ high);
    b = mix(b + a + Math.imul(low, 0x9e3779b1) + Math.imul(high, 0x7feb352d));
  }
  return [a, b];
}

/** What kernels need to make the child streams of a stream. */
export function pathState(rng: Rng): readonly [number, number] {
  return mixKey(rng.key);
}

function fromKey(key: readonly number[], from?: readonly [number, number], done?: number): Rng {
  const mixed = mixKey(key, from, done);
  const [a, b] = mixed;
  return createPcg32([mix(a ^ 0x13198a2e), mix(b)], [mix(a + b), mix(b ^ 0x03707344)], key, mixed);
}

/**
 * A generator for a seed.
 *
 * @param seed A whole number from 0 to 2⁵³ − 1.
 */
export function createRng(seed: number): Rng {
  return fromKey([seed]);
}

/** An independent stream named by a path of whole numbers: tree 3, node 7, … */
export function forkRng(parent: Rng | number, ...path: number[]): Rng {
  // No spreads: forests fork at every node.
  const key: number[] = typeof parent === "number" ? [parent] : parent.key.slice();
  const done = key.length;
  for (let i = 0; i < path.length; i++) key.push(path[i]);
  return typeof parent === "number" || parent.mixed === undefined
    ? fromKey(key)
    : fromKey(key, parent.mixed, done);
}

/** Shuffles in place (Fisher and Yates, from the end). */
export function shuffle<T extends Int32Array | unknown[]>(items: T, rng: Rng): T {
  for (let i = items.length - 1; i > 0; i--) {
    const j = rng.nextInt(i + 1);
    const held = items[i];
    items[i] = items[j];
    items[j] = held;
  }
  return items;
}
