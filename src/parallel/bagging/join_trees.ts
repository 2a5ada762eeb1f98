/**
 * Trees of a forest joined as they arrive, so that none is kept twice.
 *
 * @module
 */
import type { Trees } from "../../model/types.ts";

/** Arrays of one entry a node that are copied as they are. */
const PLAIN = ["kind", "feature", "threshold", "missing", "cover", "gain"] as const;

/** Trees so far. */
export interface TreeJoiner {
  /** Adds the next tree and frees its arrays. */
  add(tree: Trees): void;
  /** All trees so far, as views. */
  joined(): Trees;
}

/** Starts a forest of about `count` trees. */
export function createTreeJoiner(count: number): TreeJoiner {
  let all = emptyTrees(0, 0, 0);
  const treeStart = [0];
  let nodes = 0;
  let words = 0;
  let width = 1;

  /** Room for so many nodes and words: at first for trees like the first one, then half as much again. */
  function reserve(moreNodes: number, moreWords: number): void {
    if (nodes + moreNodes <= all.kind.length && words + moreWords <= all.categoryPool.length) {
      return;
    }
    const room = (used: number, more: number) =>
      Math.ceil(used === 0 ? 1.2 * more * count : 1.5 * (used + more));
    const before = all;
    all = emptyTrees(room(nodes, moreNodes), room(words, moreWords), width);
    for (const name of [...PLAIN, "firstChild", "categoryAt"] as const) {
      all[name].set(before[name].subarray(0, nodes));
    }
    all.leaf.set(before.leaf.subarray(0, nodes * width));
    all.categoryPool.set(before.categoryPool.subarray(0, words));
  }

  return {
    add(tree) {
      const size = tree.kind.length;
      width = tree.leaf.length / size;
      reserve(size, tree.categoryPool.length);
      for (const name of PLAIN) all[name].set(tree[name], nodes);
      const { firstChild, categoryAt } = all;
      for (let i = 0; i < size; i++) {
        const first = tree.firstChild[i];
        const at = tree.categoryAt[i];
        firstChild[nodes + i] = first < 0 ? -1 : first + nodes;
        categoryAt[nodes + i] = at < 0 ? -1 : at + words;
      }
      all.leaf.set(tree.leaf, nodes * width);
      all.categoryPool.set(tree.categoryPool, words);
      nodes += size;
      words += tree.categoryPool.length;
      treeStart.push(nodes);
      // Without waiting for the collector, which sees the arrays and not what they hold.
      for (const array of Object.values(tree)) (array.buffer as ArrayBuffer).transfer?.(0);
    },

    joined: () => ({
      treeStart: Int32Array.from(treeStart),
      kind: all.kind.subarray(0, nodes),
      feature: all.feature.subarray(0, nodes),
      threshold: all.threshold.subarray(0, nodes),
      firstChild: all.firstChild.subarray(0, nodes),
      missing: all.missing.subarray(0, nodes),
      categoryAt: all.categoryAt.subarray(0, nodes),
      categoryPool: all.categoryPool.subarray(0, words),
      leaf: all.leaf.subarray(0, nodes * width),
      cover: all.cover.subarray(0, nodes),
      gain: all.gain.subarray(0, nodes),
    }),
  };
}

/** Pages that nothing is written to take no memory. */
function emptyTrees(nodes: number, words: number, width: number): Trees {
  return {
    treeStart: new Int32Array(0),
    kind: new Uint8Array(nodes),
    feature: new Int32Array(nodes),
    threshold: new Float64Array(nodes),
    firstChild: new Int32Array(nodes),
    missing: new Uint8Array(nodes),
    categoryAt: new Int32Array(nodes),
    categoryPool: new Uint32Array(words),
    leaf: new Float64Array(nodes * width),
    cover: new Float64Array(nodes),
    gain: new Float64Array(nodes),
  };
}
