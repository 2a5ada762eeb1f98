/**
 * A tree of the methods that grow node by node, in arrays that threads can share, and how rows of
 * other sets walk it while it is young. Its tests are those that training made: `<=` is left.
 *
 * @module
 */
import type { FloatArray } from "../data/types.ts";
import type { TreeBuilder } from "../model/trees.ts";
import { NodeKind } from "../model/types.ts";

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

/** Makes room. */
export function flatSpace(
  nodes: number,
  words: number,
  buffer: (byteLength: number) => ArrayBufferLike,
): FlatTree {
  const int32 = (length: number) => new Int32Array(buffer(4 * length));
  return {
    feature: int32(nodes),
    children: int32(2 * nodes),
    missing: int32(nodes),
    setAt: int32(nodes),
    setWords: int32(nodes),
    words: new Uint32Array(buffer(4 * words)),
    number: new Float64Array(buffer(8 * nodes)),
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

/** A tree in a place of its own. */
export function flatTree(tree: TreeBuilder): FlatTree {
  const space = flatSpace(tree.numNodes, wordsOf(tree), (bytes) => new ArrayBuffer(bytes));
  writeFlat(tree, space);
  return space;
}

/** Writes a tree; false, and nothing, where there is no room for it. */
export function writeFlat(tree: TreeBuilder, space: FlatTree): boolean {
  if (tree.numNodes > space.feature.length || wordsOf(tree) > space.words.length) return false;
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

/** Adds a tree to the scores of rows `from … to − 1`. */
export function walkRows(
  tree: FlatTree,
  { columns, numRows, raw, single }: WalkedRows,
  output: number,
  from: number,
  to: number,
): void {
  const leafOf = leafFinder(tree, columns, single);
  for (let row = from; row < to; row++) {
    const at = output * numRows + row;
    const score = raw[at] + tree.number[leafOf(row)];
    raw[at] = single ? Math.fround(score) : score;
  }
}

/** Says in which leaf a row ends. */
export function leafFinder(
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
