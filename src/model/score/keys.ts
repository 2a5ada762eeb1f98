/**
 * Numbers the tests of an ensemble: a row becomes slots, and each node asks whether its slot is above
 * its key: right when it is.
 *
 * A numeric feature has two slots, one for either side of missing values; both hold the rank of the
 * value among the feature's thresholds. Each pair of category set and missing side is a slot of its own
 * that holds 0 or 1: a row's slots are copied from a table with a line for each code.
 *
 * @module
 */
import type { Packed } from "../packed.ts";

/** Largest table of category sets, in entries; beyond it the ensemble is walked. */
const MAX_TABLE = 1 << 20;

/** Slots and keys of an ensemble. */
export interface Keys {
  /** Number of slots: what a row is turned into. The last one is always 0. */
  readonly numSlots: number;
  /** Numeric features in the order of their pairs of slots, which come first. */
  readonly numbers: readonly number[];
  /** Slot that node `j` reads and key that it compares with. */
  slotOf(j: number): number;
  keyOf(j: number): number;
  /** The slots of each categorical feature. */
  readonly blocks: readonly Block[];
  /** Zeros and ones: a block's line for each code begins at `lines.at + code · width`. */
  readonly table: Uint8Array;
}

/** Lays out the slots of an ensemble, or undefined when its category tables would be too large. */
export function createKeys(packed: Packed): Keys | undefined {
  const { feat2, cut, dictSize, setWords } = packed;
  const numbers: number[] = [];
  const slotStart = new Int32Array(dictSize.length);
  for (let f = 0; f < dictSize.length; f++) {
    if (setWords[f] === 0 && dictSize[f] > 0) {
      slotStart[f] = 2 * numbers.length;
      numbers.push(f);
    }
  }
  const categories = layCategories(packed, 2 * numbers.length);
  if (categories === undefined) return undefined;
  const { numSlots, table, blocks } = categories;
  return {
    numSlots,
    numbers,
    blocks,
    table,
    slotOf(j) {
      const f = feat2[j] >>> 1;
      return setWords[f] === 0
        ? slotStart[f] + (feat2[j] & 1)
        : categories.slotOf(feat2[j], cut[j]);
    },
    keyOf: (j) => setWords[feat2[j] >>> 1] > 0 ? 0 : cut[j],
  };
}

interface Categories {
  /** All slots, the numbers' and the constant one included. */
  readonly numSlots: number;
  /** Lines of 0 (left) and 1 (right). */
  readonly table: Uint8Array;
  readonly blocks: readonly Block[];
  slotOf(feat2: number, set: number): number;
}

/** Slots of one categorical feature. */
export interface Block {
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
  const table = new Uint8Array(size);
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
