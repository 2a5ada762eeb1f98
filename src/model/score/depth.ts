/**
 * How deep trees in form Z are.
 *
 * @module
 */
import type { Packed } from "../packed.ts";

/** Levels of inner nodes of the deepest tree. */
export function depthOf({ treeNodes, size }: Packed): number {
  const levels = new Uint32Array(size.length);
  let deepest = 0;
  let j = 0;
  for (const n of treeNodes) {
    levels[j] = 1;
    for (const last = j + n; j < last; j++) {
      if (levels[j] > deepest) deepest = levels[j];
      // Where the subtree ends, what comes next has its level from a node above, or is a root.
      levels[j + 1] ||= levels[j] + 1;
      levels[j + size[j]] ||= levels[j] + 1;
    }
  }
  return deepest;
}
