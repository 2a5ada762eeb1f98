import { assertEquals } from "@std/assert";
import {
  addNode,
  createNodes,
  takeNodes,
  type TreeNodes,
} from "../../../../../src/grow/histogram/tree/nodes.ts";
import { leftTable, packHistTree } from "../../../../../src/grow/histogram/tree/tree.ts";
import type { FeatureBins } from "../../../../../src/binning/bins.ts";
import { NodeKind } from "../../../../../src/model/types.ts";

const BINS = [
  { kind: "numeric", name: "x", numBins: 3, cuts: Float64Array.of(1.5, 2.5), hasMissing: false },
  { kind: "categorical", name: "c", numBins: 4, categories: ["a", "b", "c", "d"] },
] as unknown as FeatureBins[];

/** The root asks x; its right child asks c; the left child was split once and then pruned. */
function nodes(): TreeNodes {
  const all = createNodes(9);
  for (const parent of [-1, 0, 0, 1, 1, 2, 2]) addNode(all, parent, -Infinity, Infinity, 0);
  all.feature.set([0, -1, 1]);
  all.bin[0] = 1;
  all.left.set([1, 3, 5]);
  all.gain.set([5, 0, 2]);
  all.missingLeft[0] = 1;
  all.levels.set(2, Uint8Array.of(1, 0, 0, 1));
  return all;
}

Deno.test("packHistTree() leaves out what was pruned and keeps siblings together", () => {
  const value = Float64Array.of(0, 1, 2, 3, 4, 5, 6);
  const cover = value.map((v) => 10 * v + 1e-9); // float32 has no room for the rest
  const trees = packHistTree({ nodes: nodes(), numLeaves: 4 }, BINS, { value, cover });
  assertEquals([...trees.treeStart], [0, 5]);
  assertEquals([...trees.leaf], [0, 1, 2, 5, 6]);
  assertEquals([...trees.cover], [120, 10, 110, 50, 60]);
  assertEquals([...trees.firstChild], [1, -1, 3, -1, -1]);
  assertEquals([...trees.feature], [0, -1, 1, -1, -1]);
  assertEquals([...trees.threshold], [2.5, 0, 0, 0, 0]);
  assertEquals([...trees.missing], [0, 0, 1, 0, 0]);
  assertEquals([...trees.gain], [5, 0, 2, 0, 0]);
  assertEquals([...trees.kind], [
    NodeKind.threshold,
    NodeKind.leaf,
    NodeKind.subset,
    NodeKind.leaf,
    NodeKind.leaf,
  ]);
  assertEquals([...trees.categoryAt], [-1, -1, 0, -1, -1]);
  assertEquals([...trees.categoryPool], [0b1001]);
});

Deno.test("leftTable() writes bins up to the split, or the levels, and missing last", () => {
  const all = nodes();
  const out = new Uint8Array(5).fill(7);
  assertEquals([...leftTable(all, 0, 3, out)], [1, 1, 0, 1]);
  assertEquals([...leftTable(all, 2, 4, out)], [1, 0, 0, 1, 0]);
});

Deno.test("takeNodes() gives arrays just as long and leaves the room empty for the next tree", () => {
  const room = nodes();
  const taken = takeNodes(room);
  assertEquals(taken.count, 7);
  assertEquals([...taken.feature], [0, -1, 1, -1, -1, -1, -1]);
  assertEquals([...taken.parent], [-1, 0, 0, 1, 1, 2, 2]);
  assertEquals([...taken.left], [1, 3, 5, -1, -1, -1, -1]);
  assertEquals([...taken.gain], [5, 0, 2, 0, 0, 0, 0]);
  assertEquals([...taken.missingLeft], [1, 0, 0, 0, 0, 0, 0]);
  assertEquals([...taken.lower], Array(7).fill(-Infinity));
  assertEquals([...taken.levels.keys()], [2]);
  assertEquals([room.count, room.levels.size], [0, 0]);
  addNode(room, -1, 0, 1, 9);
  assertEquals([taken.feature[0], taken.upper[0], taken.rows[0]], [0, Infinity, 0]);
  assertEquals([room.feature[0], room.missingLeft[0], room.left[0], room.rows[0]], [-1, 0, -1, 9]);
});
