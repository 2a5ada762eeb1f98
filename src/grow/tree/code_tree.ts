/**
 * A tree of two branches a node in arrays that threads can share, and where rows of the training data
 * end in it: by their codes, as the tree sent them when it grew.
 *
 * @module
 */
import { NodeKind } from "../../model/types.ts";
import type { GrownTree } from "./tree.ts";

/** Room for a tree; nodes by number. */
export interface CodeTree {
  /** −1 at leaves. */
  readonly feature: Int32Array;
  /** Largest code that goes left; at leaves a number that stands for them. */
  readonly code: Int32Array;
  readonly firstChild: Int32Array;
  /** Branch of missing values. */
  readonly missing: Int32Array;
  /** Where the set of categories that go left begins; −1 at thresholds. */
  readonly setAt: Int32Array;
  readonly words: Uint32Array;
}

/** A column of the training data. */
export interface CodeColumn {
  readonly codes: Int32Array;
  /** The code of a missing value. */
  readonly numCodes: number;
}

/** Makes room for so many nodes, and words of sets of categories. */
export function codeTreeSpace(
  ints: (length: number) => Int32Array,
  nodes: number,
  words: number,
): CodeTree {
  const { buffer, byteOffset } = ints(words);
  return {
    feature: ints(nodes),
    code: ints(nodes),
    firstChild: ints(nodes),
    missing: ints(nodes),
    setAt: ints(nodes),
    words: new Uint32Array(buffer, byteOffset, words),
  };
}

/**
 * Writes a tree; false where it has other tests than codes and sets, or finds no room.
 *
 * @param numberOf Number of a leaf.
 */
export function writeCodeTree(
  tree: GrownTree,
  space: CodeTree,
  numberOf: (leaf: number) => number,
): boolean {
  if (tree.numNodes > space.feature.length) return false;
  let next = 0;
  for (let node = 0; node < tree.numNodes; node++) {
    space.setAt[node] = -1;
    space.feature[node] = tree.feature[node];
    if (tree.numBranches[node] === 0) {
      space.feature[node] = -1;
      space.code[node] = numberOf(node);
      continue;
    }
    const isSet = tree.kind[node] === NodeKind.subset;
    if (tree.kind[node] !== NodeKind.threshold && !isSet) return false;
    // Rows that go down both branches, or where another feature says, are for the tree itself.
    if (tree.missing[node] > 1 || tree.surrogates[node] !== undefined) return false;
    space.code[node] = tree.code[node];
    space.firstChild[node] = tree.firstChild[node];
    space.missing[node] = tree.missing[node];
    if (!isSet) continue;
    const words = tree.categories[node]!;
    if (next + words.length > space.words.length) return false;
    space.words.set(words, next);
    space.setAt[node] = next;
    next += words.length;
  }
  return true;
}

/** Number of the leaf in which a row ends. */
export function numberOfRow(
  { feature, code, firstChild, missing, setAt, words }: CodeTree,
  columns: readonly CodeColumn[],
  row: number,
): number {
  let node = 0;
  for (let f = feature[0]; f >= 0; f = feature[node]) {
    const { codes, numCodes } = columns[f];
    const c = codes[row];
    const set = setAt[node];
    const branch = c === numCodes
      ? missing[node]
      : set < 0
      ? Number(c > code[node])
      : 1 - (words[set + (c >>> 5)] >>> (c & 31) & 1);
    node = firstChild[node] + branch;
  }
  return code[node];
}
