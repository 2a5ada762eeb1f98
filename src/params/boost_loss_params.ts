/**
 * Hyperparameters of `boost` that shape the loss: class weights, start value, and each loss's own.
 *
 * @module
 */
import { BOOST, type ParamTable } from "./types.ts";

/** In the order of docs/parameters.md. */
export const BOOST_LOSS_PARAMS = {
  positiveWeight: {
    kind: "number",
    aliases: ["scale_pos_weight"],
    min: 0,
    open: "min",
    doc: "Factor on the weight of the second class's rows; excludes `classWeights`.",
    algorithms: BOOST,
  },
  classWeights: {
    kind: "table",
    aliases: ["class_weight", "class_weights", "auto_class_weights"],
    choices: ["balanced"],
    doc:
      "Factor on the weight of each class's rows, by class; `balanced` gives all classes the same total weight.",
    algorithms: BOOST,
  },
  priorCorrection: {
    kind: "boolean",
    aliases: [],
    default: false,
    doc:
      "Removes the effect of class weights on the base rate from the stored base score, so that probabilities match the class shares of the data.",
    algorithms: BOOST,
  },
  baseScore: {
    kind: "number",
    aliases: ["base_score"],
    doc:
      "Response without any trees (a probability for logistic, a mean for Poisson). By default the " +
      "constant that minimises the loss.",
    algorithms: BOOST,
  },
  huberDelta: {
    kind: "number",
    aliases: ["huber_slope", "huber_delta", "delta"],
    min: 0,
    open: "min",
    default: 1,
    doc: "Residual at which the losses `huber` and `pseudoHuber` change from quadratic to linear.",
    algorithms: BOOST,
  },
  quantiles: {
    kind: "numbers",
    aliases: ["quantile_alpha", "quantile"],
    min: 0,
    max: 1,
    open: "both",
    default: [0.5],
    doc: "Levels of the loss `quantile`; the model has one output for each.",
    algorithms: BOOST,
  },
  expectiles: {
    kind: "numbers",
    aliases: ["expectile_alpha"],
    min: 0,
    max: 1,
    open: "both",
    default: [0.5],
    doc: "Levels of the loss `expectile`; the model has one output for each.",
    algorithms: BOOST,
  },
  fairC: {
    kind: "number",
    aliases: ["fair_c"],
    min: 0,
    open: "min",
    default: 1,
    doc: "Scale of the loss `fair`.",
    algorithms: BOOST,
  },
  tweediePower: {
    kind: "number",
    aliases: ["tweedie_variance_power"],
    min: 1,
    max: 2,
    open: "both",
    default: 1.5,
    doc: "Variance power of the loss `tweedie`.",
    algorithms: BOOST,
  },
  sigmoidScale: {
    kind: "number",
    aliases: ["sigmoid"],
    min: 0,
    open: "min",
    default: 1,
    doc: "Factor inside the sigmoid of the losses `logistic` and `oneVsAll` and of ranking pairs.",
    algorithms: BOOST,
  },
  curvature: {
    kind: "choice",
    aliases: [],
    choices: ["treeline", "xgboost", "lightgbm"],
    default: "treeline",
    doc:
      "Which library's second derivatives and leaf rules to use where libraries differ (docs/algorithms.md).",
    algorithms: BOOST,
  },
  rankTruncation: {
    kind: "integer",
    aliases: ["lambdarank_truncation_level", "lambdarank_num_pair_per_sample"],
    min: 1,
    default: 32,
    doc: "Ranking: pairs are formed with the items on this many of the best ranks.",
    algorithms: BOOST,
  },
  rankGain: {
    kind: "choice",
    aliases: ["ndcg_gain"],
    choices: ["exponential", "linear"],
    default: "exponential",
    doc: "Ranking: gain of relevance r, 2^r − 1 or r.",
    algorithms: BOOST,
  },
  rankNormalise: {
    kind: "boolean",
    aliases: ["lambdarank_norm"],
    default: true,
    doc: "Ranking: divides pairs by their score gap and queries by log2(1 + Σλ) / Σλ.",
    algorithms: BOOST,
  },
} as const satisfies ParamTable;
