import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { trainRandomForest } from "../../../../src/algorithms/classic/random_forest.ts";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import { ModelError } from "../../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../../src/format/binary.ts";
import { makeCuttable } from "../../../../src/format/shrink/cut_trees.ts";
import { shrinkModel } from "../../../../src/format/shrink/shrink.ts";
import { createModel } from "../../../../src/model/model.ts";
import { concatTrees, createTreeBuilder, packTrees } from "../../../../src/model/trees.ts";
import { runSelfTest, withSelfTest } from "../../../../src/format/self_test.ts";
import { withTrainingStats } from "../../../../src/format/training_stats.ts";
import { createRng } from "../../../../src/util/rng.ts";
import { randomParts, randomRows } from "../../../support/models/random.ts";
import { surrogateParts } from "../../../support/models/surrogate.ts";

Deno.test("shrinkModel() reaches each size, and no row changes by more than the bound it proves", () => {
  const exotic = { depth: 5, categorical: 2, exotic: 0.4, unknown: "node" } as const;
  const specs = [
    { seed: 1, trees: 20, depth: 6 },
    { seed: 13, trees: 40, depth: 8, aggregate: "average" },
    { seed: 14, trees: 40, depth: 8, profile: { input: "f32", sum: "f32" }, aggregate: "average" },
    { seed: 2, trees: 16, depth: 6, categorical: 2, f32: false, weights: true },
    { seed: 3, trees: 10, depth: 5, outputs: 3, leafWidth: 3, aggregate: "average" },
    { seed: 4, trees: 20, depth: 5, outputs: 3, weights: true, aggregate: "average" },
    { seed: 5, trees: 20, depth: 5, profile: { input: "f32", sum: "f32" } },
    { seed: 6, trees: 12, weights: true, ...exotic },
    { seed: 7, trees: 12, outputs: 3, leafWidth: 3, aggregate: "average", ...exotic },
    { seed: 8, trees: 15, aggregate: "median", weights: true, ...exotic },
    { seed: 9, trees: 9, depth: 5, aggregate: "max" },
    { seed: 24, trees: 1, depth: 5, aggregate: "min", weights: true },
    { seed: 10, trees: 30, depth: 6, outputs: 3, leafWidth: 3, aggregate: "vote" },
    {
      seed: 11,
      trees: 30,
      outputs: 3,
      leafWidth: 3,
      weights: true,
      aggregate: "vote",
      ...exotic,
    },
  ] as const;
  for (const spec of specs) {
    const model = createModel(randomParts(spec));
    const folds = !("aggregate" in spec) || spec.aggregate === "average";
    const rows = randomRows(model.schema, 300, 4);
    const full = encodeModel(model, { explain: false }).length;
    const least = smallest(model);
    for (const share of [1, 0.8, 0.6, 0.4, 0.2, 0.05, 0]) {
      const maxBytes = Math.ceil(least + share * (full - least));
      const shrunk = shrinkModel(model, { maxBytes, rows });
      assert(shrunk.bytes <= maxBytes, `${shrunk.bytes} > ${maxBytes}`);
      assertEquals(encodeModel(shrunk.model).length, shrunk.bytes);
      const { largest, mean } = shrunk.measured!;
      assert(mean <= largest && largest <= shrunk.bound, `${largest} > ${shrunk.bound}`);
      if (share === 0) assertEquals(shrunk.trees, folds ? 0 : model.numTrees);
      if (share === 1) assertEquals([largest, shrunk.bound, shrunk.pruned], [0, 0, 0]);
    }
  }
});

/** Bytes of the smallest file: the error tells them. */
function smallest(model: ReturnType<typeof createModel>): number {
  try {
    shrinkModel(model, { maxBytes: 1 });
  } catch (error) {
    return (error as ModelError).details.bytes as number;
  }
  throw new Error("one byte was enough");
}

Deno.test("shrinkModel() reaches sizes of deep forests closely, and trees and rounds stay", async () => {
  const rng = createRng(5);
  const x = Float64Array.from({ length: 800 }, () => rng.nextFloat() * 6);
  const z = Float64Array.from({ length: 800 }, () => rng.nextFloat());
  const y = x.map((value, i) => Math.sin(value) + (z[i] > 0.5 ? 1 : 0) + rng.nextFloat() / 4);
  const data = createDataset([
    { kind: "numeric", name: "x", values: x },
    { kind: "numeric", name: "z", values: z },
  ], { kind: "regression", name: "y", values: y });
  const model = await trainRandomForest(data, { rounds: 12, seed: 1 });
  const options = { explain: false, attachments: false };
  const full = encodeModel(model, options).length;
  const rows = Array.from({ length: 300 }, (_, i) => ({ x: x[i], z: z[i] }));
  let last = 0;
  // A tenth of what y spreads by, 0.8, and less.
  for (const [share, most] of [[0.75, 0.01], [0.5, 0.02], [0.25, 0.05], [0.15, 0.08]]) {
    const shrunk = shrinkModel(model, { maxBytes: Math.floor(share * full), rows });
    assert(shrunk.bytes <= share * full && shrunk.bytes > 0.97 * share * full);
    const { largest, mean } = shrunk.measured!;
    assert(last < mean && mean < most, `${share}: ${mean}`);
    assert(largest <= shrunk.bound);
    last = mean;
    assertEquals([shrunk.trees, shrunk.model.numRounds, shrunk.prunedBy], [12, 12, "covers"]);
    assertEquals(shrunk.model.ensemble.aggregate, "average");
  }
});

Deno.test("makeCuttable() prunes first what tells least of the training rows, however far leaves are apart", () => {
  const { ensemble, schema } = randomParts({ seed: 1, trees: 1, depth: 1, numeric: 1 });
  const tree = createTreeBuilder(1);
  for (const node of [0, 1, 2]) tree.splitThreshold(node, 0, node, 0);
  [NaN, NaN, NaN, 0, 9, 20, 22].forEach((value, node) => tree.setValue(node, [value]));
  [200, 100, 100, 99, 1, 50, 50].forEach((cover, node) => tree.setStats(node, cover, 0));
  const cuttable = makeCuttable({ ...ensemble, trees: packTrees([tree]) }, schema);
  // Around the mean, 0.09, are 99 · 0.09² + 8.91² = 80.19 on the left, and 100 · 1² on the right.
  assertEquals(Array.from(cuttable.cut({ steps: 1 }).ensemble.trees.leaf), [
    NaN,
    0.09,
    NaN,
    20,
    22,
  ]);
});

Deno.test("makeCuttable() keeps the mean over the training rows, and covers tell it", () => {
  const parts = randomParts({ seed: 4, trees: 1, depth: 6 });
  const meanOf = ({ kind, cover, leaf }: typeof parts.ensemble.trees) =>
    kind.reduce((sum, k, node) => sum + (k === 0 ? cover[node] * leaf[node] : 0), 0) / cover[0];
  const cuttable = makeCuttable(parts.ensemble, parts.schema);
  const { trees } = cuttable.cut({ levels: 256, steps: cuttable.steps >> 1 }).ensemble;
  assert(cuttable.steps > 10 && trees.kind.length > 5);
  // Leaves are rounded to 256 levels of a range of 2.
  assertAlmostEquals(meanOf(trees), meanOf(parts.ensemble.trees), 1 / 255);
  for (let node = 0; node < trees.kind.length; node++) {
    const first = trees.firstChild[node];
    if (first >= 0) assertEquals(trees.cover[first] + trees.cover[first + 1], trees.cover[node]);
    else assertEquals(trees.gain[node], 0);
  }
});

Deno.test("shrinkModel() gives up explanations, statistics, exact scores and the self-test in this order", () => {
  const parts = randomParts({ seed: 1, trees: 40, depth: 6, numeric: 2 });
  const calibration = [{ method: "platt", a: 2, b: 1 }] as const;
  const postprocess = { name: "sigmoid" } as const;
  const bare = createModel({
    ...parts,
    schema: { ...parts.schema, task: "classification", classes: ["no", "yes"] },
    ensemble: { ...parts.ensemble, postprocess },
    calibration,
  });
  const rows = randomRows(bare.schema, 5, 6);
  const model = withTrainingStats(withSelfTest(bare, rows), rows);
  const whole = encodeModel(model).length;
  const exact = encodeModel(model, { explain: false }).length;
  const trees = encodeModel(bare, { explain: false }).length;
  // A head of 16 bytes, an entry of 24 in the table, and five rows of two numbers and a score.
  const test = 16 + 24 + 5 * 3 * 8;
  const cases = [
    [whole, [], true],
    [whole - 1, ["explanations"], true],
    [exact - 1, ["explanations", "statistics"], true],
    [trees + test - 1, ["explanations", "statistics", "self-test"], true],
    [trees - 1, ["explanations", "statistics"], false],
    [4000, ["explanations", "statistics"], false],
    [smallest(model), ["explanations", "statistics", "self-test"], false],
  ] as const;
  for (const [maxBytes, omitted, isExact] of cases) {
    const { model: small, bytes, ...told } = shrinkModel(model, { maxBytes });
    assert(bytes <= maxBytes && encodeModel(small).length === bytes);
    assertEquals([told.omitted, told.bound === 0], [omitted, isExact], `${maxBytes} bytes`);
    assertEquals(small.calibration, calibration);
    // Reading compares each bit of the scores.
    const read = decodeModel(encodeModel(small));
    assertEquals(read.predictRaw(rows), small.predictRaw(rows));
    const { length } = omitted.filter((part) => part === "self-test");
    assertEquals(runSelfTest(read), length === 0 ? 5 : 0);
  }
});

Deno.test("shrinkModel() counts all branches alike where a model has no covers, and says so", () => {
  const parts = randomParts({ seed: 1, trees: 1, depth: 1, numeric: 1 });
  const { trees, baseScore } = parts.ensemble;
  baseScore[0] = 0;
  trees.leaf.set([NaN, 1, 3]);
  trees.cover.set([0, 0, 0]);
  const model = createModel(parts);
  const shrunk = shrinkModel(model, { maxBytes: smallest(model) });
  assertEquals([shrunk.prunedBy, shrunk.model.predictRaw([{ x0: 1 }]).data[0]], ["branches", 2]);
});

Deno.test("shrinkModel() keeps of votes the classes alone, and a vote that all leaves give in one leaf", () => {
  // Left of 0 both leaves vote for b, one by 0.6 and one by 0.9; on the right one is for a, one for c.
  const shares = [[0.4, 0.6, 0], [0.1, 0.9, 0], [0.5, 0.2, 0.3], [0, 0.25, 0.75]];
  const { ensemble, ...rest } = randomParts({
    seed: 1,
    trees: 1,
    numeric: 1,
    outputs: 3,
    leafWidth: 3,
    aggregate: "vote",
  });
  const tree = createTreeBuilder(3);
  tree.setValue(0, [NaN, NaN, NaN]);
  const top = tree.splitThreshold(0, 0, 0, 0);
  const low = tree.splitThreshold(top, 0, -1, 0);
  const high = tree.splitThreshold(top + 1, 0, 1, 0);
  [low, low + 1, high, high + 1].forEach((leaf, i) => {
    tree.setValue(leaf, shares[i]);
    tree.setStats(leaf, [10, 10, 7, 3][i], 0);
  });
  const parts = { ...rest, ensemble: { ...ensemble, trees: packTrees([tree], 3) } };
  const model = createModel(parts);
  const full = encodeModel(model, { explain: false, attachments: false }).length;
  const rows = [-2, -0.5, 0.5, 2].map((x0) => ({ x0 }));
  const lossless = shrinkModel(model, { maxBytes: full - 1, rows });
  assertEquals(lossless.model.ensemble.trees.kind.length, 5);
  assertEquals([lossless.bound, lossless.measured!.largest], [0, 0]);
  assertEquals(lossless.model.info.shrunk, undefined);
  assertEquals([...lossless.model.predictRaw(rows).data], [0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1]);
  // With one leaf all rows get the class of most of them, b: 20 of 30.
  const least = shrinkModel(model, { maxBytes: smallest(model), rows });
  assertEquals([...least.model.predictRaw(rows).data], [0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0]);
  assert(least.measured!.largest === 1 && least.bound >= 1 && least.bound < 1 + 1e-12);
  assertEquals(least.model.info.shrunk, { bound: 1.01 });
});

Deno.test("shrinkModel() folds trees of one leaf into the base score, by covers: 0.5 + 2 · (3 · 1 + 3) / 4 + (2 + 4) / 4", () => {
  const parts = randomParts({ seed: 1, trees: 2, depth: 1, numeric: 1 });
  const { trees, baseScore } = parts.ensemble;
  baseScore[0] = 0.5;
  parts.ensemble.treeWeight.set([2, 0.5]);
  // Two trees of a root and two leaves.
  assertEquals([...trees.kind], [1, 0, 0, 1, 0, 0]);
  trees.leaf.set([NaN, 1, 3, NaN, 2, 4]);
  trees.cover.set([40, 30, 10, 2, 1, 1]);
  const model = createModel(parts);
  const shrunk = shrinkModel(model, { maxBytes: smallest(model), rows: [{ x0: -9 }, { x0: 9 }] });
  assertEquals([shrunk.trees, shrunk.model.numRounds], [0, 0]);
  assertEquals([...shrunk.model.predictRaw([{ x0: 1 }]).data], [5]);
  // The trees are off by at most 2 · 1.5 and 0.5 · 1; the rest is what sums may round.
  assert(shrunk.bound >= 3.5 && shrunk.bound < 3.5 + 1e-12);
  assertEquals(shrunk.measured, { rows: 2, largest: 3.5, mean: 2.5 });
});

Deno.test("shrinkModel() shrinks leaves beyond float32", () => {
  for (const scale of [1e60, 1e300, 1.7e308]) {
    for (const aggregate of ["sum", "average", "max"] as const) {
      const { schema, info, ensemble } = randomParts({ seed: 2, trees: 6, depth: 5, aggregate });
      const trees = { ...ensemble.trees, leaf: ensemble.trees.leaf.map((x) => x * scale) };
      const model = createModel({ schema, info, ensemble: { ...ensemble, trees } });
      const rows = randomRows(schema, 200, 4);
      const full = encodeModel(model, { explain: false }).length;
      for (const maxBytes of [Math.ceil((full + smallest(model)) / 2), smallest(model)]) {
        const { bytes, bound, measured } = shrinkModel(model, { maxBytes, rows });
        assert(bytes <= maxBytes && !(measured!.largest > bound));
      }
    }
  }
});

Deno.test("shrinkModel() proves nothing where float32 sums may overflow", () => {
  // Of averages the undivided sum: two leaves of 1.3e38 twice are an infinity, their mean would be none.
  const cases = [[1, 2 ** 125, true], [1, 2 ** 127, false], [2, 1.5 * 2 ** 126, false]] as const;
  for (const aggregate of ["sum", "average"] as const) {
    for (const [weight, leaf, isProved] of cases) {
      const parts = randomParts({
        ...{ seed: 1, trees: 2, depth: 1, numeric: 1, aggregate },
        profile: { input: "f32", sum: "f32" },
      });
      const { trees, baseScore } = parts.ensemble;
      baseScore[0] = 0;
      assertEquals([...trees.kind], [1, 0, 0, 1, 0, 0]);
      trees.leaf.set([NaN, -leaf, leaf, NaN, 0, leaf]);
      parts.ensemble.treeWeight.fill(weight);
      const model = createModel(parts);
      const rows = [{ x0: -9 }, { x0: 9 }];
      const { bound, measured } = shrinkModel(model, { maxBytes: smallest(model), rows });
      assertEquals(Number.isFinite(bound), isProved);
      assertEquals(Number.isFinite(measured!.largest), isProved);
    }
  }
});

Deno.test("shrinkModel() keeps the surrogates of the nodes that are left", () => {
  const parts = surrogateParts();
  // A tree before it whose leaves are nearly equal: it goes into the base score, and nodes move up.
  const nearly = createTreeBuilder(1);
  const first = nearly.splitThreshold(0, 1, 2, 0);
  nearly.setValue(first, [1]);
  nearly.setValue(first + 1, [1 + 1e-6]);
  const surrogates = parts.ensemble.surrogates!;
  const model = createModel({
    ...parts,
    ensemble: {
      ...parts.ensemble,
      trees: concatTrees([packTrees([nearly]), parts.ensemble.trees]),
      treeOutput: new Int32Array(2),
      treeWeight: Float64Array.of(1, 1),
      surrogates: { ...surrogates, start: Int32Array.of(0, 0, 0, 0, 2, 2, 2, 2, 2) },
    },
  });
  const rows = randomRows(model.schema, 300, 5).map((row) => ({ ...row, x: null }));
  const full = encodeModel(model, { explain: false, attachments: false }).length;
  const shrunk = shrinkModel(model, { maxBytes: full - 100, rows });
  assertEquals([shrunk.trees, shrunk.model.ensemble.trees.kind.length], [1, 5]);
  // Rounding to 256 levels moves leaves between 1 and 4 by less than 3 / 255.
  assert(shrunk.measured!.largest <= shrunk.bound && shrunk.bound < 0.012);
  assertEquals(shrunk.model.ensemble.surrogates!.start, Int32Array.of(0, 2, 2, 2, 2, 2));
});

Deno.test("shrinkModel() measures on the rows of the self-test where none are given", () => {
  const bare = createModel(randomParts({ seed: 1, trees: 9, depth: 5 }));
  const rows = randomRows(bare.schema, 20, 6);
  const maxBytes = Math.ceil(0.7 * encodeModel(bare, { explain: false }).length);
  assertEquals(shrinkModel(bare, { maxBytes }).measured, undefined);
  const { measured } = shrinkModel(withSelfTest(bare, rows), { maxBytes });
  assertEquals(measured, shrinkModel(bare, { maxBytes, rows }).measured);
  assert(measured!.rows === 20 && measured!.largest > 0);
});

Deno.test("shrinkModel() says when a size cannot be reached", () => {
  const model = createModel(randomParts({ seed: 1, trees: 5 }));
  assertThrows(() => shrinkModel(model, { maxBytes: 300 }), ModelError, "smallest");
});
