/**
 * The upper part of a tree of any depth: up to five tests that rows most likely come to, all made
 * at once.
 *
 * @module
 */
import type { Packed } from "../../packed.ts";

/** Tests of a tree, and sets of those that go right. */
export const TESTS = 5;
export const SETS = 1 << TESTS;

/** A subtree: its first inner node, how many there are, its first leaf. */
export type Subtree = readonly [j: number, n: number, b: number];

/** Upper part of a tree. */
export interface Upper {
  /** Its inner nodes: each is behind those above it. */
  readonly tests: readonly number[];
  /** What is below it. */
  readonly exits: readonly Subtree[];
}

/**
 * Chooses it.
 *
 * @param shares How often rows come to inner nodes.
 * @param isOwn Whether a node can be a test.
 */
export function upperOf(
  { size }: Packed,
  shares: Float64Array,
  isOwn: (j: number) => boolean,
  tree: Subtree,
): Upper {
  const exits = [tree];
  const tests: number[] = [];
  while (tests.length < TESTS) {
    let best = -1;
    let most = 0;
    exits.forEach(([j, n], i) => {
      if (n > 0 && isOwn(j) && shares[j] > most) most = shares[j], best = i;
    });
    if (best < 0) break;
    const [[j, n, b]] = exits.splice(best, 1);
    const s = size[j];
    tests.push(j);
    exits.push([j + 1, s - 1, b], [j + s, n - s, b + s]);
  }
  return { tests, exits };
}

/** Which exit rows take that go right at the tests of a set, of which the first one is the highest bit. */
export function exitOf(
  { size }: Packed,
  { tests, exits }: Upper,
  [j, n, b]: Subtree,
  set: number,
): number {
  for (let i = tests.indexOf(j); n > 0 && i >= 0; i = tests.indexOf(j)) {
    const s = size[j];
    [j, n, b] = set >> TESTS - 1 - i & 1 ? [j + s, n - s, b + s] : [j + 1, s - 1, b];
  }
  return exits.findIndex((exit) => exit[2] === b);
}
