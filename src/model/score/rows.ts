/**
 * Scores few rows faster than walks.ts, for who loads it (`useRows` of tiers.ts): the library, the
 * server and what explains do, `./predict` alone does not. It takes sums of trees with one value a
 * leaf, and gives the bits of the other scorers; what it does not take is walked.
 *
 * The upper levels of sixteen trees are left at once, a tree in each byte of a vector. Where trees
 * have up to eight levels, what is below is a heap for each exit, its tests and its leaves next to
 * each other. In others an exit is a leaf or goes on to a chunk of four levels, a line of the cache,
 * whose exits are the same again: one list has all ways that go on (row_deep.ts), or, in large trees
 * of even depth, sixteen ways go in step (row_forest.ts).
 *
 * @module
 */
import type { Packed, Rules } from "../packed.ts";
import { createDeep } from "./row_deep.ts";
import { createForest } from "./row_forest.ts";
import { createFrame } from "./row_frame.ts";
import { blocksOf, dealTrees } from "./row_pieces.ts";
import { prepare, type Prepared, type Shape, shapeOf, TREES } from "./row_shape.ts";
import { writeTables } from "./row_tables.ts";
import { createLayer, HEAD } from "./row_trees.ts";
import type { BatchScorer } from "./sliced.ts";
import { useRows } from "./tiers.ts";

/** Bytes of trees that the second cache keeps while rows go through them. */
const CACHE = 1 << 19;
/** Most trees of a piece. */
const MOST_TREES = 4095 * TREES;

/** Makes the scorer, or undefined where the ensemble or the machine does not allow it. */
export function createRows(packed: Packed, rules: Rules): BatchScorer | undefined {
  const prepared = prepare(packed, rules);
  if (prepared === undefined) return undefined;
  const shape = shapeOf(prepared);
  if (shape !== undefined) return createHeaps(prepared, shape);
  return createDeep(prepared) ?? createForest(prepared);
}

/** Makes the scorer of trees of up to eight levels. */
function createHeaps(prepared: Prepared, shape: Shape): BatchScorer | undefined {
  const { levels, lower, treeBytes, topBytes } = shape;
  const mostTrees = Math.min(MOST_TREES, CACHE / treeBytes);
  const dealt = dealTrees(prepared, (from, to) => to - from <= mostTrees);
  if (dealt === undefined) return undefined;
  const { pieces, groups } = dealt;
  const frame = createFrame(prepared, levels, groups, pieces.length);
  if (frame === undefined) return undefined;
  const { places, groupsAt } = frame;
  const takenAt = places.take(prepared.packed.treeNodes.length + TREES);
  const laidAt = pieces.map((piece) => ({
    block: places.take(HEAD + topBytes * blocksOf(piece)),
    trees: places.take(treeBytes * TREES * blocksOf(piece)),
  }));
  const buffer = frame.open();
  if (buffer === undefined) return undefined;
  writeTables(new Int8Array(buffer), lower === 4, false);
  const { layTrees } = createLayer(prepared, shape, buffer);
  pieces.forEach(({ from, to, group }, i) => {
    new Uint32Array(buffer).set([laidAt[i].trees, takenAt], laidAt[i].block >> 2);
    layTrees(laidAt[i], from, to, groups[group]);
  });
  return frame.scorer((i, count) => {
    const { output, from, to, group } = pieces[i];
    const last = Math.min(to, prepared.end(output, count));
    // Places behind the last tree add nothing; less than 1, where all come too late, is no tree.
    const some = last === to ? TREES * blocksOf(pieces[i]) : last - from;
    return [laidAt[i].block, some, 8 * output, groupsAt[group]];
  });
}

useRows(createRows);
