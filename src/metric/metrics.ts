/**
 * Names of metrics: one plain object from canonical name to factory, the names other libraries
 * use, and the metrics of each task. A number after `@` is the metric's parameter: `ndcg@10`,
 * `error@0.7`, `quantile@0.9`, `tweedieDeviance@1.3`.
 *
 * @module
 */
import { ParameterError } from "../errors.ts";
import { nearest } from "../util/nearest.ts";
import { auc, aucMu, aucPr, averagePrecision } from "./auc.ts";
import { ece } from "./calibration.ts";
import * as classification from "./classification.ts";
import { ams } from "./significance.ts";
import {
  type EmptyGroup,
  meanAveragePrecision,
  ndcg,
  precisionAt,
  reciprocalRank,
} from "./ranking.ts";
import * as regression from "./regression.ts";
import type { Metric } from "./types.ts";

/** Parameters of metrics that are not in their name. */
export interface MetricParams {
  /** Width of the Huber metrics. @default 1 */
  readonly huberDelta?: number;
  /** Scale of the fair metric. @default 1 */
  readonly fairC?: number;
  /** Power of the Tweedie metrics. @default 1.5 */
  readonly tweediePower?: number;
  /** Gain of the NDCG metrics. @default "exponential" */
  readonly rankGain?: "exponential" | "linear";
  /** What queries without a relevant item count in ranking metrics. @default "skip" */
  readonly emptyGroup?: EmptyGroup;
  /** Levels of the quantile metric. @default [0.5] */
  readonly quantiles?: readonly number[];
  /** Levels of the expectile metric. @default [0.5] */
  readonly expectiles?: readonly number[];
}

type Make = (at: number | undefined, params: MetricParams) => Metric;

const METRICS: { readonly [name: string]: Make } = {
  rmse: () => regression.rmse(),
  mse: () => regression.mse(),
  mae: () => regression.mae(),
  mape: () => regression.mape(),
  rmsle: () => regression.rmsle(),
  r2: () => regression.r2(),
  huber: (at, p) => regression.huber(at ?? p.huberDelta ?? 1),
  pseudoHuber: (at, p) => regression.pseudoHuber(at ?? p.huberDelta ?? 1),
  fair: (at, p) => regression.fair(at ?? p.fairC ?? 1),
  quantile: (at, p) => regression.quantile(at === undefined ? p.quantiles ?? [0.5] : [at]),
  expectile: (at, p) => regression.expectile(at === undefined ? p.expectiles ?? [0.5] : [at]),
  poissonNll: () => regression.poissonNll(),
  poissonDeviance: () => regression.poissonDeviance(),
  gammaNll: () => regression.gammaNll(),
  gammaDeviance: () => regression.gammaDeviance(),
  tweedieNll: (at, p) => regression.tweedieNll(at ?? p.tweediePower ?? 1.5),
  tweedieDeviance: (at, p) => regression.tweedieDeviance(at ?? p.tweediePower ?? 1.5),
  logLoss: () => classification.logLoss(),
  accuracy: () => classification.accuracy(),
  error: (at) => at === undefined ? classification.error() : classification.errorAt(at),
  topAccuracy: (at) => classification.topAccuracy(at ?? 5),
  balancedAccuracy: () => classification.balancedAccuracy(),
  brier: () => classification.brier(),
  ece: (at) => ece(at),
  f1: () => classification.f1(),
  macroF1: () => classification.macroF1(),
  precision: () => classification.precision(),
  recall: () => classification.recall(),
  mcc: () => classification.mcc(),
  klDivergence: () => classification.klDivergence(),
  auc: () => auc(),
  averagePrecision: () => averagePrecision(),
  aucPr: () => aucPr(),
  aucMu: () => aucMu(),
  ams: (at) => ams(at ?? 0.15),
  ndcg: (at, p) => ndcg(at, p.rankGain, p.emptyGroup),
  map: (at, p) => meanAveragePrecision(at, p.emptyGroup),
  precisionAt: (at, p) => precisionAt(at, p.emptyGroup),
  mrr: (at, p) => reciprocalRank(at, p.emptyGroup),
};

const ALIASES: { readonly [name: string]: readonly string[] } = {
  rmse: ["root_mean_squared_error", "l2_root"],
  mse: ["l2", "mean_squared_error", "regression"],
  mae: ["l1", "mean_absolute_error"],
  mape: ["mean_absolute_percentage_error"],
  pseudoHuber: ["mphe"],
  poissonNll: ["poisson-nloglik", "poisson"],
  gammaNll: ["gamma-nloglik", "gamma"],
  gammaDeviance: ["gamma-deviance", "gamma_deviance"],
  tweedieNll: ["tweedie-nloglik", "tweedie"],
  logLoss: ["logloss", "mlogloss", "binary_logloss", "multi_logloss", "cross_entropy", "xentropy"],
  error: ["merror", "binary_error", "multi_error"],
  averagePrecision: ["average_precision"],
  aucPr: ["aucpr"],
  aucMu: ["auc_mu"],
  klDivergence: ["kullback_leibler", "kldiv"],
  macroF1: ["macro_f1"],
  balancedAccuracy: ["balanced_accuracy"],
  map: ["mean_average_precision"],
  precisionAt: ["pre"],
  ndcg: ["lambdarank", "xendcg"],
};

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
  if (canonical === undefined || Number.isNaN(at)) {
    const right = nearest(base, [...METRIC_NAMES, ...CANONICAL.keys()]);
    throw new ParameterError(
      "E_PARAM_UNKNOWN",
      `Cannot use metric ${JSON.stringify(name)}: ${
        right === undefined ? "" : `did you mean "${right}"? `
      }Known metrics are ${METRIC_NAMES.join(", ")}`,
      { details: { param: "metrics", value: name, nearest: right } },
    );
  }
  const metric = METRICS[canonical](at, shown);
  const suffix = (at === undefined ? "" : `@${text}`) + (name.endsWith("-") ? "-" : "");
  return suffix === "" ? metric : { ...metric, name: canonical + suffix };
}

/**
 * Names of the metrics that `evaluate` shows for a loss, the first of which judges early stopping.
 *
 * @param loss Canonical name of the loss, or undefined for a model that has none.
 */
export function defaultMetrics(
  task: "regression" | "classification" | "ranking",
  numClasses: number,
  loss?: string,
): readonly string[] {
  if (task === "ranking") return ["ndcg@10", "ndcg", "map"];
  if (task === "classification") {
    if (loss === "hinge") return ["error", "accuracy"];
    return numClasses > 2 ? ["logLoss", "accuracy", "macroF1"] : ["logLoss", "auc", "accuracy"];
  }
  const first = loss === undefined ? undefined : OF_LOSS[loss];
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
