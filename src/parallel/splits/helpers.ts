/**
 * Worker threads that help to find splits, whatever the method: they wait for a node (or a level),
 * take features of it until none is left, and say that they are done.
 *
 * @module
 */
import { FAILURE_BYTES, TeamWord } from "../../grow/split_team.ts";
import { failureSlot, throwNoted } from "../failures.ts";
import {
  controlOf,
  type HelperPlan,
  type HelperStart,
  type SharedWork,
  SPLIT_WORKER,
} from "./split_worker.ts";
import { inTime, spinsOf, started } from "../start.ts";
import type { Turns } from "../rows/turns.ts";

/** Helpers that are there. */
export interface Helpers extends Turns {
  close(): void;
}

/** Starts a worker, which waits to be told what for. */
export function startWorker(): Worker {
  return new Worker(new URL("./split_worker.ts", import.meta.url), {
    type: "module",
    name: SPLIT_WORKER,
  });
}

/** How helpers start. */
export interface StartOptions {
  /** Workers that have been started already. */
  readonly early?: readonly Worker[] | undefined;
  /** Once it aborts nobody waits for them any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts one helper fewer than there are threads: the calling thread takes part.
 *
 * @throws {Error} that they do not start, or are not waited for; none is left running then.
 */
export async function openHelpers(
  plan: HelperPlan,
  threads: number,
  shared: SharedWork = {},
  { early = [], signal }: StartOptions = {},
): Promise<Helpers> {
  const workers = early.slice(0, threads - 1);
  for (const worker of early.slice(threads - 1)) worker.terminate();
  try {
    const ready: Promise<void>[] = [];
    for (let thread = 1; thread < threads; thread++) {
      const worker = workers[thread - 1] ?? startWorker();
      workers[thread - 1] = worker;
      ready.push(started(worker));
      worker.postMessage(
        { ...shared, plan, helper: thread - 1, spins: spinsOf(threads) } satisfies HelperStart,
      );
    }
    await inTime(Promise.all(ready), signal);
  } catch (error) {
    for (const worker of workers) worker.terminate();
    throw error;
  }
  const control = controlOf(plan);
  const mostSpins = spinsOf(threads);
  const wake = () => {
    Atomics.add(control, TeamWord.sequence, 1);
    Atomics.notify(control, TeamWord.sequence);
  };
  const release = () => {
    Atomics.store(control, TeamWord.next, 0);
    Atomics.store(control, TeamWord.arrived, 0);
    wake();
  };
  const join = () => {
    for (let spins = 0;; spins++) {
      const arrived = Atomics.load(control, TeamWord.arrived);
      if (arrived === workers.length) break;
      if (spins >= mostSpins) Atomics.wait(control, TeamWord.arrived, arrived);
    }
    throwNoted(failureSlot(control.buffer, 4 * TeamWord.failure, FAILURE_BYTES));
  };
  return {
    release,
    join,
    close() {
      Atomics.store(control, TeamWord.leave, 1);
      wake();
      for (const worker of workers) worker.terminate();
    },
  };
}
