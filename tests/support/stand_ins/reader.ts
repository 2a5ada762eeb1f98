/**
 * Reading on threads without threads.
 *
 * @module
 */
import type { Dataset } from "../../../src/data/types.ts";
import {
  type AnyReport,
  joinPart,
  openPart,
  readAnyPart,
  type ReadTask,
} from "../../../src/files/read_parts.ts";
import { nextTurn } from "../../../src/util/turn.ts";
import { createFakeWorker, type FakeOptions } from "./worker.ts";

/** How a worker reads. */
export interface FakeReading extends FakeOptions<ReadTask, AnyReport | undefined> {
  /** Turns of the event loop before its next step. @default none */
  readonly patience?: () => number;
}

/** A worker in this thread, which takes a step of its work now and then. */
export function createFakeReader(
  { patience = () => 0, ...options }: FakeReading = {},
): Worker {
  return createFakeWorker((_: undefined, hasEnded) => async (task: ReadTask) => {
    if (!("job" in task)) return void joinPart(task);
    using file = openPart(task);
    const steps = readAnyPart(task.job, file);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      for (let turns = patience(); turns >= 0 && !hasEnded(); turns--) await nextTurn();
      if (hasEnded()) return undefined;
    }
  }, options);
}

/** Everything of a dataset but the memory it lies in. */
export function contents(data: Dataset): unknown {
  return JSON.parse(JSON.stringify(data, (_, value) => {
    if (!ArrayBuffer.isView(value)) return value;
    return Array.from(value as Float64Array, (one) => Object.is(one, -0) ? "-0" : String(one));
  }));
}
