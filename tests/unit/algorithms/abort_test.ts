import { assert, assertEquals, assertRejects } from "@std/assert";
import { train, type TrainSpec } from "../../../src/algorithms/train.ts";
import { continueBoost } from "../../../src/algorithms/update/continue.ts";
import type { CategoricalColumn, Dataset } from "../../../src/data/types.ts";
import type { TrainOptions } from "../../../src/ensemble/types.ts";
import { TrainingError } from "../../../src/errors.ts";
import { crossValidate } from "../../../src/evaluate/cross_validate.ts";
import { Model } from "../../../src/model/model.ts";
import { searchSpace } from "../../../src/tune/space.ts";
import { type Trial, tune, type TuneResult } from "../../../src/tune/tune.ts";
import { createRng } from "../../../src/util/rng.ts";

function makeData(numRows: number): Dataset {
  const rng = createRng(3);
  const a = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const b = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  return {
    numRows,
    features: [
      { kind: "numeric", name: "a", values: a },
      { kind: "numeric", name: "b", values: b },
    ],
    target: {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(a, (x, row) => x * b[row] + rng.nextFloat() / 3 > 0.4 ? 1 : 0),
      classes: ["n", "y"],
    },
  };
}

const data = makeData(300);

/** The error of a run that is stopped after a round, and the model it hands over. */
async function stopped(spec: TrainSpec, round: number, rows = data, options: TrainOptions = {}) {
  const stop = new AbortController();
  const error = await assertRejects(() =>
    train(rows, spec, {
      ...options,
      signal: stop.signal,
      onRound: (report) => report.round === round && stop.abort("enough"),
    }), TrainingError);
  assertEquals([error.code, error.cause], ["E_TRAIN_ABORTED", "enough"]);
  const { model } = error.details;
  assert(model instanceof Model, "no model is handed over");
  return { error, model };
}

const trees = (model: Model) => {
  const { ensemble: { trees, treeWeight, treeOutput, baseScore, aggregate } } = model;
  return { trees, treeWeight, treeOutput, baseScore, aggregate };
};

/** What stops after 4 rounds is the run of 4 rounds. */
const RUNS: { readonly [name: string]: readonly [TrainSpec, string] } = {
  boost: [{ rounds: 30, subsample: 0.7 }, "rounds"],
  "a committee": [{ committee: 3, rounds: 30, subsample: 0.7 }, "rounds"],
  "boost, exact": [{ treeMethod: "exact", rounds: 30 }, "rounds"],
  "boost, lightgbm": [{ preset: "lightgbm@4", rounds: 30 }, "rounds"],
  gbdt: [{ algorithm: "gbdt", rounds: 30, subsample: 0.7 }, "rounds"],
  logitboost: [{ algorithm: "logitboost", rounds: 30 }, "rounds"],
  adaboost: [{ algorithm: "adaboost", rounds: 30, maxDepth: 2 }, "rounds"],
  bagging: [{ algorithm: "bagging", trees: 30 }, "trees"],
  "random-forest": [{ algorithm: "random-forest", trees: 30 }, "trees"],
  "extra-trees": [{ algorithm: "extra-trees", trees: 30 }, "trees"],
};

for (const [name, [spec, count]] of Object.entries(RUNS)) {
  Deno.test(`${name} stopped by its signal hands over the run so far`, async () => {
    // One thread: a forest's other threads may be further when the signal is heard.
    const { error, model } = await stopped(spec, 4, data, { threads: 1 });
    assertEquals(error.details[count], 4);
    const short = await train(data, { ...spec, [count]: 4 }, { threads: 1 });
    // A round more would change the weights that adaboost's last round does not use.
    assertEquals(trees(model), trees(short));
    assert(error.message.includes(`after 4 of 30 ${count}`), error.message);
  });
}

Deno.test("a forest on several threads hands over its first trees without a gap", async () => {
  const rows = makeData(4000);
  const spec = { algorithm: "random-forest", trees: 40, importance: "permutation" };
  const { error, model } = await stopped(spec, 5, rows, { threads: 3 });
  // Others may have waited for one of these.
  const count = error.details.trees as number;
  assert(count >= 5 && count <= 40, `${count} trees`);
  const short = await train(rows, { ...spec, trees: count }, { threads: 1 });
  assertEquals(trees(model), trees(short));
  assertEquals(model.info.oob, short.info.oob);
  assertEquals(model.info.importance, short.info.importance);
});

Deno.test("a forest stopped while its importance is corrected hands over all its trees", async () => {
  const spec = { algorithm: "random-forest", trees: 12, importance: "corrected" };
  const { model } = await stopped(spec, 12, data, { threads: 1 });
  const whole = await train(data, spec, { threads: 1 });
  assertEquals(trees(model), trees(whole));
  const { impurity } = whole.info.importance as { impurity: unknown };
  assertEquals(model.info.importance, JSON.parse(JSON.stringify({ impurity })));
});

Deno.test("what is stopped before its first round has no model", async () => {
  for (const algorithm of ["random-forest", "adaboost", "cart", "c45"]) {
    const error = await assertRejects(
      () => train(data, { algorithm }, { signal: AbortSignal.abort("no") }),
      TrainingError,
    );
    assertEquals([error.code, error.cause, error.details.model], [
      "E_TRAIN_ABORTED",
      "no",
      undefined,
    ]);
  }
});

Deno.test("a signal is heard while a loop runs, not only between calls", async () => {
  for (const algorithm of ["boost", "gbdt", "logitboost", "adaboost", "random-forest"]) {
    const count = algorithm === "random-forest" ? "trees" : "rounds";
    const spec = { algorithm, [count]: 100_000, maxDepth: 1 };
    const stop = new AbortController();
    const options: TrainOptions = {
      threads: 1,
      signal: stop.signal,
      // A timer fires only where the loop gives way.
      onRound: ({ round }) => round === 3 && setTimeout(() => stop.abort()),
    };
    const error = await assertRejects(() => train(data, spec, options), TrainingError);
    assertEquals(error.code, "E_TRAIN_ABORTED", algorithm);
    assert(error.details.model instanceof Model, algorithm);
  }
});

/** A signal that is aborted from the look after `looks` on. */
function abortedAfter(looks: number): { readonly signal: AbortSignal; looked(): number } {
  let looked = 0;
  const signal = {
    get aborted() {
      return ++looked > looks;
    },
    reason: "enough",
  } as AbortSignal;
  return { signal, looked: () => looked };
}

Deno.test("a single tree can be stopped between two of its nodes", async () => {
  const levels = makeData(300).features.map((column): CategoricalColumn => ({
    kind: "categorical",
    name: column.name,
    codes: Int32Array.from(
      column.kind === "numeric" ? column.values : [],
      (v) => Math.floor(6 * v),
    ),
    categories: [..."abcdef"],
  }));
  const runs: readonly (readonly [TrainSpec, Dataset])[] = [
    [{ algorithm: "cart", criterion: "entropy" }, data],
    [{ algorithm: "cart", criterion: "entropy", pruning: "cv", folds: 3 }, data],
    [{ algorithm: "c45" }, data],
    [{ algorithm: "id3" }, { ...data, features: levels }],
  ];
  for (const [spec, rows] of runs) {
    const whole = abortedAfter(Infinity);
    await train(rows, spec, { signal: whole.signal });
    assert(whole.looked() > 8, `${spec.algorithm}: ${whole.looked()} looks`);
    const { signal, looked } = abortedAfter(whole.looked() - 2);
    const error = await assertRejects(() => train(rows, spec, { signal }), TrainingError);
    assertEquals([error.code, error.cause], ["E_TRAIN_ABORTED", "enough"]);
    assertEquals(looked(), whole.looked() - 1);
  }
});

Deno.test("continueBoost() stopped hands over the model with the rounds so far", async () => {
  const first = await train(data, { rounds: 5, subsample: 0.7 });
  const stop = new AbortController();
  const error = await assertRejects(() =>
    continueBoost(first, data, { rounds: 20 }, {
      signal: stop.signal,
      onRound: ({ round }) => round === 3 && stop.abort(),
    }), TrainingError);
  const { model } = error.details;
  assert(model instanceof Model);
  assertEquals(trees(model), trees(await continueBoost(first, data, { rounds: 3 })));
});

Deno.test("crossValidate() stopped hands over the folds that are done", async () => {
  const stop = new AbortController();
  const error = await assertRejects(() =>
    crossValidate(data, { rounds: 5 }, {
      folds: 4,
      signal: stop.signal,
      onFold: ({ fold }) => fold === 2 && stop.abort("enough"),
    }), TrainingError);
  assertEquals([error.code, error.cause], ["E_TRAIN_ABORTED", "enough"]);
  const whole = await crossValidate(data, { rounds: 5 }, { folds: 4 });
  assertEquals(error.details.folds, whole.folds.slice(0, 2));
});

Deno.test("tune() stopped hands over the trials that are done, and they can be resumed", async () => {
  const space = searchSpace("boost", { rounds: { from: 2, to: 6, scale: "linear" } }, ["rounds"]);
  const options = { trials: 4, folds: 2, threads: 1 };
  const stop = new AbortController();
  const error = await assertRejects(() =>
    tune(data, space, {
      ...options,
      signal: stop.signal,
      onTrial: ({ trial }) => trial === 2 && stop.abort(),
    }), TrainingError);
  assertEquals([error.code, error.details.trials], ["E_TRAIN_ABORTED", 2]);
  const { trials } = error.details.result as TuneResult;
  assertEquals(trials.map(({ trial }) => trial).sort(), [1, 2]);
  const ran: number[] = [];
  const resumed = await tune(data, space, {
    ...options,
    resume: trials,
    onTrial: ({ trial }: Trial) => ran.push(trial),
  });
  assertEquals(ran, [3, 4]);
  assertEquals(resumed, await tune(data, space, options));
  const none = await assertRejects(
    () => tune(data, space, { ...options, signal: AbortSignal.abort() }),
    TrainingError,
  );
  assertEquals([none.details.trials, none.details.result], [0, undefined]);
});
