/**
 * A validation set whose scores follow the rounds of a stepwise method.
 *
 * @module
 */
import { labelsOf } from "../data/target.ts";
import type { Dataset, Schema } from "../data/types.ts";
import type { Place } from "../metric/job.ts";
import { respondRows } from "../metric/response.ts";
import type { Metric } from "../metric/types.ts";
import { createModel } from "../model/model.ts";
import type { Ensemble, Postprocess } from "../model/types.ts";
import { sharedRecipes } from "../parallel/measure.ts";
import { metricsTask, type TaskPlan } from "../parallel/team_tasks.ts";
import { VERSION } from "../util/version.ts";

/** Scores of one set so far. */
export interface WatchedSet {
  readonly name: string;
  /** Adds the trees of one round; `round` starts from raw score 0. */
  add(round: Ensemble): void;
  /** Metrics that threads share. */
  readonly task: TaskPlan | undefined;
  /** Values of all metrics; `shared` has those that threads share computed. */
  measure(shared: () => readonly number[]): { readonly [metric: string]: number };
}

/** How the rows of a set are scored and judged. */
export interface WatchedRows {
  /** Schema of the model; the set has its columns, in order. */
  readonly schema: Schema;
  readonly baseScore: Float64Array;
  readonly postprocess: Postprocess;
  readonly metrics: readonly Metric[];
}

/** Starts at the base score plus the set's own offset. Rows are scored as the model scores them. */
export function watchSet(
  name: string,
  data: Dataset,
  { schema, baseScore, postprocess, metrics }: WatchedRows,
  place: Place,
): WatchedSet {
  const { offset, ...rows } = data;
  const { numRows } = data;
  const numOutputs = baseScore.length;
  const labels = labelsOf(data);
  const predictions = {
    raw: place.floats(numRows * numOutputs),
    response: place.floats(numRows * numOutputs),
    numRows,
    numOutputs,
  };
  const { raw } = predictions;
  const task = metricsTask(place, labels, { predictions, postprocess, metrics });
  for (let k = 0; k < numOutputs; k++) {
    for (let row = 0; row < numRows; row++) {
      raw[k * numRows + row] = baseScore[k] + (offset?.[row * numOutputs + k] ?? 0);
    }
  }
  return {
    name,
    add(round) {
      const info = { version: VERSION, algorithm: "round", params: {}, seed: 0, numRows };
      const steps = createModel({ schema, ensemble: round, info }).predictRaw(rows).data;
      for (let row = 0; row < numRows; row++) {
        for (let k = 0; k < numOutputs; k++) raw[k * numRows + row] += steps[row * numOutputs + k];
      }
    },
    task,
    measure(shared) {
      const values = task === undefined ? [] : shared();
      if (task === undefined) respondRows(predictions, postprocess, 0, numRows);
      let at = 0;
      return Object.fromEntries(metrics.map((metric) => [
        metric.name,
        task !== undefined && sharedRecipes([metric]).length > 0
          ? values[at++]
          : metric.value(labels, predictions),
      ]));
    },
  };
}
