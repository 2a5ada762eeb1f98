/**
 * Grows the trees of a bagged ensemble on worker threads, or here where there is one thread or no
 * workers. Trees come back in order whatever the number of threads.
 *
 * @module
 */
import { TrainingError } from "../errors.ts";
import { type BaggedTree, type BagJob, growBagged } from "../grow/bagged_tree.ts";
import { numCores } from "../runtime/env.ts";
import { nextTurn } from "../util/turn.ts";
import { BAG_WORKER, type BagAnswer } from "./bag_protocol.ts";

/** How a run is carried out. */
export interface BagRun {
  /** @default all cores */
  readonly threads?: number;
  readonly signal?: AbortSignal;
  /** Told once where threads are wanted and not to be had. */
  readonly onWarning?: (message: string) => void;
  /** Told on how many threads the trees grow. */
  readonly onDetail?: (message: string) => void;
  /** Called after each tree, in order of completion. */
  readonly onTree?: (done: number) => void;
}

/** Time between looks at the abort signal on one thread. */
const BREATH_MS = 100;

/**
 * Grows trees `0 … count − 1`.
 *
 * @throws {TrainingError} `E_TRAIN_ABORTED`, whose `details.grown` are the first trees, as many as
 * are done without a gap: those of the whole forest, in order.
 */
export async function growBag(job: BagJob, count: number, run: BagRun = {}): Promise<BaggedTree[]> {
  const threads = Math.min(run.threads ?? numCores(), count);
  const big = job.frame.numRows * job.frame.features.length * count > 200_000;
  // Starting a worker costs more than a small forest.
  if (threads > 1 && big) {
    if (typeof Worker === "undefined") {
      run.onWarning?.("Workers are missing: growing on one thread");
    } else {
      run.onDetail?.(`Growing on ${threads} threads`);
      const grown = await growOnWorkers(job, count, threads, run);
      if (grown !== undefined) return grown;
      run.onWarning?.("Threads do not start: growing on one");
    }
  } else run.onDetail?.("Growing on one thread");
  const trees: BaggedTree[] = [];
  let last = performance.now();
  for (let index = 0; index < count; index++) {
    stopIfAborted(run.signal, trees, count);
    trees.push(growBagged(job, index));
    run.onTree?.(index + 1);
    if (performance.now() - last > BREATH_MS) {
      await nextTurn();
      last = performance.now();
    }
  }
  return trees;
}

function stopIfAborted(
  signal: AbortSignal | undefined,
  trees: readonly (BaggedTree | undefined)[],
  count: number,
): void {
  if (signal?.aborted !== true) return;
  const gap = Array.from(trees).indexOf(undefined);
  const grown = trees.slice(0, gap < 0 ? trees.length : gap);
  throw new TrainingError(
    "E_TRAIN_ABORTED",
    `Training stopped after ${grown.length} of ${count} trees`,
    { details: { trees: grown.length, grown }, cause: signal.reason },
  );
}

/** Undefined where workers cannot start (some bundles and platforms). */
async function growOnWorkers(
  job: BagJob,
  count: number,
  threads: number,
  run: BagRun,
): Promise<BaggedTree[] | undefined> {
  const workers: Worker[] = [];
  const trees: BaggedTree[] = new Array(count);
  let next = 0;
  let done = 0;
  try {
    return await new Promise<BaggedTree[] | undefined>((resolve, reject) => {
      run.signal?.addEventListener("abort", () => {
        try {
          stopIfAborted(run.signal, trees, count);
        } catch (error) {
          reject(error);
        }
      }, { once: true });
      stopIfAborted(run.signal, trees, count);
      for (let i = 0; i < threads; i++) {
        const worker = new Worker(new URL("./bag_worker.ts", import.meta.url), {
          type: "module",
          name: BAG_WORKER,
        });
        workers.push(worker);
        worker.onerror = (event) => {
          event.preventDefault();
          // Before the first tree it is the platform that cannot; after it, the run failed.
          if (done === 0) resolve(undefined);
          else reject(new TrainingError("E_TRAIN_NUMERIC", `A worker failed: ${event.message}`));
        };
        worker.onmessage = ({ data }: MessageEvent<BagAnswer>) => {
          if (data.tree === undefined) {
            reject(new Error(data.failure));
            return;
          }
          trees[data.index] = data.tree;
          done++;
          run.onTree?.(done);
          if (next < count) worker.postMessage(next++);
          else if (done === count) resolve(trees);
        };
        worker.postMessage(job);
        // Two at a time, so that no worker waits for the post.
        if (next < count) worker.postMessage(next++);
        if (next < count) worker.postMessage(next++);
      }
    });
  } finally {
    for (const worker of workers) worker.terminate();
  }
}
