/** Training rows whose level is none of the vocabulary, in trees with a branch for each level. */
import { assertEquals } from "@std/assert";
import { trainC45 } from "../../../src/algorithms/classic/c45.ts";
import { trainId3 } from "../../../src/algorithms/classic/id3.ts";
import type { Dataset } from "../../../src/data/types.ts";

/** Levels a, b and c, and two rows (code 3) that are none of them. */
function table(missing: number): Dataset {
  const levels = [0, 0, 0, 1, 1, 1, 1, 3, 3, 2, 2, 2, ...new Array<number>(missing).fill(-1)];
  const classes = [0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, ...new Array<number>(missing).fill(0)];
  return {
    numRows: levels.length,
    features: [{
      kind: "categorical",
      name: "level",
      categories: ["a", "b", "c"],
      codes: Int32Array.from(levels),
    }],
    target: {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(classes),
      classes: ["n", "p"],
    },
  };
}

for (const [name, train] of [["trainC45", trainC45], ["trainId3", trainId3]] as const) {
  Deno.test(`${name}() sends levels outside the vocabulary with the heaviest branch`, async () => {
    const { trees } = (await train(table(0), { unknown: "heavier" })).ensemble;
    assertEquals([...trees.cover], [12, 3, 6, 3]);
    assertEquals([...trees.leaf.subarray(4, 6)], [1 / 3, 2 / 3]);
  });

  Deno.test(`${name}() lets them stop at the node where the rule says so`, async () => {
    const model = await train(table(0), { unknown: "node" });
    assertEquals([...model.ensemble.trees.cover], [12, 3, 4, 3]);
    // Eight of twelve rows are of the first class.
    assertEquals(model.predictProba([{ level: "z" }]).data[0], 8 / 12);
    assertEquals(model.predictClass([{ level: "b" }])[0], "p");
  });
}

Deno.test("trainC45() shares rows without a value out, not those that stop", async () => {
  const { trees } = (await trainC45(table(5), { unknown: "node" })).ensemble;
  // Five rows by 3 : 4 : 3.
  assertEquals([...trees.cover].map((cover) => Math.round(cover * 1e9) / 1e9), [17, 4.5, 6, 4.5]);
});

Deno.test("of two levels, too, those outside the vocabulary stop at the node", async () => {
  const two: Dataset = {
    numRows: 9,
    features: [{
      kind: "categorical",
      name: "level",
      categories: ["a", "b"],
      codes: Int32Array.of(0, 0, 0, 1, 1, 1, 1, 2, 2),
    }],
    target: {
      kind: "classification",
      name: "y",
      codes: Int32Array.of(0, 0, 0, 1, 1, 1, 1, 0, 0),
      classes: ["n", "p"],
    },
  };
  const { trees } = (await trainId3(two, { unknown: "node" })).ensemble;
  assertEquals([...trees.cover], [9, 3, 4]);
});
