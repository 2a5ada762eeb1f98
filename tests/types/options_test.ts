/**
 * Misspelt parameters and options do not pass the type check. The type checker judges: an error that
 * is expected and does not come is one. Running proves that what passes is known at run time, too.
 *
 * @module
 */
import { assertEquals, assertRejects } from "@std/assert";
import {
  boostSample,
  continueBoost,
  crossValidate,
  type Dataset,
  evaluateOnThreads,
  type Model,
  ParameterError,
  searchSpace,
  train,
  trainBoost,
  trainCalibrated,
  trainCart,
  trainRandomForest,
  type TrainSpec,
  tune,
} from "../../mod.ts";

const values = new Float64Array([1, 2, 3, 4]);
const DATA: Dataset = {
  numRows: 4,
  features: [{ kind: "numeric", name: "x", values }],
  target: { kind: "regression", name: "y", values },
};
const CLASSES: Dataset = {
  ...DATA,
  target: {
    kind: "classification",
    name: "y",
    codes: Int32Array.of(0, 1, 0, 1),
    classes: ["n", "y"],
  },
};

/** Calls that must not pass the type check; each ends with an error that names what is meant. */
const WRONG: readonly (readonly [near: string, call: (model: Model) => unknown])[] = [
  // @ts-expect-error -- rounds
  ["rounds", () => train(DATA, { roundz: 3 })],
  // @ts-expect-error -- minRowsPerLeaf
  ["minRowsPerLeaf", () => train(DATA, { algorithm: "cart", minRowsPerLeave: 2 })],
  // @ts-expect-error -- onRound
  ["onRound", () => train(DATA, {}, { onround: () => {} })],
  // @ts-expect-error -- maxDepth
  ["maxDepth", () => trainBoost(DATA, { maxDept: 3 })],
  // @ts-expect-error -- max_depth
  ["maxDepth", () => trainBoost(DATA, { max_dept: 3 })],
  // @ts-expect-error -- a parameter of ensembles
  ["it belongs to", () => trainCart(DATA, { rounds: 3 })],
  // @ts-expect-error -- trees
  ["trees", () => trainRandomForest(DATA, { treez: 3 })],
  // @ts-expect-error -- leaf
  ["leaf", () => trainBoost(DATA, { growth: "leav" })],
  // @ts-expect-error -- rounds
  ["rounds", (model) => continueBoost(model, DATA, { roundz: 3 })],
  // @ts-expect-error -- rounds
  ["rounds", () => trainCalibrated(CLASSES, { roundz: 3 }, "isotonic")],
  // @ts-expect-error -- maxBins
  ["maxBins", () => boostSample({ maxBinz: 3 })],
  // @ts-expect-error -- rounds
  ["rounds", () => crossValidate(DATA, { roundz: 3 }, { folds: 2 })],
  // @ts-expect-error -- folds
  ["folds", () => crossValidate(DATA, {}, { fold: 2 })],
  // @ts-expect-error -- rounds
  ["rounds", () => searchSpace("boost", { roundz: 3 })],
  // @ts-expect-error -- trials
  ["trials", () => tune(DATA, searchSpace("boost"), { trial: 3 })],
  // @ts-expect-error -- metrics
  ["metrics", (model) => evaluateOnThreads(model, DATA, { metric: ["rmse"] })],
  // @ts-expect-error -- rounds
  ["rounds", (model) => model.predictValue(DATA, { round: 1 })],
];

Deno.test("misspelt parameters and options are refused by the type checker, and by name", async () => {
  const model = await trainBoost(DATA, { rounds: 1 });
  for (const [near, call] of WRONG) {
    await assertRejects(async () => await call(model), ParameterError, near);
  }
});

Deno.test("parameters under other names, of another call and without a type of their own pass", async () => {
  const given: TrainSpec = { eta: 0.5, "num_boost_round": 2, "max_depth": 3 };
  const model = await train(DATA, { ...given, seed: 1 });
  assertEquals(model.info.params?.learningRate, 0.5);
  assertEquals((await train(DATA, model.info.params)).numTrees, 2);
  const read: { readonly [name: string]: unknown } = { rounds: 1 };
  assertEquals((await train(DATA, read)).numTrees, 1);
  for (const algorithm of ["cart", "tree"]) {
    assertEquals((await train(DATA, { algorithm, minRowsSplit: 2 })).numTrees, 1);
  }
  const found = await tune(DATA, searchSpace("boost", { rounds: 2, eta: { choices: [0.5] } }, []), {
    trials: 1,
    folds: 2,
  });
  assertEquals((await train(DATA, found.best.params)).numTrees, 2);
});
