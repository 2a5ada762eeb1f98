/**
 * How rows.ts lays trees out: how many levels are left at once, and the sizes of what is below.
 *
 * @module
 */
import { createEnds } from "../additive.ts";
import { depthOf } from "../depth.ts";
import { groupTrees } from "../groups.ts";
import { createKeys } from "../keys.ts";
import type { Packed, Rules } from "../../packed.ts";
import { createRowCodes } from "./codes.ts";

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
export type Shape = NonNullable<ReturnType<typeof shapeOf>>;

/** Chooses a layout by heaps; undefined for trees that have none. */
export function shapeOf(prepared: Prepared) {
  const { deepest, f32 } = prepared;
  if (isUneven(prepared) || deepest > MOST_EVEN) return undefined;
  const levels = Math.max(deepest, LEAST_EVEN);
  const upper = levels === 6 ? 3 : 4;
  const lower = levels - upper;
  const testBytes = lower === 3 ? 8 : 16;
  const valueBytes = f32 ? 4 : 8;
  const heapBytes = 2 * testBytes + (valueBytes << lower);
  return {
    /** Of the deepest tree. */
    levels,
    /** Levels that are left at once by sixteen trees, and those of a heap below. */
    upper,
    lower,
    /** Bytes of the slots of a heap, of a value, of a heap. */
    testBytes,
    valueBytes,
    heapBytes,
    /** What the heaps of a tree take, and the upper tests of sixteen trees. */
    treeBytes: heapBytes << upper,
    topBytes: 32 * ((1 << upper) - 1),
  };
}
