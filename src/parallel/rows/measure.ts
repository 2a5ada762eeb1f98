/**
 * Metrics of a set of rows by several threads: all of them make the same jobs over the same memory,
 * and take items of one step after the other. The first step turns scores into responses.
 *
 * @module
 */
import type { Labels } from "../../data/types.ts";
import { blocksOf } from "../../metric/job.ts";
import type {
  Metric,
  MetricJob,
  MetricRecipe,
  MetricStep,
  Place,
  Predictions,
} from "../../metric/types.ts";
import { metricByName } from "../../metric/metrics.ts";
import { respondRows } from "../../metric/response.ts";
import type { Postprocess } from "../../model/types.ts";

/** A set whose scores change, and what is told of it. All arrays are seen by all threads. */
export interface MeasuredSet {
  readonly labels: Labels;
  /** Output-major. */
  readonly predictions: Predictions;
  /** The first step writes responses by it; undefined where they are there already. */
  readonly postprocess?: Postprocess | undefined;
  readonly recipes: readonly MetricRecipe[];
  readonly place: Place;
}

/** Work on such a set. */
export interface Measure {
  readonly numSteps: number;
  /** Items of a step. */
  items(step: number): number;
  /** Takes items of a step until none is left. */
  run(step: number, next: () => number): void;
  /** Values of the metrics, in the order of the recipes, after the last step. */
  values(): readonly number[];
}

/** Rows × outputs from which other threads are asked. */
export const LEAST_MEASURED = 8192;

/** The metrics that threads can compute. */
export function sharedRecipes(metrics: readonly Metric[]): readonly MetricRecipe[] {
  return metrics.flatMap(({ job, recipe }) => job === undefined || !recipe ? [] : [recipe]);
}

/** Makes the work: the same in every thread. */
export function createMeasure(set: MeasuredSet): Measure {
  const { predictions, postprocess } = set;
  const steps: MetricStep[][] = postprocess ? [[respondStep(predictions, postprocess)]] : [];
  const first = steps.length;
  const jobs = jobsOf(set);
  for (const job of jobs) job.steps.forEach((step, i) => (steps[first + i] ??= []).push(step));
  const itemsOf = (number: number) => steps[number].reduce((sum, { items }) => sum + items, 0);
  return {
    numSteps: steps.length,
    items: itemsOf,
    run(number, next) {
      const parts = steps[number];
      const all = itemsOf(number);
      for (let item = next(); item < all; item = next()) {
        let i = 0;
        let left = item;
        while (left >= parts[i].items) left -= parts[i++].items;
        parts[i].run(left);
      }
    },
    values: () => jobs.map((job) => job.value()),
  };
}

function jobsOf({ labels, predictions, recipes, place }: MeasuredSet): readonly MetricJob[] {
  return recipes.map(({ name, params }) =>
    metricByName(name, params).job!(labels, predictions, place)
  );
}

function respondStep(predictions: Predictions, postprocess: Postprocess): MetricStep {
  const { count, start } = blocksOf(predictions.numRows);
  return {
    items: count,
    run: (block) => respondRows(predictions, postprocess, start(block), start(block + 1)),
  };
}

/** Bytes that the jobs' own arrays take. */
export function placeBytes(set: Omit<MeasuredSet, "place">): number {
  return bytesOf((place) => jobsOf({ ...set, place }));
}

/** Bytes that arrays take, as {@linkcode placeIn} places them. */
export function bytesOf(make: (place: Place) => unknown): number {
  let bytes = 0;
  const take = (length: number, width: number) => {
    bytes = nextPlace(bytes, length * width);
  };
  make({
    floats: (length) => (take(length, 8), new Float64Array(0)),
    ints: (length) => (take(length, 4), new Int32Array(0)),
  });
  return bytes;
}

/** Arrays one after the other in a buffer. */
export function placeIn(buffer: ArrayBufferLike, from: number): Place {
  let at = from;
  const take = (bytes: number): number => {
    const here = at;
    at = nextPlace(at, bytes);
    return here;
  };
  return {
    floats: (length) => new Float64Array(buffer, take(8 * length), length),
    ints: (length) => new Int32Array(buffer, take(4 * length), length),
  };
}

/** Threads do not write to the same line of a cache. */
function nextPlace(at: number, bytes: number): number {
  return Math.ceil((at + bytes) / 64) * 64;
}
