/**
 * Linear models of leaves between the trees of a run, its states and the finished ensemble.
 *
 * @module
 */
import type { Column, Dataset } from "../data/types.ts";
import type { LeafTerms, TreeTerms } from "../grow/leafwise/linear.ts";
import { numTrees, packOrder, type TreeBuilder } from "../model/trees.ts";
import type { LinearLeaves, Trees } from "../model/types.ts";
import { builderOf } from "./old_trees.ts";
import type { RunState } from "./run_state.ts";

/** A tree, and the linear models of its leaves where it has them. */
export interface SerialTree {
  readonly tree: TreeBuilder;
  readonly terms?: TreeTerms;
}

/**
 * What a leaf gives a row, with features in float32 as LightGBM takes them while it trains.
 *
 * @param value The leaf's constant, for rows that lack one of the model's features.
 */
export function leafOutput(
  value: number,
  terms: LeafTerms | undefined,
  { features }: Dataset,
  row: number,
): number {
  if (terms === undefined) return value;
  let sum = terms.constant;
  for (let i = 0; i < terms.features.length; i++) {
    const column = features[terms.features[i]];
    const x = column.kind === "numeric" ? Math.fround(column.values[row]) : NaN;
    if (x !== x) return value;
    sum += x * terms.coefficients[i];
  }
  return sum;
}

/** The models of all leaves, in the order of `packTrees`. */
export function packTerms(grown: readonly SerialTree[]): LinearLeaves {
  const { nodes } = packOrder(grown.map(({ tree }) => tree));
  const constant = new Float64Array(nodes.length);
  const termStart = new Int32Array(nodes.length + 1);
  const features: number[] = [];
  const coefficients: number[] = [];
  nodes.forEach(({ tree: t, node }, place) => {
    const { tree, terms } = grown[t];
    const own = terms?.[node];
    if (tree.children[node].length === 0) constant[place] = own?.constant ?? tree.value[node][0];
    features.push(...(own?.features ?? []));
    coefficients.push(...(own?.coefficients ?? []));
    termStart[place + 1] = features.length;
  });
  return {
    constant,
    termStart,
    termFeature: Int32Array.from(features),
    termCoefficient: Float64Array.from(coefficients),
  };
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
