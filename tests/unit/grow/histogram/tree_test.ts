import { assertEquals } from "@std/assert";
import {
  type GrownNode,
  leftTable,
  newNode,
  packHistTree,
} from "../../../../src/grow/histogram/tree.ts";
import type { FeatureBins } from "../../../../src/binning/bins.ts";
import { NodeKind } from "../../../../src/model/types.ts";

const BINS = [
  { kind: "numeric", name: "x", numBins: 3, cuts: Float64Array.of(1.5, 2.5), hasMissing: false },
  { kind: "categorical", name: "c", numBins: 4, categories: ["a", "b", "c", "d"] },
] as unknown as FeatureBins[];

/** The root asks x; its right child asks c; the left child was split once and then pruned. */
function nodes(): GrownNode[] {
  const all = [-1, 0, 0, 1, 1, 2, 2].map((parent) => newNode(parent, -Infinity, Infinity, 0));
  Object.assign(all[0], { feature: 0, bin: 1, left: 1, right: 2, gain: 5, missingLeft: true });
  Object.assign(all[1], { left: 3, right: 4 });
  Object.assign(all[2], {
    feature: 1,
    left: 5,
    right: 6,
    gain: 2,
    goesLeft: Uint8Array.of(1, 0, 0, 1),
  });
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
  const [root, , right] = nodes();
  const out = new Uint8Array(5).fill(7);
  assertEquals([...leftTable(root, 3, out)], [1, 1, 0, 1]);
  assertEquals([...leftTable(right, 4, out)], [1, 0, 0, 1, 0]);
});
