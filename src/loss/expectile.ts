/**
 * Expectiles: squared error that costs more on one side, L = |τ − 1[y < f]| (f − y)².
 *
 * Newey & Powell, "Asymmetric Least Squares Estimation and Testing", Econometrica 55 (1987).
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { checkLevels } from "./absolute.ts";
import { checkDomain, DOMAINS, meanLabel, meanOf } from "./labels.ts";
import type { Loss } from "./types.ts";

/** Weight of a residual: τ where the label is above the score, 1 − τ below. */
function side(level: number, y: number, f: number): number {
  return y > f ? level : 1 - level;
}

/** The τ-expectile of the labels, by fixed-point iteration from the mean. */
function labelExpectile(labels: Labels, level: number): number {
  let current = meanLabel(labels);
  // Newton on a piecewise quadratic: ends after finitely many steps, a few in practice.
  for (let step = 0; step < 100; step++) {
    const weight = meanOf(labels, (row) => side(level, labels.values[row], current));
    const next = meanOf(labels, (row) =>
      side(level, labels.values[row], current) * labels.values[row]) /
      weight;
    if (Math.abs(next - current) <= 1e-12 * Math.abs(next)) return next;
    current = next;
  }
  return current;
}

/**
 * Expectile loss of one or several levels, one output for each; level 0.5 is the mean.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for an empty list or a level outside (0, 1).
 */
export function expectileLoss(levels: readonly number[]): Loss {
  checkLevels("expectiles", levels);
  return {
    name: "expectile",
    task: "regression",
    numOutputs: levels.length,
    postprocess: { name: "identity" },
    checkLabels: (labels) => checkDomain("expectile", labels, DOMAINS.finite),
    baseScore: (labels) => Float64Array.from(levels, (level) => labelExpectile(labels, level)),
    gradients(labels, raw, gradient, hessian, from, to) {
      const numRows = labels.values.length;
      levels.forEach((level, output) => {
        for (let row = from; row < to; row++) {
          const at = output * numRows + row;
          const y = labels.values[row];
          const weight = 2 * side(level, y, raw[at]);
          gradient[at] = weight * (raw[at] - y);
          hessian[at] = weight;
        }
      });
    },
    value(labels, raw) {
      const numRows = labels.values.length;
      let total = 0;
      levels.forEach((level, output) => {
        total += meanOf(labels, (row) => {
          const y = labels.values[row];
          const f = raw[output * numRows + row];
          return side(level, y, f) * (f - y) * (f - y);
        });
      });
      return total;
    },
  };
}
