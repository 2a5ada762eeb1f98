/**
 * Names of losses: one plain object from canonical name to factory, and the names other libraries
 * use for them.
 *
 * @module
 */
import { requireTarget, withTask } from "../data/dataset/target.ts";
import type { Dataset, Target } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import { nearest } from "../util/nearest.ts";
import { absoluteLoss, mapeLoss, quantileLoss } from "./absolute.ts";
import { gammaLoss, poissonLoss, tweedieLoss } from "./counts.ts";
import { FORMULA_PREFIX, formulaLoss } from "./custom.ts";
import { expectileLoss } from "./expectile.ts";
import { fairLoss, huberLoss, pseudoHuberLoss } from "./huber.ts";
import { lambdaLoss } from "./lambda.ts";
import { exponentialLoss, hingeLoss, logisticLoss } from "./logistic.ts";
import { type LossRecipe, lossRecipe } from "./recipe.ts";
import { oneVsAllLoss, softmaxLoss } from "./softmax.ts";
import { squaredLoss } from "./squared.ts";
import { squaredLogLoss } from "./squared_log.ts";
import type { Loss } from "./types.ts";
import type { LossParams } from "./params.ts";
import { xendcgLoss } from "./xendcg.ts";

type Kind = "regression" | "binary" | "multiclass" | "ranking";

interface Entry {
  /** Kinds of target the loss is for. */
  readonly kinds: readonly Kind[];
  readonly make: (params: LossParams, target: Target) => Loss;
}

const REGRESSION = ["regression"] as const;
const MULTI = ["binary", "multiclass"] as const;
const RANKING = ["ranking"] as const;

function classesOf(target: Target): number {
  return target.kind === "classification" ? target.classes.length : 0;
}

const LOSSES: { readonly [name: string]: Entry } = {
  squared: { kinds: REGRESSION, make: () => squaredLoss() },
  absolute: { kinds: REGRESSION, make: (p) => absoluteLoss(p.curvature) },
  huber: { kinds: REGRESSION, make: (p) => huberLoss(p.huberDelta ?? 1, p.curvature) },
  pseudoHuber: { kinds: REGRESSION, make: (p) => pseudoHuberLoss(p.huberDelta ?? 1) },
  quantile: { kinds: REGRESSION, make: (p) => quantileLoss(p.quantiles ?? [0.5], p.curvature) },
  expectile: { kinds: REGRESSION, make: (p) => expectileLoss(p.expectiles ?? [0.5]) },
  squaredLog: { kinds: REGRESSION, make: () => squaredLogLoss() },
  mape: { kinds: REGRESSION, make: (p) => mapeLoss(p.curvature) },
  fair: { kinds: REGRESSION, make: (p) => fairLoss(p.fairC ?? 1) },
  poisson: { kinds: REGRESSION, make: (p) => poissonLoss(p.curvature, p.maxDeltaStep) },
  gamma: { kinds: REGRESSION, make: () => gammaLoss() },
  tweedie: { kinds: REGRESSION, make: (p) => tweedieLoss(p.tweediePower ?? 1.5) },
  logistic: {
    kinds: ["binary", "regression"],
    make: (p, target) =>
      logisticLoss({ scale: p.sigmoidScale ?? 1, soft: target.kind === "regression" }),
  },
  crossEntropy: {
    kinds: REGRESSION,
    make: (p) => logisticLoss({ soft: true, curvature: p.curvature ?? "treeline" }),
  },
  exponential: { kinds: ["binary"], make: () => exponentialLoss() },
  hinge: { kinds: ["binary"], make: () => hingeLoss() },
  softmax: { kinds: MULTI, make: (p, target) => softmaxLoss(classesOf(target), p.curvature) },
  oneVsAll: {
    kinds: MULTI,
    make: (p, target) =>
      oneVsAllLoss(classesOf(target), p.curvature !== "lightgbm", p.sigmoidScale ?? 1),
  },
  lambdaNdcg: { kinds: RANKING, make: (p) => lambdaLoss("ndcg", p) },
  lambdaMap: { kinds: RANKING, make: (p) => lambdaLoss("map", p) },
  pairwise: { kinds: RANKING, make: (p) => lambdaLoss("none", p) },
  xendcg: { kinds: RANKING, make: (p) => xendcgLoss(p.seed ?? 0, undefined, p.curvature) },
};

/** Names of XGBoost, LightGBM, CatBoost and scikit-learn. */
const ALIASES: { readonly [name: string]: readonly string[] } = {
  squared: [
    "reg:squarederror",
    "reg:linear",
    "squared_error",
    "regression",
    "regression_l2",
    "l2",
    "mse",
    "rmse",
    "mean_squared_error",
    "l2_root",
    "root_mean_squared_error",
  ],
  absolute: [
    "reg:absoluteerror",
    "absolute_error",
    "regression_l1",
    "l1",
    "mae",
    "mean_absolute_error",
  ],
  pseudoHuber: ["reg:pseudohubererror"],
  quantile: ["reg:quantileerror"],
  expectile: ["reg:expectileerror"],
  squaredLog: ["reg:squaredlogerror"],
  mape: ["mean_absolute_percentage_error"],
  poisson: ["count:poisson"],
  gamma: ["reg:gamma"],
  tweedie: ["reg:tweedie"],
  logistic: ["binary:logistic", "binary", "log_loss", "logloss"],
  crossEntropy: ["reg:logistic", "cross_entropy", "xentropy"],
  hinge: ["binary:hinge"],
  softmax: ["multi:softprob", "multi:softmax", "multiclass"],
  oneVsAll: ["multiclassova", "multiclass_ova", "ova", "ovr", "multiclassonevsall"],
  lambdaNdcg: ["rank:ndcg", "lambdarank", "lambdamart"],
  lambdaMap: ["rank:map"],
  pairwise: ["rank:pairwise", "ranknet", "pairlogit"],
  xendcg: ["rank_xendcg", "xe_ndcg", "xendcg_mart", "xe_ndcg_mart"],
};

const CANONICAL: ReadonlyMap<string, string> = new Map(
  Object.keys(LOSSES).flatMap((name) =>
    [name, ...(ALIASES[name] ?? [])].map((word) => [word.toLowerCase(), name] as const)
  ),
);

/** Losses of other libraries that are not here, and what to do. */
const ELSEWHERE: { readonly [name: string]: string } = {
  "binary:logitraw":
    `its trees are those of "logistic"; predictRaw gives the scores before the link`,
  "survival:cox": "losses of survival times are not here yet",
  "survival:aft": "losses of survival times are not here yet",
  "cross_entropy_lambda":
    `expected "crossEntropy", whose weights weigh rows, or a loss by expression`,
  "xentlambda": `expected "crossEntropy", whose weights weigh rows, or a loss by expression`,
};

/** Canonical names in order of appearance in the documentation. */
export const LOSS_NAMES: readonly string[] = Object.keys(LOSSES);

/** Canonical name of a loss, or undefined. */
export function canonicalLoss(name: string): string | undefined {
  return CANONICAL.get(name.toLowerCase());
}

function kindOf(target: Target): Kind {
  if (target.kind === "regression") return "regression";
  return target.classes.length <= 2 ? "binary" : "multiclass";
}

/** The loss that suits a target: squared, logistic or softmax. */
export function defaultLoss(target: Target): string {
  return { regression: "squared", binary: "logistic", multiclass: "softmax", ranking: "" }[
    kindOf(target)
  ];
}

/**
 * Makes a loss by name for a dataset's target. `auto` takes {@linkcode defaultLoss}.
 *
 * @param name Canonical, or a name of XGBoost, LightGBM or scikit-learn.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` with the nearest name; `E_PARAM_CONFLICT` where the
 * loss is for another kind of target.
 * @throws {DataError} `E_DATA_TARGET` when there is no target.
 */
export function lossByName(name: string, data: Dataset, params: LossParams = {}): Loss {
  const target = requireTarget(data);
  const canonical = name === "auto" ? defaultLoss(target) : canonicalLoss(name);
  if (canonical === undefined) {
    const advice = ELSEWHERE[name.toLowerCase()];
    const right = advice === undefined
      ? nearest(name, [...LOSS_NAMES, ...CANONICAL.keys()])
      : undefined;
    throw new ParameterError(
      "E_PARAM_UNKNOWN",
      `Cannot use loss ${JSON.stringify(name)}: ${
        advice !== undefined
          ? `${advice}. Known`
          : right === undefined
          ? "known"
          : `did you mean "${right}"? Known`
      } losses are ${LOSS_NAMES.join(", ")}`,
      { details: { param: "loss", value: name, nearest: right } },
    );
  }
  const entry = LOSSES[canonical];
  const kind = kindOf(target);
  const ranking = entry.kinds.includes("ranking") && target.kind === "regression";
  if (!ranking && !entry.kinds.includes(kind)) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot use loss "${canonical}": the target ${JSON.stringify(target.name)} is ${
        describe(target)
      }, and the loss is for ${entry.kinds.map((k) => KIND_TEXT[k]).join(" or ")}`,
      { details: { param: "loss", value: canonical, target: target.name } },
    );
  }
  return withRecipe(entry.make(params, target), lossRecipe(canonical, classesOf(target), params));
}

function withRecipe(loss: Loss, recipe: LossRecipe | undefined): Loss {
  return recipe === undefined ? loss : { ...loss, recipe };
}

/** Makes a loss by its recipe: its functions give the same bits. */
export function lossOfRecipe({ name, numClasses, params }: LossRecipe): Loss {
  if (name.startsWith(FORMULA_PREFIX)) return formulaLoss(name);
  return LOSSES[name].make(params, stubTarget(numClasses));
}

/** A target of which a loss learns the number of classes only. */
function stubTarget(numClasses: number): Target {
  const name = "y";
  return numClasses === 0 ? { kind: "regression", name, values: new Float64Array(0) } : {
    kind: "classification",
    name,
    codes: new Int32Array(0),
    classes: Array.from({ length: numClasses }, (_, k) => `${k}`),
  };
}

const KIND_TEXT: { readonly [kind in Kind]: string } = {
  regression: "numbers",
  binary: "two classes",
  multiclass: "several classes",
  ranking: "relevance within queries",
};

function describe(target: Target): string {
  return target.kind === "regression"
    ? "a number"
    : `one of ${target.classes.length} class${target.classes.length === 1 ? "" : "es"}`;
}

/**
 * The loss for what a user gave (a name, or a loss made by `definePointwiseLoss`) and the data in
 * the task it is for: numbers that were read as classes (0 and 1, say) become numbers again where
 * the loss is for numbers only.
 */
export function resolveLoss(
  given: unknown,
  data: Dataset,
  params: LossParams,
): { readonly loss: Loss; readonly data: Dataset } {
  if (typeof given !== "string" || given.startsWith(FORMULA_PREFIX)) {
    const loss = typeof given === "string"
      ? withRecipe(formulaLoss(given), lossRecipe(given, 0, {}))
      : checkLossObject(given);
    return { loss, data: shapeFor(loss, data) };
  }
  const canonical = canonicalLoss(given);
  const kinds = canonical === undefined ? undefined : LOSSES[canonical].kinds;
  const shaped =
    kinds !== undefined && kinds.every((kind) => kind === "regression" || kind === "ranking")
      ? withTask(data, "regression")
      : data;
  return { loss: lossByName(given, shaped, params), data: shaped };
}

function checkLossObject(given: unknown): Loss {
  const loss = given as Partial<Loss> | null | undefined;
  if (typeof loss?.gradients === "function" && typeof loss.baseScore === "function") {
    return loss as Loss;
  }
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use this loss: expected a name or a loss made by definePointwiseLoss, found ${typeof given}`,
    { details: { param: "loss" } },
  );
}

/** The data in the task of a custom loss: two classes for probabilities, numbers otherwise. */
function shapeFor(loss: Loss, data: Dataset): Dataset {
  const target = requireTarget(data);
  if (loss.task !== "classification") return withTask(data, "regression");
  if (target.kind === "classification" && loss.numOutputs === 1 && target.classes.length > 2) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot use loss "${loss.name}" with ${target.classes.length} classes: its link is for two`,
      { details: { param: "loss" } },
    );
  }
  return data;
}
