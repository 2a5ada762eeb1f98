import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { keepRounds } from "../../../../src/algorithms/update/keep_rounds.ts";
import { refitBoost } from "../../../../src/algorithms/update/refit.ts";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import { ParameterError } from "../../../../src/errors.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** A wave with noise, a useless column and some missing values. */
function wave(numRows: number) {
  const rng = createRng(7);
  const x = Float64Array.from({ length: numRows }, () => rng.nextFloat() * 6);
  const z = Float64Array.from(
    { length: numRows },
    () => rng.nextFloat() < 0.1 ? NaN : rng.nextFloat(),
  );
  const y = x.map((value) => Math.round(10 * Math.abs(value - 3)) / 10);
  return createDataset([
    { kind: "numeric", name: "x", values: x },
    { kind: "numeric", name: "z", values: z },
  ], { kind: "regression", name: "y", values: y });
}

const given = { preset: "lightgbm@4", rounds: 20 };

Deno.test("preset lightgbm@4 takes LightGBM's method, and histograms where that does not do it", async () => {
  const data = wave(500);
  const trees = async (params: object) =>
    (await trainBoost(data, { ...given, ...params })).ensemble;
  const plain = await trees({});
  assertEquals(plain, await trees({ treeMethod: "lightgbm" }));
  const drawn = { subsample: 0.5, seed: 3 };
  assertEquals(await trees(drawn), await trees({ ...drawn, treeMethod: "hist" }));
  const members = { committee: 2, featuresPerNode: 1, subsample: 1 };
  assertEquals((await trees(members)).treesPerRound, 2);
});

Deno.test("treeMethod lightgbm refuses by name what it would ignore", async () => {
  for (
    const [params, what] of [
      [{ subsample: 0.5 }, "subsample"],
      [{ sampling: "goss" }, "goss"],
      [{ featuresPerTree: 0.5 }, "featuresPerTree"],
      [{ dropRate: 0.1 }, "dropRate"],
      [{ growth: "depth" }, "depth"],
      [{ monotone: { x: 1 }, loss: "absolute" }, "monotone"],
      [{ interactions: [["x"], ["z"]] }, "interactions"],
      [{ parallelTrees: 2 }, "parallelTrees"],
      [{ committee: 2, featuresPerNode: 1, subsample: 1 }, "committee"],
      [{ postPrune: true }, "postPrune"],
    ] as const
  ) {
    await assertRejects(
      () => trainBoost(wave(100), { ...given, treeMethod: "lightgbm", ...params }),
      ParameterError,
      what,
    );
  }
});

Deno.test("treeMethod lightgbm stops early at the best prefix and ends without a split", async () => {
  const data = wave(300);
  const model = await trainBoost(data, { ...given, rounds: 200, earlyStoppingRounds: 5 }, {
    valid: wave(200),
  });
  assertEquals(model.numRounds, model.info.best?.round);
  // One leaf needs 300 rows: the start is the whole model, said in one round.
  const constant = await trainBoost(data, { ...given, minRowsPerLeaf: 300 });
  assertEquals([constant.numRounds, constant.numTrees], [1, 1]);
  const { values } = data.target as { values: Float64Array };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  assert(Math.abs(constant.predictValue({ x: 1, z: 1 })[0] - mean) < 1e-6); // float32 labels
});

/** Two slopes, steps by category, gaps; all features exact in float32. */
function slopes(numRows: number, seed: number) {
  const rng = createRng(seed);
  const draw = () => Math.fround(Math.round(rng.nextFloat() * 4096) / 512);
  const x = Float64Array.from({ length: numRows }, draw);
  const z = Float64Array.from(x, () => rng.nextInt(10) === 0 ? NaN : draw());
  const codes = Int32Array.from(x, () => rng.nextInt(3));
  const y = x.map((value, i) => (value < 4 ? value : 8 - value) * (1 + codes[i]) + (z[i] || 0));
  return createDataset([
    { kind: "numeric", name: "x", values: x },
    { kind: "numeric", name: "z", values: z },
    { kind: "categorical", name: "c", codes, categories: ["a", "b", "c"] },
  ], { kind: "regression", name: "y", values: y });
}

const linear = { preset: "lightgbm@4", linearTree: true, rounds: 12, metrics: ["mse"] };

Deno.test("linear leaves: validation scores while training are those of the finished model", async () => {
  const valid = slopes(120, 2);
  const seen: number[] = [];
  const model = await trainBoost(slopes(400, 1), linear, {
    valid,
    onRound: ({ metrics }) => void seen.push(metrics.valid.mse),
  });
  const labels = valid.target!.kind === "regression" ? valid.target!.values : [];
  seen.forEach((mse, i) => {
    const found = model.predictValue(valid, { rounds: i + 1 });
    const sum = found.reduce((total, value, row) => total + (value - labels[row]) ** 2, 0);
    // The two add the same trees in the same order; the base score is added first or last.
    assert(Math.abs(mse - sum / labels.length) <= 1e-9 * mse, `round ${i + 1}`);
    assertEquals(keepRounds(model, i + 1).predictValue(valid), found);
  });
  assert(seen[11] < seen[0] / 4);
});

Deno.test("linear leaves answer rows that lack a term's feature by their constant", async () => {
  const model = await trainBoost(slopes(400, 1), linear);
  const { trees, linear: models } = model.ensemble;
  const { termStart, termFeature } = models!;
  const row = [3, NaN, 0];
  const leaves = model.predictLeaf([{ x: 3, z: null, c: "a" }]);
  let expected = model.ensemble.baseScore[0];
  leaves.data.forEach((leaf, t) => {
    const node = trees.treeStart[t] + leaf;
    const terms = [...termFeature.slice(termStart[node], termStart[node + 1])];
    const lacks = terms.some((feature) => Number.isNaN(row[feature]));
    let value = lacks || terms.length === 0 ? trees.leaf[node] : models!.constant[node];
    if (!lacks) {
      for (let i = termStart[node]; i < termStart[node + 1]; i++) {
        value += models!.termCoefficient[i] * row[termFeature[i]];
      }
    }
    expected += value;
  });
  assertEquals(model.predictValue([{ x: 3, z: null, c: "a" }])[0], expected);
});

Deno.test("linearTree is refused where it would be something else", async () => {
  const data = slopes(200, 1);
  for (
    const [params, code, what] of [
      [{ ...linear, treeMethod: "exact" }, "E_PARAM_CONFLICT", "exact"],
      [{ ...linear, loss: "absolute" }, "E_PARAM_CONFLICT", "absolute"],
      [{ ...linear, monotone: { x: 1 } }, "E_PARAM_CONFLICT", "monotone"],
      [{ ...linear, maxDeltaStep: 1 }, "E_PARAM_CONFLICT", "maxDeltaStep"],
      [{ preset: "lightgbm@4", linearLambda: 1 }, "E_PARAM_CONFLICT", "linearTree"],
      [{ ...linear, linearLambda: -1 }, "E_PARAM_RANGE", "linearLambda"],
    ] as const
  ) {
    const error = await assertRejects(() => trainBoost(data, params), ParameterError, what);
    assertEquals(error.code, code);
  }
  const model = await trainBoost(data, linear);
  assertThrows(() => refitBoost(model, data), ParameterError, "linearTree");
});

Deno.test("linear leaves: a leaf with infinite values stays the constant it would have been", async () => {
  const data = slopes(200, 3);
  const bad = {
    ...data,
    features: data.features.map((column) =>
      column.kind === "numeric" && column.name === "x"
        ? { ...column, values: column.values.map((value) => value > 7 ? Infinity : value) }
        : column
    ),
  };
  const given = { ...linear, rounds: 2, metrics: [] };
  const { ensemble: { trees, linear: models } } = await trainBoost(bad, given);
  const { linearTree: _, ...constants } = given;
  const plain = (await trainBoost(bad, constants)).ensemble.trees;
  // The last leaf of the second tree has the largest x, infinite ones among them.
  let node = trees.treeStart[1];
  while (trees.firstChild[node] >= 0) {
    assertEquals(trees.feature[node], plain.feature[node]);
    node = trees.firstChild[node] + 1;
  }
  assert(models!.termFeature.length > 0);
  assertEquals(models!.termStart[node + 1] - models!.termStart[node], 0);
  assertEquals(trees.leaf[node], plain.leaf[node]);
  assert(trees.leaf[node] !== 0);
});

Deno.test("categories and numbers with pathSmooth gain what they do in LightGBM 4.7.0", async () => {
  // num_leaves 6, min_data_in_leaf 3, min_data_in_bin 1, learning_rate 1, path_smooth 4, cat_smooth 1,
  // cat_l2 2, min_data_per_group 1, max_cat_to_onehot 1, lambda_l2 0; one round.
  const codes = Int32Array.from({ length: 60 }, (_, row) => row % 6);
  const z = Float64Array.from({ length: 60 }, (_, row) => (7 * row) % 10);
  const y = Float64Array.from(
    codes,
    (code, row) => [3, 0, 5, 1, 4, 9][code] * (z[row] > 4 ? 1.3 : 1) + 0.01 * row,
  );
  const data = createDataset([
    { kind: "categorical", name: "c", codes, categories: ["0", "1", "2", "3", "4", "5"] },
    { kind: "numeric", name: "z", values: z },
  ], { kind: "regression", name: "y", values: y });
  const { ensemble: { trees } } = await trainBoost(data, {
    preset: "lightgbm@4",
    rounds: 1,
    maxLeaves: 6,
    minRowsPerLeaf: 3,
    learningRate: 1,
    pathSmooth: 4,
    catSmooth: 1,
    catL2: 2,
    minRowsPerCategory: 1,
    maxCategoriesOneHot: 1,
  });
  const gains = [...trees.gain].filter((gain) => gain > 0).sort((a, b) => b - a);
  // As its text has them, of six digits.
  assertEquals(gains.map((gain) => +gain.toPrecision(6)), [
    415.349,
    86.8352,
    64.3668,
    10.6656,
    5.62855,
  ]);
});
