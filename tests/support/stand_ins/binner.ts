/**
 * Filling bins on threads without threads.
 *
 * @module
 */
import {
  type BinAnswer,
  type BinSetup,
  type BinTask,
  binWork,
} from "../../../src/files/bin_work.ts";
import { createFakeWorker, type FakeOptions } from "./worker.ts";

/** A worker in this thread. */
export function createFakeBinner(options?: FakeOptions<BinTask, BinAnswer>): Worker {
  return createFakeWorker((setup: BinSetup) => binWork(setup), options);
}
