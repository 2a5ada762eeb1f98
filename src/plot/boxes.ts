/**
 * The region of input space that each node stands for: an interval of every numeric feature and a
 * set of every categorical one.
 *
 * @module
 */
import { checkModel } from "../door.ts";
import type { Model } from "../model/model.ts";
import { NodeKind } from "../model/types.ts";
import { nextDown64 } from "../util/float.ts";
import { categoryTest, demandTree } from "./tree_view.ts";

/** The numbers `x` with `above < x ≤ upTo`. */
export interface Interval {
  /** Exclusive lower bound; −Infinity if there is none. */
  readonly above: number;
  /** Inclusive upper bound; Infinity if there is none. */
  readonly upTo: number;
}

/** The region of a node in the space of inputs. Features that no node above tests are left out. */
export interface NodeBox {
  /** Number of the node within its tree; the root is 0. */
  readonly node: number;
  /** Number of tests above the node; 0 at the root. */
  readonly depth: number;
  /** Whether the node is a leaf. */
  readonly isLeaf: boolean;
  /** Intervals of numeric features, by name. */
  readonly intervals: ReadonlyMap<string, Interval>;
  /** Categories that can reach the node, by name of the feature. */
  readonly categories: ReadonlyMap<string, readonly string[]>;
}

/**
 * The regions of all nodes of a tree, in the order of the nodes. A row without missing values and
 * unknown categories that reaches a node lies in its box, and the boxes of the leaves do not overlap.
 * The exception are tests of equality: where the value differs the region is not an interval, and the
 * box is that of the parent.
 *
 * @param tree Number of the tree, counted from 0.
 * @throws {ParameterError} `E_PARAM_RANGE` if the model has no such tree.
 * @throws {ModelError} `E_MODEL_LIMIT` if the tree is deeper than a thousand levels.
 */
export function nodeBoxes(model: Model, tree = 0): NodeBox[] {
  checkModel("nodeBoxes", model);
  demandTree(model, tree);
  const { ensemble, schema } = model;
  const { trees } = ensemble;
  const start = trees.treeStart[tree];
  const boxes: NodeBox[] = [];
  const visit = (
    node: number,
    depth: number,
    intervals: ReadonlyMap<string, Interval>,
    categories: ReadonlyMap<string, readonly string[]>,
  ): void => {
    const isLeaf = trees.kind[node] === NodeKind.leaf;
    boxes[node - start] = { node: node - start, depth, isLeaf, intervals, categories };
    if (isLeaf) return;
    const input = schema.features[trees.feature[node]];
    const first = trees.firstChild[node];
    if (input.kind === "numeric") {
      const held = intervals.get(input.name) ?? { above: -Infinity, upTo: Infinity };
      const t = trees.threshold[node];
      if (trees.kind[node] === NodeKind.equal) {
        const only = { above: Math.max(held.above, nextDown64(t)), upTo: Math.min(held.upTo, t) };
        visit(first, depth + 1, new Map(intervals).set(input.name, only), categories);
        visit(first + 1, depth + 1, intervals, categories);
        return;
      }
      const below = { above: held.above, upTo: Math.min(held.upTo, t) };
      const beyond = { above: Math.max(held.above, t), upTo: held.upTo };
      visit(first, depth + 1, new Map(intervals).set(input.name, below), categories);
      visit(first + 1, depth + 1, new Map(intervals).set(input.name, beyond), categories);
      return;
    }
    const held = new Set(categories.get(input.name) ?? input.categories);
    categoryTest(ensemble, node, input.categories).sets.forEach((set, branch) => {
      const inside = set.filter((category) => held.has(category));
      visit(first + branch, depth + 1, intervals, new Map(categories).set(input.name, inside));
    });
  };
  visit(start, 0, new Map(), new Map());
  return boxes;
}
