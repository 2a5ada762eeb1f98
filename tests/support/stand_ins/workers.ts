/**
 * Worker threads that have started, and stand-ins for them.
 *
 * @module
 */
import { READ_WORKER } from "../../../src/files/read_parts.ts";

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

/** Workers that read parts of files, all of which have started; what they answer goes to a list. */
export function startReaders(count: number, answers: unknown[]): Promise<Worker[]> {
  return Promise.all(Array.from({ length: count }, async () => {
    const worker = new Worker(new URL("../../../src/files/read_worker.ts", import.meta.url), {
      type: "module",
      name: READ_WORKER,
    });
    worker.addEventListener("message", ({ data }) => answers.push(data.answer));
    await new Promise((resolve) => {
      worker.addEventListener("message", resolve, { once: true });
      worker.postMessage({ setup: undefined });
    });
    return worker;
  }));
}

/** What runtimes without workers do. */
export function refuseWorker(): never {
  throw new DOMException("no workers here", "NotSupportedError");
}

/** Workers that do not start: there are none, or each fails at its first message. */
export function workersThatFail(create: () => Worker): readonly (() => Worker)[] {
  const fails = () => {
    const worker = create();
    worker.postMessage = () => queueMicrotask(() => worker.onerror?.(new ErrorEvent("error")));
    return worker;
  };
  return [refuseWorker, fails];
}
