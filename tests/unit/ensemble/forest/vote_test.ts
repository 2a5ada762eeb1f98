import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { trainRandomForest } from "../../../../src/algorithms/classic/random_forest.ts";
import { createModel, type Model } from "../../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../../src/model/trees.ts";
import type { Ensemble } from "../../../../src/model/types.ts";
import { createRng } from "../../../../src/util/rng.ts";
import type { Dataset } from "../../../../src/data/types.ts";

/** Trees of one leaf each. */
function leaves(aggregate: Ensemble["aggregate"], shares: readonly number[][]): Model {
  const builders = shares.map((share) => {
    const tree = createTreeBuilder(2);
    tree.setValue(0, share);
    return tree;
  });
  return createModel({
    schema: {
      features: [{ kind: "numeric", name: "x", missing: "heavier" }],
      target: { name: "y" },
      task: "classification",
      classes: ["no", "yes"],
      extraColumns: "ignore",
      absentColumns: "missing",
    },
    info: { version: "0.1.0", algorithm: "by-hand" },
    ensemble: {
      trees: packTrees(builders, 2),
      leafWidth: 2,
      numOutputs: 2,
      treeOutput: new Int32Array(shares.length),
      treeWeight: new Float64Array(shares.length).fill(1),
      treesPerRound: 1,
      aggregate,
      baseScore: new Float64Array(2),
      postprocess: { name: "proportions" },
      profile: { input: "f64", sum: "f64", base: "first", shownTest: "<=" },
    },
  });
}

Deno.test("a vote counts trees, an average their shares", () => {
  const shares = [[0.6, 0.4], [0.6, 0.4], [0.1, 0.9]];
  const vote = leaves("vote", shares);
  assertEquals([...vote.predictRaw({ x: 0 }).data], [2, 1]);
  assertEquals([...vote.predictProba({ x: 0 }).data], [2 / 3, 1 / 3]);
  assertEquals(vote.predictClass({ x: 0 }), ["no"]);
  assertEquals(leaves("average", shares).predictClass({ x: 0 }), ["yes"]);
  // Ties within a tree go to the first class; a prefix votes alone.
  assertEquals([...leaves("vote", [[0.5, 0.5]]).predictRaw({ x: 0 }).data], [1, 0]);
  const prefix = leaves("vote", [[0, 1], ...shares]);
  assertEquals([...prefix.predictRaw({ x: 0 }, { rounds: 1 }).data], [0, 1]);
});

Deno.test("a forest with aggregate vote has the votes of its trees", async () => {
  const rng = createRng(3);
  const n = 120;
  const columns = [0, 1].map(() => Float64Array.from({ length: n }, () => rng.nextFloat()));
  const codes = Int32Array.from({ length: n }, (_, i) => {
    const sum = columns[0][i] + columns[1][i] + 0.8 * rng.nextFloat();
    return sum < 1.1 ? 0 : sum < 1.7 ? 1 : 2;
  });
  const data: Dataset = {
    numRows: n,
    features: columns.map((values, k) => ({ kind: "numeric", name: `x${k}`, values })),
    target: { kind: "classification", name: "y", codes, classes: ["a", "b", "c"] },
  };
  const params = { trees: 15, seed: 5, minRowsPerLeaf: 6 };
  const vote = await trainRandomForest(data, { ...params, aggregate: "vote" });
  const average = await trainRandomForest(data, params);
  assertEquals(vote.ensemble.aggregate, "vote");
  assertEquals(vote.ensemble.trees.leaf, average.ensemble.trees.leaf);
  const { treeStart, leaf } = vote.ensemble.trees;
  const found = vote.predictLeaf(data);
  const counted = new Float64Array(n * 3);
  for (let row = 0; row < n; row++) {
    for (let t = 0; t < found.cols; t++) {
      const at = 3 * (treeStart[t] + found.data[row * found.cols + t]);
      const shares = [...leaf.subarray(at, at + 3)];
      counted[3 * row + shares.indexOf(Math.max(...shares))]++;
    }
  }
  assertEquals(vote.predictRaw(data).data, counted);
  assertEquals([...vote.predictProba(data).data], [...counted].map((votes) => votes / 15));
  assertNotEquals(average.predictProba(data).data, vote.predictProba(data).data);
  assert(vote.predictClass(data).some((name) => name === "b"));
});
