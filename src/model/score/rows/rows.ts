/**
 * Scores few rows faster than ../walks.ts, for who loads it (`useRows` of ../tiers.ts): the library, the
 * server and what explains do, `./predict` alone does not. It takes sums of trees with one value a
 * leaf, and gives the bits of the other scorers; what it does not take is walked.
 *
 * The upper levels of sixteen trees are left at once, a tree in each byte of a vector. Where trees
 * have up to eight levels, what is below is a heap for each exit, its tests and its leaves next to
 * each other (heaps.ts). In others an exit is a leaf or goes on to a chunk of four levels, a line of
 * the cache, whose exits are the same again: one list has all ways that go on (deep.ts), or, in large
 * trees of even depth, sixteen ways go in step (forest.ts).
 *
 * @module
 */
import type { Packed, Rules } from "../../packed.ts";
import { dealCuts } from "./cuts.ts";
import { createDeep } from "./deep.ts";
import { createForest } from "./forest.ts";
import { createHeaps } from "./heaps.ts";
import { prepare, shapeOf } from "./shape.ts";
import { sharesOf } from "./shares.ts";
import type { BatchScorer } from "../sliced.ts";
import { useRows } from "../tiers.ts";

/** Makes the scorer, or undefined where the ensemble or the machine does not allow it. */
export function createRows(packed: Packed, rules: Rules): BatchScorer | undefined {
  const prepared = prepare(packed, rules);
  if (prepared === undefined) return undefined;
  const shape = shapeOf(prepared);
  if (shape !== undefined) return createHeaps(prepared, shape);
  const shares = sharesOf(packed, prepared.firstNode);
  const cuts = dealCuts(prepared, shares);
  return createDeep(prepared, shares, cuts) ?? (cuts && createForest(prepared, cuts));
}

useRows(createRows);
