import { assert, assertEquals } from "@std/assert";
import { pack } from "../../../../src/model/pack.ts";
import { depthOf } from "../../../../src/model/score/depth.ts";
import { treeDepth } from "../../../../src/model/trees.ts";
import { randomParts } from "../../../support/models/random.ts";

Deno.test("depthOf() is the depth of the deepest tree: 300 forests of any shape, and none", () => {
  const found = new Set<number>();
  for (let seed = 1; seed <= 300; seed++) {
    const { ensemble, schema } = randomParts({ seed, trees: seed % 7, depth: seed % 12 });
    const depths = Array.from({ length: seed % 7 }, (_, t) => treeDepth(ensemble.trees, t));
    const deepest = Math.max(0, ...depths);
    assertEquals(depthOf(pack(ensemble, schema).packed), deepest, `seed ${seed}`);
    found.add(deepest);
  }
  assert(found.size > 8, `${[...found]}`);
});

Deno.test("depthOf() of a node whose left side ends where that of one above ends", () => {
  // Each tree in preorder: a root, its left child with a left child only, the root's right child.
  const trees = { treeNodes: Uint8Array.of(4, 3), size: Uint8Array.of(3, 2, 1, 1, 3, 2, 1) };
  assertEquals(depthOf(trees as never), 3);
});
