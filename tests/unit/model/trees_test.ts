import { assertEquals } from "@std/assert";
import { numChildren } from "../../../src/model/children.ts";
import { createTreeBuilder, numTrees, packTrees, treeDepth } from "../../../src/model/trees.ts";
import { NodeKind } from "../../../src/model/types.ts";

Deno.test("packTrees() makes siblings adjacent and drops collapsed subtrees", () => {
  const tree = createTreeBuilder();
  const left = tree.splitThreshold(0, 2, 1.5, 1);
  const deep = tree.splitSubset(left + 1, 0, new Uint32Array([0b101]), 0);
  tree.setValue(left, [10]);
  tree.setValue(deep, [20]);
  tree.setValue(deep + 1, [30]);
  tree.splitThreshold(deep, 1, 0, 0);
  tree.collapse(deep);
  tree.setValue(deep, [20]);
  const single = createTreeBuilder();
  single.setValue(0, [7]);

  const trees = packTrees([tree, single]);
  assertEquals([...trees.treeStart], [0, 5, 6]);
  assertEquals([...trees.firstChild], [1, -1, 3, -1, -1, -1]);
  assertEquals([...trees.kind], [
    NodeKind.threshold,
    NodeKind.leaf,
    NodeKind.subset,
    NodeKind.leaf,
    NodeKind.leaf,
    NodeKind.leaf,
  ]);
  assertEquals([...trees.categoryAt], [-1, -1, 0, -1, -1, -1]);
  assertEquals([...trees.categoryPool], [0b101]);
  assertEquals([...trees.leaf], [NaN, 10, NaN, 20, 30, 7]);
  assertEquals(numTrees(trees), 2);
  assertEquals([treeDepth(trees, 0), treeDepth(trees, 1)], [2, 0]);
});

Deno.test("numChildren() counts the branches of a multiway node", () => {
  const tree = createTreeBuilder();
  tree.splitMultiway(0, 0, new Uint32Array([2, 0, 1, 0xffffffff]), 3, 255);
  const trees = packTrees([tree]);
  assertEquals(numChildren(trees, 0, 3), 3);
  assertEquals(trees.treeStart[1], 4);
});

Deno.test("treeDepth() of a right spine of 10,000 splits is its length", () => {
  const tree = createTreeBuilder();
  let node = 0;
  for (let i = 0; i < 10_000; i++) node = tree.splitThreshold(node, 0, i, 0) + 1;
  assertEquals(treeDepth(packTrees([tree]), 0), 10_000);
});
