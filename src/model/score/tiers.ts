/**
 * Chooses how a plain ensemble is scored: it walks the file's bytes for the first rows, then builds
 * the faster form once that pays, and takes the wasm kernel for batches. All give the same bits.
 *
 * @module
 */
import { isAdditive } from "./additive.ts";
import { depthOf } from "./depth.ts";
import type { Packed, Rules } from "../packed.ts";
import type { Scorer } from "./scorer.ts";
import { type BatchScorer, createSliced } from "./sliced.ts";
import { createWalker } from "./walk.ts";
import { createWalks } from "./walks.ts";

/** Rows from which on a batch goes to the sliced kernel: it takes 128 at a time, filled or not. */
const MIN_BATCH = 64;

/** What scores the first rows of trees that were read from a file, while the collector lets it. */
export const firstRows = new WeakMap<Packed, WeakRef<Scorer["score"]>>();

/** Makes what scores single rows and few of them faster than walks, once that pays, where it is loaded. */
let createFew: typeof createWalks | undefined;

/** Called by rows/rows.ts, so that what only loads and scores does not carry it. */
export function useRows(createRows: typeof createWalks): void {
  createFew = createRows;
}

/**
 * Scorer of a plain ensemble that grows faster with use.
 *
 * @param credit Rows that are walked before tier 1 is built, which costs about as much as walking so many.
 * With Infinity nothing is ever built, for batches neither.
 */
export function createTiers(
  packed: Packed,
  rules: Rules,
  credit = 16 + packed.size.length / (packed.treeNodes.length + 1),
): Scorer {
  let walk: Scorer | undefined;
  const walker = () => walk ??= createWalker(packed, rules);
  if (!isAdditive(rules)) return walker();
  const first = firstRows.get(packed);
  let walks: BatchScorer | undefined;
  let sliced: BatchScorer | false | undefined;

  return {
    leaves: (...rows) => walker().leaves(...rows),
    score(x, rows, numTrees, out) {
      if (rows >= MIN_BATCH && credit < Infinity) {
        sliced ??= createSliced(packed, rules, depthOf(packed)) ?? false;
        if (sliced) return sliced.score(x, rows, numTrees, out);
      }
      // Not counted any longer than that: a fraction would be boxed anew in each call.
      if (walks === undefined && (credit -= rows) < 0) {
        walks = createFew?.(packed, rules) ?? createWalks(packed, rules) ?? walker();
      }
      if (walks) walks.score(x, rows, numTrees, out);
      else (first?.deref() ?? walker().score)(x, rows, numTrees, out);
    },
  };
}
