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

/** Numbers above `above` and up to `upTo`. */
export interface Interval {
  /** Exclusive lower bound; −Infinity where there is none. */
  readonly above: number;
  /** Inclusive upper bound; Infinity where there is none. */
  readonly upTo: number;
}

/** A node's region; features that no ancestor tests are left out. */
export interface NodeBox {
  /** Number of the node within its tree. */
  readonly node: number;
  /** Tests above the node; 0 at the root. */
  readonly depth: number;
  /** Whether the tree ends here. */
  readonly isLeaf: boolean;
  /** Numeric features by name. */
  readonly intervals: ReadonlyMap<string, Interval>;
  /** Categories that may arrive, by name of the categorical feature. */
  readonly categories: ReadonlyMap<string, readonly string[]>;
}

/**
 * Regions of all nodes of a tree, in the order of the nodes: every row without missing values and
 * unknown categories that reaches a node lies in its box, and leaves part the space among them (but
 * for tests of equality, whose other side is no interval: there the box is that of the parent).
 *
 * @throws {ParameterError} `E_PARAM_RANGE` when the model has no such tree.
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
