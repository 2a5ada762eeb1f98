/**
 * What the counts of the classes in the leaves tell of inner nodes: their shares, and the gain of
 * their splits under Gini. Where that is bit for bit what the model has, the file does without.
 *
 * @module
 */
import type { Packed, Reals } from "../model/packed.ts";
import { eachRange } from "./covers.ts";

/** Rows of each class below a place in the order of a tree's leaves. */
interface ClassSums {
  /** Sums of the leaves before `leaf`, from `leaf × width` on. */
  readonly sums: Float64Array;
  /** First leaf of the tree. */
  readonly first: number;
}

/** Calls back with every inner node: the sums, and where in them its leaves begin, part and end. */
function eachSplit(
  packed: Packed,
  width: number,
  covers: ArrayLike<number>,
  visit: (j: number, sums: Float64Array, from: number, middle: number, to: number) => void,
): void {
  const { leaves, leafIndex } = packed;
  let tree: ClassSums = { sums: new Float64Array(0), first: 0 };
  eachRange(packed, {
    tree(_, from, to) {
      const needed = (to - from + 1) * width;
      const sums = tree.sums.length < needed ? new Float64Array(needed) : tree.sums;
      for (let leaf = from; leaf < to; leaf++) {
        const values = (leafIndex === undefined ? leaf : leafIndex[leaf]) * width;
        const at = (leaf - from) * width;
        for (let k = 0; k < width; k++) {
          // Shares of whole rows: the count again, whatever the division rounded.
          sums[at + width + k] = sums[at + k] + Math.round(covers[leaf] * leaves[values + k]);
        }
      }
      tree = { sums, first: from };
    },
    inner(j, _, from, middle, to) {
      const { sums, first } = tree;
      visit(j, sums, (from - first) * width, (middle - first) * width, (to - first) * width);
    },
  });
}

/** Shares of the classes in inner nodes, in preorder. */
export function sharesOf(packed: Packed, width: number, covers: ArrayLike<number>): Float64Array {
  const values = new Float64Array(packed.size.length * width);
  eachSplit(packed, width, covers, (j, sums, from, _, to) => {
    let weight = 0;
    for (let k = 0; k < width; k++) weight += sums[to + k] - sums[from + k];
    for (let k = 0; k < width; k++) {
      values[j * width + k] = (sums[to + k] - sums[from + k]) / weight;
    }
  });
  return values;
}

/** Gains under Gini of inner nodes, in preorder, in the order of additions of criterion/gini.ts. */
export function giniGainsOf(
  packed: Packed,
  width: number,
  covers: ArrayLike<number>,
): Float64Array {
  const gains = new Float64Array(packed.size.length);
  eachSplit(packed, width, covers, (j, sums, from, middle, to) => {
    let left = 0;
    let right = 0;
    let leftSquares = 0;
    let rightSquares = 0;
    let squares = 0;
    for (let k = 0; k < width; k++) {
      const l = sums[middle + k] - sums[from + k];
      const r = sums[to + k] - sums[middle + k];
      left += l;
      right += r;
      leftSquares += l * l;
      rightSquares += r * r;
      squares += (l + r) * (l + r);
    }
    gains[j] = leftSquares / left + rightSquares / right - squares / (left + right);
  });
  return gains;
}

/** Whether numbers are these, bit for bit. */
export function equalReals(found: Reals, wanted: Reals): boolean {
  return found.length === wanted.length && found.every((value, i) => Object.is(value, wanted[i]));
}
