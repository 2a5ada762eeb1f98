/**
 * Losses of the user's own: from functions of a script, or from a formula that is stored in the
 * model and works wherever the model is read.
 *
 * @module
 */
import { checkArgument, checkOptions } from "../door.ts";
import type { Labels } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import { baseScoreBeside, rawOfResponse } from "./base_score.ts";
import { dependsOnRaw, isNumber, sizeOf } from "./expression/ast.ts";
import { compile } from "./expression/compile.ts";
import { derive } from "./expression/derive.ts";
import { parseFormula } from "./expression/parse.ts";
import { DOMAINS, type LabelDomain } from "./labels.ts";
import { pointwiseLoss } from "./pointwise.ts";
import type { Loss } from "./types.ts";

/** Maps from the raw score to the response that a custom loss may have. */
export type CustomLink = "identity" | "exp" | "sigmoid";

/** A loss of one label and one raw score, given by functions. */
export interface PointwiseLossSpec {
  /** Name of the loss, shown in errors and stored in the model. */
  readonly name: string;
  /** First derivative of `value` with respect to `raw`. */
  readonly gradient: (label: number, raw: number) => number;
  /** Second derivative of `value` with respect to `raw`, or a positive substitute. */
  readonly hessian: (label: number, raw: number) => number;
  /** Loss of one row; the weighted mean is the metric of training and early stopping. */
  readonly value: (label: number, raw: number) => number;
  /**
   * Map from raw scores to responses. With `sigmoid`, labels are in [0, 1] (or two classes) and
   * responses are probabilities; with `identity`, the response is the raw score.
   * @default "identity"
   */
  readonly link?: CustomLink;
  /**
   * Response of a model without trees: a number, `auto` for the constant with the smallest loss, or
   * `none` for the raw score 0. @default "auto"
   */
  readonly baseScore?: number | "auto" | "none";
  /**
   * Whether a label is acceptable, of those that the link allows. @default all finite numbers, or all
   * of [0, 1] with `sigmoid`
   */
  readonly accepts?: (label: number) => boolean;
}

const MIN_HESSIAN = 1e-6;

/**
 * Makes a loss from functions, to be used as the parameter `loss`. They are called on the main
 * thread, once for each row and round. A model with such a loss scores like any other.
 *
 * @throws {ParameterError} `E_PARAM_UNKNOWN` or `E_PARAM_RANGE` for a wrong part of `spec`.
 *
 * @example Forecasts that are too low hurt four times as much
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const loss = definePointwiseLoss({
 *   name: "asymmetric-squared",
 *   gradient: (y, raw) => (raw < y ? 4 : 1) * (raw - y),
 *   hessian: (y, raw) => (raw < y ? 4 : 1),
 *   value: (y, raw) => ((raw < y ? 4 : 1) * (raw - y) ** 2) / 2,
 * });
 * // Labels 0 and 5: 4 (5 − c) = c at the best constant.
 * assertEquals(Math.round(loss.baseScore({ values: Float64Array.of(0, 5) })[0] * 1e6) / 1e6, 4);
 * ```
 */
export function definePointwiseLoss(spec: PointwiseLossSpec): Loss {
  checkOptions<PointwiseLossSpec>("definePointwiseLoss", spec, {
    name: "text",
    gradient: "function",
    hessian: "function",
    value: "function",
    link: ["identity", "exp", "sigmoid"],
    baseScore: "any",
    accepts: "function",
  });
  for (const part of ["gradient", "hessian", "value"] as const) {
    checkArgument("definePointwiseLoss", part, spec[part], "function");
  }
  const start = spec.baseScore;
  if (start !== undefined && start !== "auto" && start !== "none") {
    checkArgument(
      "definePointwiseLoss",
      "baseScore",
      start,
      "number",
      'a number, "auto" or "none"',
    );
  }
  const { name, link = "identity", baseScore = "auto", accepts } = spec;
  const usual = link === "sigmoid" ? DOMAINS.unit : DOMAINS.finite;
  const domain: LabelDomain = accepts === undefined
    ? usual
    : { test: (y) => usual.test(y) && accepts(y), text: "a label that the loss accepts" };
  const loss: Loss = pointwiseLoss({
    name,
    task: link === "sigmoid" ? "classification" : "regression",
    postprocess: { name: link },
    domain,
    start: (labels: Labels) => {
      if (baseScore === "none") return 0;
      if (baseScore !== "auto") return rawOfResponse(loss, baseScore)[0];
      return baseScoreBeside(loss, labels, new Float64Array(labels.values.length))[0];
    },
    gradient: spec.gradient,
    hessian: spec.hessian,
    value: spec.value,
  });
  return loss;
}

/** Text that begins a loss formula. */
export const FORMULA_PREFIX = "expr:";

const OPTIONS: { readonly [name: string]: (text: string) => boolean } = {
  link: (text) => ["identity", "exp", "sigmoid"].includes(text),
  base: (text) => text === "auto" || text === "none" || Number.isFinite(Number(text)),
};

/**
 * Makes a loss from a formula in `y` and `raw`: `expr: FORMULA; link = exp; base = auto`. The first
 * and second derivatives follow symbolically. Where the second derivative is not positive, 1e-6 takes
 * its place; if it is zero everywhere, as for `abs(raw - y)`, 1 does.
 *
 * @param text The formula, and optionally `link` (identity, exp or sigmoid; default identity) and
 * `base` (auto, none or a number; default auto).
 * @throws {ParameterError} `E_PARAM_RANGE` with the offset of the part that cannot be read.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const loss = formulaLoss("expr: log(1 + exp(raw)) - y*raw; link = sigmoid");
 * assertEquals(loss.postprocess.name, "sigmoid");
 * ```
 */
export function formulaLoss(text: string): Loss {
  checkArgument("formulaLoss", "text", text, "text");
  if (!text.startsWith(FORMULA_PREFIX)) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot read loss formula ${JSON.stringify(text)}: expected "${FORMULA_PREFIX} FORMULA"`,
      { details: { param: "loss", formula: text } },
    );
  }
  const [body, ...settings] = text.slice(FORMULA_PREFIX.length).split(";");
  const options: { [name: string]: string } = { link: "identity", base: "auto" };
  for (const setting of settings.filter((part) => part.trim() !== "")) {
    const [, name, value] = /^\s*(\w+)\s*=\s*(\S+)\s*$/.exec(setting) ?? [];
    if (name === undefined || !Object.hasOwn(OPTIONS, name) || !OPTIONS[name](value)) {
      throw new ParameterError(
        "E_PARAM_RANGE",
        `Cannot read ${JSON.stringify(setting.trim())} after the loss formula: expected ` +
          `link = identity, exp or sigmoid, or base = auto, none or a number`,
        { details: { param: "loss", formula: text } },
      );
    }
    options[name] = value;
  }
  const value = parseFormula(body);
  const gradient = derive(value);
  const hessian = derive(gradient);
  if (!dependsOnRaw(value) || isNumber(gradient, 0)) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot minimise ${JSON.stringify(body.trim())}: it does not change with "raw"`,
      { details: { param: "loss", formula: text } },
    );
  }
  if (sizeOf(hessian) > 20_000) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use ${JSON.stringify(body.trim())}: its second derivative has ${
        sizeOf(hessian)
      } terms, expected at most 20000`,
      { details: { param: "loss", formula: text } },
    );
  }
  const curve = compile(hessian);
  return definePointwiseLoss({
    name: text,
    link: options.link as CustomLink,
    baseScore: options.base === "auto" || options.base === "none"
      ? options.base
      : Number(options.base),
    value: compile(value),
    gradient: compile(gradient),
    hessian: isNumber(hessian, 0) ? () => 1 : (y, raw) => Math.max(curve(y, raw), MIN_HESSIAN),
  });
}
