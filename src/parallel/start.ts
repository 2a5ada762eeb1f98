/**
 * Starting worker threads on shared memory: whether they can be had, how long they look for work before
 * they sleep, and waiting until they are there.
 *
 * @module
 */
import { numCores } from "../runtime/env.ts";

/** Why threads on shared memory are not to be had here; undefined where they are. */
export function whyNoThreads(): string | undefined {
  if (typeof Worker === "undefined") return "Workers are missing";
  if (typeof SharedArrayBuffer === "undefined") return "Shared memory is not allowed here";
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1); // not equal: returns at once
  } catch {
    return "This thread may not wait for others";
  }
  return undefined;
}

// Up to 200 µs: between operations of a tree the calling thread is busy for about 75, and a sleep and
// a wake-up cost 100 to 200 on a virtual machine. By the kernel, which no compiler has to see first.
const SPINS = 150_000;

/** How long threads look before they sleep: not at all when there are more of them than cores. */
export function spinsOf(threads: number): number {
  return threads > numCores() ? 0 : SPINS;
}

/** Resolves when a worker says that it is there. */
export function started(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => {
      if (data === "ready") resolve(); // else a late answer to something else
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
  });
}

/** What is said of threads that do not start. */
export function startProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `Threads do not start (${message}): training on one`;
}

/**
 * Where a worker cannot be had, an error says so at once: a limit is only for platforms that say
 * nothing. A start takes 0.02 to 0.1 s, and a thousand times that on a machine with too much to do is
 * no reason to train on one thread, which would be slower still.
 */
const START_SECONDS = 120;

/** Time that passes while the process is stopped or asleep counts as one turn at most. */
const TURN_SECONDS = 10;

/**
 * Waits for workers, but not for ever, and no longer once a signal aborts. Limits are made here and
 * not when workers start: the first use in a process takes up to 6 ms, and most are there before anybody
 * waits for them.
 *
 * @throws {Error} what a worker that failed said, that there was no answer, or that the wait was ended.
 */
export async function inTime(ready: Promise<unknown>, signal?: AbortSignal): Promise<void> {
  for (let waited = 0; waited < START_SECONDS; waited += TURN_SECONDS) {
    signal?.throwIfAborted();
    // Deno loads code of Node's for its first setTimeout, which takes 5 to 10 ms.
    const limit = AbortSignal.timeout(TURN_SECONDS * 1000);
    if (await isFirst(ready, [limit, ...(signal === undefined ? [] : [signal])])) return;
  }
  throw new Error(`no answer in ${START_SECONDS} s`);
}

/** Whether a promise resolves before one of the signals aborts. */
async function isFirst(ready: Promise<unknown>, signals: readonly AbortSignal[]): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const end = () => over.resolve(false);
  // A signal that is listened to keeps the process alive; `onabort = null` would not end that.
  for (const signal of signals) signal.addEventListener("abort", end);
  try {
    return await Promise.race([ready.then(() => true), over.promise]);
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", end);
  }
}
