/**
 * Hyperparameters of first-order boosting: `adaboost`, `gbdt`, `logitboost`, each declared once.
 *
 * @module
 */
import type { AlgorithmName, ParamSpec, ParamTable } from "./types.ts";

const ADA = ["adaboost"] as const;
const GBDT = ["gbdt"] as const;
const LOGIT = ["logitboost"] as const;

function rounds<A extends readonly AlgorithmName[]>(value: number, algorithms: A) {
  return {
    kind: "integer",
    aliases: [
      "n_estimators",
      "num_boost_round",
      "num_iterations",
      "nrounds",
      "trees",
      "iterations",
    ],
    min: 1,
    max: 1e6,
    default: value,
    doc: "Boosting rounds.",
    algorithms,
    search: { from: 20, to: 500, scale: "log" },
  } as const satisfies ParamSpec;
}

function learningRate<A extends readonly AlgorithmName[]>(value: number, algorithms: A) {
  return {
    kind: "number",
    aliases: ["eta", "shrinkage"],
    min: 0,
    max: 1,
    open: "min",
    default: value,
    doc: "Factor on each new tree.",
    algorithms,
    search: { from: 0.01, to: 1, scale: "log" },
  } as const satisfies ParamSpec;
}

function maxDepth<A extends readonly AlgorithmName[]>(value: number, doc: string, algorithms: A) {
  return {
    kind: "integer",
    aliases: ["depth"],
    min: 0,
    max: 1e6,
    default: value,
    doc,
    algorithms,
    search: { from: 1, to: 6, scale: "linear" },
  } as const satisfies ParamSpec;
}

const SHARED = ["adaboost", "gbdt", "logitboost"] as const;

/** Shared by the three. */
export const REWEIGHTED_PARAMS = {
  maxLeaves: {
    kind: "integer",
    aliases: ["max_leaf_nodes", "num_leaves"],
    min: 0,
    max: 1e9,
    default: 0,
    doc: "Maximum number of leaves of a tree, the best splits first; 0 means no limit.",
    algorithms: SHARED,
  },
  minRowsSplit: {
    kind: "integer",
    aliases: ["min_samples_split", "minsplit"],
    min: 2,
    max: 1e9,
    default: 2,
    doc: "A node with fewer rows is not split.",
    algorithms: SHARED,
  },
  minRowsPerLeaf: {
    kind: "integer",
    aliases: ["min_samples_leaf", "min_data_in_leaf", "minbucket"],
    min: 1,
    max: 1e9,
    default: 1,
    doc: "Minimum number of rows in a leaf.",
    algorithms: SHARED,
    search: { from: 1, to: 20, scale: "log" },
  },
  unknown: {
    kind: "choice",
    aliases: ["unknown_category"],
    choices: ["heavier", "missing", "node", "error"],
    default: "heavier",
    doc: "How scoring treats a category that training has not seen.",
    algorithms: SHARED,
  },
  seed: {
    kind: "integer",
    aliases: ["random_state", "random_seed"],
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 0,
    doc: "Seed of all random draws.",
    algorithms: SHARED,
  },
} as const satisfies ParamTable;

/** AdaBoost. */
export const ADABOOST_PARAMS = {
  variant: {
    kind: "choice",
    aliases: ["algorithm_variant"],
    choices: ["auto", "samme", "samme.r", "r2"],
    default: "auto",
    doc: "`samme` or `samme.r` for classes, `r2` for numbers; `auto` is SAMME or R2.",
    algorithms: ADA,
  },
  rounds: rounds(50, ADA),
  learningRate: learningRate(1, ADA),
  base: {
    kind: "choice",
    aliases: ["base_estimator", "estimator"],
    choices: ["cart", "extra", "c45", "id3"],
    default: "cart",
    doc: "The tree that is boosted.",
    algorithms: ADA,
  },
  criterion: {
    kind: "choice",
    aliases: ["split_criterion"],
    choices: ["auto", "gini", "entropy", "misclassification", "variance", "absolute", "poisson"],
    default: "auto",
    doc: "Split rule of the trees; `auto` takes Gini or variance.",
    algorithms: ADA,
  },
  maxDepth: maxDepth(
    0,
    "Maximum number of splits on a path; 0 means 1 (stumps) for classes and 3 for numbers.",
    ADA,
  ),
  loss: {
    kind: "choice",
    aliases: [],
    choices: ["linear", "square", "exponential"],
    default: "linear",
    doc: "R2: how large errors count.",
    algorithms: ADA,
  },
  resample: {
    kind: "boolean",
    aliases: [],
    default: true,
    doc:
      "R2: fit each tree on a bootstrap drawn by weight, as the paper does; otherwise on weighted rows.",
    algorithms: ADA,
  },
} as const satisfies ParamTable;

/** Gradient boosting of first order. */
export const GBDT_PARAMS = {
  loss: {
    kind: "value",
    aliases: ["objective"],
    default: "auto",
    doc: "What is minimised: a loss of docs/algorithms.md by name, or one made by " +
      "`definePointwiseLoss`. `auto` takes squared, logistic or softmax by target.",
    algorithms: GBDT,
  },
  rounds: rounds(100, GBDT),
  learningRate: learningRate(0.1, GBDT),
  maxDepth: maxDepth(3, "Maximum number of splits on a path; 0 means no limit.", GBDT),
  subsample: {
    kind: "number",
    aliases: ["bag_fraction", "bagging_fraction"],
    min: 0,
    max: 1,
    open: "min",
    default: 1,
    doc: "Share of rows drawn without replacement for each round.",
    algorithms: GBDT,
    search: { from: 0.5, to: 1, scale: "linear" },
  },
  featuresPerSplit: {
    kind: "number",
    aliases: ["max_features", "mtry"],
    choices: ["sqrt", "third", "log2", "all"],
    min: 0,
    open: "min",
    default: "all",
    doc: "Features drawn at each node: a number, a share below 1, or a word.",
    algorithms: GBDT,
  },
  huberAlpha: {
    kind: "number",
    aliases: ["alpha"],
    min: 0,
    max: 1,
    open: "both",
    default: 0.9,
    doc:
      "Huber loss: the quantile of the absolute residuals beyond which errors count linearly, computed anew in each round. Quantile loss: its level.",
    algorithms: GBDT,
  },
} as const satisfies ParamTable;

/** LogitBoost. */
export const LOGITBOOST_PARAMS = {
  rounds: rounds(100, LOGIT),
  learningRate: learningRate(1, LOGIT),
  maxDepth: maxDepth(1, "Maximum number of splits on a path; 0 means no limit.", LOGIT),
  zMax: {
    kind: "number",
    aliases: ["z_max"],
    // Responses are 1 or more: below it all are one size. Weka's weights are divided by it.
    min: 1e-6,
    default: 4,
    doc: "Largest absolute working response.",
    algorithms: LOGIT,
  },
  weka: {
    kind: "boolean",
    aliases: [],
    default: false,
    doc:
      "Weka's variant: weights follow a clipped response, w = (y − p)/z, and add up to the number of rows.",
    algorithms: LOGIT,
  },
  tolerance: {
    kind: "number",
    aliases: [],
    min: 0,
    default: 0,
    doc: "Stop when a round raises the mean log likelihood by less than this.",
    algorithms: LOGIT,
  },
} as const satisfies ParamTable;
