// deno-lint-ignore-file camelcase -- names of scikit-learn in reference files
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainAdaBoost } from "../../src/algorithms/classic/adaboost.ts";
import { selectRows } from "../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../src/data/types.ts";
import { asFloat32, completeRows, readReference, readTable, sklearnData } from "../support/reference/classic_data.ts";
import { r2Loss } from "../../src/parallel/rows/adaboost.ts";
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

Deno.test("trainAdaBoost() equals scikit-learn on rows that are summed in blocks, on any threads", async () => {
  const { runs } = JSON.parse(
    await Deno.readTextFile(new URL("adaboost/many_rows.json", import.meta.url)),
  );
  const numRows = 5000;
  const times = (by: number, modulus: number) =>
    Float64Array.from({ length: numRows }, (_, row) => row * by % modulus);
  const columns = [1213, 2741, 4441, 6007, 8123].map((by) => times(by, 9973));
  const [a, b, c, d] = columns;
  const noise = times(7919, 3001);
  const score = noise.map((own, row) =>
    own + 2 * a[row] + Math.abs(b[row] - 5000) + Math.floor(c[row] * d[row] / 9973)
  );
  const codes = Int32Array.from(score, (s) => Number(s >= 12000) + Number(s >= 18000));
  const rows = {
    numRows,
    features: columns.map((values, f) => ({ kind: "numeric", name: `x${f}`, values } as const)),
    sampleWeight: Float64Array.from({ length: numRows }, (_, row) => 1 + row % 3),
  };
  const targets = {
    samme: { kind: "classification", name: "y", codes, classes: ["0", "1", "2"] },
    r2: { kind: "regression", name: "y", values: score },
  } as const;
  for (const { variant, rate, depth, loss, errors, weights, first } of runs) {
    const data: Dataset = { ...rows, target: targets[variant as "samme" | "r2"] };
    for (const threads of [1, 3]) {
      const model = await trainAdaBoost(data, {
        variant,
        rounds: 8,
        learningRate: rate,
        maxDepth: depth,
        ...(variant === "r2" && { loss, resample: false }),
      }, { threads });
      const told = model.info.rounds as unknown as { error: number; weight: number }[];
      assertEquals(told.length, errors.length);
      // Eight rounds of sums of 5000 weights in another order.
      told.forEach(({ error, weight }, i) => {
        assertAlmostEquals(error, errors[i], 1e-11, `${variant} ${threads} round ${i + 1}`);
        assertAlmostEquals(weight, weights[i], 1e-11, `${variant} ${threads} round ${i + 1}`);
      });
      const few = selectRows(data, Int32Array.from({ length: 20 }, (_, row) => row));
      const predicted = variant === "r2"
        ? [...model.predictValue(few)]
        : model.predictClass(few).map(Number);
      predicted.forEach((own, row) => assertAlmostEquals(own, first[row], 1e-8));
    }
  }
});
