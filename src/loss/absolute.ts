/**
 * Losses whose slope is a step: absolute error, quantiles, and relative absolute error. Trees are
 * grown on the sign with curvature 1; each leaf is then set to the weighted quantile of its
 * residuals (Friedman 2001, algorithm 3), which minimises the loss exactly.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import { checkDomain, DOMAINS, labelQuantile, meanOf, weightedQuantile } from "./labels.ts";
import type { Loss } from "./types.ts";

/** Weighted quantile of `label − raw` over some rows, with an optional factor on the weights. */
function residualQuantile(
  labels: Labels,
  raw: Float64Array,
  rows: Int32Array,
  at: number,
  level: number,
  factor?: (label: number) => number,
): number {
  const { values, weight } = labels;
  const residuals = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) residuals[i] = values[rows[i]] - raw[at + rows[i]];
  if (weight === undefined && factor === undefined) return weightedQuantile(residuals, level);
  const weights = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    weights[i] = (weight?.[rows[i]] ?? 1) * (factor?.(values[rows[i]]) ?? 1);
  }
  return weightedQuantile(residuals, level, weights);
}

/** The common part: a slope of `below` under the label and `above` over it, times `scale(label)`. */
function stepLoss(
  name: string,
  levels: readonly number[],
  slopes: (level: number) => readonly [below: number, above: number],
  scale?: (label: number) => number,
): Loss {
  return {
    name,
    task: "regression",
    numOutputs: levels.length,
    postprocess: { name: "identity" },
    checkLabels: (labels) => checkDomain(name, labels, DOMAINS.finite),
    baseScore: (labels) =>
      Float64Array.from(
        levels,
        (level) => labelQuantile(labels, level, scale && ((row) => scale(labels.values[row]))),
      ),
    gradients(labels, raw, gradient, hessian, from, to) {
      const numRows = labels.values.length;
      levels.forEach((level, output) => {
        const [below, above] = slopes(level);
        for (let row = from; row < to; row++) {
          const at = output * numRows + row;
          const y = labels.values[row];
          const factor = scale === undefined ? 1 : scale(y);
          gradient[at] = raw[at] === y ? 0 : factor * (raw[at] > y ? above : -below);
          hessian[at] = 1;
        }
      });
    },
    refitLeaf: (labels, raw, rows, output) =>
      residualQuantile(labels, raw, rows, output * labels.values.length, levels[output], scale),
    value(labels, raw) {
      const numRows = labels.values.length;
      let total = 0;
      levels.forEach((level, output) => {
        const [below, above] = slopes(level);
        total += meanOf(labels, (row) => {
          const difference = raw[output * numRows + row] - labels.values[row];
          const factor = scale === undefined ? 1 : scale(labels.values[row]);
          return factor * (difference > 0 ? above * difference : -below * difference);
        });
      });
      return total;
    },
  };
}

/** Absolute error, L = |f − y|; leaves are weighted medians. */
export function absoluteLoss(): Loss {
  return stepLoss("absolute", [0.5], () => [1, 1]);
}

/**
 * Pinball loss of one or several quantiles, one output for each.
 *
 * @param levels Each strictly between 0 and 1.
 * @throws {ParameterError} `E_PARAM_RANGE` for an empty list or a level outside (0, 1).
 */
export function quantileLoss(levels: readonly number[]): Loss {
  checkLevels("quantiles", levels);
  return stepLoss("quantile", levels, (level) => [level, 1 - level]);
}

/** Relative absolute error, L = |f − y| / max(1, |y|), as LightGBM's `mape`. */
export function mapeLoss(): Loss {
  return stepLoss("mape", [0.5], () => [1, 1], (y) => 1 / Math.max(1, Math.abs(y)));
}

/** Refuses levels outside (0, 1). */
export function checkLevels(param: string, levels: readonly number[]): void {
  if (levels.length > 0 && levels.every((level) => level > 0 && level < 1)) return;
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use ${param} ${JSON.stringify(levels)}: expected numbers strictly between 0 and 1`,
    { details: { param, value: levels } },
  );
}
