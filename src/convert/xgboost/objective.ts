/**
 * XGBoost's objectives as far as a finished model needs them: the link of the base score, the map to
 * the response, and the task.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import type { Schema } from "../../data/types.ts";
import type { Postprocess } from "../../model/types.ts";
import { expf, logf } from "./float_math.ts";

/** What an objective means for scoring. */
export interface XgboostObjective {
  readonly task: Schema["task"];
  readonly postprocess: Postprocess;
  /** Base score as stored → margin, in float32 steps as the library does them. */
  readonly toMargin: (base: number) => number;
}

/**
 * Base score of a file from before 1.0, which is a margin: the library sends it through the response
 * and back, so that a last bit may change. Multi-class scores are taken as they are.
 */
export function legacyMargin(objective: XgboostObjective, margin: number): number {
  switch (objective.postprocess.name) {
    case "sigmoid":
      return objective.toMargin(Math.fround(1 / Math.fround(expf(-margin) + 1)));
    case "exp":
      return objective.toMargin(expf(margin));
    default:
      return margin;
  }
}

/** XGBoost 3.2 and later keep the base score of a logistic objective this far from 0 and 1. */
const LOGISTIC_EDGE = Math.fround(1e-6);

/** The base score that the library of a file's version goes on with. */
export function clampBase(
  objective: XgboostObjective,
  version: string,
  base: number,
): number {
  const [major, minor] = version.split(".").map(Number);
  const isClamped = major > 3 || (major === 3 && minor >= 2);
  if (!isClamped || objective.toMargin !== logit || !(base >= 0 && base <= 1)) return base;
  return Math.min(Math.max(base, LOGISTIC_EDGE), Math.fround(1 - LOGISTIC_EDGE));
}

const identity = (base: number): number => base;
const logit = (base: number): number => -logf(Math.fround(Math.fround(1 / base) - 1));
const logarithm = (base: number): number => logf(base);

const make = (
  task: Schema["task"],
  name: Postprocess["name"],
  toMargin: (base: number) => number,
): XgboostObjective => ({ task, postprocess: { name }, toMargin });

const OBJECTIVES: ReadonlyMap<string, XgboostObjective> = new Map([
  ["reg:squarederror", make("regression", "identity", identity)],
  ["reg:linear", make("regression", "identity", identity)],
  ["reg:squaredlogerror", make("regression", "identity", identity)],
  ["reg:pseudohubererror", make("regression", "identity", identity)],
  ["reg:absoluteerror", make("regression", "identity", identity)],
  ["reg:quantileerror", make("regression", "identity", identity)],
  ["reg:expectileerror", make("regression", "identity", identity)],
  ["reg:logistic", make("regression", "sigmoid", logit)],
  ["binary:logistic", make("classification", "sigmoid", logit)],
  ["binary:logitraw", make("regression", "identity", identity)],
  ["binary:hinge", make("classification", "hinge", identity)],
  ["multi:softmax", make("classification", "softmax", identity)],
  ["multi:softprob", make("classification", "softmax", identity)],
  ["count:poisson", make("regression", "exp", logarithm)],
  ["reg:gamma", make("regression", "exp", logarithm)],
  ["reg:tweedie", make("regression", "exp", logarithm)],
  ["survival:cox", make("regression", "exp", logarithm)],
  ["survival:aft", make("regression", "exp", logarithm)],
  ["rank:pairwise", make("ranking", "identity", identity)],
  ["rank:ndcg", make("ranking", "identity", identity)],
  ["rank:map", make("ranking", "identity", identity)],
]);

/**
 * Looks an objective up.
 *
 * @throws {ConversionError} `E_CONVERT_UNSUPPORTED` for a custom objective: nobody but its author
 * knows its link, and a margin must not pass for a response.
 */
export function xgboostObjective(name: string): XgboostObjective {
  const objective = OBJECTIVES.get(name);
  if (objective === undefined) {
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot import a model with the objective "${name.slice(0, 60)}": its link is not known; ` +
        `expected one of ${[...OBJECTIVES.keys()].join(", ")}`,
      { details: { objective: name.slice(0, 60) } },
    );
  }
  return objective;
}
