/**
 * How eight rows part: for each set of those that go left, where the bytes of their numbers go.
 *
 * @module
 */
import type { Memory } from "./memory.ts";

/** Bytes of the patterns: 16 for each set of eight rows. */
export const PATTERN_BYTES = 4096;

/** Writes the patterns: rows that go left to the front of 16 bytes, the others to their end backwards. */
export function writePatterns({ u8 }: Memory, at: number): void {
  for (let goLeft = 0; goLeft < 256; goLeft++) {
    let front = at + 16 * goLeft;
    let back = front + 14;
    for (let row = 0; row < 8; row++) {
      const isLeft = (goLeft >> row & 1) === 1;
      const to = isLeft ? front : back;
      u8[to] = 2 * row;
      u8[to + 1] = 2 * row + 1;
      if (isLeft) front += 2;
      else back -= 2;
    }
  }
}
