/**
 * Scores on worker threads. A row's scores do not depend on the others, so the bits are those of one
 * thread: rows by position are shared out (`shares.ts`), tables go to whichever worker is free.
 *
 * @module
 */
import { checkArgument, checkModel, checkOptions } from "../../door.ts";
import type { Dataset, FloatArray, InputReport } from "../../data/types.ts";
import { DataError, ModelError, TrainingError } from "../../errors.ts";
import { encodeModel } from "../../format/binary.ts";
import type { Model, PredictOptions } from "../../model/model.ts";
import type { PositionalScorer } from "../../model/positional.ts";
import { nextTurn } from "../../util/turn.ts";
import { errorOf } from "../failures.ts";
import {
  SCORE_WORKER,
  type ScoreAnswer,
  type ScoreJob,
  type Scores,
  TABLE_SCORES,
  type TableScore,
} from "./protocol.ts";
import { createDesk, scoreNext, type Share } from "./shares.ts";
import { threadsOf } from "../tasks.ts";

/**
 * Rows times trees from which on other threads are woken: about a millisecond of scoring, beside some
 * 0.05 ms to tell a thread.
 */
const WORTH = 1 << 19;
/** Milliseconds after which the calling thread gives way to its other tasks. */
const PATIENCE = 8;
/** Tables that a worker has at a time: the next is there while the calling thread has no ear for it. */
const MOST_LOAD = 2;

/** A model on several threads; made by {@linkcode createScorerPool}. */
export interface ScorerPool {
  /** Number of worker threads; 0 if the calling thread does all the scoring. */
  readonly numThreads: number;
  /**
   * Raw scores of rows by position; see {@linkcode PositionalScorer}. The calling thread scores a
   * share of them, or all if they are few. Rows in a `SharedArrayBuffer` are not copied; others are
   * copied in parts of up to 64 MB, into memory that the pool keeps until it is closed.
   *
   * @param rows Numbers in the order of `schema.features`, row-major `rows × features`.
   * @param schemaHash `schemaHash` of the model that the order of your columns was made for.
   * @returns Row-major `rows × numOutputs`.
   * @throws {ModelError} `E_MODEL_SCHEMA` for another hash, `E_MODEL_LIMIT` after `close`.
   * @throws {DataError} `E_DATA_SHAPE` if the last row is incomplete.
   */
  rawRows(rows: FloatArray, schemaHash: string): Promise<Float64Array>;
  /**
   * Scores a whole table on one of the threads. To use all threads, call it for several tables
   * without waiting.
   *
   * @param score The method of {@linkcode Model} to call. Matrices come as their numbers alone.
   * @throws As that method; {@linkcode ModelError} `E_MODEL_LIMIT` after `close`.
   */
  table(score: TableScore, table: Dataset, options?: TableOptions): Promise<Scores>;
  /** Ends the threads. Calls that are still running reject with `E_MODEL_LIMIT`. */
  close(): void;
}

/** How a table is scored. */
export interface TableOptions extends PredictOptions {
  /**
   * Transfer the memory of the columns to the thread instead of copying it. The caller cannot use the
   * columns afterwards. @default false
   */
  readonly giveAway?: boolean;
}

/** Kinds of {@linkcode TableOptions}. */
const TABLE_OPTIONS = {
  rounds: "any",
  columns: ["strict", "lenient"],
  onReport: "function",
  giveAway: "flag",
} as const;

/** Options of {@linkcode createScorerPool}. */
export interface ScorerPoolOptions {
  /** Worker threads, 1 or more. @default all cores */
  readonly threads?: number;
}

interface Waiting {
  readonly resolve: (answer: ScoreAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Starts worker threads that score; results are those of a single thread, bit for bit. With
 * `threads: 1`, or in a runtime without workers, the calling thread scores.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` unless `threads` is a whole number of 1 or more.
 *
 * @example Two threads
 * ```ts ignore
 * using pool = createScorerPool(model, { threads: 2 });
 * const raw = await pool.rawRows(rows, model.schemaHash);
 * ```
 */
export function createScorerPool(
  model: Model,
  options: ScorerPoolOptions = {},
): ScorerPool & Disposable {
  checkModel("createScorerPool", model);
  checkOptions<ScorerPoolOptions>("createScorerPool", options, { threads: "any" });
  const threads = threadsOf(options.threads);
  const numThreads = threads === 1 || typeof Worker === "undefined" ? 0 : threads;
  const send = numThreads === 0 ? undefined : openWorkers(model, numThreads);
  const numFeatures = model.schema.features.length;
  const desk = createDesk(numFeatures, model.numOutputs, numThreads);
  const close = () => send?.close();

  /** Shares rows out; false where a thread met an error, which one thread then meets at its row. */
  async function together(
    workers: Workers,
    scorer: PositionalScorer,
    rows: FloatArray,
    out: Float64Array,
  ): Promise<boolean> {
    for (const { from, to } of desk.parts(rows)) {
      const { share, fill, isDone, give } = desk.take(rows, from, to);
      const all = workers.tell(share, numThreads - 1);
      fill();
      let since = performance.now();
      try {
        while (scoreNext(share, scorer)) {
          if (performance.now() - since < PATIENCE) continue;
          await nextTurn();
          since = performance.now();
        }
      } catch {
        return false;
      }
      // A thread that comes too late finds nothing to do, and need not be waited for.
      if (!isDone()) await all;
      workers.demandOpen();
      if (!isDone()) return false;
      give(out);
    }
    return true;
  }

  return {
    numThreads,
    close,
    [Symbol.dispose]: close,
    async rawRows(rows, schemaHash) {
      const here = model.positional(schemaHash);
      const count = numFeatures === 0 ? 0 : rows.length / numFeatures;
      if (!Number.isInteger(count)) {
        throw new DataError(
          "E_DATA_SHAPE",
          `Cannot score: found ${rows.length} numbers, expected whole rows of ${numFeatures}`,
        );
      }
      const out = new Float64Array(count * model.numOutputs);
      const alone = send === undefined || count * model.numTrees < WORTH ||
        typeof SharedArrayBuffer === "undefined";
      send?.demandOpen();
      if (alone || !await together(send, here, rows, out)) here.rawRowsInto(rows, out);
      return out;
    },
    async table(score, table, options = {}) {
      checkArgument("table", "score", score, TABLE_SCORES);
      checkArgument("table", "table", table, "object", "a Dataset");
      checkOptions<TableOptions>("table", options, TABLE_OPTIONS);
      const { rounds, columns, onReport, giveAway } = options;
      const given = {
        ...(rounds !== undefined && { rounds }),
        ...(columns !== undefined && { columns }),
      };
      if (send === undefined) {
        const result = model[score](table, { ...given, ...(onReport && { onReport }) });
        return Array.isArray(result) || ArrayBuffer.isView(result) ? result : result.data;
      }
      const { scores, report } = await send.run(
        { table, score, options: given },
        giveAway === true ? memoryOf(table) : [],
      );
      if (report !== undefined) onReport?.(report as InputReport);
      return scores!;
    },
  };
}

/** What a table's numbers and codes lie in, each once; shared memory stays where it is. */
function memoryOf({ features }: Dataset): ArrayBuffer[] {
  const buffers = features.map((column) =>
    (column.kind === "numeric" ? column.values : column.codes).buffer
  );
  return [...new Set(buffers)].filter((buffer) => buffer instanceof ArrayBuffer);
}

type TableJob = Omit<Extract<ScoreJob, { table: unknown }>, "id">;

interface Workers {
  /** Throws when a thread has failed or the pool is closed. */
  demandOpen(): void;
  /** Has the worker with the least to do score a table, whose `memory` goes there. */
  run(job: TableJob, memory: ArrayBuffer[]): Promise<ScoreAnswer>;
  /** Tells `count` workers, busy or not, of rows to share; resolves when all have answered somehow. */
  tell(share: Share, count: number): Promise<unknown>;
  close(): void;
}

function openWorkers(model: Model, threads: number): Workers {
  const file = encodeModel(model, {
    explain: false,
    attachments: false,
    sha256: false,
    inBits: false,
  });
  const waiting = new Map<number, Waiting>();
  const queue: { readonly job: ScoreJob; readonly memory: ArrayBuffer[] }[] = [];
  const workers: Worker[] = [];
  /** Tables that each worker has. */
  const loads: number[] = [];
  let next = 0;
  let failed: unknown;

  /** Sends what waits to those that have the least, while any has room. */
  function share(): void {
    while (queue.length > 0) {
      const load = Math.min(...loads);
      if (load >= MOST_LOAD) return;
      const least = loads.indexOf(load);
      const { job, memory } = queue.shift()!;
      loads[least]++;
      workers[least].postMessage(job, memory);
    }
  }

  function expect(resolve: Waiting["resolve"], reject: Waiting["reject"]): number {
    waiting.set(next, { resolve, reject });
    return next++;
  }

  function fail(error: unknown): void {
    failed = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    queue.length = 0;
  }

  for (let i = 0; i < threads; i++) {
    const worker = new Worker(new URL("./score_worker.ts", import.meta.url), {
      type: "module",
      name: SCORE_WORKER,
    });
    worker.onerror = (event) => {
      event.preventDefault();
      fail(new TrainingError("E_TRAIN_NUMERIC", `A scoring thread has failed: ${event.message}`));
    };
    worker.onmessage = ({ data }: MessageEvent<ScoreAnswer>) => {
      const { resolve, reject } = waiting.get(data.id) ?? {};
      waiting.delete(data.id);
      if (data.wasTable) {
        loads[i]--;
        share();
      }
      if (data.failure !== undefined) reject?.(errorOf(data.failure));
      else resolve?.(data);
    };
    worker.postMessage(file);
    workers.push(worker);
    loads.push(0);
  }

  return {
    demandOpen() {
      if (failed !== undefined) throw failed;
    },
    run(job, memory) {
      if (failed !== undefined) return Promise.reject(failed);
      return new Promise((resolve, reject) => {
        queue.push({ job: { ...job, id: expect(resolve, reject) }, memory });
        share();
      });
    },
    tell(share, count) {
      // Not by the queue: who has not heard that a worker is free would leave it without work.
      return Promise.allSettled(
        workers.slice(0, count).map((worker) =>
          new Promise((resolve, reject) => {
            worker.postMessage({ share, id: expect(resolve, reject) } satisfies ScoreJob);
          })
        ),
      );
    },
    close() {
      for (const worker of workers) worker.terminate();
      fail(new ModelError("E_MODEL_LIMIT", "Cannot score: the pool is closed"));
    },
  };
}
