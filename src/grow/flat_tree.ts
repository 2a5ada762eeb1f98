/**
 * A tree of the methods that grow node by node, in arrays that threads can share, and how rows of
 * other sets walk it while it is young. Its tests are those that training made: `<=` is left.
 *
 * @module
 */
import type { FloatArray } from "../data/types.ts";
import type { TreeBuilder } from "../model/trees.ts";
import { NodeKind } from "../model/types.ts";
import type { TreeTerms } from "./linear_leaves.ts";
import { type MakeBuffer, ownBuffer } from "../util/buffers.ts";

/** Room for a tree; nodes by number. */
export interface FlatTree {
  /** −1 at leaves. */
  readonly feature: Int32Array;
  /** Two numbers a node: its children. */
  readonly children: Int32Array;
  /** Branch of missing values. */
  readonly missing: Int32Array;
  /** Where its set of categories begins and how many words it has; −1 without. */
  readonly setAt: Int32Array;
  readonly setWords: Int32Array;
  readonly words: Uint32Array;
  /** The threshold, or a leaf's value. */
  readonly number: Float64Array;
  /** Where leaves may be linear. */
  readonly linear?: FlatTerms | undefined;
}

/** Linear models of leaves, by node. */
export interface FlatTerms {
  /** Where its terms begin; −1: the leaf is constant. */
  readonly start: Int32Array;
  readonly count: Int32Array;
  readonly constant: Float64Array;
  readonly feature: Int32Array;
  readonly coefficient: Float64Array;
}

/** A column of a set: numbers, or codes of categories. */
export type WalkColumn = { readonly values: FloatArray } | { readonly codes: Int32Array };

/** What walks: rows of a set. */
export interface WalkedRows {
  readonly columns: readonly WalkColumn[];
  readonly numRows: number;
  /** Output-major. */
  readonly raw: Float64Array;
  /** Values and scores are rounded to float32, as the method does. */
  readonly single: boolean;
}

/** Makes room; for linear leaves where `terms`, the most of them, are given. */
export function flatSpace(
  nodes: number,
  words: number,
  buffer: MakeBuffer,
  terms?: number,
): FlatTree {
  const int32 = (length: number) => new Int32Array(buffer(4 * length));
  const float64 = (length: number) => new Float64Array(buffer(8 * length));
  return {
    feature: int32(nodes),
    children: int32(2 * nodes),
    missing: int32(nodes),
    setAt: int32(nodes),
    setWords: int32(nodes),
    words: new Uint32Array(buffer(4 * words)),
    number: float64(nodes),
    ...(terms !== undefined && {
      linear: {
        start: int32(nodes),
        count: int32(nodes),
        constant: float64(nodes),
        feature: int32(terms),
        coefficient: float64(terms),
      },
    }),
  };
}

/** Words of a tree's sets of categories. */
function wordsOf({ kind, categories }: TreeBuilder): number {
  let count = 0;
  for (let node = 0; node < kind.length; node++) {
    if (kind[node] === NodeKind.subset) count += categories[node]!.length;
  }
  return count;
}

function numTerms(terms: TreeTerms): number {
  return terms.reduce((sum, leaf) => sum + (leaf?.features.length ?? 0), 0);
}

/** A tree in a place of its own, with the models of its leaves where it has them. */
export function flatTree(tree: TreeBuilder, terms?: TreeTerms): FlatTree {
  const space = flatSpace(
    tree.numNodes,
    wordsOf(tree),
    ownBuffer,
    terms && numTerms(terms),
  );
  writeFlat(tree, space, terms);
  return space;
}

/** Writes a tree; false, and nothing, where there is no room for it. */
export function writeFlat(tree: TreeBuilder, space: FlatTree, terms?: TreeTerms): boolean {
  if (tree.numNodes > space.feature.length || wordsOf(tree) > space.words.length) return false;
  if (terms !== undefined && numTerms(terms) > (space.linear?.feature.length ?? -1)) return false;
  if (space.linear !== undefined) writeTerms(tree.numNodes, space.linear, terms ?? []);
  let next = 0;
  for (let node = 0; node < tree.numNodes; node++) {
    const isLeaf = tree.children[node].length === 0;
    space.feature[node] = isLeaf ? -1 : tree.feature[node];
    space.number[node] = isLeaf ? tree.value[node][0] : tree.threshold[node];
    space.missing[node] = tree.missing[node];
    space.setAt[node] = -1;
    if (isLeaf) continue;
    space.children.set(tree.children[node], 2 * node);
    if (tree.kind[node] !== NodeKind.subset) continue;
    const words = tree.categories[node]!;
    space.words.set(words, next);
    space.setAt[node] = next;
    space.setWords[node] = words.length;
    next += words.length;
  }
  return true;
}

function writeTerms(numNodes: number, space: FlatTerms, terms: TreeTerms): void {
  let next = 0;
  for (let node = 0; node < numNodes; node++) {
    const leaf = terms[node];
    space.start[node] = leaf === undefined ? -1 : next;
    if (leaf === undefined) continue;
    space.count[node] = leaf.features.length;
    space.constant[node] = leaf.constant;
    space.feature.set(leaf.features, next);
    space.coefficient.set(leaf.coefficients, next);
    next += leaf.features.length;
  }
}

/** Adds a tree to the scores of rows `from … to − 1`. */
export function walkRows(
  tree: FlatTree,
  { columns, numRows, raw, single }: WalkedRows,
  output: number,
  from: number,
  to: number,
): void {
  const leafOf = leafFinder(tree, columns, single);
  const valueOf = leafValue(tree, columns);
  for (let row = from; row < to; row++) {
    const at = output * numRows + row;
    const score = raw[at] + valueOf(leafOf(row), row);
    raw[at] = single ? Math.fround(score) : score;
  }
}

/** Says what a leaf gives a row: where a feature of its model is missing, its constant. */
function leafValue(
  { number, linear }: FlatTree,
  columns: readonly WalkColumn[],
): (leaf: number, row: number) => number {
  if (linear === undefined) return (leaf) => number[leaf];
  const { start, count, constant, feature, coefficient } = linear;
  const numbers = columns.map((column) => "values" in column ? column.values : undefined);
  return (leaf, row) => {
    const first = start[leaf];
    if (first < 0) return number[leaf];
    let sum = constant[leaf];
    for (let i = first; i < first + count[leaf]; i++) {
      const x = numbers[feature[i]]![row];
      if (x !== x) return number[leaf];
      sum += x * coefficient[i];
    }
    return sum;
  };
}

/** Says in which leaf a row ends. */
function leafFinder(
  tree: FlatTree,
  columns: readonly WalkColumn[],
  single: boolean,
): (row: number) => number {
  const { feature, children } = tree;
  const numbers = columns.map((column) => "values" in column ? column.values : undefined);
  const levels = columns.map((column) => "codes" in column ? column.codes : undefined);
  return (row) => {
    let node = 0;
    for (let f = feature[0]; f >= 0; f = feature[node]) {
      const values = numbers[f];
      const branch = values === undefined
        ? branchOfLevel(tree, node, levels[f]![row])
        : branchOfNumber(tree, node, single ? Math.fround(values[row]) : values[row]);
      node = children[2 * node + branch];
    }
    return node;
  };
}

function branchOfNumber({ number, missing }: FlatTree, node: number, value: number): number {
  return value !== value ? missing[node] : value <= number[node] ? 0 : 1;
}

/** Categories that the set has no bit for take the second branch. */
function branchOfLevel(
  { setAt, setWords, words, missing }: FlatTree,
  node: number,
  code: number,
): number {
  if (code < 0 || setAt[node] < 0) return missing[node];
  const word = code >>> 5;
  return word < setWords[node] ? 1 - ((words[setAt[node] + word] >>> (code & 31)) & 1) : 1;
}
