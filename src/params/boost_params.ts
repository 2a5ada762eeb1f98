/**
 * Hyperparameters of second-order boosting (`boost`), each declared once.
 *
 * Defaults here are those of preset `treeline@1`; a changed default makes a new preset version.
 *
 * @module
 */
import { BOOST_LOSS_PARAMS } from "./boost_loss_params.ts";
import { BOOST_SAMPLING_PARAMS } from "./boost_sampling_params.ts";
import { BOOST_STOPPING_PARAMS } from "./boost_stopping_params.ts";
import { BOOST_TREE_PARAMS } from "./boost_tree_params.ts";
import { BOOST, type ParamTable } from "./types.ts";

/** Parameters of `boost` by canonical name, in the order of docs/parameters.md. */
export const BOOST_PARAMS = {
  preset: {
    kind: "text",
    aliases: [],
    default: "treeline@1",
    doc:
      "Named defaults: `treeline@1`, `treeline-lean@1` (one model, no committee), `xgboost@2`, `lightgbm@4`. Parameters that are given explicitly take precedence.",
    algorithms: BOOST,
  },
  loss: {
    kind: "value",
    aliases: ["objective", "loss_function", "application", "app", "objective_type"],
    default: "auto",
    doc:
      "What is minimised: a name of docs/algorithms.md, `expr:…` (a formula of `y` and `raw`), " +
      "or a loss made by `definePointwiseLoss`. `auto` takes squared, logistic or softmax by target.",
    algorithms: BOOST,
  },
  rounds: {
    kind: "integer",
    aliases: [
      "n_estimators",
      "num_boost_round",
      "num_iterations",
      "num_iteration",
      "num_rounds",
      "num_round",
      "num_trees",
      "num_tree",
      "n_iter",
      "nrounds",
      "max_iter",
      "iterations",
      "trees",
    ],
    min: 0,
    max: 1e6,
    default: 250,
    doc:
      "Boosting rounds; each adds one tree for each output (times `parallelTrees` and `committee`). Unless this is given, a committee trains as many rounds as its out-of-fold metric asks for.",
    algorithms: BOOST,
    search: { from: 50, to: 1000, scale: "log" },
  },
  committee: {
    kind: "integer",
    aliases: [],
    min: 1,
    max: 100,
    doc:
      "Members of a committee: the rows are dealt into as many parts, each member learns from all parts but one, and scores are averaged. Every row is judged by the member that has not seen it; training stops when that metric, reported as set `outOfFold`, no longer improves. By " +
      "default (`treeline@1`) 5, and 1 (a single model of `rounds` rounds) if rounds, early stopping, DART or parallel trees are given, below 40 rows, and above 100,000 rows × outputs.",
    algorithms: BOOST,
  },
  learningRate: {
    kind: "number",
    aliases: ["eta", "shrinkage_rate", "shrinkage"],
    min: 0,
    max: 1,
    open: "min",
    default: 0.1,
    doc: "Factor on each new tree.",
    algorithms: BOOST,
    search: { from: 0.01, to: 0.3, scale: "log" },
  },
  learningRateGrowth: {
    kind: "number",
    aliases: [],
    min: 1,
    max: 100,
    doc:
      "Largest multiple of `learningRate` that late rounds use: round t uses t / 50 times the rate, at least once and at most this many times. Early steps decide most and stay small; the rest is learnt in fewer rounds. By default 1; 3 in a committee whose learningRate is not given, from 1000 rows × outputs on.",
    algorithms: BOOST,
  },
  ...BOOST_TREE_PARAMS,
  ...BOOST_SAMPLING_PARAMS,
  requireSplit: {
    kind: "boolean",
    aliases: [],
    default: false,
    doc: "Makes a model without a single split an error instead of a warning.",
    algorithms: BOOST,
  },
  ...BOOST_LOSS_PARAMS,
  ...BOOST_STOPPING_PARAMS,
  unknown: {
    kind: "choice",
    aliases: [],
    choices: ["heavier", "missing", "node", "error"],
    default: "heavier",
    doc:
      "How scoring treats a category that training has not seen. With `node` and `error`, validation sets must not have such values.",
    algorithms: BOOST,
  },
  seed: {
    kind: "integer",
    aliases: ["random_state", "random_seed", "rng_seed"],
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 0,
    doc:
      "Fixes every random choice; the model's bytes depend on it, but not on the number of threads.",
    algorithms: BOOST,
  },
} as const satisfies ParamTable;
