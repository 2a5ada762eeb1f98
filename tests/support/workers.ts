/**
 * Stand-ins for worker threads.
 *
 * @module
 */

/** Runs with another class of workers. */
export async function withWorkers<T>(worker: unknown, run: () => Promise<T>): Promise<T> {
  const { Worker } = globalThis;
  globalThis.Worker = worker as typeof Worker;
  try {
    return await run();
  } finally {
    globalThis.Worker = Worker;
  }
}
