/**
 * How rows.ts lays trees out: how many levels are left at once, and the sizes of what is below.
 *
 * @module
 */
import { createEnds } from "./additive.ts";
import { depthOf } from "./depth.ts";
import { groupTrees } from "./groups.ts";
import { createKeys } from "./keys.ts";
import type { Packed, Rules } from "../packed.ts";
import { createRowCodes } from "./row_codes.ts";
import { isForest, MOST_LEAVES } from "./row_forest.ts";

/** Trees whose upper levels are left together. */
export const TREES = 16;
/** Least and most levels of trees that are one heap below their upper levels. */
const LEVELS = [6, 8];
/** Most levels: trees are laid out by functions that call themselves. */
const MOST_LEVELS = 1024;

/** An ensemble as all layouts take it. */
export type Prepared = NonNullable<ReturnType<typeof prepare>>;

/** What all layouts begin with; undefined for an ensemble that is walked. */
export function prepare(packed: Packed, rules: Rules) {
  const ends = createEnds(rules);
  const f32 = rules.profile.sum === "f32";
  if (rules.leafWidth !== 1) return undefined;
  if (f32 && ends.start.some((v) => Math.fround(v) !== v)) return undefined;
  const keyed = createKeys(packed);
  if (keyed === undefined) return undefined;
  const deepest = depthOf(packed);
  const codes = deepest > MOST_LEVELS ? undefined : createRowCodes(packed, keyed);
  if (codes === undefined) return undefined;
  return { packed, rules, ends, f32, keyed, deepest, codes, ...groupTrees(packed, rules) };
}

/** A layout. */
export type Shape = NonNullable<ReturnType<typeof shapeOf>>;

/**
 * Chooses a layout; undefined where the ensemble has no such one.
 *
 * @param forest Whether trees are laid out as a forest's, if they are deep and even.
 */
export function shapeOf({ packed, rules, keyed, deepest, f32 }: Prepared, forest: boolean) {
  const { treeNodes, size, leaves, leafIndex } = packed;
  // Where the longest way is far longer than that of a full tree, heaps would be mostly empty.
  const uneven = deepest > 1.5 * Math.log2(1 + size.length / treeNodes.length) + 1;
  const deep = uneven || deepest > LEVELS[1];
  if (forest && (uneven || !deep || !isForest(packed, keyed))) return undefined;
  const levels = forest ? -1 : deep ? 0 : Math.max(deepest, LEVELS[0]);
  const upper = levels === 6 ? 3 : 4;
  const lower = deep ? 3 : levels - upper;
  const testBytes = lower === 3 ? 8 : 16;
  const valueBytes = f32 ? 4 : 8;
  const heapBytes = 2 * testBytes + (valueBytes << lower);
  const exitBytes = forest ? 4 : deep ? valueBytes : heapBytes;
  // Behind the tests of trees of any depth are bits: which exits go on.
  const onsAt = 32 * ((1 << upper) - 1);
  return {
    forest,
    /** Whether trees are of any depth. */
    deep,
    /** What the kernel is told: levels of the deepest tree, 0 for any depth, -1 for forests. */
    levels,
    /** Levels that are left at once by sixteen trees, and those of a heap below. */
    upper,
    lower,
    testBytes,
    valueBytes,
    heapBytes,
    /** Chunks of trees of any depth: if exits are float32, each is a line of the cache or half of one. */
    largeBytes: f32 ? 64 : heapBytes,
    smallBytes: 2 * testBytes + 4 * valueBytes,
    /** What an exit of the upper levels takes, those of a tree, and the tests of sixteen. */
    exitBytes,
    treeBytes: exitBytes << upper,
    onsAt,
    topBytes: onsAt + (deep && !forest ? 32 : 0),
    /** Whether a forest's trees share values of leaves. */
    shared: leafIndex !== undefined && leaves.length <= MOST_LEAVES &&
      rules.treeWeight.every((weight) => weight === 1),
  };
}

/** Whether a subtree has no more than two levels: the first four exits of a chunk are enough. */
export function isSmall(size: Packed["size"], j: number, n: number): boolean {
  return n === 1 || n === 2 || n === 3 && size[j] === 2;
}
