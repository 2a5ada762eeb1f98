/**
 * Losses whose slope is a step: absolute error, quantiles, and relative absolute error. Trees are
 * grown on the sign with curvature 1; each leaf is then set to the weighted quantile of its
 * residuals (Friedman 2001, algorithm 3), which minimises the loss exactly.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import { checkDomain, DOMAINS, meanOf, quantileInPlace } from "./labels.ts";
import { lightgbmPercentile } from "./percentile.ts";
import type { Loss } from "./types.ts";
import type { Curvature } from "./params.ts";

/** Quantile of values, with or without weights; both may be overwritten. */
type Quantile = (
  values: Float64Array,
  level: number,
  weights?: Float64Array,
) => number;

/**
 * Quantile of `label − raw` over some rows, with an optional factor on the weights; 0 where no row
 * weighs anything.
 */
function residualQuantile(
  labels: Labels,
  raw: Float64Array,
  rows: Int32Array,
  at: number,
  level: number,
  quantile: Quantile,
  factor?: (label: number) => number,
): number {
  const { values, weight } = labels;
  const residuals = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) residuals[i] = values[rows[i]] - raw[at + rows[i]];
  if (weight === undefined && factor === undefined) return quantile(residuals, level);
  const weights = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    weights[i] = (weight?.[rows[i]] ?? 1) * (factor?.(values[rows[i]]) ?? 1);
  }
  return weights.some((weight) => weight > 0) ? quantile(residuals, level, weights) : 0;
}

/** How LightGBM does it where that differs: between two values, by percentiles of its own. */
const STYLES: { readonly [curvature in Curvature]: Quantile } = {
  treeline: quantileInPlace,
  xgboost: quantileInPlace,
  lightgbm: lightgbmPercentile,
};

/** The common part: a slope of `below` under the label and `above` over it, times `scale(label)`. */
function stepLoss(
  name: string,
  levels: readonly number[],
  slopes: (level: number) => readonly [below: number, above: number],
  curvature: Curvature,
  scale?: (label: number) => number,
): Loss {
  const quantile = STYLES[curvature];
  // LightGBM's quantile loss counts a label that is met as passed.
  const atLabel = curvature === "lightgbm" && name === "quantile" ? 1 : 0;
  return {
    name,
    task: "regression",
    numOutputs: levels.length,
    postprocess: { name: "identity" },
    checkLabels: (labels) => checkDomain(name, labels, DOMAINS.finite),
    baseScore(labels) {
      const raw = new Float64Array(labels.values.length);
      const rows = Int32Array.from(raw, (_, row) => row);
      return Float64Array.from(
        levels,
        (level) => residualQuantile(labels, raw, rows, 0, level, quantile, scale),
      );
    },
    gradients(labels, raw, gradient, hessian, from, to) {
      const numRows = labels.values.length;
      levels.forEach((level, output) => {
        const [below, above] = slopes(level);
        for (let row = from; row < to; row++) {
          const at = output * numRows + row;
          const y = labels.values[row];
          const factor = scale === undefined ? 1 : scale(y);
          gradient[at] = factor * (raw[at] === y ? atLabel * above : raw[at] > y ? above : -below);
          hessian[at] = 1;
        }
      });
    },
    refitLeaf: (labels, raw, rows, output) =>
      residualQuantile(
        labels,
        raw,
        rows,
        output * labels.values.length,
        levels[output],
        quantile,
        scale,
      ),
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
export function absoluteLoss(curvature: Curvature = "treeline"): Loss {
  return stepLoss("absolute", [0.5], () => [1, 1], curvature);
}

/**
 * Pinball loss of one or several quantiles, one output for each.
 *
 * @param levels Each strictly between 0 and 1.
 * @throws {ParameterError} `E_PARAM_RANGE` for an empty list or a level outside (0, 1).
 */
export function quantileLoss(
  levels: readonly number[],
  curvature: Curvature = "treeline",
): Loss {
  checkLevels("quantiles", levels);
  const used = curvature === "lightgbm" ? levels.map(Math.fround) : levels;
  return stepLoss("quantile", used, (level) => [level, 1 - level], curvature);
}

/** Relative absolute error, L = |f − y| / max(1, |y|), as LightGBM's `mape`. */
export function mapeLoss(curvature: Curvature = "treeline"): Loss {
  const round = curvature === "lightgbm" ? Math.fround : (value: number) => value;
  const scale = (y: number) => round(1 / Math.max(1, Math.abs(y)));
  return stepLoss("mape", [0.5], () => [1, 1], curvature, scale);
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
