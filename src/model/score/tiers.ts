/**
 * Chooses how a plain ensemble is scored: it walks the file's bytes for the first rows, then builds
 * the faster form once that pays, and takes the wasm kernel for batches. All give the same bits.
 *
 * @module
 */
import { depthOf } from "./depth.ts";
import type { Packed, Rules } from "../packed.ts";
import type { Scorer } from "./scorer.ts";
import { type BatchScorer, createSliced } from "./sliced.ts";
import { createWalker } from "./walk.ts";
import { createWalks, type Walks } from "./walks.ts";

/** Rows from which on a batch goes to the sliced kernel: it takes 128 at a time, filled or not. */
const MIN_BATCH = 64;

/** Scorer of a plain ensemble that grows faster with use. */
export function createTiers(packed: Packed, rules: Rules): Scorer {
  const walker = createWalker(packed, rules);
  // Building tier 1 costs about as much as walking so many rows.
  let credit = 16 + packed.size.length / (2 * packed.treeNodes.length + 1);
  let walks: Walks | undefined;
  let built = false;
  let sliced: BatchScorer | undefined;
  let sliceTried = false;

  return {
    leaves: walker.leaves,
    score(x, rows, numTrees, out) {
      credit -= rows;
      if (rows >= MIN_BATCH) {
        if (!sliceTried) {
          sliceTried = true;
          sliced = createSliced(packed, rules, depthOf(packed));
        }
        if (sliced !== undefined) return sliced.score(x, rows, numTrees, out);
      }
      if (!built && credit < 0) {
        built = true;
        walks = createWalks(packed, rules);
      }
      if (walks === undefined) return walker.score(x, rows, numTrees, out);
      if (rows === 1) walks.scoreRow(x, 0, numTrees, out, 0);
      else walks.score(x, rows, numTrees, out);
    },
  };
}
