/**
 * Nodes of two classes under Gini, by the wasm kernel: whole weights are counted, so no order of
 * addition can be seen and the trees are those of the general splitters, several times faster.
 *
 * @module
 */
import { closeCounted, copyWords, firstOf, openCounted, secondOf } from "./space.ts";
import type { GrowContext } from "../plan/context.ts";
import { cutCodes } from "../splitter/cut.ts";
import type { Split } from "../splitter/split.ts";
import { addNode, type GrownTree } from "../tree/tree.ts";

/** What the growth loop asks of nodes. */
export interface CountedNodes {
  /** Writes a node's sums into the tree; whether both classes are there. */
  measure(node: number): boolean;
  /** Best split of a node among the first `count` features of a list. */
  best(node: number, list: Int32Array, count: number): Split | undefined;
  /** Adds both children and writes the threshold of the node. */
  part(node: number): void;
  /** Writes the order of the rows back. */
  finish(): void;
}

/** Nodes by the kernel, or undefined where the general splitters must do. */
export function countNodes(
  context: GrowContext,
  tree: GrownTree,
  rows: Int32Array,
): CountedNodes | undefined {
  const start = openCounted(context, rows);
  if (start === undefined) return undefined;
  const { loaded: { space: { kernels, memory }, columns, wide, at }, layout } = start;
  const { frame, limits } = context;
  const { u32, f64, i32 } = memory;
  const params = at.params >>> 2;
  // Sums of every node, packed as the kernel has them.
  const low: number[] = [start.root[0]];
  const high: number[] = [start.root[1]];
  const out = at.out >>> 2;

  return {
    measure(node) {
      const begin = 3 * node;
      const sum0 = firstOf(layout, low[node]);
      const sum1 = secondOf(layout, low[node], high[node]);
      tree.stats[begin] = sum0;
      tree.stats[begin + 1] = sum1;
      tree.stats[begin + 2] = tree.to[node] - tree.from[node];
      tree.cover[node] = sum0 + sum1;
      return sum0 > 0 && sum1 > 0;
    },

    best(node, list, count) {
      for (let i = 0; i < count; i++) u32[(at.list >>> 2) + i] = list[i];
      u32[params] = low[node];
      u32[params + 1] = high[node];
      const from = tree.from[node];
      const found = kernels.bestCut(
        at.records + 8 * from,
        tree.to[node] - from,
        at.features,
        at.list,
        count,
        at.params,
        at.tables,
        at.levels,
        at.work,
        at.sets,
        at.out,
      );
      if (found === 0) return undefined;
      const gain = f64[at.out >>> 3];
      const feature = i32[out + 2];
      const { kind, numCodes } = frame.features[feature];
      const isSubset = kind === "categorical";
      const sets = at.sets >>> 2;
      return {
        feature,
        kind: isSubset ? "subset" : "threshold",
        code: isSubset ? -1 : i32[out + 3],
        // Written when the rows are parted and its neighbours are known.
        threshold: 0,
        categories: isSubset ? copyWords(u32, sets, numCodes + 31 >>> 5) : undefined,
        numBranches: 2,
        missing: i32[out + 4],
        gain,
        score: gain,
      };
    },

    part(node) {
      const feature = tree.feature[node];
      const { numCodes, values } = frame.features[feature];
      const categories = tree.categories[node];
      const missingLeft = tree.missing[node] === 0;
      if (categories !== undefined) {
        for (let word = 0; word < categories.length; word++) {
          u32[(at.sets >>> 2) + word] = categories[word];
        }
      }
      const from = tree.from[node];
      const to = tree.to[node];
      const onLeft = kernels.partRows(
        at.records + 8 * from,
        to - from,
        columns[feature],
        wide[feature] ? 1 : 0,
        tree.code[node],
        numCodes,
        missingLeft ? 1 : 0,
        categories === undefined ? 0 : at.sets,
        at.params,
        at.spare,
        at.out,
      );
      const left = addNode(tree, node, rows, from, from + onLeft, undefined);
      const right = addNode(tree, node, rows, from + onLeft, to, undefined);
      low[left] = u32[out];
      high[left] = u32[out + 1];
      // Fields never borrow: the difference of the packed sums is exact, with a carry by hand.
      low[right] = (low[node] - low[left]) >>> 0;
      high[right] = high[node] - high[left] - (low[left] > low[node] ? 1 : 0);
      if (categories !== undefined) return;
      const last = u32[out + 2];
      const next = u32[out + 3];
      // Where no known value is on the right, the cut parts known from missing.
      const { code, threshold } = next === numCodes
        ? { code: numCodes - 1, threshold: Infinity }
        : cutCodes(values, last, next, limits.cut);
      tree.code[node] = code;
      tree.threshold[node] = threshold;
    },

    finish: () => closeCounted(start, rows),
  };
}
