/**
 * Scores on worker threads. A row's scores do not depend on the others, so the bits are those of one
 * thread; stripes of rows go to whichever worker is free.
 *
 * @module
 */
import type { Dataset, FloatArray, InputReport } from "../data/types.ts";
import { DataError, ModelError, ParameterError, TrainingError } from "../errors.ts";
import { encodeModel } from "../format/binary.ts";
import type { Model, PredictOptions } from "../model/model.ts";
import { numCores } from "../runtime/env.ts";
import { errorOf } from "./failures.ts";
import {
  SCORE_WORKER,
  type ScoreAnswer,
  type ScoreJob,
  type Scores,
  type TableScore,
} from "./score_protocol.ts";

/** Rows that a worker takes at a time. */
const STRIPE = 8192;

/** A model on several threads; made by {@linkcode createScorerPool}. */
export interface ScorerPool {
  /** Worker threads; 0 where the calling thread scores itself. */
  readonly numThreads: number;
  /**
   * Raw scores of row-major rows, numbers in the order of `schema.features`.
   *
   * @param schemaHash The `schemaHash` that the caller's order of columns was made for.
   */
  rawRows(rows: FloatArray, schemaHash: string): Promise<Float64Array>;
  /** Scores of a whole table on one of the threads; call it again without waiting to use them all. */
  table(score: TableScore, table: Dataset, options?: PredictOptions): Promise<Scores>;
  /** Ends the threads; what is not answered is refused. */
  close(): void;
}

/** How to make a pool. */
export interface ScorerPoolOptions {
  /** @default all cores */
  readonly threads?: number;
}

interface Waiting {
  readonly resolve: (answer: ScoreAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Starts threads that score. With one thread, or where there are no workers, the calling thread scores.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` when `threads` is no whole number from 1 on.
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
  const threads = options.threads ?? numCores();
  if (!Number.isInteger(threads) || threads < 1) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use ${threads} threads: expected a whole number from 1 on`,
      { details: { param: "threads", value: threads } },
    );
  }
  const numThreads = threads === 1 || typeof Worker === "undefined" ? 0 : threads;
  const send = numThreads === 0 ? undefined : openWorkers(model, numThreads);
  const numFeatures = model.schema.features.length;
  const close = () => send?.close();
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
      const { numOutputs } = model;
      const out = new Float64Array(count * numOutputs);
      if (send === undefined || count <= STRIPE / 8) {
        here.rawRowsInto(rows, out);
        return out;
      }
      // Short tables are cut finer, so that every thread has something to do.
      const stripe = Math.min(STRIPE, Math.ceil(count / numThreads / 256) * 256);
      const parts: Promise<void>[] = [];
      for (let from = 0; from < count; from += stripe) {
        const part = rows.slice(from * numFeatures, (from + stripe) * numFeatures);
        parts.push(
          send.run({ rows: part }, [part.buffer as ArrayBuffer])
            .then(({ scores }) => out.set(scores as Float64Array, from * numOutputs)),
        );
      }
      await Promise.all(parts);
      return out;
    },
    async table(score, table, { rounds, columns, onReport } = {}) {
      const given = {
        ...(rounds !== undefined && { rounds }),
        ...(columns !== undefined && { columns }),
      };
      if (send === undefined) {
        const result = model[score](table, { ...given, ...(onReport && { onReport }) });
        return Array.isArray(result) || ArrayBuffer.isView(result) ? result : result.data;
      }
      const { scores, report } = await send.run({ table, score, options: given }, []);
      if (report !== undefined) onReport?.(report as InputReport);
      return scores!;
    },
  };
}

type Request =
  | Omit<Extract<ScoreJob, { rows: unknown }>, "id">
  | Omit<
    Extract<ScoreJob, { table: unknown }>,
    "id"
  >;

interface Workers {
  run(job: Request, transfer: Transferable[]): Promise<ScoreAnswer>;
  close(): void;
}

function openWorkers(model: Model, threads: number): Workers {
  const file = encodeModel(model, { explain: false, attachments: false, sha256: false });
  const waiting = new Map<number, Waiting>();
  const queue: { readonly job: ScoreJob; readonly transfer: Transferable[] }[] = [];
  const idle: Worker[] = [];
  const workers: Worker[] = [];
  let next = 0;
  let failed: unknown;

  function give(worker: Worker): void {
    const work = queue.shift();
    if (work === undefined) idle.push(worker);
    else worker.postMessage(work.job, work.transfer);
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
      give(worker);
      if (data.failure !== undefined) reject?.(errorOf(data.failure));
      else resolve?.(data);
    };
    worker.postMessage(file);
    workers.push(worker);
    idle.push(worker);
  }

  return {
    run(job, transfer) {
      if (failed !== undefined) return Promise.reject(failed);
      return new Promise((resolve, reject) => {
        const id = next++;
        waiting.set(id, { resolve, reject });
        queue.push({ job: { ...job, id } as ScoreJob, transfer });
        const worker = idle.shift();
        if (worker !== undefined) give(worker);
      });
    },
    close() {
      for (const worker of workers) worker.terminate();
      fail(new ModelError("E_MODEL_LIMIT", "Cannot score: the pool is closed"));
    },
  };
}
