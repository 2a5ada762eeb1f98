/**
 * Linear models of leaves between the trees of a run, its states and the finished ensemble.
 *
 * @module
 */
import type { Column, Dataset } from "../data/types.ts";
import { columnByName } from "../binning/bins.ts";
import type { LeafTerms, LinearColumns, TreeTerms } from "../grow/linear_leaves.ts";
import type { TreeNodes } from "../grow/histogram/tree/nodes.ts";
import { numTrees, packOrder, type TreeBuilder } from "../model/trees.ts";
import type { LinearLeaves, Trees } from "../model/types.ts";
import { builderOf } from "./old_trees.ts";
import type { RunState } from "./run_state.ts";

/** A tree, and the linear models of its leaves where it has them. */
export interface SerialTree {
  readonly tree: TreeBuilder;
  readonly terms?: TreeTerms;
}

/** Values as float32, which LightGBM learns from. */
export function float32Columns({ features }: Dataset): LinearColumns {
  return features.map((column) =>
    column.kind === "numeric" ? Float32Array.from(column.values) : undefined
  );
}

/** Share of a column's range from which rounding to float32 is told. */
const COARSE = 1e-4;

/** Names of columns that float32 holds so coarsely that training rows score otherwise later. */
export function coarseColumns({ features }: Dataset): readonly string[] {
  return features.filter((column) => {
    if (column.kind !== "numeric") return false;
    let [least, most, error] = [Infinity, -Infinity, 0];
    for (const value of column.values) {
      if (value < least) least = value;
      if (value > most) most = value;
      error = Math.max(error, Math.abs(value - Math.fround(value)) || 0);
    }
    return error > COARSE * (most - least);
  }).map(({ name }) => name);
}

/**
 * Values of the features of a run, which a validation set has by name.
 *
 * @param names Names of the features.
 */
export function columnsOf(data: Dataset, names: readonly string[]): LinearColumns {
  return names.map((name, f) => {
    const column = columnByName(data, name, f);
    return column.kind === "numeric" ? column.values : undefined;
  });
}

/** The models of all leaves, in the order of `packTrees`. */
export function packTerms(grown: readonly SerialTree[]): LinearLeaves {
  const { nodes } = packOrder(grown.map(({ tree }) => tree));
  return joinTerms(nodes.map(({ tree: t, node }) => {
    const { tree, terms } = grown[t];
    return {
      terms: terms?.[node],
      value: tree.children[node].length === 0 ? tree.value[node][0] : 0,
    };
  }));
}

/** The models of nodes in a row; `value` is what a node without one has for its constant. */
function joinTerms(
  nodes: readonly { readonly terms: LeafTerms | undefined; readonly value: number }[],
): LinearLeaves {
  const constant = new Float64Array(nodes.length);
  const termStart = new Int32Array(nodes.length + 1);
  const features: number[] = [];
  const coefficients: number[] = [];
  nodes.forEach(({ terms, value }, place) => {
    constant[place] = terms?.constant ?? value;
    for (const feature of terms?.features ?? []) features.push(feature);
    for (const coefficient of terms?.coefficients ?? []) coefficients.push(coefficient);
    termStart[place + 1] = features.length;
  });
  return {
    constant,
    termStart,
    termFeature: Int32Array.from(features),
    termCoefficient: Float64Array.from(coefficients),
  };
}

/** Models of trees that are packed already, each with the models of its own nodes. */
export function joinTrees(
  trees: readonly Trees[],
  termsOf: readonly (TreeTerms | undefined)[],
): LinearLeaves {
  return joinTerms(trees.flatMap(({ leaf, firstChild }, t) =>
    Array.from(
      leaf,
      (value, node) => ({ terms: termsOf[t]?.[node], value: firstChild[node] < 0 ? value : 0 }),
    )
  ));
}

/** Models of the nodes of a packed tree, from those of the tree on bins that it was. */
export function packedTerms(
  { firstChild }: Trees,
  { left }: TreeNodes,
  terms: TreeTerms,
): TreeTerms {
  const nodeAt = new Int32Array(firstChild.length);
  firstChild.forEach((child, place) => {
    if (child < 0) return;
    nodeAt[child] = left[nodeAt[place]];
    nodeAt[child + 1] = nodeAt[child] + 1;
  });
  return Array.from(firstChild, (child, place) => child < 0 ? terms[nodeAt[place]] : undefined);
}

/** Models of the nodes of one tree of an ensemble; leaves without terms have none. */
export function termsOfTree(linear: LinearLeaves, trees: Trees, t: number): TreeTerms {
  const { treeStart } = trees;
  return Array.from({ length: treeStart[t + 1] - treeStart[t] }, (_, i) => {
    const terms = termsAt(linear, trees, treeStart[t] + i);
    return terms?.features.length === 0 ? undefined : terms;
  });
}

/** Trees in which a leaf without terms has the constant of its model: that is what it answers. */
export function withConstants(
  trees: Trees,
  { constant, termStart }: LinearLeaves,
): Trees {
  const leaf = trees.leaf.map((value, node) =>
    trees.firstChild[node] < 0 && termStart[node] === termStart[node + 1] ? constant[node] : value
  );
  return { ...trees, leaf };
}

/** The trees of a state as they were built, with their models where the state has them. */
export function treesOf(arrays: RunState["arrays"], data: Dataset): SerialTree[] {
  const trees = arrays as unknown as Trees;
  const linear = arrays.constant === undefined ? undefined : arrays as unknown as LinearLeaves;
  return Array.from({ length: numTrees(trees) }, (_, t) => {
    const tree = builderOf(trees, t, (feature) => levelsOf(data.features[feature]));
    if (linear === undefined) return { tree };
    const terms: (LeafTerms | undefined)[] = [];
    packOrder([tree]).nodes.forEach(({ node }, i) => {
      terms[node] = termsAt(linear, trees, trees.treeStart[t] + i);
    });
    return { tree, terms };
  });
}

function termsAt(
  { constant, termStart, termFeature, termCoefficient }: LinearLeaves,
  { firstChild }: Trees,
  place: number,
): LeafTerms | undefined {
  if (firstChild[place] >= 0) return undefined;
  const [from, to] = [termStart[place], termStart[place + 1]];
  return {
    constant: constant[place],
    features: [...termFeature.subarray(from, to)],
    coefficients: [...termCoefficient.subarray(from, to)],
  };
}

function levelsOf(column: Column): number {
  return column.kind === "categorical" ? column.categories.length : 0;
}
