/**
 * What a thread does of an evaluation: it takes stripes of rows and scores them, and takes items of
 * the metrics' steps. A stripe's scores depend on nothing but its rows.
 *
 * @module
 */
import type { Dataset } from "../data/types.ts";
import { decodeModel } from "../format/binary.ts";
import { type ReliabilityJob, reliabilityJob } from "../metric/calibration.ts";
import { respondInto } from "../model/calibrate.ts";
import type { Model } from "../model/model.ts";
import {
  createMeasure,
  type Measure,
  type MeasuredSet,
  placeIn,
} from "../parallel/rows/measure.ts";

/** What all threads share; arrays are views of memory that they all see. */
export interface EvaluateSetup {
  /** The model, as much of it as scores. */
  readonly file: Uint8Array;
  /** Room for some rows at a time; the first `count` of a task are there. */
  readonly window: Dataset;
  readonly set: Omit<MeasuredSet, "place" | "postprocess">;
  /** For the metrics' arrays, and for those of the reliability table where it is asked for. */
  readonly room: ArrayBufferLike;
  readonly tableRoom: ArrayBufferLike | undefined;
}

/** Rows of the window that are scored, a step of the metrics, or the reliability table. */
export type EvaluateWork =
  | { readonly kind: "score"; readonly from: number; readonly count: number }
  | { readonly kind: "measure"; readonly step: number }
  | { readonly kind: "table" };

/** Work of which all threads take items, and its own two words: the next item, and those done. */
export type EvaluateTask = EvaluateWork & { readonly control: Int32Array };

/** A thread's part. */
export interface EvaluateThread {
  readonly measure: Measure;
  readonly table: ReliabilityJob | undefined;
  /** Items of some work. */
  itemsOf(work: EvaluateWork): number;
  /** Takes items until none is left; after an error nobody takes any more. */
  take(task: EvaluateTask): void;
}

/** Whether a calibration may make ties of the response's order, or turn it round. */
export function reorders({ calibration = [] }: Pick<Model, "calibration">): boolean {
  return calibration.some((map) =>
    map.method === "isotonic" || (map.method === "platt" && map.a <= 0)
  );
}

/** Words of control. */
const NEXT = 0;
export const DONE = 1;

/** Rows that are scored in one go. */
const STRIPE = 4096;

/** Makes the part of a thread that has the model already. */
export function evaluateThread(setup: Omit<EvaluateSetup, "file">, model: Model): EvaluateThread {
  const { set, room, tableRoom } = setup;
  const measure = createMeasure({ ...set, place: placeIn(room, 0) });
  const table = tableRoom && reliabilityJob(set.labels, set.predictions, placeIn(tableRoom, 0));
  const itemsOf = (work: EvaluateWork) =>
    work.kind === "score"
      ? Math.ceil(work.count / STRIPE)
      : work.kind === "measure"
      ? measure.items(work.step)
      : table!.step.items;
  const runItem = (work: EvaluateWork, item: number) => {
    if (work.kind === "table") return table!.step.run(item);
    const { from, count } = work as EvaluateWork & { readonly kind: "score" };
    scoreStripe(setup, model, from, item * STRIPE, Math.min(count, (item + 1) * STRIPE));
  };
  return {
    measure,
    table,
    itemsOf,
    take(task) {
      const items = itemsOf(task);
      let begun = 0;
      const next = () => {
        if (begun++ > 0) Atomics.add(task.control, DONE, 1);
        return Atomics.add(task.control, NEXT, 1);
      };
      try {
        if (task.kind === "measure") measure.run(task.step, next);
        else for (let item = next(); item < items; item = next()) runItem(task, item);
      } catch (error) {
        Atomics.add(task.control, NEXT, items);
        throw error;
      }
    },
  };
}

/** The work of a worker. */
export function evaluateWork(setup: EvaluateSetup): (task: EvaluateTask) => void {
  const { take } = evaluateThread(setup, decodeModel(setup.file, { checksum: false }));
  return take;
}

/** Scores rows `first … to − 1` of the window, whose first row is row `from` of the whole. */
function scoreStripe(
  { window, set: { predictions } }: Pick<EvaluateSetup, "window" | "set">,
  model: Model,
  from: number,
  first: number,
  to: number,
): void {
  const { raw, response, numRows, numOutputs } = predictions;
  const scores = model.predictRaw(rowsOf(window, first, to)).data;
  const values = scores.slice();
  respondInto(model.rules.postprocess, model.calibration, values, numOutputs);
  for (let k = 0; k < numOutputs; k++) {
    const at = k * numRows + from + first;
    for (let row = 0; row < to - first; row++) {
      raw[at + row] = scores[row * numOutputs + k];
      response[at + row] = values[row * numOutputs + k];
    }
  }
}

/** Some rows of the window, without copies. */
function rowsOf({ features, offset, numRows }: Dataset, from: number, to: number): Dataset {
  const width = offset === undefined ? 0 : offset.length / numRows;
  return {
    numRows: to - from,
    features: features.map((column) =>
      column.kind === "numeric"
        ? { ...column, values: column.values.subarray(from, to) }
        : { ...column, codes: column.codes.subarray(from, to) }
    ),
    ...(offset && { offset: offset.subarray(from * width, to * width) }),
  };
}
