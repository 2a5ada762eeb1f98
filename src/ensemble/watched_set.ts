/**
 * A validation set whose scores follow the rounds of a stepwise method.
 *
 * @module
 */
import { labelsOf } from "../data/target.ts";
import type { Dataset, Schema } from "../data/types.ts";
import type { Metric } from "../metric/types.ts";
import { predictionsOf } from "../metric/response.ts";
import { createModel } from "../model/model.ts";
import type { Ensemble } from "../model/types.ts";
import { VERSION } from "../util/version.ts";

/** Scores of one set so far. */
export interface WatchedSet {
  readonly name: string;
  /** Adds the trees of one round; `round` starts from raw score 0. */
  add(round: Ensemble): void;
  measure(metrics: readonly Metric[]): { readonly [metric: string]: number };
}

/** Starts at the base score plus the set's own offset. Rows are scored as the model scores them. */
export function watchSet(
  name: string,
  data: Dataset,
  schema: Schema,
  baseScore: Float64Array,
): WatchedSet {
  const { offset, ...rows } = data;
  const { numRows } = data;
  const numOutputs = baseScore.length;
  const labels = labelsOf(data);
  const raw = new Float64Array(numRows * numOutputs);
  for (let k = 0; k < numOutputs; k++) {
    for (let row = 0; row < numRows; row++) {
      raw[k * numRows + row] = baseScore[k] + (offset?.[row * numOutputs + k] ?? 0);
    }
  }
  let postprocess: Ensemble["postprocess"] = { name: "identity" };
  return {
    name,
    add(round) {
      postprocess = round.postprocess;
      const info = { version: VERSION, algorithm: "round", params: {}, seed: 0, numRows };
      const steps = createModel({ schema, ensemble: round, info }).predictRaw(rows).data;
      for (let row = 0; row < numRows; row++) {
        for (let k = 0; k < numOutputs; k++) raw[k * numRows + row] += steps[row * numOutputs + k];
      }
    },
    measure(metrics) {
      const found = predictionsOf(raw, numRows, numOutputs, postprocess);
      return Object.fromEntries(
        metrics.map((metric) => [metric.name, metric.value(labels, found)]),
      );
    },
  };
}
