/**
 * Layout B of the trees: thresholds, nodes and leaves in as many bits as their place leaves open. What
 * a node may test and where it may cut narrows on the way down; only what is still open is written.
 *
 * @module
 */
import type { Packed } from "../model/packed.ts";

/** First word of a section BITS. */
export const LAYOUT_B = 4;

/** Levels of the deepest tree that layout B holds: its reader calls itself. */
export const MAX_BIT_DEPTH = 1000;

/** Reads whole numbers from words, the lowest bits first. Past the end all bits are 0. */
export interface BitReader {
  /** The next `count` bits, 1 to 32. */
  take(count: number): number;
  /** A number below `n` in ⌊log2 n⌋ or one more bits; 0 without a bit where n < 2. */
  below(n: number): number;
  /** Whether all bits are read, but zeros that fill the last word. */
  done(): boolean;
}

/** Starts at the first bit. */
export function createBits(words: Uint32Array): BitReader {
  let at = 0;
  // Shifts take their counts modulo 32.
  const take = (count: number): number => {
    let value = words[at >>> 5] >>> at;
    if ((at & 31) + count > 32) value |= words[(at >>> 5) + 1] << -at;
    at += count;
    return value << 32 - count >>> 32 - count;
  };
  return {
    take,
    below(n) {
      if (n < 2) return 0;
      const bits = 31 - Math.clz32(n);
      // The first of the 2 ** (bits + 1) − n numbers do with a bit less.
      const short = 2 * (1 << bits >>> 0) - n;
      const value = take(bits);
      return value < short ? value : 2 * value + take(1) - short;
    },
    done: () => Math.ceil(at / 32) === words.length && words[at >>> 5] >>> at === 0,
  };
}

/**
 * Fills the arrays of trees that bits hold: thresholds, nodes and `leafIndex`.
 *
 * @param packed Its arrays have the right lengths, and what is not in bits is there.
 * @returns Whether the bits are those of such trees, to the last. What the arrays hold is still to be
 * proved: thresholds, and that numbers had room.
 */
export function fromBits(words: Uint32Array, packed: Packed, leafWidth: number): boolean {
  const { dictAt, dictSize, setWords, cuts, feat2, cut, size, leafIndex } = packed;
  const { take, below, done } = createBits(words);
  const halves = new Uint32Array(cuts.buffer, cuts.byteOffset);
  const wide = cuts.BYTES_PER_ELEMENT >>> 2;
  let least = 0;
  /** The middle one of ascending thresholds between two, then those on either side. */
  const between = (from: number, to: number, low: number, high: number): void => {
    if (from >= to) return;
    const i = from + to >>> 1;
    // The upper word as a number that grows as the real number does.
    const key = low + below(high - low + 1);
    const at = wide * i;
    if (wide > 1) {
      let bits = least;
      while (bits < 32 && take(1) > 0) bits++;
      halves[at] = take(bits) << 32 - bits;
    }
    halves[at + wide - 1] = key < 2 ** 31 ? ~key : key - 2 ** 31;
    between(from, i, low, key);
    between(i + 1, to, key, high);
  };
  dictSize.forEach((count, f) => {
    if (setWords[f] > 0) return;
    least = 1 + take(5);
    between(dictAt[f], dictAt[f] + count, 0, MAX_KEY);
  });
  // Entries that the splits above leave open, of each feature: from low up to before high.
  const low = new Uint32Array(dictSize.length);
  const high = dictSize.slice();
  let fits = true;
  let j = 0;
  const subtree = (n: number, level: number): void => {
    if (n < 1) return;
    const s = below(n) + 1;
    const f2 = below(2 * low.length);
    const f = f2 >>> 1;
    const from = low[f];
    const to = high[f];
    const last = dictSize[f] - 1;
    // A threshold of Infinity, which tells missing values from others, stays open.
    const more = +(to <= last && cuts[dictAt[f] + last] === Infinity);
    const place = from + below(to - from + more);
    const entry = place < to ? place : last;
    size[j] = s;
    feat2[j] = f2;
    cut[j] = entry;
    fits &&= j++ < size.length && place < to + more && level < MAX_BIT_DEPTH;
    if (!fits) return;
    if (setWords[f] < 1) high[f] = Math.min(entry, to);
    subtree(s - 1, level + 1);
    if (setWords[f] < 1) low[f] = entry + 1;
    high[f] = to;
    subtree(n - s, level + 1);
    low[f] = from;
  };
  packed.treeNodes.forEach((n) => subtree(n, 0));
  leafIndex?.forEach((_, i) => {
    leafIndex[i] = below(packed.leaves.length / leafWidth);
  });
  return fits && j === size.length && done();
}

/** Greatest of the numbers that stand for upper words of thresholds. */
export const MAX_KEY = 2 ** 32 - 2;
