// deno-lint-ignore-file camelcase -- names of scikit-learn in reference files
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainAdaBoost } from "../../src/algorithms/adaboost.ts";
import { selectRows } from "../../src/data/dataset.ts";
import type { Dataset } from "../../src/data/types.ts";
import { asFloat32, completeRows, readReference, readTable, sklearnData } from "../support/classic_data.ts";
import { r2Loss } from "../../src/parallel/boosted_rows.ts";
import { hasShared } from "../support/shared.ts";

const ignore = !hasShared("reference/adaboost/samme.json");
// deno-lint-ignore no-console
if (ignore) console.log("skipped: ../shared/reference is absent");

const TARGETS: { readonly [name: string]: string } = {
  iris: "species",
  wine: "cultivar",
  breast_cancer: "diagnosis",
  credit_g: "class",
};

/** scikit-learn had the classes of two in the order "not x", "x". */
function dataOf(dataset: string, classes: readonly string[]): Dataset {
  const data = asFloat32(completeRows(readTable(`${dataset}.csv`, { target: TARGETS[dataset] })));
  const { target } = data;
  if (target?.kind !== "classification" || classes.length > 2) return data;
  const positive = target.classes.indexOf(classes[1]);
  const codes = target.codes.map((code) => code === positive ? 1 : 0);
  return { ...data, target: { ...target, codes, classes } };
}

Deno.test({
  name: "trainAdaBoost() equals scikit-learn's SAMME and SAMME.R",
  ignore,
  async fn() {
    for (const run of readReference("adaboost/samme.json").runs) {
      const data = dataOf(run.dataset, run.classes);
      const model = await trainAdaBoost(data, {
        variant: run.algorithm === "SAMME" ? "samme" : "samme.r",
        rounds: run.n_estimators,
        learningRate: run.learning_rate,
        maxDepth: Number(/max_depth=(\d+)/.exec(run.base)![1]),
      });
      const where = `${run.dataset} ${run.algorithm} ${run.learning_rate}`;
      const rounds = model.info.rounds as unknown as { error: number; weight: number }[];
      assertEquals(rounds.length, run.fitted, where);
      // SAMME.R multiplies weights by powers of shares clipped at 2e-16: rounding is amplified where
      // leaves are nearly pure, as on wine (1.5e-6 after 15 rounds).
      const bound = run.algorithm === "SAMME" || run.dataset !== "wine" ? 1e-12 : 1e-5;
      rounds.forEach(({ error, weight }, i) => {
        assertAlmostEquals(error, run.estimator_errors[i], bound, `${where} round ${i + 1}`);
        assertAlmostEquals(weight, run.estimator_weights[i], 1e-12, `${where} round ${i + 1}`);
      });
      const { target } = data;
      assert(target?.kind === "classification");
      for (let r = 1; r <= run.fitted; r++) {
        const predicted = model.predictClass(data, { rounds: r });
        const right = predicted.filter((c, row) => c === target.classes[target.codes[row]]).length;
        assertAlmostEquals(right / data.numRows, run.staged_train_accuracy[r - 1], 1e-12);
      }
      const proba = model.predictProba(data).data;
      run.predict_proba_first_20_rows.forEach((row: number[], i: number) =>
        row.forEach((p, k) => assertAlmostEquals(proba[i * row.length + k], p, Math.max(bound, 1e-9), where))
      );
    }
  },
});

Deno.test({
  name: "trainAdaBoost() equals scikit-learn's R2 fitted by weights, in all rounds",
  ignore: !hasShared("datasets/diabetes.csv"),
  async fn() {
    const golden = JSON.parse(
      await Deno.readTextFile(new URL("adaboost/r2.json", import.meta.url)),
    );
    const data = sklearnData("diabetes", true);
    for (const run of golden.runs) {
      const model = await trainAdaBoost(data, {
        variant: "r2",
        resample: false,
        rounds: 12,
        loss: run.loss,
        learningRate: run.learning_rate,
        maxDepth: run.max_depth,
      });
      const rounds = model.info.rounds as unknown as { error: number; weight: number }[];
      assertEquals(rounds.length, run.fitted);
      rounds.forEach(({ error, weight }, i) => {
        assertAlmostEquals(error, run.errors[i], 1e-12, `${run.loss} round ${i + 1}`);
        assertAlmostEquals(weight, run.weights[i], 1e-12, `${run.loss} round ${i + 1}`);
      });
      const rows = Int32Array.from({ length: 10 }, (_, row) => row);
      for (let r = 1; r <= run.fitted; r++) {
        const medians = model.predictValue(selectRows(data, rows), { rounds: r });
        run.staged_first_10_rows[r - 1].forEach((value: number, row: number) =>
          assertAlmostEquals(medians[row], value, 1e-10, `${run.loss} round ${r}`)
        );
      }
    }
  },
});

// goldens/formulas.txt: y 1, 2, 3, 10 and predictions 1, 2.5, 3, 7.
Deno.test("r2Loss() gives Drucker's three losses", () => {
  const errors = [0, 0.5, 0, 3].map((e) => e / 3);
  const mean = (loss: "linear" | "square" | "exponential") =>
    errors.reduce((sum, e) => sum + r2Loss(e, loss) / 4, 0);
  assertAlmostEquals(mean("linear"), 0.2916666666666667, 1e-15);
  assertAlmostEquals(mean("square"), 0.2569444444444444, 1e-15);
  assertAlmostEquals(mean("exponential"), 0.19640970848448588, 1e-15);
});
