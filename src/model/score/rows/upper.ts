/**
 * The upper part of a tree of any depth: up to five tests that rows most likely come to, all made
 * at once.
 *
 * @module
 */
import type { Packed } from "../../packed.ts";
import type { Subtree } from "./lines.ts";

/** Tests of a tree, and sets of those that go right: the first test is the highest bit of a set. */
export const TESTS = 5;
export const SETS = 1 << TESTS;

/** What is below an upper part. */
export interface Exit {
  readonly subtree: Subtree;
  /** By which sets of tests that go right rows come to it: a bit each. */
  readonly sets: number;
}

/** Upper part of a tree. */
export interface Upper {
  /** Its inner nodes: each is behind those above it. */
  readonly tests: readonly number[];
  readonly exits: readonly Exit[];
}

/** Of each test, the sets by which it goes right. */
const RIGHT = Array.from({ length: TESTS }, (_, i) => {
  let sets = 0;
  for (let set = 0; set < SETS; set++) sets |= (set >> TESTS - 1 - i & 1) << set;
  return sets;
});

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
  const exits: Exit[] = [{ subtree: tree, sets: -1 }];
  const tests: number[] = [];
  while (tests.length < TESTS) {
    let best = -1;
    let most = 0;
    for (let i = 0; i < exits.length; i++) {
      const [j, n] = exits[i].subtree;
      if (n > 0 && shares[j] > most && isOwn(j)) most = shares[j], best = i;
    }
    if (best < 0) break;
    const { subtree: [j, n, b], sets } = exits[best];
    const right = RIGHT[tests.length];
    const s = size[j];
    tests.push(j);
    exits[best] = { subtree: [j + 1, s - 1, b], sets: sets & ~right };
    exits.push({ subtree: [j + s, n - s, b + s], sets: sets & right });
  }
  return { tests, exits };
}
