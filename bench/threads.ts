// deno-lint-ignore-file no-console
/**
 * What a second thread saves in the trainers that share the search for splits, in explanations and
 * in folds: one and two threads in turn in one process, least seconds of each.
 *
 *     deno run -A --no-check bench/threads.ts [--rows=30000] [--repeats=3]
 *
 * @module
 */
import { train } from "../src/algorithms/train.ts";
import type { Dataset } from "../src/data/types.ts";
import { crossValidate } from "../src/evaluate/cross_validate.ts";
import { modelImportance } from "../src/evaluate/model_importance.ts";
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
const few = table(3, Math.ceil(numRows / 15));
const boosted = await train(few, { rounds: 50, committee: 1 });

const WORK: { readonly [name: string]: (threads: number) => Promise<unknown> } = {
  "gbdt, 20 rounds": (threads) => train(numbers, { algorithm: "gbdt", rounds: 20 }, { threads }),
  "logitboost, 6 rounds": (threads) =>
    train(classes, { algorithm: "logitboost", rounds: 6 }, { threads }),
  "adaboost, 20 rounds": (threads) =>
    train(classes, { algorithm: "adaboost", rounds: 20 }, { threads }),
  "cart, numbers": (threads) => train(numbers, { algorithm: "cart" }, { threads }),
  "c45, 3 classes": (threads) => train(classes, { algorithm: "c45" }, { threads }),
  "5 folds of gbdt": (threads) =>
    crossValidate(few, { algorithm: "gbdt", rounds: 20 }, { folds: 5, threads }),
  "SHAP": async (threads) => {
    using pool = createShapPool(boosted, { threads });
    await pool.explain(few);
  },
  "permutation importance": (threads) => modelImportance(boosted, few, { repeats: 10, threads }),
};

for (const [name, work] of Object.entries(WORK)) {
  const least = [Infinity, Infinity];
  for (let i = 0; i < repeats; i++) {
    for (const threads of [1, 2]) {
      const began = performance.now();
      await work(threads);
      least[threads - 1] = Math.min(least[threads - 1]!, (performance.now() - began) / 1000);
    }
  }
  const [one, two] = least as [number, number];
  console.log(`${name}: ${one.toFixed(2)} s, ${two.toFixed(2)} s, ${(one / two).toFixed(2)}x`);
}
