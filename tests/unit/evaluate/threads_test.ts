import { assert, assertEquals, assertRejects } from "@std/assert";
import { trainRandomForest } from "../../../src/algorithms/classic/random_forest.ts";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { createDataset } from "../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { ParameterError, TrainingError } from "../../../src/errors.ts";
import { crossValidate } from "../../../src/evaluate/cross_validate.ts";
import { evaluate } from "../../../src/evaluate/evaluate.ts";
import { modelImportance } from "../../../src/evaluate/model_importance.ts";
import { permutationImportance } from "../../../src/explain/permutation.ts";
import { definePointwiseLoss } from "../../../src/loss/custom.ts";
import { createRng } from "../../../src/util/rng.ts";

function table(numRows: number, classes: number): Dataset {
  const rng = createRng(numRows + classes);
  const column = (name: string) => ({
    kind: "numeric" as const,
    name,
    values: Float64Array.from(
      { length: numRows },
      () => rng.nextInt(20) === 0 ? NaN : Math.round(rng.nextFloat() * 50),
    ),
  });
  const features = [column("a"), column("b"), {
    kind: "categorical" as const,
    name: "c",
    codes: Int32Array.from({ length: numRows }, () => rng.nextInt(4) - 1),
    categories: ["x", "y", "z"],
  }];
  const score = (row: number) => (features[0] as { values: Float64Array }).values[row]! / 51;
  const name = "y";
  return createDataset(
    features,
    classes === 0
      ? {
        kind: "regression",
        name,
        values: Float64Array.from({ length: numRows }, (_, r) => (score(r) || 0) + rng.nextFloat()),
      }
      : {
        kind: "classification",
        name,
        codes: Int32Array.from(
          { length: numRows },
          (_, r) => Math.floor(classes * ((score(r) || 0) + rng.nextFloat()) / 2),
        ),
        classes: Array.from({ length: classes }, (_, k) => `k${k}`),
      },
  );
}

Deno.test("crossValidate() gives the same for 1, 2, 3 and 8 threads", async () => {
  const specs = [
    { algorithm: "boost", rounds: 8, committee: 1 },
    { algorithm: "gbdt", rounds: 5, subsample: 0.5 },
    { algorithm: "cart" },
  ];
  for (const spec of specs) {
    const data = table(150, 3);
    const found = [];
    for (const threads of [1, 2, 3, 8]) {
      const heard: number[] = [];
      const onFold = ({ fold }: { fold: number }) => void heard.push(fold);
      found.push(await crossValidate(data, spec, { folds: 4, threads, onFold }));
      assertEquals(heard, [1, 2, 3, 4]);
    }
    for (const other of found.slice(1)) assertEquals(other, found[0]);
  }
});

Deno.test("crossValidate() trains here what no thread can be sent, and passes on failures and warnings", async () => {
  const data = table(90, 0);
  const loss = definePointwiseLoss({
    name: "mine",
    gradient: (y, raw) => raw - y,
    hessian: () => 1,
    value: (y, raw) => 0.5 * (raw - y) ** 2,
  });
  const run = (threads: number) =>
    crossValidate(data, { loss, rounds: 4, committee: 1 }, {
      folds: 3,
      threads,
      metrics: ["rmse"],
    });
  assertEquals(await run(2), await run(1));
  const warned: string[][] = [];
  for (const threads of [1, 2]) {
    const warnings: string[] = [];
    const onWarning = (message: string) => void warnings.push(message);
    const constant = { ...data, features: data.features.slice(2), numRows: 90 };
    await crossValidate(constant, { rounds: 2, committee: 1, minRowsPerLeaf: 60 }, {
      folds: 3,
      threads,
      onWarning,
      metrics: ["rmse"],
    });
    warned.push(warnings);
    await assertRejects(
      () => crossValidate(data, { rounds: -1 }, { folds: 3, threads }),
      ParameterError,
      "rounds",
    );
  }
  assert(warned[0]!.length === 3);
  assertEquals(warned[1], warned[0]);
});

Deno.test("crossValidate() on threads hears a signal and hands over the folds that are done", async () => {
  const stop = new AbortController();
  const error = await assertRejects(
    () =>
      crossValidate(table(300, 2), { rounds: 300, committee: 1, earlyStoppingRounds: 0 }, {
        folds: 6,
        threads: 2,
        signal: stop.signal,
        onFold: () => stop.abort(),
      }),
    TrainingError,
    "stopped after 1 fold",
  );
  assertEquals(error.code, "E_TRAIN_ABORTED");
  assertEquals((error.details.folds as unknown[]).length, 1);
});

Deno.test("modelImportance() equals permutationImportance() by evaluate() for any number of threads", async () => {
  const data = table(200, 3);
  const model = await trainRandomForest(data, { trees: 5 });
  const options = { repeats: 2, seed: 4, features: ["a", "c"] };
  const expected = permutationImportance(
    data,
    (rows) => evaluate(model, rows, ["logLoss"]).metrics.logLoss,
    { ...options, higherIsBetter: false },
  );
  assert(expected[0].mean > 0);
  for (const threads of [1, 2, 3, 8]) {
    assertEquals(
      await modelImportance(model, data, { ...options, metric: "logLoss", threads }),
      expected,
    );
  }
});

Deno.test("modelImportance() has its threads score the shuffles of any trees", async () => {
  const data = table(300, 2);
  const models = [
    await trainRandomForest(data, { trees: 3 }),
    await trainBoost(data, { rounds: 3, committee: 1 }),
    await trainBoost(data, { preset: "lightgbm@4", linearTree: true, rounds: 3 }),
  ];
  const { Worker } = globalThis;
  let given = 0;
  globalThis.Worker = class extends Worker {
    override postMessage(message: unknown) {
      if ("task" in (message as object)) given++;
      super.postMessage(message);
    }
  };
  try {
    for (const model of models) {
      given = 0;
      await modelImportance(model, data, { repeats: 2, threads: 2 });
      // Each feature's two shuffles, and the rows as they are.
      assertEquals(given, 2 * data.features.length + 1);
    }
  } finally {
    globalThis.Worker = Worker;
  }
});
