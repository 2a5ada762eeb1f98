import { assert, assertEquals, assertRejects } from "@std/assert";
import { createDataset } from "../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { DataError, ParameterError, TrainingError } from "../../../src/errors.ts";
import { searchSpace } from "../../../src/tune/space.ts";
import { openTrialLog } from "../../../src/tune/trial_log.ts";
import { type Trial, trialTable, tune, type TuneOptions } from "../../../src/tune/tune.ts";
import { createRng } from "../../../src/util/rng.ts";

function table(numRows: number): Dataset {
  const rng = createRng(2);
  const x = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  return createDataset(
    [{ kind: "numeric", name: "x", values: x }],
    {
      kind: "regression",
      name: "y",
      values: x.map((v) => Math.sin(6 * v) + 0.1 * rng.nextFloat()),
    },
  );
}

const SPACE = searchSpace("boost", {
  maxBins: 32,
  rounds: { from: 2, to: 10, scale: "linear" },
  maxDepth: { choices: [2, 3, 4] },
}, ["learningRate"]);

Deno.test("tune() is seeded: same trials, best first", async () => {
  const data = table(90);
  const options = { trials: 4, folds: 3, seed: 5, metric: "rmse", threads: 1 };
  const one = await tune(data, SPACE, options);
  assertEquals(one, await tune(data, SPACE, options));
  const values = one.trials.map(({ value }) => value);
  assertEquals(values, values.toSorted((a, b) => a - b));
  assertEquals([one.best, one.metric, one.how], [one.trials[0], "rmse", "3 folds"]);
  const other = await tune(data, SPACE, { ...options, seed: 6 });
  assert(JSON.stringify(other.trials[0].params) !== JSON.stringify(one.trials[0].params));
});

Deno.test("tune() by halving learns from the share of rows that it tells", async () => {
  // Of 60 rows a fold learns from, a third are 20, which 15 in each leaf leave whole; two thirds are not.
  const space = searchSpace("boost", { rounds: 5, minRowsPerLeaf: 15, maxDepth: 1 }, [
    "learningRate",
  ]);
  const data = table(90);
  const options = { trials: 5, folds: 3, metric: "rmse", threads: 1, method: "halving" } as const;
  const { trials } = await tune(data, space, options);
  // A third of five, rounded down, goes on.
  assertEquals(trials.map(({ share }) => share), [1, ...Array(5).fill(1 / 3)]);
  const { values } = data.target as { values: Float64Array };
  const mean = values.reduce((sum, y) => sum + y) / 90;
  const deviation = Math.sqrt(values.reduce((sum, y) => sum + (y - mean) ** 2, 0) / 90);
  for (const { share, value } of trials) {
    assert(share === 1 ? value < 0.9 * deviation : value > 0.97 * deviation, `${share}: ${value}`);
  }
});

Deno.test("tune() puts trials that are as good in the order in which they were drawn", async () => {
  // The column has four values: all of these bins are the same.
  const x = Float64Array.from({ length: 40 }, (_, row) => row % 4);
  const data = createDataset([{ kind: "numeric", name: "x", values: x }], {
    kind: "regression",
    name: "y",
    values: x.map((value, row) => value + row % 3),
  });
  const space = searchSpace("boost", { rounds: 2, maxBins: { choices: [8, 16, 32, 64] } }, [
    "maxBins",
  ]);
  const { trials } = await tune(data, space, { trials: 4, folds: 2, metric: "rmse", threads: 1 });
  assertEquals(new Set(trials.map(({ value }) => value)).size, 1);
  assertEquals(trials.map(({ trial }) => trial), [1, 2, 3, 4]);
});

Deno.test("a log of halving belongs to its factor and its number of trials", async () => {
  const data = table(20);
  const given = { trials: 9, folds: 2, method: "halving" as const };
  const { text } = await openTrialLog(data, SPACE, given);
  assertEquals((await openTrialLog(data, SPACE, { ...given, factor: 3 }, text)).text, text);
  for (const [differs, other] of [["factor", { factor: 2 }], ["trials", { trials: 8 }]] as const) {
    const error = await assertRejects(
      () => openTrialLog(data, SPACE, { ...given, ...other }, text),
      ParameterError,
    );
    assertEquals([error.code, error.details.differs], ["E_PARAM_CONFLICT", differs]);
  }
});

Deno.test("tune() of one trial makes that", async () => {
  const options = { trials: 1, folds: 2, metric: "rmse", threads: 1 };
  assertEquals((await tune(table(40), SPACE, options)).trials.length, 1);
});

Deno.test("tune() goes on from an interrupted run without repeating trials", async () => {
  const data = table(60);
  const options = { trials: 4, folds: 2, metric: "rmse", threads: 1 };
  const whole = await tune(data, SPACE, options);
  const first: Trial[] = [];
  await tune(data, SPACE, { ...options, trials: 2, onTrial: (t) => first.push(t) });
  const ran: number[] = [];
  // A stored run comes back through JSON.
  const resume = JSON.parse(JSON.stringify(first));
  const rest = await tune(data, SPACE, { ...options, resume, onTrial: (t) => ran.push(t.trial) });
  assertEquals(ran, [3, 4]);
  assertEquals(rest, whole);
});

Deno.test("tune() decides by a metric that is not among those to tell, or was not the one before", async () => {
  const data = table(90);
  const options = { trials: 4, folds: 3, seed: 5, threads: 1 } as const;
  const alone = await tune(data, SPACE, { ...options, metric: "mae" });
  const beside = await tune(data, SPACE, { ...options, metric: "mae", metrics: ["rmse"] });
  const both = await tune(data, SPACE, { ...options, metric: "mae", metrics: ["rmse", "l1"] });
  const told = ({ trials }: typeof alone) => trials.map(({ trial, value }) => [trial, value]);
  assertEquals(told(beside), told(alone));
  assertEquals(both, beside);
  assertEquals(Object.keys(beside.best.mean), ["mae", "rmse"]);
  assertEquals(trialTable(beside), trialTable(alone));
  // Trials that were in order of another metric are run again.
  const { trials: resume } = await tune(data, SPACE, { ...options, metric: "rmse" });
  const again = await tune(data, SPACE, { ...options, metric: "mae", resume });
  assertEquals(again, alone);
});

Deno.test("trials of a kept log make a report of the same bytes", async () => {
  const data = table(60);
  const options = { trials: 3, folds: 2, metric: "rmse", threads: 1 };
  const log = await openTrialLog(data, SPACE, options);
  const whole = await tune(data, SPACE, { ...options, onTrial: log.add });
  const { trials: resume } = await openTrialLog(data, SPACE, options, log.text);
  const again = await tune(data, SPACE, { ...options, resume });
  assertEquals(JSON.stringify(again), JSON.stringify(whole));
});

Deno.test("tune() by halving tries all on few rows and the best on all", async () => {
  const result = await tune(table(120), SPACE, {
    trials: 9,
    folds: 2,
    threads: 1,
    method: "halving",
    metric: "rmse",
  });
  const shares = (share: number) =>
    result.trials.filter((t) => Math.abs(t.share - share) < 1e-9).length;
  assertEquals([shares(1 / 9), shares(1 / 3), shares(1)], [9, 3, 1]);
  assertEquals(result.best.share, 1);
  const table2 = trialTable(result).split("\n");
  assertEquals(table2.length, 14);
  assert(table2[0].includes("learningRate") && !table2[0].includes("maxBins"));
});

/** Exclusive or: stumps are no better than chance, trees of two levels know everything. */
function exclusive(): Dataset {
  const bit = (name: string, at: number) => ({
    kind: "numeric" as const,
    name,
    values: Float64Array.from({ length: 32 }, (_, row) => row >> at & 1),
  });
  return createDataset([bit("a", 0), bit("b", 1)], {
    kind: "classification",
    name: "y",
    codes: Int32Array.from({ length: 32 }, (_, row) => (row ^ row >> 1) & 1),
    classes: ["same", "other"],
  });
}

const BOTH_FOLDS_HAVE_ALL = Float64Array.from({ length: 32 }, (_, row) => row >> 2 & 1);

Deno.test("a trial that cannot be trained is told and comes last, and the search goes on", async () => {
  const space = searchSpace("adaboost", {
    rounds: { from: 1, to: 3, scale: "linear" },
    maxDepth: { choices: [1, 2] },
  }, ["rounds", "maxDepth"]);
  const warnings: string[] = [];
  const options = { trials: 6, folds: 2, groups: BOTH_FOLDS_HAVE_ALL, threads: 1 } as const;
  const log = await openTrialLog(exclusive(), space, options);
  const found = await tune(exclusive(), space, {
    ...options,
    metric: "accuracy",
    onTrial: log.add,
    onWarning: (text) => warnings.push(text),
  });
  const byDepth = Object.groupBy(found.trials, ({ params }) => String(params.maxDepth));
  assertEquals(byDepth[2]!.map(({ value }) => value), byDepth[2]!.map(() => 1));
  assertEquals(found.trials.slice(byDepth[2]!.length), byDepth[1]!);
  for (const { value, failed, mean } of byDepth[1]!) {
    assertEquals([value, mean], [NaN, {}]);
    assert(failed?.includes("no better than chance"));
  }
  assertEquals(warnings.length, byDepth[1]!.length);
  assert(warnings[0].startsWith("Trial "), warnings[0]);
  assertEquals(trialTable(found).split("\n").length, 7);
  const { trials: resume } = await openTrialLog(exclusive(), space, options, log.text);
  const again = await tune(exclusive(), space, { ...options, metric: "accuracy", resume });
  assertEquals(again, found);
});

Deno.test("tune() tries no setting twice, and ends where all are tried", async () => {
  const data = table(40);
  const space = searchSpace("cart", { maxDepth: { choices: [1, 2, 3] } }, ["maxDepth"]);
  const options = { trials: 20, folds: 2, threads: 1 } as const;
  const run = async (more: TuneOptions = {}) => {
    const warnings: string[] = [];
    const ran: number[] = [];
    const found = await tune(data, space, {
      ...options,
      onWarning: (text) => warnings.push(text),
      onTrial: ({ trial }) => void ran.push(trial),
      ...more,
    });
    return { found, warnings, ran, depths: found.trials.map(({ params }) => params.maxDepth) };
  };
  for (const method of ["random", "halving"] as const) {
    const { found, warnings, depths } = await run({ method });
    const whole = found.trials.filter(({ share }) => share === 1);
    assertEquals(whole.length, method === "random" ? 3 : 1);
    assertEquals([...new Set(depths)].toSorted(), [1, 2, 3]);
    assertEquals(warnings, ["Trials end after 3 of 20: there are no more settings to draw"]);
  }
  // The first two of a longer search are the trials of a search for two.
  const { found, warnings } = await run({ trials: 2 });
  assertEquals([warnings, found.trials.length], [[], 2]);
  const rest = await run({ resume: found.trials });
  assertEquals([rest.ran, rest.depths.toSorted()], [[3], [1, 2, 3]]);
});

Deno.test("a kept log gives back values without end and values that are not defined", async () => {
  const options = { trials: 3, folds: 2 } as const;
  const log = await openTrialLog(table(20), SPACE, options);
  const trials = [Infinity, -Infinity, NaN].map((value, i): Trial => ({
    trial: i + 1,
    params: { maxDepth: 2 },
    share: 1,
    value,
    mean: { logLoss: value },
    deviation: { logLoss: value },
  }));
  for (const trial of trials) log.add(trial);
  assertEquals((await openTrialLog(table(20), SPACE, options, log.text)).trials, trials);
  const broken = log.text.replaceAll('"-Infinity"', '"low"');
  const open = () => openTrialLog(table(20), SPACE, options, broken);
  assertEquals((await assertRejects(open, DataError)).details.line, 3);
});

Deno.test("tune() rejects with the first error where no trial can be trained", async () => {
  const space = searchSpace("adaboost", {
    maxDepth: 1,
    rounds: { from: 1, to: 5, scale: "linear" },
  });
  for (const method of ["random", "halving"] as const) {
    const options = { trials: 3, folds: 2, groups: BOTH_FOLDS_HAVE_ALL, threads: 1, method };
    await assertRejects(() => tune(exclusive(), space, options), TrainingError, "than chance");
  }
});

Deno.test("tune() refuses impossible counts", async () => {
  const error = await assertRejects(() => tune(table(20), SPACE, { trials: 0 }), ParameterError);
  assertEquals(error.code, "E_PARAM_RANGE");
});

Deno.test("tune() refuses a space with nothing to draw for the target of the data", async () => {
  const space = searchSpace("cart", {}, ["criterion"]); // its declared range is for classes
  await assertRejects(() => tune(table(30), space), ParameterError, "no parameter is left");
});
