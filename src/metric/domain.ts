/**
 * What a metric can be computed of. A metric of two classes would give a plausible number for three
 * classes or for prices; here it is refused instead.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import type { Metric, Predictions } from "./types.ts";

/**
 * - `number`: one response a row, any label
 * - `levels`: one response a level (quantiles); the metric itself counts them
 * - `twoClasses`: labels from 0 to 1; one output, or two
 * - `classes`: labels from 0 to 1 with one output, class codes with several
 * - `severalClasses`: class codes, an output a class
 * - `queries`: one response a row; the metric itself asks for queries
 */
export type MetricDomain =
  | "number"
  | "levels"
  | "twoClasses"
  | "classes"
  | "severalClasses"
  | "queries";

/** A condition on a number and its name in an error message. */
export interface NumberRule {
  readonly test: (value: number) => boolean;
  /** Completes "expected …". */
  readonly text: string;
}

/**
 * The metric, refusing what its domain excludes.
 *
 * @param rule Labels it is defined for. @default any that the domain allows
 */
export function withinDomain(metric: Metric, domain: MetricDomain, rule?: NumberRule): Metric {
  let proved: Float64Array | undefined; // labels do not change from round to round
  const problem = (labels: Labels, numOutputs: number): string | undefined =>
    outputProblem(domain, numOutputs) ?? metric.problem?.(labels, numOutputs) ??
      (labels.values === proved ? undefined : labelProblem(domain, labels, numOutputs, rule));
  const check = (labels: Labels, { numOutputs }: Predictions): void => {
    const found = problem(labels, numOutputs);
    if (found !== undefined) throw uncomputable(metric.name, found);
    proved = labels.values;
  };
  const { job } = metric;
  return {
    ...metric,
    problem,
    value(labels, predictions) {
      check(labels, predictions);
      return metric.value(labels, predictions);
    },
    ...(job && {
      job(labels, predictions, place) {
        check(labels, predictions);
        return job(labels, predictions, place);
      },
    }),
  };
}

/** The refusal of a metric. */
export function uncomputable(name: string, problem: string): ParameterError {
  return new ParameterError("E_PARAM_CONFLICT", `Cannot compute metric "${name}": ${problem}`, {
    details: { param: "metrics", value: name },
  });
}

/** What is wrong with the number of outputs. */
function outputProblem(domain: MetricDomain, numOutputs: number): string | undefined {
  const have = `the model has ${numOutputs} output${numOutputs === 1 ? "" : "s"}`;
  if (domain === "number" || domain === "queries") {
    return numOutputs === 1 ? undefined : `${have}, expected one number a row`;
  }
  if (domain === "twoClasses") {
    return numOutputs <= 2 ? undefined : `${have}, expected two classes`;
  }
  if (domain === "severalClasses") {
    return numOutputs >= 2 ? undefined : `${have}, expected one a class`;
  }
  return undefined;
}

/** What is wrong with the labels. */
function labelProblem(
  domain: MetricDomain,
  { values }: Labels,
  numOutputs: number,
  own: NumberRule | undefined,
): string | undefined {
  const isNumber = domain === "number" || domain === "levels" || domain === "queries";
  const rule = own ?? (isNumber ? undefined : numOutputs > 1 ? codesBelow(numOutputs) : SHARE);
  const row = rule === undefined ? -1 : values.findIndex((y) => !rule.test(y));
  return row < 0
    ? undefined
    : `the target at row ${row + 1} is ${values[row]}, expected ${rule!.text}`;
}

const SHARE: NumberRule = {
  test: (y) => y >= 0 && y <= 1,
  text: "a class or a probability from 0 to 1",
};

function codesBelow(classes: number): NumberRule {
  return {
    test: (y) => Number.isInteger(y) && y >= 0 && y < classes,
    text: `a class code from 0 to ${classes - 1}`,
  };
}
