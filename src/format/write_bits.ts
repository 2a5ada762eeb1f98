/**
 * Writes layout B (bits.ts).
 *
 * @module
 */
import { depthOf } from "../model/score/depth.ts";
import type { Packed } from "../model/packed.ts";
import { MAX_BIT_DEPTH, MAX_KEY } from "./bits.ts";

/** Appends whole numbers to words, the lowest bits first. */
export interface BitWriter {
  /** A number of at most `count` bits, 0 to 32. */
  put(value: number, count: number): void;
  /** A number below `n`. */
  below(value: number, n: number): void;
  /** So many set bits, and one that is not unless there are `most`. */
  ones(count: number, most: number): void;
  /** What was written, the last word filled with zeros. */
  words(): Uint32Array;
}

/** Starts with no bits. */
export function createBitWriter(): BitWriter {
  let words = new Uint32Array(1024);
  let word = 0;
  let bit = 0;
  const put = (value: number, count: number): void => {
    if (word + 2 > words.length) {
      const longer = new Uint32Array(2 * words.length);
      longer.set(words);
      words = longer;
    }
    words[word] |= value << bit;
    const end = bit + count;
    if (end > 31) {
      word++;
      if (end > 32) words[word] = value >>> 32 - bit;
    }
    bit = end & 31;
  };
  return {
    put,
    ones(count, most) {
      for (let i = 0; i < count; i++) put(1, 1);
      if (count < most) put(0, 1);
    },
    below(value, n) {
      if (n < 2) return;
      const bits = 31 - Math.clz32(n);
      const short = 2 ** (bits + 1) - n;
      if (value < short) return put(value, bits);
      const above = value + short;
      put(Math.floor(above / 2), bits);
      put(above & 1, 1);
    },
    words: () => words.slice(0, word + (bit > 0 ? 1 : 0)),
  };
}

/** Goes down from `k` as long as that costs no more. */
export function cheapest(cost: (k: number) => number, k: number): number {
  for (let lowest = cost(k); k > 0; k--) {
    const next = cost(k - 1);
    if (next > lowest) break;
    lowest = next;
  }
  return k;
}

/** Trees as bits, or undefined where {@linkcode fromBits} would not read them. */
export function toBits(packed: Packed, leafWidth: number): Uint32Array | undefined {
  if (depthOf(packed) > MAX_BIT_DEPTH) return undefined;
  const bits = createBitWriter();
  if (!writeCuts(bits, packed) || !writeNodes(bits, packed)) return undefined;
  const distinct = packed.leaves.length / leafWidth;
  for (const leaf of packed.leafIndex ?? []) bits.below(leaf, distinct);
  return bits.words();
}

function writeCuts(bits: BitWriter, { dictSize, dictAt, setWords, cuts }: Packed): boolean {
  const halves = new Uint32Array(cuts.slice().buffer);
  const wide = cuts.BYTES_PER_ELEMENT / 4;
  const keyOf = (i: number): number => {
    const word = halves[wide * i + wide - 1];
    return word < 2 ** 31 ? word + 2 ** 31 : ~word >>> 0;
  };
  /** Bits of the lower word up to the last that is set. */
  const significant = (i: number): number => {
    const word = halves[wide * i];
    return word === 0 ? 0 : 1 + Math.clz32(word & -word);
  };
  let least = 0;
  const between = (from: number, to: number, low: number, high: number): void => {
    if (from >= to) return;
    const i = from + to >>> 1;
    const key = keyOf(i);
    bits.below(key - low, high - low + 1);
    if (wide > 1) {
      const count = Math.max(least, significant(i));
      bits.ones(count - least, 32 - least);
      bits.put(halves[wide * i] >>> 32 - count, count);
    }
    between(from, i, low, key);
    between(i + 1, to, key, high);
  };
  return dictSize.every((count, f) => {
    if (setWords[f] > 0) return true;
    const from = dictAt[f];
    least = wide === 1 ? 1 : 1 + cheapest((less) => {
      let cost = 0;
      for (let i = from; i < from + count; i++) {
        cost += Math.max(less + 1, 2 * significant(i) - less - 1);
      }
      return cost;
    }, 31);
    if (count > 0 && keyOf(from + count - 1) > MAX_KEY) return false;
    bits.put(least - 1, 5);
    between(from, from + count, 0, MAX_KEY);
    return true;
  });
}

function writeNodes(bits: BitWriter, packed: Packed): boolean {
  const { treeNodes, dictAt, dictSize, setWords, cuts, feat2, cut, size } = packed;
  const low = new Uint32Array(dictSize.length);
  const high = dictSize.slice();
  const later: number[] = [];
  let j = 0;
  for (let n of treeNodes) {
    while (true) {
      if (n > 0) {
        const s = size[j];
        const f2 = feat2[j];
        const f = f2 >>> 1;
        const from = low[f];
        const to = high[f];
        const entry = cut[j++];
        const last = dictSize[f] - 1;
        const more = +(to <= last && cuts[dictAt[f] + last] === Infinity);
        const place = more === 1 && entry === last ? to : entry;
        // `to` itself stands for the last one: a test of the same threshold again has no number.
        if (place < from || place >= to + more || place === to && entry !== last) return false;
        bits.below(s - 1, n);
        bits.below(f2, 2 * low.length);
        bits.below(place - from, to - from + more);
        const isSet = setWords[f] > 0;
        later.push(f, from, to, 0, f, isSet ? from : entry + 1, to, n - s);
        if (!isSet) high[f] = Math.min(entry, to);
        n = s - 1;
      } else if (later.length > 0) {
        n = later.pop()!;
        const to = later.pop()!;
        const from = later.pop()!;
        const f = later.pop()!;
        low[f] = from;
        high[f] = to;
      } else break;
    }
  }
  return true;
}
