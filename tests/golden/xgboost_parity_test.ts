/**
 * Trees trained here with preset `xgboost@2` and exact splits against the trees that XGBoost 1.7.4
 * and 3.4.1 stored for the same rows: structure, thresholds as float32, leaves within 1e-5, and the
 * histories of the metrics within 1e-5.
 *
 * @module
 */
// deno-lint-ignore-file camelcase
import { assert, assertEquals } from "@std/assert";
import { trainBoost } from "../../src/algorithms/boost/boost.ts";
import type { Dataset } from "../../src/data/types.ts";
import { belowFloat32 } from "../../src/grow/exact/newton.ts";
import type { Model } from "../../src/model/model.ts";
import { readCase, readMeta } from "../support/reference/training_data.ts";
import { hasShared, sharedPath } from "../support/shared.ts";

/** One tree of XGBoost's JSON. */
interface XgbTree {
  readonly left_children: readonly number[];
  readonly right_children: readonly number[];
  readonly split_indices: readonly number[];
  readonly split_conditions: readonly number[];
  readonly default_left: readonly number[];
  readonly sum_hessian: readonly number[];
}

const CASES = [
  "xgboost-1.7.4/binary_base_score_0.2",
  "xgboost-1.7.4/binary_hinge_titanic",
  "xgboost-1.7.4/binary_logistic_edge_inputs",
  "xgboost-1.7.4/binary_logistic_exact_breast_cancer",
  "xgboost-1.7.4/exact_gamma_prune_diabetes",
  "xgboost-1.7.4/feature_names_unicode",
  "xgboost-1.7.4/multi_softmax_iris",
  "xgboost-1.7.4/multi_softprob_iris",
  "xgboost-1.7.4/reg_pseudohubererror_diabetes",
  "xgboost-1.7.4/reg_squarederror_base_score_mean",
  "xgboost-1.7.4/stumps_only_leaf",
  "xgboost-1.7.4/zero_rounds",
  "xgboost-3.4.1/binary_base_score_0.2",
  "xgboost-3.4.1/binary_logistic_exact_breast_cancer",
];

const SKIP = !hasShared();
// deno-lint-ignore no-console
if (SKIP) console.log("skipped: ../shared is not beside the repository");

const IGNORED = new Set(["eval_metric", "num_class", "seed", "base_score"]);

function readLearner(path: string): { trees: XgbTree[]; baseScore: number } {
  const text = Deno.readTextFileSync(sharedPath(`models/${path}/model.json`));
  const { learner } = JSON.parse(text);
  const [base] = String(learner.learner_model_param.base_score).match(/[-+0-9.eE]+/)!;
  const { gradient_booster: booster } = learner;
  const { trees } = (booster.gbtree ?? booster).model; // DART keeps its trees one level down
  return { trees, baseScore: Number(base) };
}

for (const path of CASES) {
  Deno.test({
    name: `trainBoost() with xgboost@2 and exact splits grows the trees of ${path}`,
    ignore: SKIP,
    fn: async () => {
      const meta = readMeta(path);
      const { trees, baseScore } = readLearner(path);
      const { train, test } = await readCase(meta);
      const params = Object.fromEntries(
        Object.entries(meta.params).filter(([name]) => !IGNORED.has(name)),
      );
      const [metric] = Object.keys(meta.eval_history?.test ?? {});
      const history: { [set: string]: number[] } = { train: [], test: [] };
      const model = await trainBoost(train, {
        preset: "xgboost@2",
        ...params,
        objective: params.objective,
        rounds: meta.rounds,
        baseScore,
        trainMetrics: true,
        ...(metric === undefined ? { metrics: [] } : { metrics: [metric] }),
      }, {
        valid: { test },
        onRound: ({ metrics }) => {
          for (const set of ["train", "test"]) {
            history[set].push(...Object.values(metrics[set] ?? {}));
          }
        },
      });
      assertEquals(model.numTrees, trees.length);
      trees.forEach((tree, t) => compareTree(model, t, tree, `${path} tree ${t}`));
      if (metric !== undefined) {
        for (const set of ["train", "test"]) {
          const wanted = meta.eval_history![set][metric];
          assertEquals(history[set].length, wanted.length);
          wanted.forEach((value, round) => {
            const found = history[set][round];
            assert(
              Math.abs(found - value) <= 1e-5,
              `${path} ${set} round ${round + 1}: ${found} for ${value}`,
            );
          });
        }
      }
    },
  });
}

/** Walks both trees together. */
function compareTree(model: Model, t: number, wanted: XgbTree, where: string): void {
  const { trees } = model.ensemble;
  const walk = (ours: number, theirs: number): void => {
    const at = `${where} node ${theirs}`;
    const leaf = wanted.left_children[theirs] < 0;
    assertEquals(trees.firstChild[ours] < 0, leaf, `${at}: leaf or not`);
    const cover = wanted.sum_hessian[theirs];
    assert(Math.abs(trees.cover[ours] - cover) <= 1e-4 * Math.max(1, cover), `${at}: cover`);
    if (leaf) {
      const value = wanted.split_conditions[theirs];
      const found = trees.leaf[ours];
      // Leaves of the pseudo-Huber case are in the tens; 1e-5 is relative there.
      assert(
        Math.abs(found - value) <= 1e-5 * Math.max(1, Math.abs(value)),
        `${at}: ${found} for ${value}`,
      );
      return;
    }
    assertEquals(trees.feature[ours], wanted.split_indices[theirs], `${at}: feature`);
    const threshold = belowFloat32(Math.fround(wanted.split_conditions[theirs]));
    assertEquals(trees.threshold[ours], threshold, `${at}: threshold`);
    assertEquals(trees.missing[ours], wanted.default_left[theirs] ? 0 : 1, `${at}: missing`);
    walk(trees.firstChild[ours], wanted.left_children[theirs]);
    walk(trees.firstChild[ours] + 1, wanted.right_children[theirs]);
  };
  walk(trees.treeStart[t], 0);
}

/** LIBSVM text as columns of numbers, absent is missing. */
function readLibsvm(path: string, numColumns: number): Dataset {
  const lines = Deno.readTextFileSync(sharedPath(path)).trim().split("\n");
  const columns = Array.from(
    { length: numColumns },
    () => new Float64Array(lines.length).fill(NaN),
  );
  const codes = lines.map((line, row) => {
    const [label, ...pairs] = line.trim().split(/\s+/);
    for (const pair of pairs) {
      const [index, value] = pair.split(":");
      columns[Number(index)][row] = Number(value);
    }
    return Number(label);
  });
  return {
    numRows: lines.length,
    features: columns.map((values, i) => ({ kind: "numeric", name: `f${i}`, values })),
    target: {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(codes),
      classes: ["0", "1"],
    },
  };
}

Deno.test({
  name: "trainBoost() with xgboost@2 and exact splits grows the trees of sparse agaricus",
  ignore: SKIP,
  fn: async () => {
    const path = "xgboost-1.7.4/binary_sparse_agaricus";
    const meta = readMeta(path);
    const { trees, baseScore } = readLearner(path);
    const found: number[] = [];
    const model = await trainBoost(readLibsvm("datasets/agaricus_train.libsvm", 127), {
      preset: "xgboost@2",
      treeMethod: "exact",
      rounds: meta.rounds,
      maxDepth: 3,
      learningRate: 1,
      baseScore,
      metrics: ["logLoss"],
    }, {
      valid: readLibsvm("datasets/agaricus_test.libsvm", 127),
      onRound: (r) => found.push(r.metrics.valid.logLoss),
    });
    trees.forEach((tree, t) => compareTree(model, t, tree, `${path} tree ${t}`));
    meta.eval_history!.test.logloss.forEach((value, round) =>
      assert(Math.abs(found[round] - value) <= 1e-5)
    );
  },
});

for (
  const [name, start] of [
    ["binary_hist_titanic_missing", "sigmoid"],
    ["dart_reg_auto_mpg", "identity"],
    ["multi_softprob_penguins_missing", "identity"],
  ] as const
) {
  Deno.test({
    name: `preset xgboost@2 starts where XGBoost 2.1.4 does on ${name}`,
    ignore: SKIP,
    fn: async () => {
      const path = `xgboost-2.1.4/${name}`;
      const meta = readMeta(path);
      const { train } = await readCase(meta);
      const model = await trainBoost(train, {
        preset: "xgboost@2",
        objective: meta.params.objective,
        rounds: 0,
      });
      for (const raw of model.ensemble.baseScore) {
        const found = start === "sigmoid" ? 1 / (1 + Math.exp(-raw)) : raw;
        const { baseScore } = readLearner(path);
        assert(Math.abs(found - baseScore) <= 1e-6 * baseScore, `${found} for ${baseScore}`);
      }
    },
  });
}

Deno.test({
  name: "exact splits part the rows as XGBoost's histograms do where every value has a bin",
  ignore: SKIP,
  fn: async () => {
    // Its thresholds are data values, those of exact splits middles: the rows of each node are compared.
    const path = "xgboost-1.7.4/multi_softprob_dermatology_missing";
    const meta = readMeta(path);
    const { trees, baseScore } = readLearner(path);
    const { train } = await readCase(meta);
    const { max_depth, eta, objective } = meta.params;
    const { ensemble: { trees: ours } } = await trainBoost(train, {
      preset: "xgboost@2",
      treeMethod: "exact",
      objective,
      max_depth,
      eta,
      rounds: meta.rounds,
      baseScore,
      metrics: [],
    });
    assertEquals(ours.treeStart.length - 1, trees.length);
    const value = (feature: number, row: number) => {
      const column = train.features[feature];
      return column.kind === "numeric" ? column.values[row] : NaN;
    };
    trees.forEach((wanted, t) => {
      const walk = (node: number, theirs: number, rows: readonly number[]): void => {
        const at = `tree ${t} node ${theirs}`;
        const isLeaf = wanted.left_children[theirs] < 0;
        assertEquals(ours.firstChild[node] < 0, isLeaf, at);
        const cut = wanted.split_conditions[theirs];
        if (isLeaf) {
          assert(Math.abs(ours.leaf[node] - cut) <= 1e-5, `${at}: ${ours.leaf[node]} for ${cut}`);
          return;
        }
        const goesLeft = (row: number) => {
          const x = Math.fround(value(wanted.split_indices[theirs], row));
          return x !== x ? wanted.default_left[theirs] !== 0 : x < cut;
        };
        const found = rows.filter((row) => {
          const x = value(ours.feature[node], row);
          return x !== x ? ours.missing[node] === 0 : x <= ours.threshold[node];
        });
        const left = rows.filter(goesLeft);
        assertEquals(found, left, at);
        walk(ours.firstChild[node], wanted.left_children[theirs], left);
        const right = rows.filter((row) => !goesLeft(row));
        walk(ours.firstChild[node] + 1, wanted.right_children[theirs], right);
      };
      walk(ours.treeStart[t], 0, Array.from({ length: train.numRows }, (_, row) => row));
    });
  },
});
