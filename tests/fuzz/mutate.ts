/**
 * Damage to bytes, as transfer, disks and attackers do it.
 *
 * @module
 */
import type { Rng } from "../../src/util/rng.ts";

/** Numbers that break arithmetic and allocation. */
const AWKWARD = [0, 1, 2, 3, 7, 8, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x10000];
const HUGE = [0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x40000000];

/** Returns damaged bytes; one to four blows. */
export function mutate(bytes: Uint8Array, rng: Rng): Uint8Array<ArrayBuffer> {
  let result = bytes.slice();
  for (let blows = 1 + rng.nextInt(4); blows > 0; blows--) {
    if (result.length === 0) return result;
    const at = rng.nextInt(result.length);
    switch (rng.nextInt(10)) {
      case 0:
      case 1:
        result[at] ^= 1 << rng.nextInt(8);
        break;
      case 2:
        result[at] = rng.nextInt(256);
        break;
      case 3:
      case 4:
        writeWord(result, at & ~3, rng.nextInt(2) === 0 ? pick(AWKWARD, rng) : pick(HUGE, rng));
        break;
      case 5: {
        // A word near the one that is there.
        const place = at & ~3;
        writeWord(result, place, readWord(result, place) + rng.nextInt(5) - 2);
        break;
      }
      case 6:
        result = result.slice(0, at);
        break;
      case 7: {
        const longer = new Uint8Array(result.length + 1 + rng.nextInt(32));
        longer.set(result);
        result = longer;
        break;
      }
      case 8: {
        const from = rng.nextInt(result.length);
        result.copyWithin(at, from, Math.min(result.length, from + 1 + rng.nextInt(64)));
        break;
      }
      case 9:
        result.fill(rng.nextInt(2) * 255, at, Math.min(result.length, at + 1 + rng.nextInt(16)));
    }
  }
  return result;
}

function pick(values: readonly number[], rng: Rng): number {
  return values[rng.nextInt(values.length)];
}

function readWord(bytes: Uint8Array, at: number): number {
  let word = 0;
  for (let i = 0; i < 4 && at + i < bytes.length; i++) word += bytes[at + i] * 2 ** (8 * i);
  return word;
}

function writeWord(bytes: Uint8Array, at: number, word: number): void {
  for (let i = 0; i < 4 && at + i < bytes.length; i++) bytes[at + i] = word / 2 ** (8 * i);
}
