import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { outOfFoldScores } from "../../../src/algorithms/boost/member_scores.ts";
import { createDataset } from "../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { ParameterError } from "../../../src/errors.ts";
import { calibrate, CALIBRATION_METHODS } from "../../../src/evaluate/calibrate.ts";
import { evaluate } from "../../../src/evaluate/evaluate.ts";
import { trainCalibrated } from "../../../src/evaluate/train_calibrated.ts";
import { metricByName } from "../../../src/metric/metrics.ts";
import { predictionsOf } from "../../../src/metric/response.ts";
import { cli } from "../../support/cli.ts";
import { tempFolder } from "../../support/temp.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Classes that no tree can tell apart well: long training is sure of itself, and wrong. */
function noisy(seed: number, numClasses = 2, numRows = 400): Dataset {
  const rng = createRng(seed);
  const columns = Array.from(
    { length: 4 },
    () => Float64Array.from({ length: numRows }, () => rng.nextFloat()),
  );
  const codes = Int32Array.from(columns[0], (x) => {
    const noise = rng.nextFloat() < 0.4 ? rng.nextFloat() : x;
    return Math.min(numClasses - 1, Math.floor(noise * numClasses));
  });
  return createDataset(
    columns.map((values, i) => ({ kind: "numeric", name: `x${i}`, values })),
    {
      kind: "classification",
      name: "y",
      codes,
      classes: ["a", "b", "c"].slice(0, numClasses),
    },
  );
}

const params = { rounds: 60, learningRate: 0.3, maxDepth: 5, validFraction: 0.4 };

const LEAVES = [{}, { linearTree: true }, { linearTree: true, zeroAsMissing: true }];

for (const leaves of LEAVES) {
  Deno.test(`outOfFoldScores() are those that training was judged by: ${JSON.stringify(leaves)}`, async () => {
    for (const numClasses of [2, 3]) {
      const whole = noisy(1, numClasses);
      const [first, ...others] = whole.features;
      assert(first.kind === "numeric");
      const values = first.values.map((value) => value < 0.2 ? 0 : value);
      const data = { ...whole, features: [{ ...first, values }, ...others] };
      let seen = NaN;
      const model = await trainBoost(
        data,
        { ...params, ...leaves, rounds: 12, committee: 4, seed: 3 },
        { onRound: ({ metrics }) => seen = metrics.outOfFold.logLoss },
      );
      const raw = outOfFoldScores(model, data)!;
      const { ensemble, numOutputs } = model;
      const found = predictionsOf(raw, data.numRows, numOutputs, ensemble.postprocess);
      const { target } = data;
      assert(target?.kind === "classification");
      const labels = { values: Float64Array.from(target.codes) };
      assertAlmostEquals(metricByName("logLoss").value(labels, found), seen, 1e-12);
      assertEquals(outOfFoldScores(model, noisy(2, numClasses)), undefined);
    }
  });
}

Deno.test("outOfFoldScores() leave out rounds that are kept after the best one", async () => {
  const data = noisy(1);
  const run = { ...params, rounds: 30, committee: 3, earlyStoppingRounds: 6 };
  const whole = await trainBoost(data, { ...run, keepAll: true });
  const best = await trainBoost(data, run);
  assert(whole.numRounds > best.numRounds);
  const [p, q] = [whole, best].map((model) => outOfFoldScores(model, data)!);
  p.forEach((value, i) => assertAlmostEquals(value, q[i], 1e-12));
  assertEquals(outOfFoldScores(await trainBoost(data, { ...run, committee: 1 }), data), undefined);
});

Deno.test("trainCalibrated() mends a model that is too sure, on rows that it has not learnt from", async () => {
  const fresh = noisy(9, 2, 2000);
  const brier = (model: Awaited<ReturnType<typeof trainBoost>>) =>
    evaluate(model, fresh, ["brier"]).metrics.brier;
  const data = noisy(1);
  for (const committee of [1, 5]) {
    const plain = await trainBoost(data, { ...params, committee });
    for (const method of CALIBRATION_METHODS) {
      const model = await trainCalibrated(data, { ...params, committee }, method);
      assertEquals(model.calibration?.[0].method, method);
      // No hash of these rows: a table that is read as bins has the same model.
      assertEquals(model.info.calibration, { method, numRows: committee === 1 ? 160 : 400 });
      assert(brier(model) < brier(plain), `${committee} ${method}`);
    }
  }
});

Deno.test("trainCalibrated() takes the validation set that decides", async () => {
  const data = noisy(1);
  const sets = { one: noisy(2, 2, 60), two: noisy(3, 2, 80) };
  const notes: string[] = [];
  const model = await trainCalibrated(
    data,
    { ...params, earlyStoppingRounds: 5, earlyStoppingSet: "two" },
    "platt",
    { valid: sets, onNote: (message) => notes.push(message) },
  );
  const plain = await trainBoost(
    data,
    { ...params, earlyStoppingRounds: 5, earlyStoppingSet: "two" },
    { valid: sets },
  );
  assertEquals(model.calibration, calibrate(plain, sets.two, "platt").calibration);
  assert(notes.some((message) => message.includes("on set two")));
});

Deno.test("trainCalibrated() refuses numbers and methods that are none", async () => {
  const data = noisy(1);
  const x = Float64Array.of(1, 2);
  const numbers = createDataset([{ kind: "numeric", name: "x", values: x }], {
    kind: "regression",
    name: "y",
    values: x,
  });
  await assertRejects(() => trainCalibrated(numbers, {}, "platt"), ParameterError, "no classes");
  await assertRejects(() => trainCalibrated(data, {}, "plat" as "platt"), ParameterError, "platt");
});

Deno.test("treeline train --calibrate stores the map that predict applies", async () => {
  await using dir = await tempFolder();
  const lines = Array.from({ length: 200 }, (_, i) => `${(i * 37) % 200},${(i * 53) % 7 < 3}`);
  const path = await dir.write("d.csv", `x,y\n${lines.join("\n")}\n`);
  const out = dir.file("m.tlm");
  const run = await cli(["train", path, "-t", "y", "--calibrate", "isotonic", "--out", out]);
  assertEquals(run.code, 0, run.stderr);
  assert(run.stderr.includes("Calibrated (isotonic) on the out-of-fold scores of 200 rows"));
  const shown = await cli(["inspect", out, "--json"]);
  assert(shown.stdout.includes("isotonic"), shown.stdout);
  const wrong = await cli(["train", path, "-t", "y", "--calibrate", "plat", "--out", out]);
  assertEquals(wrong.code, 2);
});

Deno.test("a map of Platt's that falls is told by training and by the command line", async () => {
  const data = noisy(1);
  const { target } = data;
  assert(target?.kind === "classification");
  const turned = { ...data, target: { ...target, codes: target.codes.map((code) => 1 - code) } };
  for (const [valid, falls] of [[noisy(2), false], [turned, true]] as const) {
    const warnings: string[] = [];
    const spec = { rounds: 5, committee: 1 };
    await trainCalibrated(data, spec, "platt", { valid, onWarning: (w) => warnings.push(w) });
    assertEquals(warnings.map((text) => text.slice(0, 11)), falls ? ["Platt's map"] : []);
  }
  await using folder = await tempFolder();
  const table = (name: string, label: (x: number) => number) =>
    folder.write(
      name,
      `x,y\n${Array.from({ length: 60 }, (_, x) => `${x},${label(x)}`).join("\n")}\n`,
    );
  const train = await table("train.csv", (x) => x > 30 ? 1 : 0);
  const along = await table("along.csv", (x) => x > 25 ? 1 : 0);
  const against = await table("against.csv", (x) => x > 30 ? 0 : 1);
  const model = folder.file("m.tlm");
  const run = await cli(["train", train, "--target", "y", "--rounds", "5", "--out", model]);
  assertEquals(run.code, 0);
  for (const [file, falls] of [[along, false], [against, true]] as const) {
    const out = folder.file(`${falls}.tlm`);
    const told = await cli(["calibrate", model, file, "--out", out]);
    assertEquals([told.code, told.stderr.includes('Platt\'s map of "1" falls')], [0, falls]);
  }
});
