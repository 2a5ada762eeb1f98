/**
 * Partial dependence: the mean response when one feature is set to each value of a grid in every
 * row, and the single rows' curves (individual conditional expectation).
 *
 * Friedman, "Greedy Function Approximation", Annals of Statistics 29 (2001), section 8.2; Goldstein et
 * al. 2015 for the curves.
 *
 * @module
 */
import { checkShape } from "../data/dataset/shape.ts";
import { checkArgument, checkModel, checkOptions } from "../door.ts";
import type { Column, Dataset } from "../data/types.ts";
import { DataError, ParameterError } from "../errors.ts";
import type { Model } from "../model/model.ts";

/** Mean response over a grid of one feature. */
export interface PartialDependence {
  /** Name of the column. */
  readonly feature: string;
  /** Values of the grid: numbers, or categories. */
  readonly grid: readonly number[] | readonly string[];
  /** Mean response, row-major `grid × outputs`. */
  readonly mean: Float64Array;
  /** With `curves`: response of each row at each grid point, row-major `rows × grid × outputs`. */
  readonly curves?: Float64Array;
  /** Number of outputs: 1, or the number of classes or targets. */
  readonly numOutputs: number;
}

/** Options of {@linkcode partialDependence}. */
export interface PartialDependenceOptions {
  /**
   * Largest number of grid points of a numeric feature, at quantiles of the data from 5 % to 95 %;
   * equal ones count once. @default 20
   */
  readonly gridSize?: number;
  /** The grid itself. @default quantiles, or all categories of the column */
  readonly grid?: readonly number[] | readonly string[];
  /** Also return the curve of every row. @default false */
  readonly curves?: boolean;
  /** `value` is the response, after the link; `raw` is the raw score before it. @default "value" */
  readonly scale?: "value" | "raw";
}

/**
 * Computes the partial dependence of the response on one feature (Friedman 2001, section 8.2), and if
 * asked the individual curves (Goldstein et al. 2015): sets the feature to each value of the grid in
 * every row, scores all rows, and averages. Means are weighted by the sample weights of the data.
 *
 * @throws {DataError} `E_DATA_SHAPE` if the data have no such column.
 * @throws {ParameterError} `E_PARAM_RANGE` unless `gridSize` is a whole number of 1 or more.
 * @throws {ModelError} `E_MODEL_SCHEMA` for data that do not fit the model.
 */
export function partialDependence(
  model: Model,
  data: Dataset,
  feature: string,
  options: PartialDependenceOptions = {},
): PartialDependence {
  checkModel("partialDependence", model);
  checkShape("partialDependence", data);
  checkArgument("partialDependence", "feature", feature, "text");
  checkOptions<PartialDependenceOptions>("partialDependence", options, {
    gridSize: "count",
    grid: "list",
    curves: "flag",
    scale: ["value", "raw"],
  });
  const { gridSize = 20, curves = false, scale = "value" } = options;
  const at = data.features.findIndex((column) => column.name === feature);
  if (at < 0) {
    throw new DataError(
      "E_DATA_SHAPE",
      `Cannot vary column ${JSON.stringify(feature)}: the data has ${
        data.features.map((column) => JSON.stringify(column.name)).join(", ")
      }`,
      { details: { column: feature } },
    );
  }
  if (!(Number.isInteger(gridSize) && gridSize >= 1)) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use gridSize ${gridSize}: expected a whole number of at least 1`,
      { details: { param: "gridSize", value: gridSize } },
    );
  }
  const column = data.features[at];
  const grid = options.grid ??
    (column.kind === "categorical" ? column.categories : quantileGrid(column.values, gridSize));
  const { numOutputs } = model;
  const mean = new Float64Array(grid.length * numOutputs);
  const { sampleWeight: weight } = data;
  const total = weight === undefined ? data.numRows : weight.reduce((sum, w) => sum + w, 0);
  const all = curves ? new Float64Array(data.numRows * grid.length * numOutputs) : undefined;
  grid.forEach((value, g) => {
    const varied = {
      ...data,
      features: data.features.with(at, constant(column, value, data.numRows)),
    };
    const response = scale === "raw" ? model.predictRaw(varied).data : model.predictValue(varied);
    for (let r = 0; r < data.numRows; r++) {
      for (let k = 0; k < numOutputs; k++) {
        const score = response[r * numOutputs + k];
        mean[g * numOutputs + k] += weight === undefined ? score : weight[r] * score;
        if (all !== undefined) all[(r * grid.length + g) * numOutputs + k] = score;
      }
    }
    for (let k = 0; k < numOutputs; k++) mean[g * numOutputs + k] /= total > 0 ? total : 1;
  });
  return { feature, grid, mean, numOutputs, ...(all === undefined ? {} : { curves: all }) };
}

/** Distinct values at evenly spaced ranks between 5 % and 95 % of what is not missing. */
function quantileGrid(values: ArrayLike<number>, size: number): number[] {
  const sorted = Float64Array.from(values).filter((value) => value === value).sort();
  if (sorted.length === 0) return [];
  const grid = new Set<number>();
  for (let i = 0; i < size; i++) {
    const share = size === 1 ? 0.5 : 0.05 + 0.9 * i / (size - 1);
    grid.add(sorted[Math.round(share * (sorted.length - 1))]);
  }
  return [...grid];
}

function constant(column: Column, value: number | string, numRows: number): Column {
  if (typeof value === "number") {
    return { kind: "numeric", name: column.name, values: new Float64Array(numRows).fill(value) };
  }
  return {
    kind: "categorical",
    name: column.name,
    codes: new Int32Array(numRows),
    categories: [value],
  };
}
