/**
 * Grows the trees of a bagged ensemble on worker threads, or here where there is one thread or no
 * workers. Trees come back in order whatever the number of threads.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import { TrainingError } from "../../errors.ts";
import { type BagJob, growBagged } from "../../grow/bagged_tree.ts";
import { createFrame, type Frame } from "../../grow/rows/frame.ts";
import { nextTurn } from "../../util/turn.ts";
import { BAG_WORKER, type BagAnswer } from "./protocol.ts";
import { startEarly } from "../splits/early_helpers.ts";
import { errorOf } from "../failures.ts";
import { createHarvest, type GrownBag, type HarvestOptions } from "./harvest.ts";
import { whyNoThreads } from "../start.ts";
import type { RankedAnswer } from "../splits/column_orders.ts";
import { threadsOf } from "../tasks.ts";

export type { GrownBag } from "./harvest.ts";

/** How a run is carried out. */
export interface BagRun extends HarvestOptions {
  /** @default all cores */
  readonly threads?: number;
  readonly signal?: AbortSignal;
  /** Told once where threads are wanted and not to be had. */
  readonly onWarning?: (message: string) => void;
  /** Told on how many threads the trees grow. */
  readonly onDetail?: (message: string) => void;
  /** Called after each tree, once those before it are done. */
  readonly onTree?: (done: number) => void;
  /** Workers that have been started already; they end with the run. */
  readonly early?: readonly Worker[];
}

/**
 * Cells × trees from which threads are started: those asked for, and all cores. A million take about
 * 0.08 s on one thread, and a new thread is there after 0.1 s.
 */
const LEAST_ASKED = 200_000;
const LEAST_WORK = 4_000_000;

/** Cells from which columns are ranked by the threads: a million take 0.025 s on one. */
const LEAST_RANKED = 100_000;

/** Time between looks at the abort signal on one thread. */
const BREATH_MS = 100;

/** Ranked columns, and the workers that ranked them: they end with it. */
export interface RankedBag extends Disposable {
  readonly frame: Frame;
  readonly early: readonly Worker[];
}

/** Ranks the columns for `count` trees by the threads that will grow these. */
export async function rankForBag(
  data: Dataset,
  count: number,
  { threads: wanted, signal }: Pick<BagRun, "threads" | "signal"> = {},
): Promise<RankedBag> {
  const { numRows, features } = data;
  const cells = numRows * features.length;
  const { threads, pays } = threadsFor(cells, count, wanted);
  const alone = threads < 2 || !pays || cells < LEAST_RANKED || whyNoThreads() !== undefined ||
    signal?.aborted === true;
  if (alone) return { frame: createFrame(data), early: [], [Symbol.dispose]() {} };
  // The calling thread ranks with them, and has little to do later: as many workers as threads.
  using helpers = startEarly(threads + 1, startWorker);
  const frame = { numRows, features: await helpers.rank(features) };
  const early = helpers.take();
  return {
    frame,
    early,
    [Symbol.dispose]() {
      for (const worker of early) worker.terminate();
    },
  };
}

/** Threads for `count` trees, and whether there is work enough to start them. */
function threadsFor(
  cells: number,
  count: number,
  wanted: number | undefined,
): { readonly threads: number; readonly pays: boolean } {
  return {
    threads: Math.min(threadsOf(wanted), count),
    // Starting a worker costs more than a small forest.
    pays: cells * count > (wanted === undefined ? LEAST_WORK : LEAST_ASKED),
  };
}

/**
 * Grows trees `0 … count − 1`.
 *
 * @throws {TrainingError} `E_TRAIN_ABORTED`, whose `details.grown` is the {@linkcode GrownBag} of
 * the first trees, as many as are done without a gap: those of the whole forest, in order.
 */
export async function growBag(job: BagJob, count: number, run: BagRun = {}): Promise<GrownBag> {
  const first = run.from?.notes.length ?? 0;
  const cells = job.frame.numRows * job.frame.features.length;
  const { threads, pays } = threadsFor(cells, count - first, run.threads);
  if (threads > 1 && pays) {
    if (typeof Worker === "undefined") {
      run.onWarning?.("Workers are missing: growing on one thread");
    } else {
      run.onDetail?.(`Growing on ${threads} threads`);
      const grown = await growOnWorkers(job, count, threads, run);
      if (grown !== undefined) return grown;
      run.onWarning?.("Threads do not start: growing on one");
    }
  } else run.onDetail?.("Growing on one thread");
  const harvest = createHarvest(count, run);
  let last = performance.now();
  for (let index = first; index < count; index++) {
    stopIfAborted(run.signal, harvest.grown, count);
    harvest.take(index, growBagged(job, index));
    await harvest.saved();
    run.onTree?.(index + 1);
    if (performance.now() - last > BREATH_MS) {
      await nextTurn();
      last = performance.now();
    }
  }
  return harvest.grown();
}

function stopIfAborted(
  signal: AbortSignal | undefined,
  grownSoFar: () => GrownBag,
  count: number,
): void {
  if (signal?.aborted !== true) return;
  const grown = grownSoFar();
  const trees = grown.notes.length;
  throw new TrainingError(
    "E_TRAIN_ABORTED",
    `Training stopped after ${trees} of ${count} trees`,
    { details: { trees, grown }, cause: signal.reason },
  );
}

/** Undefined where workers cannot start (some bundles and platforms). */
async function growOnWorkers(
  job: BagJob,
  count: number,
  threads: number,
  run: BagRun,
): Promise<GrownBag | undefined> {
  const workers: Worker[] = [...run.early ?? []];
  const harvest = createHarvest(count, run);
  const first = run.from?.notes.length ?? 0;
  let next = first;
  let done = first;
  let told = first;
  let stop = () => {};
  try {
    const grown = await new Promise<GrownBag | undefined>((resolve, reject) => {
      // What a listener throws would end the process.
      const orReject = (work: () => void) => {
        try {
          work();
        } catch (error) {
          reject(error);
        }
      };
      stop = () => orReject(() => stopIfAborted(run.signal, harvest.grown, count));
      run.signal?.addEventListener("abort", stop);
      stopIfAborted(run.signal, harvest.grown, count);
      for (let i = 0; i < threads; i++) {
        const worker = workers[i] ?? openWorker();
        if (worker === undefined) return resolve(undefined);
        workers[i] = worker;
        worker.onerror = (event) => {
          event.preventDefault();
          // Before the first tree it is the platform that cannot; after it, the run failed.
          if (done === first) resolve(undefined);
          else reject(new TrainingError("E_TRAIN_NUMERIC", `A worker failed: ${event.message}`));
        };
        const take = (data: BagAnswer | RankedAnswer) => {
          if ("found" in data) return; // a column that was not waited for
          if (data.tree === undefined) throw errorOf(data.failure!);
          // Before the tree is joined, so that the worker does not wait for that.
          if (next < count) worker.postMessage(next++);
          harvest.take(data.index, data.tree);
          done++;
          // What an abort would hand over: a tree that came before others waits for them.
          for (; told < harvest.taken(); told++) run.onTree?.(told + 1);
          if (done === count) resolve(harvest.grown());
        };
        worker.onmessage = ({ data }: MessageEvent<BagAnswer | RankedAnswer>) =>
          orReject(() => take(data));
        worker.postMessage(job);
        // Two at a time, so that no worker waits for the post.
        if (next < count) worker.postMessage(next++);
        if (next < count) worker.postMessage(next++);
      }
    });
    await harvest.saved();
    return grown;
  } finally {
    run.signal?.removeEventListener("abort", stop);
    for (const worker of workers) worker.terminate();
  }
}

function startWorker(): Worker {
  return new Worker(new URL("./bag_worker.ts", import.meta.url), {
    type: "module",
    name: BAG_WORKER,
  });
}

/** Starts a worker; undefined where the platform refuses at once. */
function openWorker(): Worker | undefined {
  try {
    return startWorker();
  } catch {
    return undefined;
  }
}
