/**
 * Labels and predictions of a few rows, for tests of metrics.
 *
 * @module
 */
import type { Labels } from "../../../src/data/types.ts";
import { metricByName } from "../../../src/metric/metrics.ts";
import type { Predictions } from "../../../src/metric/types.ts";

/** True values, and how much each row weighs. */
export function labels(values: number[], weight?: number[]): Labels {
  return {
    values: Float64Array.from(values),
    ...(weight === undefined ? {} : { weight: Float64Array.from(weight) }),
  };
}

/** One output, whose raw scores are the response. */
export function one(response: number[]): Predictions {
  const values = Float64Array.from(response);
  return { raw: values, response: values, numRows: values.length, numOutputs: 1 };
}

/** Row-major probabilities, stored output-major. */
export function several(rows: number[][]): Predictions {
  const numRows = rows.length;
  const numOutputs = rows[0].length;
  const response = Float64Array.from(
    { length: numRows * numOutputs },
    (_, i) => rows[i % numRows][Math.floor(i / numRows)],
  );
  return { raw: response, response, numRows, numOutputs };
}

/** What a metric, by its name, says of the predictions. */
export function value(name: string, truth: Labels, predictions: Predictions): number {
  return metricByName(name).value(truth, predictions);
}
