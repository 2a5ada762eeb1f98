/**
 * One ONNX tree as a record, whatever encoding it came in, and how attributes are read.
 *
 * @module
 */
import { shapeError } from "../common/forest.ts";
import { checkLimit } from "../common/limits.ts";
import type { OnnxAttribute, OnnxNode } from "./graph.ts";

/** Tests of inner nodes, and leaves. */
export type OnnxMode = "LEAF" | "LEQ" | "LT" | "GTE" | "GT" | "EQ" | "NEQ";

/** One tree: nodes in the file's order. */
export interface OnnxTree {
  readonly id: number;
  readonly mode: OnnxMode[];
  readonly feature: number[];
  readonly value: number[];
  /** Child where the test holds, and where it does not; −1 at leaves. */
  readonly whenTrue: number[];
  readonly whenFalse: number[];
  readonly missingTrue: boolean[];
  readonly hitrate: number[];
  /** Output and weight of each leaf. */
  readonly targets: { readonly output: number; readonly weight: number }[][];
  root: number;
}

/** Trees and what surrounds them. */
export interface OnnxTrees {
  readonly trees: readonly OnnxTree[];
  /** Weights and thresholds are doubles. */
  readonly isDouble: boolean;
  readonly baseValues: readonly number[];
  readonly aggregate: string;
  readonly postTransform: string;
  /** Targets of a regressor; 0 for classifiers. */
  readonly numTargets: number;
  readonly labels: readonly string[];
  /** Things a person should read. */
  readonly warnings: readonly string[];
}

const EMPTY: OnnxAttribute = {
  integer: 0,
  text: "",
  integers: [],
  floats: [],
  texts: [],
  tensor: undefined,
};

/** Lists of attributes, floats or `_as_tensor` doubles. */
export function attributesOf(node: OnnxNode) {
  const get = (name: string): OnnxAttribute => node.attributes.get(name) ?? EMPTY;
  return {
    get,
    integers: (name: string): readonly number[] => get(name).integers,
    numbers: (name: string): readonly number[] =>
      get(`${name}_as_tensor`).tensor?.values ?? get(name).tensor?.values ?? get(name).floats,
  };
}

/** A tree without nodes. */
export function newTree(id: number): OnnxTree {
  return {
    id,
    mode: [],
    feature: [],
    value: [],
    whenTrue: [],
    whenFalse: [],
    missingTrue: [],
    hitrate: [],
    targets: [],
    root: 0,
  };
}

/**
 * Repeats subtrees that several nodes share: converters write a set of categories as a chain of
 * equality tests with one child for all of them.
 *
 * @param mostNodes Most nodes of the result; sharing must not blow up.
 */
export function unshare(tree: OnnxTree, mostNodes: number): OnnxTree {
  const n = tree.mode.length;
  const parents = new Uint8Array(n);
  let isShared = false;
  for (let i = 0; i < n; i++) {
    if (tree.mode[i] === "LEAF") continue;
    for (const child of [tree.whenTrue[i], tree.whenFalse[i]]) {
      isShared ||= parents[child] === 1;
      parents[child] = 1;
    }
  }
  if (!isShared) return tree;
  const out = newTree(tree.id);
  const add = (i: number): number => {
    checkLimit("the number of unfolded nodes", out.mode.length + 1, mostNodes);
    out.feature.push(tree.feature[i]);
    out.value.push(tree.value[i]);
    out.missingTrue.push(tree.missingTrue[i]);
    out.hitrate.push(tree.hitrate[i]);
    out.targets.push(tree.targets[i]);
    out.whenTrue.push(-1);
    out.whenFalse.push(-1);
    return out.mode.push(tree.mode[i]) - 1;
  };
  const open = [{ from: 0, to: add(0), depth: 0 }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { from, to, depth } = item;
    if (tree.mode[from] === "LEAF") continue;
    if (depth > n) throw shapeError(tree.id, from, "the node is its own descendant");
    for (
      const [list, children] of [[out.whenFalse, tree.whenFalse], [out.whenTrue, tree.whenTrue]]
    ) {
      list[to] = add(children[from]);
      open.push({ from: children[from], to: list[to], depth: depth + 1 });
    }
  }
  return out;
}
