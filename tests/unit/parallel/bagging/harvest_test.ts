import { assertEquals } from "@std/assert";
import { createHarvest } from "../../../../src/parallel/bagging/harvest.ts";

/** A tree of one leaf. */
function leafTree(value: number) {
  return {
    impurity: new Float64Array([value]),
    trees: {
      treeStart: new Int32Array([0, 1]),
      kind: new Uint8Array(1),
      feature: new Int32Array([-1]),
      threshold: new Float64Array(1),
      firstChild: new Int32Array([-1]),
      missing: new Uint8Array(1),
      categoryAt: new Int32Array([-1]),
      categoryPool: new Uint32Array(0),
      leaf: new Float64Array([value]),
      cover: new Float64Array([1]),
      gain: new Float64Array(1),
    },
  };
}

Deno.test("createHarvest() puts trees in order and holds those that come too early", () => {
  const harvest = createHarvest(4, {});
  harvest.take(1, leafTree(1));
  assertEquals(harvest.grown().notes, []);
  harvest.take(0, leafTree(0));
  const { trees, notes } = harvest.grown();
  assertEquals([...trees.leaf], [0, 1]);
  assertEquals(notes.map(({ impurity }) => impurity[0]), [0, 1]);
});

Deno.test("a harvest tells of trees in order while their arrays are there", () => {
  const told: number[] = [];
  const harvest = createHarvest(3, { onNext: ({ trees }) => void told.push(trees.leaf[0]) });
  for (const index of [2, 0]) harvest.take(index, leafTree(index));
  assertEquals(told, [0]);
  harvest.take(1, leafTree(1));
  assertEquals(told, [0, 1, 2]);
});

Deno.test("what a harvest gave does not change when more trees come, as after an interrupt", () => {
  const harvest = createHarvest(3, {});
  harvest.take(0, leafTree(5));
  const early = harvest.grown();
  harvest.take(1, leafTree(6));
  harvest.take(2, leafTree(7));
  assertEquals(early.notes.length, 1);
  assertEquals([[...early.trees.treeStart], [...early.trees.leaf]], [[0, 1], [5]]);
  assertEquals(harvest.grown().notes.length, 3);
});
