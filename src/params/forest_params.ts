/**
 * Hyperparameters of bagged trees (`bagging`, `random-forest`, `extra-trees`) beside those of single
 * trees, each declared once.
 *
 * @module
 */
import type { ParamTable } from "./types.ts";

const BAGGED = ["bagging", "random-forest", "extra-trees"] as const;
const FORESTS = ["random-forest", "extra-trees"] as const;
const BAGGING = ["bagging"] as const;
const FOREST = ["random-forest"] as const;
const EXTRA = ["extra-trees"] as const;

const SHARED_DOC =
  "Features drawn at each node: a number, a share below 1, `sqrt`, `third`, `log2` or `all`, which " +
  "as text is also 1.0. " +
  "`auto` is √p for classes and p/3 for numbers.";

/** Shared by all bagged ensembles. */
export const BAGGED_PARAMS = {
  trees: {
    kind: "integer",
    aliases: ["n_estimators", "num_trees", "ntree", "rounds", "num_iterations"],
    min: 1,
    max: 1e6,
    default: 500,
    doc: "Number of trees.",
    algorithms: FORESTS,
    search: { choices: [100, 200, 500] },
  },
  featuresPerSplit: {
    kind: "number",
    aliases: ["mtry", "max_features", "features_per_split"],
    choices: ["auto", "sqrt", "third", "log2", "all"],
    min: 0,
    open: "min",
    default: "auto",
    doc: SHARED_DOC,
    algorithms: FORESTS,
    search: { choices: ["sqrt", "third", "log2"] },
  },
  cut: {
    kind: "choice",
    aliases: [],
    choices: ["midpoint", "short"],
    default: "short",
    doc:
      "Threshold between two neighbouring values: their midpoint, or a float32 number near it, which the model file stores in half the space.",
    algorithms: FORESTS,
  },
  aggregate: {
    kind: "choice",
    aliases: ["voting"],
    choices: ["average", "vote"],
    default: "average",
    doc: "Trees give class shares, which are averaged, or one vote each.",
    algorithms: BAGGED,
  },
  oob: {
    kind: "boolean",
    aliases: ["oob_score"],
    default: true,
    doc: "Score each row by the trees that have not seen it (if bags leave rows out).",
    algorithms: BAGGED,
  },
  importance: {
    kind: "choice",
    aliases: [],
    choices: ["none", "permutation", "corrected"],
    default: "none",
    doc: "Importance to measure besides impurity: `permutation` on out-of-bag rows, or impurity " +
      "`corrected` by shuffled copies (a second forest).",
    algorithms: BAGGED,
  },
  inbag: {
    kind: "value",
    aliases: [],
    doc: "How often each row is in each tree's bag: one list of counts for each tree.",
    algorithms: BAGGED,
  },
  seed: {
    kind: "integer",
    aliases: ["random_state", "random_seed"],
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 0,
    doc:
      "Fixes every random choice; the model's bytes depend on it, but not on the number of threads.",
    algorithms: BAGGED,
  },
} as const satisfies ParamTable;

/** Bagging's own. */
export const BAGGING_PARAMS = {
  trees: {
    kind: "integer",
    aliases: ["n_estimators", "num_trees", "rounds", "num_iterations"],
    min: 1,
    max: 1e6,
    default: 100,
    doc: "Number of trees.",
    algorithms: BAGGING,
  },
  base: {
    kind: "choice",
    aliases: ["base_estimator", "estimator"],
    choices: ["cart", "c45", "id3", "extra"],
    default: "cart",
    doc: "The tree that is bagged.",
    algorithms: BAGGING,
  },
  featuresPerTree: {
    kind: "number",
    aliases: ["max_features"],
    min: 0,
    open: "min",
    default: "all",
    choices: ["all", "sqrt", "third", "log2"],
    doc: "Features drawn for each tree (random subspaces): a number, a share below 1, or a word.",
    algorithms: BAGGING,
  },
  sampleShare: {
    kind: "number",
    aliases: ["max_samples", "sample_fraction"],
    min: 0,
    max: 1,
    open: "min",
    default: 1,
    doc: "Number of draws in a bag, as a share of the rows.",
    algorithms: BAGGING,
  },
  replace: {
    kind: "boolean",
    aliases: ["bootstrap"],
    default: true,
    doc: "Draw bags with replacement.",
    algorithms: BAGGING,
  },
} as const satisfies ParamTable;

/** Random forest's own. */
export const FOREST_PARAMS = {
  sampleShare: {
    kind: "number",
    aliases: ["max_samples", "sample_fraction"],
    min: 0,
    max: 1,
    open: "min",
    default: 1,
    doc: "Number of draws in a bag, as a share of the rows.",
    algorithms: FOREST,
  },
  replace: {
    kind: "boolean",
    aliases: ["bootstrap"],
    default: true,
    doc: "Draw bags with replacement.",
    algorithms: FOREST,
  },
} as const satisfies ParamTable;

/** Extra trees' own. */
export const EXTRA_PARAMS = {
  sampleShare: {
    kind: "number",
    aliases: ["max_samples", "sample_fraction"],
    min: 0,
    max: 1,
    open: "min",
    default: 1,
    doc: "Number of draws in a bag, as a share of the rows.",
    algorithms: EXTRA,
  },
  replace: {
    kind: "boolean",
    aliases: ["bootstrap"],
    default: false,
    doc: "Draw bags with replacement; if not, every tree sees every row when the share is 1.",
    algorithms: EXTRA,
  },
} as const satisfies ParamTable;
