import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { ParameterError } from "../../../../src/errors.ts";
import { evaluate } from "../../../../src/evaluate/evaluate.ts";
import { decodeModel, encodeModel } from "../../../../src/format/binary.ts";
import { noisy } from "../../../support/data/boost_data.ts";

Deno.test("trainBoost() returns the best prefix under early stopping and stores how", async () => {
  const { classes } = noisy(120, 4);
  const valid = noisy(200, 5).classes;
  const values: number[] = [];
  const model = await trainBoost(
    classes,
    { rounds: 200, learningRate: 0.5, earlyStoppingRounds: 5 },
    { valid, onRound: (r) => values.push(r.metrics.valid.logLoss) },
  );
  const best = model.info.best!;
  assertEquals([best.metric, best.set], ["logLoss", "valid"]);
  assertEquals(best.round, values.indexOf(Math.min(...values)) + 1);
  assertEquals(model.numRounds, best.round);
  assertEquals(values.length, best.round + 5);
  assertAlmostEquals(evaluate(model, valid).metrics.logLoss, best.value, 1e-12);
});

// F1: the model is the best prefix, in memory and in the file.
for (const treeMethod of ["hist", "exact"] as const) {
  Deno.test(`trainBoost() keeps no round after the best one, ${treeMethod}`, async () => {
    const x = Float64Array.from({ length: 8 }, (_, i) => i);
    const data = (step: number) =>
      createDataset(
        [{ kind: "numeric", name: "x", values: x }],
        { kind: "regression", name: "y", values: x.map((v) => v > 3 ? step : 0) },
      );
    // Rounds halve the rest of a step of 1; the held-out step is what three of them reach.
    const params = {
      treeMethod,
      rounds: 10,
      learningRate: 0.5,
      lambda: 0,
      minChildWeight: 0,
      minRowsPerLeaf: 1,
      baseScore: 0,
    };
    const valid = data(0.875);
    const model = await trainBoost(
      data(1),
      { ...params, earlyStoppingRounds: 10 },
      { valid },
    );
    assertEquals([model.info.best?.round, model.numRounds, model.numTrees], [3, 3, 3]);
    const loaded = decodeModel(encodeModel(model));
    assertEquals(loaded.numTrees, 3);
    assertEquals(loaded.predictValue(valid), model.predictValue(valid));
    assertEquals([...loaded.predictValue(valid)], [0, 0, 0, 0, 0.875, 0.875, 0.875, 0.875]);
    const all = await trainBoost(data(1), params);
    assertEquals(all.predictValue(valid, { rounds: 3 }), model.predictValue(valid));
  });
}

Deno.test("trainBoost() lets one metric on one set decide, in any order of listing", async () => {
  const { classes } = noisy(120, 4);
  const sets = { one: noisy(100, 5).classes, two: noisy(100, 6).classes };
  const params = {
    rounds: 30,
    learningRate: 0.5,
    earlyStoppingRounds: 5,
    earlyStoppingSet: "two",
    earlyStoppingMetric: "auc",
  };
  const a = await trainBoost(classes, { ...params, metrics: ["auc", "logLoss"] }, { valid: sets });
  const b = await trainBoost(classes, { ...params, metrics: ["logLoss", "auc"] }, {
    valid: { two: sets.two, one: sets.one },
  });
  assertEquals(a.info.best, b.info.best);
  assertEquals([a.info.best!.metric, a.info.best!.set], ["auc", "two"]);
});

Deno.test("trainBoost() holds rows out for early stopping and says so", async () => {
  const warnings: string[] = [];
  const model = await trainBoost(noisy(200, 7).classes, { rounds: 50, earlyStoppingRounds: 3 }, {
    onWarning: (message) => warnings.push(message),
  });
  assertEquals(model.info.numRows, 180);
  assertEquals(model.info.best!.set, "heldOut");
  assert(warnings[0].includes("held out 20 of 200 rows"), warnings[0]);
});

Deno.test("trainBoost() refuses a deciding set or metric that is not there", async () => {
  const { classes } = noisy(50, 8);
  for (
    const params of [{ earlyStoppingSet: "nope" }, {
      earlyStoppingMetric: "rmsle",
      metrics: ["auc"],
    }]
  ) {
    const run = trainBoost(classes, { earlyStoppingRounds: 2, ...params }, { valid: classes });
    if ("metrics" in params) await run; // a deciding metric is computed even when not listed
    else {
      const error = await assertRejects(() => run, ParameterError);
      assertEquals(error.code, "E_PARAM_CONFLICT");
    }
  }
});

Deno.test("trainBoost() matches validation columns by name and classes by label", async () => {
  const { classes } = noisy(100, 9);
  const [a, b] = classes.features;
  const target = classes.target!;
  assert(target.kind === "classification");
  const turned: Dataset = {
    ...classes,
    features: [b, a],
    target: { ...target, codes: target.codes.map((code) => 1 - code), classes: ["yes", "no"] },
  };
  const read = async (valid: Dataset) => {
    const found: number[] = [];
    await trainBoost(classes, { rounds: 5 }, {
      valid,
      onRound: (r) => found.push(r.metrics.valid.logLoss),
    });
    return found;
  };
  assertEquals(await read(turned), await read(classes));
});
