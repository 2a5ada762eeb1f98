/**
 * Scores and metrics of many rows by several threads, the calling one among them. Rows go through
 * memory that all threads see, a window at a time; then the threads take the metrics step by step.
 *
 * @module
 */
import type { Column, Dataset, Labels } from "../data/types.ts";
import { encodeModel } from "../format/binary.ts";
import { type ReliabilityBin, reliabilityJob } from "../metric/calibration.ts";
import type { Metric, Predictions } from "../metric/types.ts";
import type { Model } from "../model/model.ts";
import { bytesOf, placeBytes, sharedRecipes } from "../parallel/rows/measure.ts";
import { shareLabels } from "../parallel/rows/serial_loss.ts";
import { openTasks } from "../parallel/tasks.ts";
import { nextTurn } from "../util/turn.ts";
import {
  DONE,
  type EvaluateSetup,
  type EvaluateTask,
  evaluateThread,
  type EvaluateWork,
  evaluateWork,
  reorders,
} from "./evaluate_rows.ts";
import { EVALUATE_WORKERS, openEvaluateWorker } from "./open_worker.ts";

/** What is found. */
export interface Measured {
  /** In the order of the metrics. */
  readonly values: readonly number[];
  readonly bins: readonly ReliabilityBin[] | undefined;
  /** Raw scores, output-major. */
  readonly raw: Float64Array;
}

/** What is asked for. */
export interface ToEvaluate {
  readonly model: Model;
  readonly data: Dataset;
  readonly labels: Labels;
  readonly metrics: readonly Metric[];
  /** Whether the reliability table is asked for too. */
  readonly table: boolean;
  /** At least 2. */
  readonly threads: number;
  /** Rows that are in shared memory at a time. @default 64 MB of them */
  readonly windowRows?: number;
}

/** Bytes of rows that are in shared memory at a time. */
const WINDOW_BYTES = 1 << 26;
/** Parts of a model's file that scoring does without. */
const ONLY_SCORES = { explain: false, attachments: false, sha256: false, inBits: false } as const;

const shared = (byteLength: number) => new SharedArrayBuffer(byteLength);

/**
 * Evaluates on threads.
 *
 * @throws whatever a thread met; row numbers of such errors count from the thread's own stripe.
 */
export async function measureOnThreads(work: ToEvaluate): Promise<Measured> {
  const { model, data, labels, metrics, threads } = work;
  const { predictions, ...setup } = setupOf(work);
  const own = evaluateThread(setup, model);
  const pool = openTasks<EvaluateSetup, EvaluateTask, void>({
    threads: threads - 1,
    beside: true,
    setup: { ...setup, file: encodeModel(model, ONLY_SCORES) },
    work: evaluateWork,
    open: () => openEvaluateWorker(EVALUATE_WORKERS.evaluate),
  });
  const together = async (part: EvaluateWork) => {
    const task = { ...part, control: new Int32Array(shared(8)) };
    const all = pool.all(task);
    all.catch(() => {}); // awaited below, where it matters
    own.take(task);
    // A thread that comes too late finds nothing to do, and need not be waited for.
    if (Atomics.load(task.control, DONE) < own.itemsOf(part)) await all;
    await nextTurn(); // lets signals be heard
  };
  try {
    const { window } = setup;
    for (let from = 0; from < data.numRows; from += window.numRows) {
      const count = Math.min(window.numRows, data.numRows - from);
      fillWindow(window, data, from, count);
      await together({ kind: "score", from, count });
    }
    for (let step = 0; step < own.measure.numSteps; step++) {
      await together({ kind: "measure", step });
    }
    if (own.table !== undefined) await together({ kind: "table" });
  } finally {
    pool.close();
  }
  const found = own.measure.values();
  let at = 0;
  return {
    values: metrics.map((metric) =>
      sharedRecipes([metric]).length > 0 ? found[at++] : metric.value(labels, predictions)
    ),
    bins: own.table?.table(),
    raw: predictions.raw,
  };
}

function setupOf(
  { model, data, labels, metrics, table, windowRows = fitting(data) }: ToEvaluate,
): Omit<EvaluateSetup, "file"> & { readonly predictions: Predictions } {
  const { numRows } = data;
  const { numOutputs, rules: { postprocess: { costs } } } = model;
  const floats = () => new Float64Array(shared(8 * numRows * numOutputs));
  const predictions = {
    ...(costs !== undefined && { costs }),
    ...(reorders(model) && { reordered: true }),
    raw: floats(),
    response: floats(),
    numRows,
    numOutputs,
  };
  const set = { labels: shareLabels(labels), predictions, recipes: sharedRecipes(metrics) };
  const tableBytes = bytesOf((place) => reliabilityJob(set.labels, predictions, place));
  return {
    predictions,
    window: windowOf(data, Math.min(numRows, windowRows)),
    set,
    room: shared(placeBytes(set)),
    tableRoom: table ? shared(tableBytes) : undefined,
  };
}

function fitting({ features }: Dataset): number {
  return Math.max(1024, Math.floor(WINDOW_BYTES / (8 * Math.max(1, features.length))));
}

/** Columns like those of a table, with room for some rows. */
function windowOf({ features, offset, numRows }: Dataset, rows: number): Dataset {
  return {
    numRows: rows,
    features: features.map((column): Column => {
      if (column.kind === "categorical") {
        const { name, kind, categories } = column;
        return { name, kind, categories, codes: new Int32Array(shared(4 * rows)) };
      }
      const { name, kind, values } = column;
      return {
        name,
        kind,
        values: values instanceof Float32Array
          ? new Float32Array(shared(4 * rows))
          : new Float64Array(shared(8 * rows)),
      };
    }),
    ...(offset && { offset: new Float64Array(shared(8 * rows * offset.length / numRows)) }),
  };
}

function fillWindow(window: Dataset, data: Dataset, from: number, count: number): void {
  data.features.forEach((column, f) => {
    const there = window.features[f];
    if (column.kind === "numeric" && there.kind === "numeric") {
      there.values.set(column.values.subarray(from, from + count));
    } else if (column.kind === "categorical" && there.kind === "categorical") {
      there.codes.set(column.codes.subarray(from, from + count));
    }
  });
  if (data.offset === undefined) return;
  const width = data.offset.length / data.numRows;
  window.offset!.set(data.offset.subarray(from * width, (from + count) * width));
}
