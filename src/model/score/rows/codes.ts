/**
 * What a row is turned into by the kernel for few rows (kernels/assembly/rows/encode.ts): a byte a
 * slot, of which a group of trees has 32. A number is one slot: of its feature's cuts, those count
 * that the group asks. Each pair of category set and missing side is a slot that holds left or
 * right.
 *
 * @module
 */
import { MOST_CUTS, type Places, spreadCuts } from "../grids.ts";
import type { Keys } from "../keys.ts";
import type { Packed } from "../../packed.ts";

/** Slots of a row. */
const MAX_SLOTS = 32;
/** Most cuts of a feature that a group numbers: a byte has a value for missing ones and one below all cuts besides. */
export const MOST_CODES = 254;
/** The code of a missing number, and the one below all cuts. */
const MISSING = -128;
const FIRST = -127;
/** Bytes of descriptors. */
const FOUR = 128;
const CATEGORY = 16;

/** What a node asks. */
export interface ByteTest {
  /** Place of the slot among sixteen, 128 for the second sixteen, 64 where missing values go right. */
  readonly slot: number;
  /** Right above it, once codes are one less where missing values go right. */
  readonly key: number;
}

/** The codes of a group of trees. */
export interface CodeGroup {
  /** What node `j`, one of the group's, asks. */
  testOf(j: number): ByteTest;
  /** Writes codes by places of a row. */
  write(codes: Int8Array): void;
}

/** Codes of an ensemble. */
export interface RowCodes {
  /** Bytes of the codes of a group. */
  readonly groupBytes: number;
  /** Begins a group. */
  openGroup(): { take(nodes: Iterable<number>): boolean; close(): CodeGroup };
  /** Takes room for what all groups share. */
  place(places: Places): RowTables;
}

/** Tables of a row's places in a memory. */
export interface RowTables {
  /** What the kernel's `encode` is told. */
  readonly config: readonly number[];
  write(buffer: ArrayBuffer): void;
}

/** Lays codes out, or undefined where a row has too many slots, or a feature too many cuts. */
export function createRowCodes(packed: Packed, keyed: Keys): RowCodes | undefined {
  const { dictSize, feat2 } = packed;
  const { numbers, blocks, table } = keyed;
  const numNumbers = numbers.length;
  const padded = Math.ceil(numNumbers / 4) * 4;
  const firstSet = 2 * numNumbers;
  if (padded + keyed.numSlots - 1 - firstSet > MAX_SLOTS) return undefined;
  if (numbers.some((f) => dictSize[f] > MOST_CUTS)) return undefined;
  let groupBytes = 0;
  const take = (bytes: number) => (groupBytes += bytes) - bytes;
  const numbersAt = numbers.map((f) => take(dictSize[f] + 2));
  const sets = blocks.flatMap(({ feature, slot, width, lines }) =>
    Array.from({ length: width }, (_, k) => ({
      feature,
      lines,
      slot: padded + slot - firstSet + k,
      column: lines.at + k,
      width,
      at: take(lines.missing + 1),
    }))
  );
  return { groupBytes, openGroup, place };

  function openGroup() {
    const asked = numbers.map((f) => new Uint8Array(dictSize[f]));
    const counts = new Int32Array(numNumbers);
    return {
      /** Whether the group can take these nodes, too; otherwise it stays as it is. */
      take(nodes: Iterable<number>): boolean {
        const added: [number, number][] = [];
        for (const j of nodes) {
          const slot = keyed.slotOf(j);
          if (slot >= firstSet) continue;
          const number = slot >> 1;
          const cut = keyed.keyOf(j);
          if (asked[number][cut] > 0) continue;
          asked[number][cut] = 1;
          counts[number]++;
          added.push([number, cut]);
        }
        if (counts.every((count) => count <= MOST_CODES)) return true;
        for (const [number, cut] of added) {
          asked[number][cut] = 0;
          counts[number]--;
        }
        return false;
      },
      close(): CodeGroup {
        // Of each cut, how many up to it are asked.
        for (const cuts of asked) {
          for (let cut = 1; cut < cuts.length; cut++) cuts[cut] += cuts[cut - 1];
        }
        return {
          testOf(j) {
            const slot = keyed.slotOf(j);
            if (slot >= firstSet) return { slot: placeOf(padded + slot - firstSet), key: FIRST };
            const right = feat2[j] & 1;
            const key = FIRST + asked[slot >> 1][keyed.keyOf(j)] - 1 - right;
            return { slot: placeOf(slot >> 1) + 64 * right, key };
          },
          write(codes) {
            asked.forEach((counts, i) => {
              const at = numbersAt[i];
              codes[at] = MISSING;
              codes[at + 1] = FIRST;
              for (let cut = 0; cut < counts.length; cut++) {
                codes[at + cut + 2] = FIRST + counts[cut];
              }
            });
            for (const { at, column, width, lines } of sets) {
              for (let code = 0; code <= lines.missing; code++) {
                codes[at + code] = FIRST + table[column + code * width];
              }
            }
          },
        };
      },
    };
  }

  function place(places: Places): RowTables {
    const spreads = numbers.map((f) => spreadCuts(packed, f));
    const lengths = numbers.map((f, i) => dictSize[f] + 2 * spreads[i].half + 1);
    const cutsAt = lengths.map((length) => places.take(8 * length));
    const gridAt = spreads.map(({ first }) => places.take(2 * first.length));
    const foursAt = places.take(FOUR * padded / 4);
    const setsAt = places.take(CATEGORY * sets.length);
    /** A cut above all numbers, and a cell without cuts: what places without a number read. */
    const emptyAt = places.take(32);
    return {
      config: [foursAt, padded / 4, setsAt, sets.length],
      write(buffer) {
        const u32 = new Uint32Array(buffer);
        const f32 = new Float32Array(buffer);
        new Float64Array(buffer, emptyAt, 1)[0] = Infinity;
        for (let i = 0; i < padded; i++) {
          const to = (foursAt + FOUR * (i >> 2) >> 2) + (i & 3);
          if (i >= numNumbers) {
            u32[to + 16] = emptyAt;
            u32[to + 20] = emptyAt + 16;
            continue;
          }
          const f = numbers[i];
          const { low, scale, first, half } = spreads[i];
          u32[to] = 8 * f;
          f32[to + 4] = low;
          f32[to + 8] = scale;
          f32[to + 12] = first.length - 1;
          u32[to + 16] = cutsAt[i];
          u32[to + 20] = gridAt[i];
          u32[to + 24] = 8 * half;
          u32[to + 28] = numbersAt[i];
          new Uint16Array(buffer, gridAt[i], first.length).set(first);
          const cuts = new Float64Array(buffer, cutsAt[i], lengths[i]).fill(Infinity);
          cuts.set(packed.cuts.subarray(packed.dictAt[f], packed.dictAt[f] + dictSize[f]));
        }
        sets.forEach(({ feature, slot, at, lines }, i) =>
          u32.set([8 * feature, 4 * slot, at, lines.missing], setsAt / 4 + 4 * i)
        );
      },
    };
  }
}

/** As the kernel has slots: place among sixteen, and 128 for the second ones. */
function placeOf(slot: number): number {
  return slot < 16 ? slot : slot + 112;
}
