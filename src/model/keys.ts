/**
 * Turns a row into integers, so that each test of a node is `keys[slot] > key`: right when true.
 *
 * Numbers become sort keys of float32 (`b ^ (b >> 31 & 0x7fffffff)` orders as the numbers do) when
 * all thresholds are float32, after rounding up to the next float32, which keeps x <= t as it is;
 * else their rank among the feature's thresholds. Missing values are the smallest or the largest
 * integer, by the side they go to. Each pair of category set and missing side is a slot of its own
 * that holds 0 or 1: a row's slots are copied from a table with a line for each code.
 *
 * @module
 */
import type { Packed } from "./packed.ts";

const LEAST = -0x80000000;
const MOST = 0x7fffffff;

/** Largest table of category sets, in entries; beyond it the ensemble is walked. */
const MAX_TABLE = 1 << 20;

/** Slots and keys of an ensemble. */
export interface Keys {
  /** Number of slots: what a row is turned into. The last one is below every key. */
  readonly numSlots: number;
  /** Slots, then the tables they are copied from. */
  readonly keys: Int32Array;
  /** Slot that node `j` reads and key that it compares with. */
  slotOf(j: number): number;
  keyOf(j: number): number;
  /** Writes the slots of the encoded row at `x[at]`. */
  fill(x: Float64Array, at: number): void;
}

/** Sort key of a float32, in bits; −0 counts as 0. */
function sortKey(bits: number): number {
  return bits === LEAST ? 0 : bits ^ (bits >> 31 & MOST);
}

/** Lays out the slots of an ensemble, or undefined when its category tables would be too large. */
export function createKeys(packed: Packed): Keys | undefined {
  const { feat2, cut, dictSize, dictAt, setWords, cuts } = packed;
  const numbers: number[] = [];
  const slotStart = new Int32Array(dictSize.length).fill(-1);
  for (let f = 0; f < dictSize.length; f++) {
    if (setWords[f] === 0 && dictSize[f] > 0) {
      slotStart[f] = 2 * numbers.length;
      numbers.push(f);
    }
  }
  const categories = layCategories(packed, 2 * numbers.length);
  if (categories === undefined) return undefined;
  const { numSlots } = categories;
  const keys = new Int32Array(numSlots + categories.table.length);
  keys.set(categories.table, numSlots);
  keys[numSlots - 1] = LEAST;
  const byKey = cuts.BYTES_PER_ELEMENT === 4;
  const cutBits = byKey ? new Int32Array(cuts.buffer, cuts.byteOffset, cuts.length) : undefined;
  const one = new Float32Array(1);
  const oneBits = new Int32Array(one.buffer);
  const numberFeatures = Int32Array.from(numbers);
  const count = numberFeatures.length;

  function fillKeys(x: Float64Array, at: number): void {
    for (let i = 0; i < count; i++) {
      const value = x[at + numberFeatures[i]];
      if (value === value) {
        one[0] = value;
        const bits = oneBits[0];
        // Rounded down: the next float32 has the next key.
        const key = (bits === LEAST ? 0 : bits ^ (bits >> 31 & MOST)) + +(one[0] < value);
        keys[2 * i] = key;
        keys[2 * i + 1] = key;
      } else {
        keys[2 * i] = LEAST;
        keys[2 * i + 1] = MOST;
      }
    }
  }

  function fillRanks(x: Float64Array, at: number): void {
    for (let i = 0; i < count; i++) {
      const f = numberFeatures[i];
      const value = x[at + f];
      if (value === value) {
        let low = 0;
        let size = dictSize[f];
        const start = dictAt[f];
        while (size > 0) {
          const half = size >>> 1;
          if (cuts[start + low + half] < value) {
            low += half + 1;
            size -= half + 1;
          } else size = half;
        }
        keys[2 * i] = low;
        keys[2 * i + 1] = low;
      } else {
        keys[2 * i] = LEAST;
        keys[2 * i + 1] = MOST;
      }
    }
  }

  const fillNumbers = byKey ? fillKeys : fillRanks;
  return {
    numSlots,
    keys,
    slotOf(j) {
      const f = feat2[j] >>> 1;
      return setWords[f] === 0
        ? slotStart[f] + (feat2[j] & 1)
        : categories.slotOf(feat2[j], cut[j]);
    },
    keyOf(j) {
      const f = feat2[j] >>> 1;
      if (setWords[f] > 0) return 0;
      return cutBits === undefined ? cut[j] : sortKey(cutBits[dictAt[f] + cut[j]]);
    },
    fill(x, at) {
      fillNumbers(x, at);
      for (const { feature, slot, width, lines } of categories.blocks) {
        const code = x[at + feature];
        const from = numSlots + lines.at + (code === code ? code : lines.missing) * width;
        keys.copyWithin(slot, from, from + width);
      }
    },
  };
}

interface Categories {
  /** All slots, the numbers' and the constant one included. */
  readonly numSlots: number;
  /** Lines of 0 (left) and 1 (right). */
  readonly table: Int32Array;
  readonly blocks: readonly Block[];
  slotOf(feat2: number, set: number): number;
}

/** Slots of one categorical feature. */
interface Block {
  readonly feature: number;
  readonly slot: number;
  readonly width: number;
  readonly lines: { readonly at: number; readonly missing: number };
}

function layCategories(packed: Packed, firstSlot: number): Categories | undefined {
  const { feat2, cut, dictAt, setWords, sets, numCategories } = packed;
  const used = new Map<number, Map<number, number>>();
  let slot = firstSlot;
  let size = 0;
  const blocks: Block[] = [];
  for (let j = 0; j < feat2.length; j++) {
    const f = feat2[j] >>> 1;
    if (setWords[f] === 0) continue;
    let pairs = used.get(f);
    if (pairs === undefined) used.set(f, pairs = new Map());
    const pair = 2 * cut[j] + (feat2[j] & 1);
    if (!pairs.has(pair)) pairs.set(pair, pairs.size);
  }
  for (const [feature, pairs] of used) {
    const missing = numCategories[feature] + 1;
    blocks.push({ feature, slot, width: pairs.size, lines: { at: size, missing } });
    slot += pairs.size;
    size += pairs.size * (missing + 1);
    if (size > MAX_TABLE) return undefined;
  }
  const table = new Int32Array(size);
  for (const { feature, width, lines } of blocks) {
    for (const [pair, column] of used.get(feature)!) {
      const at = dictAt[feature] + (pair >>> 1) * setWords[feature];
      for (let code = 0; code < lines.missing; code++) {
        const member = sets[at + (code >>> 5)] >>> (code & 31) & 1;
        table[lines.at + code * width + column] = 1 - member;
      }
      table[lines.at + lines.missing * width + column] = pair & 1;
    }
  }
  const slotStart = new Map(blocks.map((block) => [block.feature, block.slot]));
  return {
    numSlots: slot + 1,
    table,
    blocks,
    slotOf: (f2, set) => slotStart.get(f2 >>> 1)! + used.get(f2 >>> 1)!.get(2 * set + (f2 & 1))!,
  };
}
