/**
 * Parameters that are given and would do nothing, or something else than their name says in another
 * library: they are refused, since the model would not be the one that was meant.
 *
 * @module
 */
import { ParameterError } from "../../errors.ts";
import { canonicalLoss } from "../../loss/losses.ts";
import type { ResolvedBoost } from "./plan.ts";

const PAIRS = ["lambdaNdcg", "lambdaMap", "pairwise"];

/** Losses that a parameter shapes; metrics of the same names take it too. */
const OF_LOSS: { readonly [param: string]: readonly string[] } = {
  huberDelta: ["huber", "pseudoHuber"],
  quantiles: ["quantile"],
  expectiles: ["expectile"],
  fairC: ["fair"],
  tweediePower: ["tweedie", "tweedieNll", "tweedieDeviance"],
  sigmoidScale: ["logistic", "oneVsAll", ...PAIRS],
  rankTruncation: PAIRS,
  rankNormalise: PAIRS,
  rankGain: ["lambdaNdcg", "ndcg"],
};

/** What switches a parameter on; where one of these is given, the user has seen to it. */
const SWITCHES: { readonly [param: string]: readonly [expected: string, by: readonly string[]] } = {
  gossTop: [`sampling "goss"`, ["sampling"]],
  gossOther: [`sampling "goss"`, ["sampling"]],
  skipDrop: ["dropRate", ["dropRate", "oneDrop"]],
  maxDrop: ["dropRate", ["dropRate", "oneDrop"]],
  dropBy: ["dropRate", ["dropRate", "oneDrop"]],
  dropScale: ["dropRate", ["dropRate", "oneDrop"]],
  monotoneMethod: ["monotone", ["monotone"]],
  monotoneRules: ["monotone", ["monotone"]],
  monotonePenalty: ["monotone", ["monotone"]],
  linearLambda: ["linearTree", ["linearTree"]],
  earlyStoppingMetric: ["earlyStoppingRounds", ["earlyStoppingRounds"]],
  earlyStoppingSet: ["earlyStoppingRounds", ["earlyStoppingRounds"]],
  minDelta: ["earlyStoppingRounds", ["earlyStoppingRounds"]],
  keepAll: ["earlyStoppingRounds", ["earlyStoppingRounds"]],
};

/** Losses whose level or width is called `alpha` elsewhere, and its name here. */
export const ALPHA: { readonly [loss: string]: string } = {
  quantile: "quantiles",
  huber: "huberDelta",
};

/**
 * Refuses given parameters without effect.
 *
 * @param given Parameters of the user, by canonical name.
 * @param params All parameters, after the committee has made its own.
 * @param loss Name of the loss that is minimised.
 * @throws {ParameterError} `E_PARAM_CONFLICT` naming what is missing.
 */
export function refuseIdle(
  given: ReadonlyMap<string, unknown>,
  params: ResolvedBoost,
  loss: string,
): void {
  const level = ALPHA[loss];
  if (level !== undefined && Number(given.get("alpha") ?? 0) > 0 && !given.has(level)) {
    throw conflict(
      "alpha",
      `Cannot use alpha ${given.get("alpha")} with loss "${loss}": here alpha is the L1 penalty, ` +
        `and what LightGBM and scikit-learn call alpha of this loss is ${level}; expected ${level} ` +
        `(give it beside alpha where the penalty is meant)`,
    );
  }
  const metrics = (params.metrics ?? []).map((name) => name.split("@")[0]);
  for (const [param, losses] of Object.entries(OF_LOSS)) {
    const used = losses.includes(loss) || losses.some((name) => metrics.includes(name)) ||
      (param === "rankGain" && [...PAIRS, "xendcg"].includes(loss)) ||
      canonicalLoss(loss) === undefined;
    if (!given.has(param) || used) continue;
    throw conflict(
      param,
      `Cannot use ${param} with loss "${loss}": it shapes the losses ${losses.join(", ")} only`,
    );
  }
  for (const [param, [expected, by]] of Object.entries(SWITCHES)) {
    const off = given.get(param) === undefined || given.get(param) === false ||
      given.get(param) === 0;
    const stops = expected === "earlyStoppingRounds" && params.earlyStoppingRounds > 0;
    if (off || stops || by.some((name) => given.has(name))) continue;
    throw conflict(param, `Cannot use ${param} alone: it does nothing without ${expected}`);
  }
  const { featuresPerTree, featuresPerLevel, featuresPerNode = 1 } = params;
  const drawn = ["featuresPerTree", "featuresPerLevel", "featuresPerNode"];
  if (
    given.has("featureWeights") && featuresPerTree * featuresPerLevel * featuresPerNode === 1 &&
    !drawn.some((name) => given.has(name))
  ) {
    throw conflict(
      "featureWeights",
      `Cannot use featureWeights alone: features are drawn only where ${drawn.join(", ")} or ` +
        `several of them are below 1`,
    );
  }
}

function conflict(param: string, message: string): ParameterError {
  return new ParameterError("E_PARAM_CONFLICT", message, { details: { param } });
}
