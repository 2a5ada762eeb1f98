/**
 * Hyperparameters of `boost` that shape a tree: its size, its penalties, its constraints.
 *
 * @module
 */
import { BOOST, type ParamTable } from "./types.ts";

/** In the order of docs/parameters.md. */
export const BOOST_TREE_PARAMS = {
  treeMethod: {
    kind: "choice",
    aliases: ["tree_method"],
    choices: ["auto", "hist", "exact", "lightgbm"],
    default: "auto",
    doc:
      "`hist` bins each feature once; `exact` sorts and tries every cut, as XGBoost's `exact` does " +
      "(numeric features only); `lightgbm` reproduces LightGBM's arithmetic. `auto` is `hist`; with preset `lightgbm@4` it is `lightgbm` where that supports what is asked.",
    algorithms: BOOST,
  },
  growth: {
    kind: "choice",
    aliases: ["grow_policy"],
    choices: ["depth", "leaf"],
    default: "depth",
    doc: "Order of splits: level by level (`depth`), or the largest gain first (`leaf`).",
    algorithms: BOOST,
  },
  maxDepth: {
    kind: "integer",
    aliases: ["max_depth", "depth"],
    min: 0,
    max: 64,
    default: 6,
    doc: "Deepest level of a tree; 0 means no limit.",
    algorithms: BOOST,
    search: { from: 3, to: 10, scale: "linear" },
  },
  maxLeaves: {
    kind: "integer",
    aliases: ["max_leaves", "num_leaves", "num_leaf", "max_leaf", "max_leaf_nodes"],
    min: 0,
    max: 131072,
    default: 0,
    doc: "Largest number of leaves of a tree; 0 means no limit.",
    algorithms: BOOST,
    search: { from: 8, to: 256, scale: "log" },
  },
  maxBins: {
    kind: "integer",
    aliases: ["max_bin", "max_bins", "border_count"],
    min: 2,
    max: 65535,
    default: 256,
    doc: "Largest number of bins of a feature (`hist`).",
    algorithms: BOOST,
    search: { choices: [64, 128, 256, 512] },
  },
  lambda: {
    kind: "number",
    aliases: ["reg_lambda", "lambda_l2", "l2_regularization", "l2_leaf_reg"],
    min: 0,
    default: 1,
    doc:
      "L2 penalty on leaf values; for losses whose leaves are quantiles it affects the splits only.",
    algorithms: BOOST,
    search: { from: 0.01, to: 30, scale: "log" },
  },
  alpha: {
    kind: "number",
    aliases: ["reg_alpha", "lambda_l1", "l1_regularization"],
    min: 0,
    default: 0,
    doc:
      "L1 penalty on leaf values; for losses whose leaves are quantiles it affects the splits only.",
    algorithms: BOOST,
    search: { from: 0.001, to: 10, scale: "log" },
  },
  gamma: {
    kind: "number",
    aliases: ["min_split_loss", "min_split_gain", "min_gain_to_split"],
    min: 0,
    default: 0,
    doc: "Minimum gain of a split (gain without the factor ½, as in XGBoost and LightGBM).",
    algorithms: BOOST,
    search: { from: 0.001, to: 5, scale: "log" },
  },
  postPrune: {
    kind: "boolean",
    aliases: [],
    default: false,
    doc:
      "Grows the tree fully and then removes splits with a gain below `gamma` from the bottom up, instead of stopping at the first such split.",
    algorithms: BOOST,
  },
  minChildWeight: {
    kind: "number",
    aliases: [
      "min_child_weight",
      "min_sum_hessian_in_leaf",
      "min_sum_hessian_per_leaf",
      "min_sum_hessian",
      "min_hessian",
    ],
    min: 0,
    default: 0.1,
    doc: "Minimum sum of second derivatives in a leaf.",
    algorithms: BOOST,
    search: { from: 0.1, to: 20, scale: "log" },
  },
  minRowsPerLeaf: {
    kind: "integer",
    aliases: [
      "min_data_in_leaf",
      "min_data_per_leaf",
      "min_data",
      "min_child_samples",
      "min_samples_leaf",
    ],
    min: 1,
    doc:
      "Minimum number of rows in a leaf. By default (`treeline@1`) 5, but no more than a twentieth " +
      "of the training rows.",
    algorithms: BOOST,
    search: { from: 1, to: 50, scale: "log" },
  },
  maxDeltaStep: {
    kind: "number",
    aliases: ["max_delta_step", "max_tree_output", "max_leaf_output"],
    min: 0,
    default: 0,
    doc: "Largest leaf value before the learning rate; 0 means no limit.",
    algorithms: BOOST,
  },
  pathSmooth: {
    kind: "number",
    aliases: ["path_smooth"],
    min: 0,
    default: 0,
    doc:
      "Pulls the value of a node with n rows towards that of its parent by 1 / (n / pathSmooth + 1); the root has no parent.",
    algorithms: BOOST,
  },
  zeroAsMissing: {
    kind: "boolean",
    aliases: ["zero_as_missing"],
    default: false,
    doc:
      "Zeros of numeric columns (|x| ≤ 1e-35) count as missing, in training and in scoring; the model's schema records it.",
    algorithms: BOOST,
  },
  monotone: {
    kind: "table",
    aliases: ["monotone_constraints", "monotone_constraint", "monotonic_cst", "mc"],
    entries: ["increasing", "decreasing", "none"],
    byPosition: true,
    doc:
      "Direction of the response in a feature, by name: 1 or `increasing`, −1 or `decreasing`. " +
      "Or a list with one entry for each feature, in order: `[1, 0, -1]`. With three or more classes it is the direction of raw scores, since probabilities depend on all of them.",
    algorithms: BOOST,
  },
  monotoneMethod: {
    kind: "choice",
    aliases: ["monotone_constraints_method", "monotone_constraining_method", "mc_method"],
    choices: ["basic", "intermediate", "advanced"],
    default: "basic",
    doc:
      "How constraints bound leaves: `basic` by the middle of a split, `intermediate` by neighbours, " +
      "`advanced` by neighbours along the feature that is cut. All but `basic` need `treeMethod` `lightgbm`.",
    algorithms: BOOST,
  },
  monotoneRules: {
    kind: "choice",
    aliases: [],
    choices: ["sound", "lightgbm", "lightgbm-unproved"],
    default: "sound",
    doc:
      "Bounds of leaves under `monotone`: those of `sound` always keep the order; `lightgbm` uses LightGBM's bounds and refuses a model whose trees violate the order; `lightgbm-unproved` keeps such trees, with a warning and a note in the model (`treeMethod` `lightgbm`).",
    algorithms: BOOST,
  },
  monotonePenalty: {
    kind: "number",
    aliases: ["monotone_penalty", "monotone_splits_penalty", "ms_penalty", "mc_penalty"],
    min: 0,
    default: 0,
    doc:
      "Discourages splits on constrained features near the root: their gain is multiplied by 1 − monotonePenalty / 2^depth; above 1, there are about none down to that depth (`treeMethod` `lightgbm`).",
    algorithms: BOOST,
  },
  linearTree: {
    kind: "boolean",
    aliases: ["linear_tree", "linear_trees"],
    default: false,
    doc:
      "Leaves are linear models of the numeric features on their path, from the second round on; " +
      "`lambda`, `alpha` and `pathSmooth` act on splits and on constants only.",
    algorithms: BOOST,
  },
  linearLambda: {
    kind: "number",
    aliases: ["linear_lambda"],
    min: 0,
    default: 0,
    doc: "L2 penalty on the coefficients of `linearTree`; the constant is not penalised.",
    algorithms: BOOST,
  },
  interactions: {
    kind: "groups",
    aliases: ["interaction_constraints", "interaction_cst"],
    doc: "Groups of features (lists of names) that may occur together on a path.",
    algorithms: BOOST,
  },
  maxCategoriesOneHot: {
    kind: "integer",
    aliases: ["max_cat_to_onehot"],
    min: 0,
    default: 1,
    doc: "Categorical features with at most this many levels are split one level against the rest.",
    algorithms: BOOST,
  },
  maxCategoriesPerSplit: {
    kind: "integer",
    aliases: ["max_cat_threshold"],
    min: 1,
    default: 64,
    doc: "Maximum number of levels on the smaller side of a categorical split.",
    algorithms: BOOST,
  },
  catSmooth: {
    kind: "number",
    aliases: ["cat_smooth"],
    min: 0,
    default: 10,
    doc: "Added to the second derivative of each level when levels are ordered.",
    algorithms: BOOST,
  },
  catL2: {
    kind: "number",
    aliases: ["cat_l2"],
    min: 0,
    default: 1,
    doc: "L2 penalty added to `lambda` in splits by several levels.",
    algorithms: BOOST,
  },
  minRowsPerCategory: {
    kind: "integer",
    aliases: ["min_data_per_group"],
    min: 0,
    default: 5,
    doc: "Levels with fewer rows in a node are not separated from the rest.",
    algorithms: BOOST,
  },
} as const satisfies ParamTable;
