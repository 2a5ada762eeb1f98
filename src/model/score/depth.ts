/**
 * How deep trees in form Z are.
 *
 * @module
 */
import type { Packed } from "../packed.ts";

/** Levels of inner nodes of the deepest tree. */
export function depthOf(packed: Packed): number {
  const { treeNodes, size } = packed;
  let deepest = 0;
  let j = 0;
  // Right subtrees that wait on the way to node j: where they end, and their level.
  const ends: number[] = [];
  const levels: number[] = [];
  for (let t = 0; t < treeNodes.length; t++) {
    const last = j + treeNodes[t];
    let end = last;
    let level = 1;
    for (; j < last; j++) {
      if (level > deepest) deepest = level;
      const s = size[j];
      if (j + s < end) {
        ends.push(end);
        levels.push(level + 1);
      }
      if (s > 1) {
        end = j + s;
        level++;
      } else {
        end = ends.pop() ?? 0;
        level = levels.pop() ?? 0;
      }
    }
  }
  return deepest;
}
