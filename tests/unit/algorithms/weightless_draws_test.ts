import { assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { trainAdaBoost } from "../../../src/algorithms/classic/adaboost.ts";
import { trainBagging } from "../../../src/algorithms/classic/bagging.ts";
import { outOfBag } from "../../../src/algorithms/classic/forest.ts";
import { trainRandomForest } from "../../../src/algorithms/classic/random_forest.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { ParameterError } from "../../../src/errors.ts";

/** All rows that weigh something have label 10, the others −1000. */
function mostlyWeightless(numRows: number, weighty: readonly number[]): Dataset {
  const sampleWeight = new Float64Array(numRows);
  for (const row of weighty) sampleWeight[row] = 2;
  return {
    numRows,
    features: [{
      kind: "numeric",
      name: "x",
      values: Float64Array.from({ length: numRows }, (_, i) => i % 7),
    }],
    target: {
      kind: "regression",
      name: "y",
      values: sampleWeight.map((weight) => weight > 0 ? 10 : -1000),
    },
    sampleWeight,
  };
}

for (const loss of ["absolute", "quantile", "mape", "huber"]) {
  const draws = [{ subsample: 0.5 }, { subsample: 0.5, preset: "lightgbm@4" }, { committee: 2 }];
  for (const draw of draws) {
    Deno.test(`boost by ${loss} learns nothing from rows of weight 0: ${JSON.stringify(draw)}`, async () => {
      const data = mostlyWeightless(120, [7, 50]);
      // Half of the draws have neither of the two rows that count.
      const params = { loss, rounds: 30, minChildWeight: 0, ...draw };
      const model = await trainBoost(data, params, { onWarning: () => {} });
      for (const x of [0, 1, 6]) assertAlmostEquals(model.predictValue({ x })[0], 10, 1e-6);
    });
  }
}

// Two cases of 40 are needed in a branch, not two of 80, which is one row's weight.
Deno.test("adaboost counts no row of weight 0 among the cases of c45", async () => {
  const table = (numRows: number): Dataset => ({
    numRows,
    features: [{
      kind: "numeric",
      name: "x",
      values: Float64Array.from({ length: numRows }, (_, row) => row % 40),
    }],
    target: {
      kind: "classification",
      name: "y",
      codes: Int32Array.from({ length: numRows }, (_, row) => row % 40 === 39 || row > 60 ? 1 : 0),
      classes: ["no", "yes"],
    },
    sampleWeight: Float64Array.from({ length: numRows }, (_, row) => row < 40 ? 1 : 0),
  });
  const params = { base: "c45", rounds: 1, maxDepth: 2 } as const;
  const [alone, both] = [
    await trainAdaBoost(table(40), params),
    await trainAdaBoost(table(80), params),
  ];
  const xs = [0, 37, 38, 39].map((x) => ({ x }));
  assertEquals(alone.predictClass(xs), ["no", "no", "no", "no"]); // one of two beyond 37 is a tie
  assertEquals(both.predictClass(xs), alone.predictClass(xs));
});

// Seven levels are many for 21 cases (0.3 · 21 = 6.3) and not for 42. Gains and ratios of 21 by hand:
// shop 0.985 and 0.351, open 0.533 and 0.541. Only where shop is out of the average (0.759 with it)
// is open considered, whose ratio is the larger.
Deno.test("adaboost and bagging take no row of weight 0 for a case where c45 asks for many levels", async () => {
  const shop = Int32Array.from({ length: 42 }, (_, row) => row % 7);
  const codes = shop.map((level) => level < 3 ? 0 : 1);
  const table = (numRows: number): Dataset => ({
    numRows,
    features: [{
      kind: "categorical",
      name: "shop",
      codes: shop.slice(0, numRows),
      categories: ["a", "b", "c", "d", "e", "f", "g"],
    }, {
      kind: "categorical",
      name: "open",
      // As the class but in the rows 0 (shop a) and 6 (shop g).
      codes: codes.slice(0, numRows).map((code, row) => row === 0 || row === 6 ? 1 - code : code),
      categories: ["0", "1"],
    }],
    target: {
      kind: "classification",
      name: "y",
      codes: codes.slice(0, numRows),
      classes: ["no", "yes"],
    },
    sampleWeight: Float64Array.from({ length: numRows }, (_, row) => row < 21 ? 1 : 0),
  });
  for (const numRows of [21, 42]) {
    const boosted = await trainAdaBoost(table(numRows), { base: "c45", rounds: 1 });
    const inbag = [new Array(numRows).fill(1)];
    const bagged = await trainBagging(table(numRows), { base: "c45", trees: 1, inbag });
    const answers = [boosted, bagged].map((model) => model.predictClass({ shop: "b", open: "1" }));
    assertEquals(answers, [["yes"], ["yes"]], `${numRows} rows`);
  }
});

Deno.test("forests draw no bag that weighs nothing", async () => {
  const data = mostlyWeightless(20, [3]);
  for (const params of [{}, { replace: false, sampleShare: 0.2 }, { sampleShare: 0.001 }]) {
    const forest = await trainRandomForest(data, { trees: 50, ...params });
    const bagged = await trainBagging(data, { trees: 50, ...params });
    assertEquals([forest.predictValue({ x: 3 })[0], bagged.predictValue({ x: 3 })[0]], [10, 10]);
  }
});

Deno.test("forests refuse a given bag that weighs nothing", async () => {
  const data = mostlyWeightless(4, [3]);
  const bag = (...rows: number[]) => ({ trees: 1, inbag: [[0, 1, 2, 3].map((row) => rows[row])] });
  await assertRejects(() => trainRandomForest(data, bag(1, 1, 2, 0)), ParameterError, "weigh");
  assertEquals((await trainRandomForest(data, bag(3, 0, 0, 1))).predictValue({ x: 0 })[0], 10);
});

Deno.test("out-of-bag metrics weigh rows by their own weights, not by those of classes", async () => {
  const x = Float64Array.from({ length: 80 }, (_, i) => (i * 37) % 80);
  const codes = Int32Array.from(x, (value, i) => value + 8 * (i % 5) > 60 ? 1 : 0);
  const data: Dataset = {
    numRows: 80,
    features: [{ kind: "numeric", name: "x", values: x }],
    target: { kind: "classification", name: "y", classes: ["a", "b"], codes },
  };
  const model = await trainRandomForest(data, { trees: 20, classWeights: { a: 1, b: 30 } });
  const { predictions, treesOfRow, metrics } = outOfBag(model)!;
  let hits = 0;
  let rows = 0;
  codes.forEach((code, row) => {
    if (treesOfRow[row] === 0) return;
    rows++;
    if ((predictions.data[2 * row + 1] > 0.5 ? 1 : 0) === code) hits++;
  });
  assertAlmostEquals(metrics.accuracy, hits / rows, 1e-12);
});

for (const trainer of [trainRandomForest, trainBagging]) {
  Deno.test(`${trainer.name} takes no row of weight 0 for one that is in every bag`, async () => {
    const data = mostlyWeightless(12, [0, 3, 5]);
    // Row 0 is in both bags; rows 3 and 5 are judged by one tree each.
    const inbag = [[1, 1, 0, 1, 0, 0, 0, 1], [1, 0, 0, 0, 0, 1]].map((bag) =>
      Array.from({ length: 12 }, (_, row) => bag[row] ?? 0)
    );
    const warnings: string[] = [];
    const model = await trainer(data, { trees: 2, inbag }, {
      onWarning: (message) => warnings.push(message),
    });
    assertEquals(warnings, [
      "1 of 3 rows are in every bag and have no out-of-bag prediction: more trees would give them one",
    ]);
    const { rows, rowsWithout } = model.info.oob as { rows: number; rowsWithout: number };
    assertEquals({ rows, rowsWithout }, { rows: 2, rowsWithout: 1 });
    assertEquals(outOfBag(model)?.rowsWithout, 1);
  });
}
