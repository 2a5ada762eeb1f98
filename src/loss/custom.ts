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

/** Maps from raw score to response that a custom loss may declare. */
export type CustomLink = "identity" | "exp" | "sigmoid";

/** A loss of one label and one raw score, as a script gives it. */
export interface PointwiseLossSpec {
  /** Shown in errors and stored in the model. */
  readonly name: string;
  /** Derivative of `value` by `raw`. */
  readonly gradient: (label: number, raw: number) => number;
  /** Second derivative, or a positive stand-in. */
  readonly hessian: (label: number, raw: number) => number;
  /** Loss of one row; its weighted mean is the metric of training and early stopping. */
  readonly value: (label: number, raw: number) => number;
  /**
   * How raw scores become responses. With `sigmoid` labels are 0 and 1 (or two classes) and
   * responses are probabilities; without a link a response is the raw score. @default "identity"
   */
  readonly link?: CustomLink;
  /**
   * Response with no trees: `auto` finds the constant of least loss, `none` starts at raw score 0.
   * @default "auto"
   */
  readonly baseScore?: number | "auto" | "none";
  /** Labels that are acceptable. @default finite numbers, or [0, 1] with `sigmoid` */
  readonly accepts?: (label: number) => boolean;
}

const MIN_HESSIAN = 1e-6;

/**
 * A loss from functions. They run on the main thread, once a row and round.
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
 * A loss from a formula: `expr: FORMULA; link = exp; base = auto`. First and second derivatives are
 * made by rule. Where the second derivative is not positive the step uses 1e-6, and 1 where it is
 * zero by rule (as for `abs(raw - y)`).
 *
 * @throws {ParameterError} `E_PARAM_RANGE` with the offset of what cannot be read.
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
