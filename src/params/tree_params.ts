/**
 * Hyperparameters of single classic trees (`cart`, `c45`, `id3`) and of what forests share with
 * them, each declared once.
 *
 * @module
 */
import type { ParamTable } from "./types.ts";

const CART = ["cart"] as const;
const GROWN = ["cart", "bagging", "random-forest", "extra-trees"] as const;
const C45 = ["c45"] as const;
const ID3 = ["id3"] as const;
const SINGLE = ["cart", "c45", "id3"] as const;

/** Growth of trees on exact data. */
export const TREE_PARAMS = {
  criterion: {
    kind: "choice",
    aliases: ["split_criterion", "splitrule"],
    choices: ["auto", "gini", "entropy", "misclassification", "variance", "absolute", "poisson"],
    default: "auto",
    doc:
      "Split rule: `gini`, `entropy` or `misclassification` for classes; `variance`, `absolute` " +
      "(medians) or `poisson` (deviance) for numbers. `auto` takes Gini or variance.",
    algorithms: GROWN,
    search: { choices: ["gini", "entropy"] },
    searchFor: "classification",
  },
  maxDepth: {
    kind: "integer",
    aliases: ["depth"],
    min: 0,
    max: 1e6,
    default: 0,
    doc: "Maximum number of splits on a path; 0 means no limit.",
    algorithms: GROWN,
    search: { from: 2, to: 20, scale: "linear" },
  },
  maxLeaves: {
    kind: "integer",
    aliases: ["max_leaf_nodes", "num_leaves"],
    min: 0,
    max: 1e9,
    default: 0,
    doc: "Maximum number of leaves of a tree, the best splits first; 0 means no limit.",
    algorithms: GROWN,
  },
  growth: {
    kind: "choice",
    aliases: ["grow_policy"],
    choices: ["auto", "depth-first", "breadth-first", "best-first"],
    default: "auto",
    doc:
      "Order in which nodes are split. It only matters with `maxLeaves`, where `auto` is best-first; otherwise `auto` is depth-first.",
    algorithms: GROWN,
  },
  minRowsSplit: {
    kind: "integer",
    aliases: ["min_samples_split", "minsplit"],
    min: 2,
    max: 1e9,
    default: 2,
    doc: "A node with fewer rows is not split.",
    algorithms: GROWN,
    search: { from: 2, to: 40, scale: "log" },
  },
  minRowsPerLeaf: {
    kind: "integer",
    aliases: ["min_samples_leaf", "minbucket", "min_data_in_leaf", "min_node_size"],
    min: 1,
    max: 1e9,
    default: 1,
    doc: "Minimum number of rows in a leaf.",
    algorithms: GROWN,
    search: { from: 1, to: 20, scale: "log" },
  },
  minWeightPerLeaf: {
    kind: "number",
    aliases: ["min_weight_leaf"],
    min: 0,
    default: 0,
    doc: "Minimum weight in a leaf.",
    algorithms: GROWN,
  },
  minGain: {
    kind: "number",
    aliases: ["min_impurity_decrease", "min_split_gain", "gain_threshold"],
    min: 0,
    default: 0,
    doc: "A split must lower weight × impurity by at least this share of the total weight.",
    algorithms: GROWN,
  },
  cut: {
    kind: "choice",
    aliases: [],
    choices: ["midpoint", "short"],
    default: "midpoint",
    doc:
      "Threshold between two neighbouring values: their midpoint, or a float32 number near it, which the model file stores in half the space.",
    algorithms: ["cart", "bagging"],
  },
  maxExhaustiveLevels: {
    kind: "integer",
    aliases: ["max_exhaustive_levels"],
    min: 2,
    max: 16,
    default: 10,
    doc:
      "Three or more classes: in nodes with up to this many levels, all sets of categories are tried; with more, levels are ordered first. Random splits draw one set.",
    algorithms: GROWN,
  },
  unknown: {
    kind: "choice",
    aliases: ["unknown_category"],
    choices: ["heavier", "missing", "node", "error"],
    default: "heavier",
    doc: "How scoring treats a category that training has not seen.",
    algorithms: ["cart", "c45", "bagging", "random-forest", "extra-trees"],
  },
} as const satisfies ParamTable;

/** What only CART has: costs, surrogates, pruning. */
export const CART_PARAMS = {
  missing: {
    kind: "choice",
    aliases: ["use_surrogate"],
    choices: ["learn", "surrogate"],
    default: "learn",
    doc: "Missing values: each split learns a side, or asks surrogate splits (as rpart does).",
    algorithms: CART,
  },
  maxSurrogates: {
    kind: "integer",
    aliases: ["maxsurrogate"],
    min: 0,
    max: 100,
    default: 5,
    doc: "Surrogate splits kept at each node.",
    algorithms: CART,
  },
  priors: {
    kind: "table",
    aliases: ["prior"],
    doc: "Prior probability of each class, by name; by default their shares in the data.",
    algorithms: CART,
  },
  classWeights: {
    kind: "table",
    aliases: ["class_weight"],
    choices: ["balanced"],
    doc: "Factor on the weight of each class, by name, or `balanced`.",
    algorithms: ["cart", "c45", "bagging", "random-forest", "extra-trees"],
  },
  loss: {
    kind: "value",
    aliases: ["loss_matrix"],
    doc:
      "Cost of each mistake, `loss[actual][predicted]`, in the order of the classes. It affects splits (altered priors) and pruning, and the predicted class is the one with the least expected cost.",
    algorithms: CART,
  },
  leaf: {
    kind: "choice",
    aliases: [],
    choices: ["auto", "mean", "median"],
    default: "auto",
    doc: "Value of a regression leaf; `auto` is the median with `absolute` and the mean otherwise.",
    algorithms: CART,
  },
  stop: {
    kind: "choice",
    aliases: [],
    choices: ["none", "chi-square", "critical-value"],
    default: "none",
    doc:
      "Stop before growth: a χ² test of independence, or a gain per weight below `criticalValue`.",
    algorithms: ["cart", "id3"],
  },
  significance: {
    kind: "number",
    aliases: [],
    min: 0,
    max: 1,
    default: 0.05,
    doc: "Level of the χ² test.",
    algorithms: ["cart", "id3"],
  },
  criticalValue: {
    kind: "number",
    aliases: [],
    min: 0,
    default: 0,
    doc:
      "Critical-value pruning: after growth, a node is removed unless it or a descendant gains more than this per unit of its weight (Mingers 1987).",
    algorithms: ["cart", "id3"],
  },
  pruning: {
    kind: "choice",
    aliases: [],
    choices: ["auto", "none", "alpha", "cp", "cv", "validation", "reduced-error"],
    default: "auto",
    doc: "`alpha`: R(T) + `ccpAlpha`·|T|. `cp`: the same relative to the root. `cv`: the cross-" +
      "validated table of rpart. `validation`: the tree of the sequence that is best on the " +
      "validation set. `reduced-error`: Quinlan's bottom-up rule on it. `auto` does what the given " +
      "parameters ask for.",
    algorithms: CART,
  },
  ccpAlpha: {
    kind: "number",
    aliases: ["ccp_alpha"],
    choices: ["cv"],
    min: 0,
    default: 0,
    doc: "Price of a leaf, in risk per unit of total weight; `cv` chooses it by cross-validation.",
    algorithms: CART,
    search: { from: 1e-5, to: 0.1, scale: "log" },
  },
  cp: {
    kind: "number",
    aliases: ["complexity"],
    min: 0,
    doc: "Price of a leaf relative to the risk of the root, as in rpart.",
    algorithms: CART,
  },
  pruneRisk: {
    kind: "choice",
    aliases: [],
    choices: ["auto", "impurity", "misclassification"],
    default: "auto",
    doc: "Risk of a leaf in pruning: its weight × impurity (scikit-learn) or its misclassified " +
      "weight (Breiman et al., rpart). `auto` is the first for `ccpAlpha` and the second otherwise.",
    algorithms: CART,
  },
  pruneRule: {
    kind: "choice",
    aliases: [],
    choices: ["min", "1se"],
    default: "1se",
    doc:
      "Which tree cross-validation chooses: the one with the least error, or the smallest one within one standard error of it.",
    algorithms: CART,
  },
  folds: {
    kind: "integer",
    aliases: ["xval"],
    min: 2,
    max: 1e6,
    default: 10,
    doc: "Folds of cross-validated pruning.",
    algorithms: CART,
  },
  foldOfRow: {
    kind: "value",
    aliases: [],
    doc: "Fold of each row from 0, instead of random folds.",
    algorithms: CART,
  },
  validShare: {
    kind: "number",
    aliases: [],
    min: 0,
    max: 1,
    open: "both",
    default: 0.25,
    doc: "Share of rows kept for pruning if no validation set is given.",
    algorithms: CART,
  },
  seed: {
    kind: "integer",
    aliases: ["random_state", "random_seed"],
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 0,
    doc: "Seed of all random draws.",
    algorithms: SINGLE,
  },
} as const satisfies ParamTable;

/** C4.5. */
export const C45_PARAMS = {
  minObjects: {
    kind: "number",
    aliases: ["min_num_obj", "M"],
    min: 0,
    default: 2,
    doc: "Minimum weight that at least two branches of a split must hold.",
    algorithms: C45,
    search: { from: 1, to: 20, scale: "log" },
  },
  confidence: {
    kind: "number",
    aliases: ["confidence_factor", "CF", "C"],
    min: 0,
    max: 1,
    open: "both",
    default: 0.25,
    doc: "Confidence of the pessimistic error estimate; smaller prunes more, above 0.5 not at all.",
    algorithms: C45,
    search: { from: 0.01, to: 0.5, scale: "log" },
  },
  pruning: {
    kind: "choice",
    aliases: [],
    choices: ["pessimistic", "none", "cost"],
    default: "pessimistic",
    doc: "Release 8's error-based pruning, none, or cost pruning with C(T) + `alpha`·|T|.",
    algorithms: C45,
  },
  alpha: {
    kind: "number",
    aliases: [],
    min: 0,
    default: 0,
    doc: "Cost pruning: price of a leaf, where C(T) = Σ N_t H_t over leaves, in bits.",
    algorithms: C45,
  },
  raising: {
    kind: "boolean",
    aliases: ["subtree_raising"],
    default: true,
    doc: "Pruning may replace a node by its largest branch.",
    algorithms: C45,
  },
  collapse: {
    kind: "boolean",
    aliases: [],
    default: true,
    doc: "Subtrees that do not lower the training error become leaves.",
    algorithms: C45,
  },
  mdl: {
    kind: "boolean",
    aliases: ["mdl_correction"],
    default: true,
    doc: "A threshold pays log₂(candidates)/weight of its gain.",
    algorithms: C45,
  },
  dataValue: {
    kind: "boolean",
    aliases: [],
    default: true,
    doc: "Thresholds are values of the training data, as release 8 writes them, not midpoints.",
    algorithms: C45,
  },
} as const satisfies ParamTable;

/** ID3. */
export const ID3_PARAMS = {
  unknown: {
    kind: "choice",
    aliases: ["unknown_category"],
    choices: ["heavier", "missing", "node", "error"],
    default: "node",
    doc:
      "How scoring treats a category that training has not seen: `node` answers with the classes of the node that tests it.",
    algorithms: ID3,
  },
  minGain: {
    kind: "number",
    aliases: ["sigma", "gain_threshold"],
    min: 0,
    default: 0,
    doc: "A split must gain at least this many bits per unit of weight.",
    algorithms: ID3,
    search: { from: 0.001, to: 0.3, scale: "log" },
  },
  strict: {
    kind: "boolean",
    aliases: ["id3_strict"],
    default: false,
    doc: "Keep splitting at gain 0 while attributes remain, as the text of the paper says.",
    algorithms: ID3,
  },
  maxDepth: {
    kind: "integer",
    aliases: ["depth"],
    min: 0,
    max: 1e6,
    default: 0,
    doc: "Maximum number of splits on a path; 0 means no limit.",
    algorithms: ID3,
    search: { from: 1, to: 10, scale: "linear" },
  },
} as const satisfies ParamTable;
