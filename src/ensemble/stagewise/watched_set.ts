/**
 * A validation set whose scores follow the rounds of a stagewise method.
 *
 * @module
 */
import { labelsOf } from "../../data/dataset/target.ts";
import type { Dataset, Schema } from "../../data/types.ts";
import type { Metric, Place } from "../../metric/types.ts";
import { respondRows } from "../../metric/response.ts";
import { createContract } from "../../model/contract.ts";
import { encodeInput } from "../../model/encode.ts";
import { normalSchema } from "../../model/model.ts";
import { createGeneralScorer } from "../../model/score/general.ts";
import type { Ensemble, Postprocess, Trees } from "../../model/types.ts";
import { LEAST_MEASURED, sharedRecipes } from "../../parallel/rows/measure.ts";
import { addSteps, type StepRows, writeTrees } from "../../parallel/rows/stepped.ts";
import { metricsTask, type TaskPlan } from "../../parallel/rows/team_tasks.ts";

/** Scores of one set so far. */
export interface WatchedSet {
  readonly name: string;
  /**
   * Encodes the rows as the model will. Called once, before the first trees.
   *
   * @throws {ModelError | DataError} where the model will refuse them.
   */
  encode(): void;
  /** The walk of a round's trees, where threads share it. */
  readonly walk: TaskPlan | undefined;
  /** Adds the trees of one round; `shared` has the threads walk those that are written. */
  add(round: Trees, shared: () => void): void;
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
  /** Room for the trees of a round, and the rule that joins them; starts from 0. */
  readonly round: Ensemble;
}

/** Rows that are encoded in one go. */
const STRETCH = 1024;

/** Starts at the base score. Rows are scored as the model scores them. */
export function watchSet(
  name: string,
  data: Dataset,
  { baseScore, postprocess, metrics, round, ...means }: WatchedRows,
  place: Place,
): WatchedSet {
  const { numRows } = data;
  const numOutputs = baseScore.length;
  const labels = labelsOf(data);
  const schema = normalSchema(means.schema);
  const width = schema.features.length;
  const predictions = {
    raw: place.floats(numRows * numOutputs),
    response: place.floats(numRows * numOutputs),
    numRows,
    numOutputs,
  };
  const { raw } = predictions;
  const task = metricsTask(place, labels, { predictions, postprocess, metrics });
  const steps: StepRows = { schema, x: place.floats(numRows * width), numRows, raw, round };
  const isShared = raw.length >= LEAST_MEASURED;
  for (let k = 0; k < numOutputs; k++) {
    raw.fill(baseScore[k] + 0, k * numRows, (k + 1) * numRows);
  }
  return {
    name,
    encode() {
      const encoded = encodeInput(createContract(schema), data);
      for (let from = 0; from < numRows; from += STRETCH) {
        const to = Math.min(numRows, from + STRETCH);
        encoded.fill(from, to, steps.x.subarray(from * width, to * width));
      }
      encoded.finish();
    },
    walk: isShared ? { kind: "walk", rows: steps } : undefined,
    add(trees, shared) {
      if (isShared && writeTrees(trees, round.trees)) shared();
      else addSteps(steps, createGeneralScorer({ ...round, trees }, schema), 0, numRows);
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
