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

/** Trees whose upper levels are left together. */
export const TREES = 16;
/** Least and most levels of trees that are one heap below their upper levels. */
const LEAST_EVEN = 6;
export const MOST_EVEN = 8;
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

/** Whether the longest way is far longer than that of a full tree: heaps would be mostly empty. */
export function isUneven({ packed: { treeNodes, size }, deepest }: Prepared): boolean {
  return deepest > 1.5 * Math.log2(1 + size.length / treeNodes.length) + 1;
}

/** A layout by heaps. */
export type Shape = ReturnType<typeof shapeOf>;

/** Chooses a layout. */
export function shapeOf(prepared: Prepared) {
  const { deepest, f32 } = prepared;
  const deep = isUneven(prepared) || deepest > MOST_EVEN;
  const levels = deep ? 0 : Math.max(deepest, LEAST_EVEN);
  const upper = levels === 6 ? 3 : 4;
  const lower = deep ? 3 : levels - upper;
  const testBytes = lower === 3 ? 8 : 16;
  const valueBytes = f32 ? 4 : 8;
  const heapBytes = 2 * testBytes + (valueBytes << lower);
  const exitBytes = deep ? valueBytes : heapBytes;
  // Behind the tests of trees of any depth are bits: which exits go on.
  const onsAt = 32 * ((1 << upper) - 1);
  return {
    /** Whether trees are of any depth. */
    deep,
    /** What the kernel is told: levels of the deepest tree, 0 for any depth. */
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
    topBytes: onsAt + (deep ? 32 : 0),
  };
}

/** Whether a subtree has no more than two levels: the first four exits of a chunk are enough. */
export function isSmall(size: Packed["size"], j: number, n: number): boolean {
  return n === 1 || n === 2 || n === 3 && size[j] === 2;
}
