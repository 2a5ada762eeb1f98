/**
 * Trees trained here with preset `lightgbm@4` against the trees that LightGBM 4.6.0 stored for the
 * same rows: structure, thresholds, sets of categories, leaves within 1e-5 and the histories of the
 * metrics within 1e-5.
 *
 * @module
 */
// deno-lint-ignore-file camelcase
import { assert, assertEquals } from "@std/assert";
import { trainBoost } from "../../src/algorithms/boost/boost.ts";
import { labelsOf } from "../../src/data/dataset/target.ts";
import type { Dataset } from "../../src/data/types.ts";
import { type QueryDraws, xendcgLoss } from "../../src/loss/xendcg.ts";
import { compareTree } from "../support/reference/compare_lightgbm.ts";
import { readLightgbmText } from "../support/reference/lightgbm_text.ts";
import { readCase, readMeta } from "../support/reference/training_data.ts";
import { hasShared, sharedPath } from "../support/shared.ts";

type Params = { readonly [name: string]: unknown };

/** A case: what our parameters are called where the library's own name does not do. */
interface Case {
  readonly params?: Params;
  readonly paramsOf?: (train: Dataset) => Params;
  /** Parameters of the library that `params` or `prepare` stand for. */
  readonly without?: readonly string[];
  readonly prepare?: (data: Dataset) => Dataset;
}

const map = (data: Dataset, change: (value: number) => number): Dataset => ({
  ...data,
  features: data.features.map((column) =>
    column.kind === "numeric" ? { ...column, values: column.values.map(change) } : column
  ),
});

/** The data with another number for each label; classes count as 0 and 1. */
const withLabels = (data: Dataset, change: (label: number) => number): Dataset => {
  const { values } = labelsOf(data);
  return { ...data, target: { kind: "regression", name: "y", values: values.map(change) } };
};

/** The data with a class for each label. */
const withClasses = (data: Dataset, classOf: (label: number) => number): Dataset => ({
  ...data,
  target: {
    kind: "classification",
    name: "y",
    classes: ["0", "1"],
    codes: Int32Array.from(labelsOf(data).values, classOf),
  },
});

const softened = (data: Dataset) => withLabels(data, (y) => 0.05 + 0.9 * y);

const mean = (data: Dataset) => {
  const { values } = labelsOf(data);
  return values.reduce((sum, value) => sum + Math.fround(value), 0) / values.length;
};

const CASES: { readonly [name: string]: Case } = {
  binary_breast_cancer: {},
  binary_categorical_adult: {},
  binary_edge_inputs: {},
  // The rarer class weighs as much as the other.
  binary_sigmoid2_unbalance: {
    without: ["is_unbalance"],
    paramsOf: ({ numRows, target }) => {
      assert(target?.kind === "classification");
      const positives = target.codes.filter((code) => code === 1).length;
      return { positiveWeight: (numRows - positives) / positives };
    },
  },
  categorical_multiclass_nursery: {},
  categorical_onehot_titanic: {},
  // The files' starts say that the labels were 0.05 and 0.95.
  cross_entropy: { prepare: softened },
  // Without weights its derivatives are those of cross entropy; only the start and the link differ.
  cross_entropy_lambda: {
    without: ["objective"],
    prepare: softened,
    paramsOf: (data) => {
      const odds = Math.expm1(mean(softened(data)));
      return { loss: "crossEntropy", baseScore: odds / (1 + odds) };
    },
  },
  deep_unbalanced_bank: {},
  early_stopping_credit_g: { params: { earlyStoppingRounds: 20 } },
  gamma_abalone: {},
  // LightGBM's twelfth tree breaks the order where `horsepower` is missing
  // (lightgbm_monotone_test.ts): without the last parameter the model is refused.
  monotone_advanced_auto_mpg: {
    without: ["monotone_constraints"],
    paramsOf: ({ features }) => ({
      monotoneRules: "lightgbm-unproved",
      monotone: Object.fromEntries(
        features.map(({ name }, f) => [name, [0, -1, -1, -1, 0, 1, 0][f]]),
      ),
    }),
  },
  // The file's start says that 138 of 298 rows are positive: those above the median of all.
  linear_tree_auto_mpg_binary: { prepare: (data) => withClasses(data, (y) => y > 23 ? 1 : 0) },
  linear_tree_california: {},
  multiclass_iris: {},
  multiclass_penguins_nan_cat: {},
  multiclassova_dermatology: {},
  poisson_bike: {},
  regression_california_nan: {},
  regression_fair: {},
  regression_huber: { without: ["alpha"], params: { huberDelta: 30 } },
  regression_l1_auto_mpg: {},
  regression_mape: {},
  regression_no_boost_from_average: { without: ["boost_from_average"], params: { baseScore: 0 } },
  "regression_quantile_0.9": { without: ["alpha"], params: { quantiles: [0.9] } },
  // sqrt(y) in float32 is what the library fits.
  regression_reg_sqrt: {
    without: ["reg_sqrt"],
    prepare: (data) => withLabels(data, Math.sqrt),
  },
  single_leaf_trees: {},
  tweedie_claims: {},
  // Without missing values, the library reads them as 0.
  use_missing_false: {
    without: ["use_missing"],
    prepare: (data) => map(data, (value) => value !== value ? 0 : value),
  },
  // The file does not say it, but its second derivatives do: rows weigh as many months as they last.
  weights_binary: {
    prepare: (data) => {
      const months = data.features.find(({ name }) => name === "duration");
      assert(months?.kind === "numeric");
      return { ...data, sampleWeight: Float64Array.from(months.values) };
    },
  },
  zero_as_missing: {},
};

const SKIP = !hasShared();
// deno-lint-ignore no-console
if (SKIP) console.log("skipped: ../shared is not beside the repository");

const IGNORED = new Set(["num_class", "metric"]);
const METRICS: { readonly [name: string]: string } = { binary_logloss: "logLoss", l2: "mse", auc: "auc" };

for (const [name, given] of Object.entries(CASES)) {
  const { params = {}, paramsOf = () => params, without = [] } = given;
  const prepare = given.prepare ?? ((data: Dataset) => data);
  Deno.test({
    name: `trainBoost() with lightgbm@4 grows the trees of ${name}`,
    ignore: SKIP,
    fn: async () => {
      const path = `lightgbm-4.6.0/${name}`;
      const meta = readMeta(path);
      const text = readLightgbmText(await Deno.readTextFile(sharedPath(`models/${path}/model.txt`)));
      const { train, test } = await readCase(meta, text.featureNames);
      const named = Object.entries(meta.params).filter(([param]) =>
        !IGNORED.has(param) && !without.includes(param)
      );
      const [metric] = Object.keys(meta.eval_history?.valid_0 ?? {});
      const history: number[] = [];
      const model = await trainBoost(prepare(train), {
        preset: "lightgbm@4",
        ...Object.fromEntries(named),
        rounds: meta.rounds,
        ...paramsOf(train),
        metrics: metric === undefined ? [] : [METRICS[metric]],
      }, {
        valid: prepare(test),
        onRound: ({ metrics }) => history.push(...Object.values(metrics.valid)),
      });
      assertEquals(model.numTrees, text.trees.length);
      text.trees.forEach((tree, t) => compareTree(model, t, tree, `${name} tree ${t}`));
      if (metric === undefined) return;
      const wanted = meta.eval_history!.valid_0[metric];
      assert(history.length >= wanted.length);
      wanted.forEach((value, round) => {
        const difference = Math.abs(history[round] - value) / Math.max(1, Math.abs(value));
        assert(difference <= 1e-5, `${name} round ${round + 1}: ${history[round]} for ${value}`);
      });
    },
  });
}

/** The training rows of the ranking cases; what a line does not name is 0. */
function readRanking(): Dataset {
  const read = (name: string) => Deno.readTextFileSync(sharedPath(`datasets/${name}`)).trim().split("\n");
  const lines = read("lambdarank_train");
  const columns = Array.from({ length: 301 }, () => new Float64Array(lines.length));
  const labels = lines.map((line, row) => {
    const [label, ...pairs] = line.trim().split(/\s+/);
    for (const pair of pairs) {
      const [index, value] = pair.split(":").map(Number);
      columns[index][row] = value;
    }
    return Number(label);
  });
  const sizes = read("lambdarank_train.query").map(Number);
  return {
    numRows: lines.length,
    features: columns.map((values, i) => ({ kind: "numeric", name: `Column_${i}`, values })),
    target: { kind: "regression", name: "y", values: Float64Array.from(labels) },
    group: Int32Array.from(sizes.flatMap((size, query) => Array<number>(size).fill(query))),
  };
}

/** LightGBM's generator (`utils/random.h`), one for each query, seeded by the model's own seed. */
function lightgbmDraws(seed: number): QueryDraws {
  const states = new Map<number, number>();
  return (_round, query) => ({
    nextFloat() {
      const state = (Math.imul(214013, states.get(query) ?? seed + query) + 2531011) >>> 0;
      states.set(query, state);
      return ((state >>> 16) & 0x7fff) / 32768;
    },
  });
}

for (const name of ["lambdarank", "rank_xendcg"]) {
  Deno.test({
    name: `trainBoost() with lightgbm@4 grows the trees of ${name}`,
    ignore: SKIP,
    fn: async () => {
      const path = `lightgbm-4.6.0/${name}`;
      const meta = readMeta(path);
      const file = await Deno.readTextFile(sharedPath(`models/${path}/model.txt`));
      const seed = Number(/\[objective_seed: (\d+)\]/.exec(file)![1]);
      const { objective, ...params } = meta.params;
      const model = await trainBoost(readRanking(), {
        preset: "lightgbm@4",
        ...params,
        rounds: meta.rounds,
        loss: name === "lambdarank" ? objective : xendcgLoss(seed, lightgbmDraws(seed)),
        metrics: [],
      });
      const { trees } = readLightgbmText(file);
      assertEquals(model.numTrees, trees.length);
      trees.forEach((tree, t) => compareTree(model, t, tree, `${name} tree ${t}`));
    },
  });
}
