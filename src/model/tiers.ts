/**
 * Chooses how a plain ensemble is scored: it walks the file's bytes for the first rows, then builds
 * the faster form once that pays, and takes the wasm kernel for batches. All give the same bits.
 *
 * @module
 */
import { createDeep } from "./deep.ts";
import { depthOf } from "./depth.ts";
import { createHeap } from "./heap.ts";
import { createKeys } from "./keys.ts";
import type { Packed, Rules } from "./packed.ts";
import type { RowScorer, Scorer } from "./scorer.ts";
import { type BatchScorer, createSliced } from "./sliced.ts";
import { createWalker } from "./walk.ts";

/** Deepest trees that are padded to heaps. */
const HEAP_DEPTH = 8;

/** Rows from which on a batch goes to the kernel, which takes 128 at a time whether filled or not. */
const MIN_BATCH = 64;

/** Builds tier 1, or undefined for ensembles that only tier 0 can score. */
export function createFast(packed: Packed, rules: Rules): RowScorer | undefined {
  const keyed = createKeys(packed);
  if (keyed === undefined || keyed.numSlots > 65536) return undefined;
  const depth = depthOf(packed);
  return depth <= HEAP_DEPTH
    ? createHeap(packed, rules, keyed, depth)
    : createDeep(packed, rules, keyed);
}

/** Scorer of a plain ensemble that grows faster with use. */
export function createTiers(packed: Packed, rules: Rules): Scorer {
  const walker = createWalker(packed, rules);
  const numFeatures = packed.dictAt.length;
  const { numOutputs } = rules;
  // Building tier 1 costs about as much as walking so many rows.
  let credit = 16 + packed.size.length / (2 * packed.treeNodes.length + 1);
  let fast: RowScorer | undefined;
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
        fast = createFast(packed, rules);
      }
      if (fast === undefined) return walker.score(x, rows, numTrees, out);
      for (let r = 0; r < rows; r++) {
        fast.scoreRow(x, r * numFeatures, numTrees, out, r * numOutputs);
      }
    },
  };
}
