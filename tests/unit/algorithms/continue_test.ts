import { assert, assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost.ts";
import { continueBoost, refitBoost } from "../../../src/algorithms/continue.ts";
import { createDataset } from "../../../src/data/dataset.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { DataError, ParameterError } from "../../../src/errors.ts";
import { evaluate } from "../../../src/evaluate/evaluate.ts";
import { createRng } from "../../../src/util/rng.ts";

function table(seed: number, slope = 3, numRows = 300): Dataset {
  const rng = createRng(seed);
  const a = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const codes = Int32Array.from({ length: numRows }, () => rng.nextInt(3));
  const y = a.map((value, i) => slope * value + codes[i] + 0.1 * rng.nextFloat());
  return createDataset([
    { kind: "numeric", name: "a", values: a },
    { kind: "categorical", name: "c", codes, categories: ["p", "q", "r"] },
  ], { kind: "regression", name: "y", values: y });
}

function classes(data: Dataset): Dataset {
  const { target } = data;
  assert(target?.kind === "regression");
  const codes = Int32Array.from(target.values, (y) => y > 2.5 ? 1 : 0);
  return { ...data, target: { kind: "classification", name: "y", codes, classes: ["lo", "hi"] } };
}

Deno.test("continueBoost() after n rounds scores as n + m rounds at once", async () => {
  const data = table(1);
  const once = await trainBoost(data, { rounds: 12, subsample: 1 });
  const more = await continueBoost(await trainBoost(data, { rounds: 5, subsample: 1 }), data, {
    rounds: 7,
  });
  assertEquals(more.numRounds, 12);
  const [p, q] = [once.predictValue(data), more.predictValue(data)];
  // Leaves are float32 and gradients are rounded to a grid that is drawn anew each round.
  p.forEach((value, i) => assertAlmostEquals(value, q[i], 2e-3));
  assertEquals(more.ensemble.baseScore, once.ensemble.baseScore);
});

Deno.test("continueBoost() improves on new data and counts best rounds from the start", async () => {
  const first = await trainBoost(classes(table(2)), { rounds: 5 });
  const data = classes(table(3));
  const valid = classes(table(4));
  const more = await continueBoost(first, data, { rounds: 60, earlyStoppingRounds: 5 }, { valid });
  assert(evaluate(more, valid).metrics.logLoss < evaluate(first, valid).metrics.logLoss);
  assertEquals(more.info.best!.round, more.numRounds);
  assertAlmostEquals(evaluate(more, valid).metrics.logLoss, more.info.best!.value, 1e-12);
});

Deno.test("continueBoost() refuses another loss, unknown classes, other columns", async () => {
  const model = await trainBoost(classes(table(5)), { rounds: 2 });
  const data = classes(table(6));
  const conflict = await assertRejects(
    () => continueBoost(model, data, { loss: "exponential" }),
    ParameterError,
  );
  assertEquals(conflict.code, "E_PARAM_CONFLICT");
  const { target } = data;
  assert(target?.kind === "classification");
  const strange = { ...data, target: { ...target, classes: ["lo", "huge"] } };
  const unknown = await assertRejects(() => continueBoost(model, strange, {}), DataError);
  assertEquals(unknown.code, "E_DATA_TARGET");
  const short = { ...data, features: [data.features[0]] };
  const shape = await assertRejects(() => continueBoost(model, short, {}), DataError);
  assertEquals(shape.code, "E_DATA_SHAPE");
});

Deno.test("refitBoost() on the training data with decay 0 gives the same leaves", async () => {
  const data = table(7);
  const model = await trainBoost(data, { rounds: 8, subsample: 1 });
  const again = refitBoost(model, data, { decay: 0 });
  const [p, q] = [model.predictValue(data), again.predictValue(data)];
  p.forEach((value, i) => assertAlmostEquals(value, q[i], 2e-3));
  assertEquals(again.ensemble.trees.threshold, model.ensemble.trees.threshold);
});

Deno.test("refitBoost() moves to new data as decay falls; decay 1 changes nothing", async () => {
  const model = await trainBoost(table(8), { rounds: 30 });
  const fresh = table(9, -2);
  const error = (decay: number) =>
    evaluate(refitBoost(model, fresh, { decay }), fresh, ["rmse"]).metrics.rmse;
  assert(error(0) < error(0.5) && error(0.5) < error(0.9) && error(0.9) < error(1));
  assertAlmostEquals(error(1), evaluate(model, fresh, ["rmse"]).metrics.rmse, 1e-9);
  assertThrows(() => refitBoost(model, fresh, { decay: 2 }), ParameterError);
});
