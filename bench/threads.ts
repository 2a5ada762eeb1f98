// deno-lint-ignore-file no-console
/**
 * What a second thread saves in the trainers that share the search for splits, in explanations and
 * in folds: one thread, two, and as many as are chosen where none are asked for, in turn in one
 * process, least seconds of each.
 *
 *     deno run -A --no-check bench/threads.ts [--rows=30000] [--repeats=3] [--only=WORD]
 *
 * @module
 */
import { refitBoostOnThreads } from "../src/algorithms/update/refit.ts";
import { train } from "../src/algorithms/train.ts";
import type { Dataset } from "../src/data/types.ts";
import { crossValidate } from "../src/evaluate/cross_validate.ts";
import { modelImportance } from "../src/evaluate/model_importance.ts";
import type { Model } from "../src/model/model.ts";
import { createShapPool } from "../src/explain/shap_pool.ts";
import { createRng } from "../src/util/rng.ts";

const option = (name: string, fallback: number): number => {
  const found = Deno.args.find((arg) => arg.startsWith(`--${name}=`));
  return found === undefined ? fallback : Number(found.slice(name.length + 3));
};
const numRows = option("rows", 30_000);
const repeats = option("repeats", 3);

/** Twenty numbers, three of which tell of the target; 0 classes: a number to predict. */
function table(numClasses: number, rows = numRows): Dataset {
  const rng = createRng(5);
  const columns = Array.from(
    { length: 20 },
    () => Float64Array.from({ length: rows }, () => rng.nextFloat()),
  );
  const [a, b, c] = columns;
  const y = a!.map((value, row) => value + b![row]! * c![row]! + 0.5 * rng.nextFloat());
  return {
    numRows: rows,
    features: columns.map((values, f) => ({ kind: "numeric", name: `x${f}`, values })),
    target: numClasses === 0 ? { kind: "regression", name: "y", values: y } : {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(y, (v) => Math.floor(v * numClasses / 2.5)),
      classes: Array.from({ length: numClasses }, (_, k) => `${k}`),
    },
  };
}

const numbers = table(0);
const classes = table(3);
let manyRows: Dataset | undefined;
const many = () => manyRows ??= table(2, 10 * numRows);
const few = table(3, Math.ceil(numRows / 15));
/** Relevance from 0 to 4 in queries of 100 rows. */
const ranking: Dataset = {
  ...numbers,
  target: {
    kind: "regression",
    name: "y",
    values: (numbers.target as { readonly values: Float64Array }).values.map((v) =>
      Math.floor(2 * v)
    ),
  },
  group: Int32Array.from({ length: numRows }, (_, row) => Math.floor(row / 100)),
};
/** A model of two classes, whose leaves are fitted to many rows. */
let refitted: Promise<Model> | undefined;
const older = () => refitted ??= train(many(), { rounds: 60, committee: 1 });
const boosted = await train(few, { rounds: 50, committee: 1 });

const EXACT = { treeMethod: "exact", committee: 1 } as const;

const WORK: { readonly [name: string]: (run: { readonly threads?: number }) => Promise<unknown> } =
  {
    "gbdt, 20 rounds": (run) => train(numbers, { algorithm: "gbdt", rounds: 20 }, run),
    "refit of 60 trees, ten times the rows": async (run) =>
      refitBoostOnThreads(await older(), many(), run),
    "logitboost, 6 rounds": (run) => train(classes, { algorithm: "logitboost", rounds: 6 }, run),
    "adaboost, 20 rounds": (run) => train(classes, { algorithm: "adaboost", rounds: 20 }, run),
    "exact, 10 rounds": (run) => train(numbers, { ...EXACT, rounds: 10 }, run),
    "exact, 2,000 rows, 10 rounds": (run) => train(few, { ...EXACT, rounds: 10 }, run),
    "lightgbm, 30 rounds": (run) => train(numbers, { preset: "lightgbm@4", rounds: 30 }, run),
    "lightgbm, 2,000 rows, 10 rounds": (run) =>
      train(few, { preset: "lightgbm@4", rounds: 10 }, run),
    "gbdt, 2,000 rows, 10 rounds": (run) => train(few, { algorithm: "gbdt", rounds: 10 }, run),
    "adaboost, 2,000 rows, 10 rounds": (run) =>
      train(few, { algorithm: "adaboost", rounds: 10 }, run),
    "boost, 2,000 rows, 20 rounds": (run) => train(few, { rounds: 20, committee: 1 }, run),
    "boost, 30 rounds": (run) => train(numbers, { rounds: 30, committee: 1 }, run),
    "lambdaNdcg, 30 rounds": (run) =>
      train(ranking, { loss: "lambdaNdcg", rounds: 30, committee: 1 }, run),
    "forest, 2,000 rows, 10 trees": (run) =>
      train(few, { algorithm: "random-forest", trees: 10 }, run),
    "cart, numbers": (run) => train(numbers, { algorithm: "cart" }, run),
    "cart, 2 classes, ten times the rows": (run) => train(many(), { algorithm: "cart" }, run),
    "cart, 2 classes, pruned by alpha, ten times the rows": (run) =>
      train(many(), { algorithm: "cart", ccpAlpha: 1e-4 }, run),
    "cart, 2 classes, pruned by 10 folds, ten times the rows": (run) =>
      train(many(), { algorithm: "cart", ccpAlpha: "cv" }, run),
    "c45, 3 classes": (run) => train(classes, { algorithm: "c45" }, run),
    "5 folds of gbdt": (run) =>
      crossValidate(few, { algorithm: "gbdt", rounds: 20 }, { folds: 5, ...run }),
    "SHAP": async (run) => {
      using pool = createShapPool(boosted, run);
      await pool.explain(few);
    },
    "permutation importance": (run) => modelImportance(boosted, few, { repeats: 10, ...run }),
  };

const only = Deno.args.find((arg) => arg.startsWith("--only="))?.slice(7) ?? "";
for (const [name, work] of Object.entries(WORK)) {
  if (!name.includes(only)) continue;
  const least = [Infinity, Infinity, Infinity];
  for (let i = 0; i < repeats; i++) {
    for (const [k, threads] of [1, 2, undefined].entries()) {
      const began = performance.now();
      await work(threads === undefined ? {} : { threads });
      least[k] = Math.min(least[k]!, (performance.now() - began) / 1000);
    }
  }
  const [one, two, chosen] = least as [number, number, number];
  const times = least.map((seconds) => `${seconds.toFixed(2)} s`).join(", ");
  console.log(`${name}: ${times}, ${(one / two).toFixed(2)}x, ${(one / chosen).toFixed(2)}x`);
}
