/**
 * Boosting rounds with exact greedy splits and XGBoost's float32 arithmetic: slower than the
 * histogram engine, and meant for small data and for reproducing XGBoost's trees number by number.
 *
 * @module
 */
import { labelsOf } from "../data/target.ts";
import type { Dataset, Labels } from "../data/types.ts";
import { ParameterError, TrainingError } from "../errors.ts";
import {
  type ExactTree,
  growExactNewton,
  sortColumn,
  type SortedColumn,
} from "../grow/exact_newton.ts";
import { predictionsOf } from "../metric/response.ts";
import { packTrees, type TreeBuilder } from "../model/trees.ts";
import type { Ensemble } from "../model/types.ts";
import { createJudge } from "./early_stopping.ts";
import type { BoostPlan, TrainedEnsemble } from "./plan.ts";
import type { RoundReport, TrainOptions } from "./types.ts";

/** A set whose scores follow the trees. */
interface Watched {
  readonly name: string;
  readonly data: Dataset;
  readonly labels: Labels;
  /** Output-major, float32 values. */
  readonly raw: Float64Array;
}

const { fround } = Math;

/**
 * Boosts with exact splits. Numeric features only, level-wise, all rows and columns.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` for what the exact method does not do.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` at a gradient that is not finite, `E_TRAIN_ABORTED`.
 */
export async function boostExact(
  data: Dataset,
  plan: BoostPlan,
  options: TrainOptions = {},
): Promise<TrainedEnsemble> {
  checkPlan(data, plan);
  const { loss } = plan;
  const labels = labelsOf(data);
  const columns = data.features.map((column) =>
    sortColumn(column.kind === "numeric" ? column.values : [])
  );
  const base = Float64Array.from(plan.baseScore ?? loss.baseScore(labels), fround);
  const train = watch("train", data, labels, base);
  const valid = Object.entries(validSets(options.valid))
    .map(([name, set]) => watch(name, set, labelsOf(set), base));
  const watched = plan.trainMetrics === true ? [train, ...valid] : valid;
  const judge = createJudge(plan.earlyStopping, watched.map(({ name }) => name));
  const builders: TreeBuilder[] = [];
  const history: RoundReport[] = [];
  const size = train.raw.length;
  const gradient = new Float64Array(size);
  const hessian = new Float64Array(size);
  const began = performance.now();
  let paused = began;
  const trained = (): TrainedEnsemble => {
    const best = judge?.best;
    const keep = best === undefined ? builders : builders.slice(0, best.round * loss.numOutputs);
    return {
      ensemble: finish(keep, plan, base),
      missingLearnt: columns.map(({ numMissing }) => numMissing > 0),
      history,
      ...(best === undefined ? {} : { best }),
    };
  };
  for (let round = 1; round <= plan.rounds; round++) {
    if (performance.now() - paused > 50) {
      await new Promise((resolve) => setTimeout(resolve, 0)); // lets signals be heard
      paused = performance.now();
    }
    if (options.signal?.aborted === true) {
      throw new TrainingError(
        "E_TRAIN_ABORTED",
        `Training stopped after ${round - 1} of ${plan.rounds} rounds`,
        { details: { rounds: round - 1, best: trained() } },
      );
    }
    loss.gradients(labels, train.raw, gradient, hessian, 0, data.numRows);
    for (let k = 0; k < loss.numOutputs; k++) {
      const grown = growOutput(k, columns, labels, gradient, hessian, train, plan, round);
      builders.push(grown);
    }
    for (const set of valid) {
      for (let k = 0; k < loss.numOutputs; k++) {
        addTree(builders[builders.length - loss.numOutputs + k], set, k);
      }
    }
    const report: RoundReport = {
      round,
      rounds: plan.rounds,
      metrics: Object.fromEntries(watched.map((set) => [set.name, measure(set, plan)])),
      seconds: (performance.now() - began) / 1000,
    };
    history.push(report);
    options.onRound?.(report);
    if (judge?.stopsAfter(report) === true) break;
  }
  return trained();
}

/** Refuses what this method would ignore. */
function checkPlan(data: Dataset, plan: BoostPlan): void {
  const text = data.features.find(({ kind }) => kind === "categorical");
  const problems: readonly (readonly [boolean, string])[] = [
    [text !== undefined, `categorical column ${JSON.stringify(text?.name)}`],
    [plan.growth === "leaf", `growth "leaf"`],
    [(plan.maxLeaves ?? 0) > 0, "maxLeaves"],
    [(plan.subsample ?? 1) < 1, "subsample"],
    [plan.sampling !== undefined && plan.sampling !== "uniform", `sampling "${plan.sampling}"`],
    [(plan.featuresPerTree ?? 1) < 1, "featuresPerTree"],
    [(plan.featuresPerLevel ?? 1) < 1, "featuresPerLevel"],
    [(plan.featuresPerNode ?? 1) < 1, "featuresPerNode"],
    [(plan.parallelTrees ?? 1) > 1, "parallelTrees"],
    [plan.dart !== undefined, "dropRate"],
    [plan.interactions !== undefined, "interactions"],
    [(plan.pathSmooth ?? 0) > 0, "pathSmooth"],
    [plan.init !== undefined, "continuation"],
  ];
  const [, what] = problems.find(([bad]) => bad) ?? [];
  if (what !== undefined) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot use treeMethod "exact" with ${what}: expected treeMethod "hist"`,
      { details: { param: "treeMethod", with: what } },
    );
  }
}

function validSets(valid: TrainOptions["valid"]): { readonly [name: string]: Dataset } {
  if (valid === undefined) return {};
  return "numRows" in valid && typeof valid.numRows === "number"
    ? { valid: valid as Dataset }
    : valid as { readonly [name: string]: Dataset };
}

/** Starts a set at the base score plus its own offset. */
function watch(name: string, data: Dataset, labels: Labels, base: Float64Array): Watched {
  const { numRows, offset } = data;
  const raw = new Float64Array(numRows * base.length);
  for (let k = 0; k < base.length; k++) {
    for (let row = 0; row < numRows; row++) {
      raw[k * numRows + row] = fround(base[k] + (offset?.[row * base.length + k] ?? 0));
    }
  }
  return { name, data, labels, raw };
}

/** Grows the tree of one output, refits its leaves where the loss says so, moves the scores. */
function growOutput(
  output: number,
  columns: readonly SortedColumn[],
  labels: Labels,
  gradient: Float64Array,
  hessian: Float64Array,
  train: Watched,
  plan: BoostPlan,
  round: number,
): TreeBuilder {
  const { loss } = plan;
  const { numRows } = train.data;
  const at = output * numRows;
  const g = new Float32Array(numRows);
  const h = new Float32Array(numRows);
  const weight = loss.weighted === true ? undefined : labels.weight;
  for (let row = 0; row < numRows; row++) {
    const w = weight === undefined ? 1 : fround(weight[row]);
    g[row] = fround(gradient[at + row]) * w;
    h[row] = fround(hessian[at + row]) * w;
    if (!Number.isFinite(g[row]) || !Number.isFinite(h[row])) {
      throw new TrainingError(
        "E_TRAIN_NUMERIC",
        `Cannot go on in round ${round}: the gradient of row ${row + 1} is ${g[row]}, expected a ` +
          `finite number (smaller learningRate, or maxDeltaStep)`,
        { details: { round, row: row + 1 } },
      );
    }
  }
  const grown = growExactNewton(columns, { gradient: g, hessian: h }, {
    learningRate: plan.learningRate,
    maxDepth: plan.maxDepth ?? 6,
    lambda: plan.lambda ?? 1,
    alpha: plan.alpha ?? 0,
    gamma: plan.gamma ?? 0,
    minChildWeight: plan.minChildWeight ?? 1,
    minRowsPerLeaf: plan.minRowsPerLeaf ?? 1,
    maxDeltaStep: plan.maxDeltaStep ?? 0,
    ...(plan.monotone === undefined ? {} : { monotone: plan.monotone }),
  });
  if (loss.refitLeaf !== undefined) refit(grown, output, labels, train.raw, plan);
  for (let row = 0; row < numRows; row++) {
    if (grown.leafOf[row] >= 0) {
      train.raw[at + row] = fround(train.raw[at + row] + grown.tree.value[grown.leafOf[row]][0]);
    }
  }
  return grown.tree;
}

/** Sets each leaf to the loss's own best constant, times the learning rate. */
function refit(
  { tree, leafOf }: ExactTree,
  output: number,
  labels: Labels,
  raw: Float64Array,
  plan: BoostPlan,
): void {
  const rowsOf = new Map<number, number[]>();
  leafOf.forEach((leaf, row) => {
    if (leaf < 0) return;
    const rows = rowsOf.get(leaf);
    if (rows === undefined) rowsOf.set(leaf, [row]);
    else rows.push(row);
  });
  for (const [leaf, rows] of rowsOf) {
    const value = plan.loss.refitLeaf!(labels, raw, Int32Array.from(rows), output);
    tree.setValue(leaf, [fround(value * plan.learningRate)]);
  }
}

/** Adds a tree to the scores of a set. */
function addTree(tree: TreeBuilder, set: Watched, output: number): void {
  const { data, raw } = set;
  const columns = data.features.map((column) =>
    column.kind === "numeric" ? column.values : new Float64Array(0)
  );
  for (let row = 0; row < data.numRows; row++) {
    let node = 0;
    while (tree.children[node].length > 0) {
      const value = fround(columns[tree.feature[node]][row]);
      const branch = Number.isNaN(value)
        ? tree.missing[node]
        : value <= tree.threshold[node]
        ? 0
        : 1;
      node = tree.children[node][branch];
    }
    const at = output * data.numRows + row;
    raw[at] = fround(raw[at] + tree.value[node][0]);
  }
}

function measure(set: Watched, plan: BoostPlan): { readonly [metric: string]: number } {
  const { loss, metrics = [] } = plan;
  const found = predictionsOf(set.raw, set.data.numRows, loss.numOutputs, loss.postprocess);
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value(set.labels, found)]));
}

function finish(builders: readonly TreeBuilder[], plan: BoostPlan, base: Float64Array): Ensemble {
  const { numOutputs, postprocess } = plan.loss;
  return {
    trees: packTrees(builders, 1),
    leafWidth: 1,
    numOutputs,
    treeOutput: Int32Array.from(builders, (_, t) => t % numOutputs),
    treeWeight: new Float64Array(builders.length).fill(1),
    treesPerRound: numOutputs,
    aggregate: "sum",
    baseScore: base,
    postprocess,
    profile: { input: "f32", sum: "f32", base: "first", shownTest: "<" },
  };
}
