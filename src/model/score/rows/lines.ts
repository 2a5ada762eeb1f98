/**
 * What deep.ts and forest.ts cut trees into below their upper tests: chunks of four levels, each a line
 * of the cache. A line is the slots of fifteen tests in heap order, as many keys, and sixteen exits, u16.
 *
 * @module
 */

/** Bytes of a line, and levels of a chunk. */
export const LINE = 64;
export const LEVELS = 4;
/** Where in a line keys are, behind as many slots, and exits. */
export const KEYS = 16;
const EXITS = 32;

/** A subtree: its first inner node, how many there are, its first leaf. */
export type Subtree = readonly [j: number, n: number, b: number];

/** Where the exit is, in u16, of ways that come to the `i`-th node of a line and have no test there: they go left. */
export function exitAt(line: number, i: number, level: number): number {
  return (line + EXITS >> 1) + (i << LEVELS - level) - (1 << LEVELS);
}

/** Lays a line without tests out, all of whose ways have one exit. */
export function layEmpty(bytes: Int8Array, u16: Uint16Array, line: number, exit: number): void {
  // No code is above this key.
  bytes.fill(127, line + KEYS, line + EXITS);
  u16[exitAt(line, 1, 0)] = exit;
}
