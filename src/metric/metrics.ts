/**
 * Names of metrics: one plain object from canonical name to factory, the names other libraries
 * use, and the metrics of each task. A number after `@` is the metric's parameter: `ndcg@10`,
 * `error@0.7`, `quantile@0.9`, `tweedieDeviance@1.3`.
 *
 * @module
 */
import { ParameterError } from "../errors.ts";
import { nearest } from "../util/nearest.ts";
import { auc, aucMu, aucOvr, aucPr, averagePrecision } from "./auc.ts";
import { ece } from "./calibration.ts";
import * as classification from "./classification.ts";
import { type MetricDomain, type NumberRule, withinDomain } from "./domain.ts";
import { metricRecipe } from "./recipe.ts";
import { ams } from "./significance.ts";
import { crossEntropyLambda, klDivergence } from "./soft_labels.ts";
import { meanAveragePrecision, ndcg, precisionAt, reciprocalRank } from "./ranking.ts";
import * as regression from "./regression.ts";
import { coxNll } from "./survival.ts";
import type { Metric, MetricParams } from "./types.ts";

const ABOVE_ZERO: NumberRule = { test: (x) => x > 0 && x < Infinity, text: "a number above 0" };
const LEVEL: NumberRule = {
  test: (x) => x > 0 && x < 1,
  text: "a number strictly between 0 and 1",
};
const POWER: NumberRule = {
  test: (x) => x > 1 && x < 2,
  text: "a number strictly between 1 and 2",
};
const SHARE: NumberRule = { test: (x) => x > 0 && x <= 1, text: "a share in (0, 1]" };
const THRESHOLD: NumberRule = { test: (x) => x >= 0 && x <= 1, text: "a probability" };
const COUNT: NumberRule = {
  test: (x) => Number.isInteger(x) && x >= 1,
  text: "a whole number above 0",
};

const TIME: NumberRule = {
  test: (y) => y !== 0 && Math.abs(y) < Infinity,
  text: "a time above 0, negative where it is censored",
};
const NOT_NEGATIVE: NumberRule = { test: (y) => y >= 0, text: "a number that is not negative" };
const ABOVE_MINUS_ONE: NumberRule = { test: (y) => y > -1, text: "a number above -1" };

interface Entry {
  readonly domain: MetricDomain;
  readonly at?: NumberRule;
  /** Labels it is defined for. @default any that the domain allows */
  readonly labels?: NumberRule;
  readonly make: (at: number | undefined, params: MetricParams) => Metric;
}

const METRICS: { readonly [name: string]: Entry } = {
  rmse: { domain: "number", make: () => regression.rmse() },
  mse: { domain: "number", make: () => regression.mse() },
  mae: { domain: "number", make: () => regression.mae() },
  mape: { domain: "number", make: () => regression.mape() },
  rmsle: { domain: "number", labels: ABOVE_MINUS_ONE, make: () => regression.rmsle() },
  r2: { domain: "number", make: () => regression.r2() },
  huber: {
    domain: "number",
    at: ABOVE_ZERO,
    make: (at, p) => regression.huber(at ?? p.huberDelta ?? 1),
  },
  pseudoHuber: {
    domain: "number",
    at: ABOVE_ZERO,
    make: (at, p) => regression.pseudoHuber(at ?? p.huberDelta ?? 1),
  },
  fair: { domain: "number", at: ABOVE_ZERO, make: (at, p) => regression.fair(at ?? p.fairC ?? 1) },
  quantile: {
    domain: "levels",
    at: LEVEL,
    make: (at, p) => regression.quantile(p.quantiles ?? [0.5], at),
  },
  expectile: {
    domain: "levels",
    at: LEVEL,
    make: (at, p) => regression.expectile(p.expectiles ?? [0.5], at),
  },
  poissonNll: { domain: "number", labels: NOT_NEGATIVE, make: () => regression.poissonNll() },
  poissonDeviance: {
    domain: "number",
    labels: NOT_NEGATIVE,
    make: () => regression.poissonDeviance(),
  },
  gammaNll: { domain: "number", labels: ABOVE_ZERO, make: () => regression.gammaNll() },
  gammaDeviance: { domain: "number", labels: ABOVE_ZERO, make: () => regression.gammaDeviance() },
  tweedieNll: {
    domain: "number",
    at: POWER,
    labels: NOT_NEGATIVE,
    make: (at, p) => regression.tweedieNll(at ?? p.tweediePower ?? 1.5),
  },
  tweedieDeviance: {
    domain: "number",
    at: POWER,
    labels: NOT_NEGATIVE,
    make: (at, p) => regression.tweedieDeviance(at ?? p.tweediePower ?? 1.5),
  },
  logLoss: { domain: "classes", make: () => classification.logLoss() },
  accuracy: { domain: "classes", make: () => classification.accuracy() },
  error: {
    domain: "classes",
    at: THRESHOLD,
    make: (at) =>
      at === undefined
        ? classification.error()
        : withinDomain(classification.errorAt(at), "twoClasses"),
  },
  topAccuracy: {
    domain: "classes",
    at: COUNT,
    make: (at) => classification.topAccuracy(at ?? 5),
  },
  balancedAccuracy: { domain: "classes", make: () => classification.balancedAccuracy() },
  brier: { domain: "classes", make: () => classification.brier() },
  ece: { domain: "classes", at: COUNT, make: (at) => ece(at) },
  f1: { domain: "twoClasses", make: () => classification.f1() },
  macroF1: { domain: "classes", make: () => classification.macroF1() },
  precision: { domain: "twoClasses", make: () => classification.precision() },
  recall: { domain: "twoClasses", make: () => classification.recall() },
  mcc: { domain: "classes", make: () => classification.mcc() },
  klDivergence: { domain: "twoClasses", make: () => klDivergence() },
  crossEntropyLambda: { domain: "twoClasses", make: () => crossEntropyLambda() },
  auc: { domain: "twoClasses", make: () => auc() },
  averagePrecision: { domain: "twoClasses", make: () => averagePrecision() },
  aucPr: { domain: "twoClasses", make: () => aucPr() },
  aucMu: { domain: "severalClasses", make: () => aucMu() },
  aucOvr: { domain: "severalClasses", make: () => aucOvr() },
  ams: { domain: "twoClasses", at: SHARE, make: (at) => ams(at ?? 0.15) },
  ndcg: {
    domain: "queries",
    at: COUNT,
    labels: NOT_NEGATIVE,
    make: (at, p) => ndcg(at, p.rankGain, p.emptyGroup),
  },
  map: { domain: "queries", at: COUNT, make: (at, p) => meanAveragePrecision(at, p.emptyGroup) },
  precisionAt: { domain: "queries", at: COUNT, make: (at, p) => precisionAt(at, p.emptyGroup) },
  coxNll: { domain: "number", labels: TIME, make: () => coxNll() },
  mrr: { domain: "queries", at: COUNT, make: (at, p) => reciprocalRank(at, p.emptyGroup) },
};

const ALIASES: { readonly [name: string]: readonly string[] } = {
  rmse: ["root_mean_squared_error", "l2_root"],
  mse: ["l2", "mean_squared_error", "regression", "regression_l2"],
  mae: ["l1", "mean_absolute_error", "regression_l1"],
  mape: ["mean_absolute_percentage_error"],
  pseudoHuber: ["mphe"],
  poissonNll: ["poisson-nloglik", "poisson"],
  gammaNll: ["gamma-nloglik", "gamma"],
  gammaDeviance: ["gamma-deviance", "gamma_deviance"],
  tweedieNll: ["tweedie-nloglik", "tweedie"],
  logLoss: [
    "logloss",
    "log_loss",
    "mlogloss",
    "binary_logloss",
    "binary",
    "multi_logloss",
    "multiclass",
    "softmax",
    "multiclassova",
    "multiclass_ova",
    "ova",
    "ovr",
    "cross_entropy",
    "xentropy",
  ],
  auc: ["roc_auc", "roc_auc_score"],
  error: ["merror", "binary_error", "multi_error"],
  averagePrecision: ["average_precision", "average_precision_score"],
  aucPr: ["aucpr"],
  aucMu: ["auc_mu"],
  klDivergence: ["kullback_leibler", "kldiv"],
  crossEntropyLambda: ["cross_entropy_lambda", "xentlambda"],
  macroF1: ["macro_f1"],
  balancedAccuracy: ["balanced_accuracy"],
  map: ["mean_average_precision"],
  precisionAt: ["pre"],
  ndcg: ["lambdarank", "rank_xendcg", "xendcg", "xe_ndcg", "xe_ndcg_mart", "xendcg_mart"],
  coxNll: ["cox-nloglik"],
};

/** Metrics of XGBoost that need what our data do not have: two bounds of each label. */
const BOUNDED = new Set(["aft-nloglik", "interval-regression-accuracy"]);

const CANONICAL: ReadonlyMap<string, string> = new Map(
  Object.keys(METRICS).flatMap((name) =>
    [name, ...(ALIASES[name] ?? [])].map((word) => [word.toLowerCase(), name] as const)
  ),
);

/** Canonical names of all metrics. */
export const METRIC_NAMES: readonly string[] = Object.keys(METRICS);

/**
 * Makes a metric by name.
 *
 * @param name Canonical or a name of XGBoost, LightGBM or scikit-learn, with an optional `@number`
 * and, for ranking, a final `-`: queries without a relevant item count 0.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` with the nearest name.
 */
export function metricByName(name: string, params: MetricParams = {}): Metric {
  const [, base = name, text] = /^(.*?)@([^@]*?)-?$/.exec(name) ?? [];
  const canonical = CANONICAL.get(base.toLowerCase().replace(/-$/, ""));
  const at = text === undefined ? undefined : text === "" ? NaN : Number(text);
  // XGBoost's mark for queries without a relevant item: they count 0.
  const shown = name.endsWith("-") ? { ...params, emptyGroup: "zero" as const } : params;
  if (BOUNDED.has(base.toLowerCase())) {
    throw new ParameterError(
      "E_PARAM_UNKNOWN",
      `Cannot use metric ${JSON.stringify(name)}: it compares with a lower and an upper bound of ` +
        `each label, and data have one label a row; expected one of ${METRIC_NAMES.join(", ")}`,
      { details: { param: "metrics", value: name } },
    );
  }
  if (canonical === undefined || Number.isNaN(at)) {
    const right = nearest(base, [...METRIC_NAMES, ...CANONICAL.keys()]);
    throw new ParameterError(
      "E_PARAM_UNKNOWN",
      `Cannot use metric ${JSON.stringify(name)}: ${
        right === undefined ? "known" : `did you mean "${right}"? Known`
      } metrics are ${METRIC_NAMES.join(", ")}`,
      { details: { param: "metrics", value: name, nearest: right } },
    );
  }
  const entry = METRICS[canonical];
  if (at !== undefined && entry.at?.test(at) !== true) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use metric ${JSON.stringify(name)}: ${
        entry.at === undefined ? "it takes no number" : `expected ${entry.at.text} after @`
      }`,
      { details: { param: "metrics", value: name } },
    );
  }
  if (name.endsWith("-") && entry.domain !== "queries") {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use metric ${JSON.stringify(name)}: a final "-" is for ranking metrics`,
      { details: { param: "metrics", value: name } },
    );
  }
  const metric = withinDomain(entry.make(at, shown), entry.domain, entry.labels);
  const suffix = (at === undefined ? "" : `@${text}`) + (name.endsWith("-") ? "-" : "");
  const recipe = metricRecipe(name, params);
  return {
    ...metric,
    name: suffix === "" ? metric.name : canonical + suffix,
    ...(recipe && { recipe }),
  };
}

/** Whether a metric of this name, which is known, is of ranked queries. */
export function ranksQueries(name: string): boolean {
  const canonical = CANONICAL.get(name.toLowerCase().replace(/@.*$|-$/, ""));
  return canonical !== undefined && METRICS[canonical].domain === "queries";
}

/**
 * Names of the metrics that `evaluate` shows for a loss, the first of which judges early stopping.
 *
 * @param loss Canonical name of the loss, or undefined for a model that has none.
 * @param numOutputs Several quantiles are judged by their own metric only.
 */
export function defaultMetrics(
  task: "regression" | "classification" | "ranking",
  numClasses: number,
  loss?: string,
  numOutputs = 1,
): readonly string[] {
  if (task === "ranking") return ["ndcg@10", "ndcg", "map"];
  if (task === "classification") {
    if (loss === "hinge") return ["error", "accuracy"];
    return numClasses > 2 ? ["logLoss", "accuracy", "macroF1"] : ["logLoss", "auc", "accuracy"];
  }
  const first = loss === undefined ? undefined : OF_LOSS[loss];
  if (numOutputs > 1 && first !== undefined) return first;
  return [...new Set([...(first ?? []), "rmse", "mae", "r2"])];
}

const OF_LOSS: { readonly [loss: string]: readonly string[] } = {
  absolute: ["mae"],
  huber: ["huber"],
  pseudoHuber: ["pseudoHuber"],
  quantile: ["quantile"],
  expectile: ["expectile"],
  squaredLog: ["rmsle"],
  mape: ["mape"],
  fair: ["fair"],
  poisson: ["poissonDeviance"],
  gamma: ["gammaDeviance"],
  tweedie: ["tweedieDeviance"],
  crossEntropy: ["logLoss", "brier"],
};
