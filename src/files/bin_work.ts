/**
 * What another thread does when a file is read into bins.
 *
 * @module
 */
import type { CodedState } from "../binning/coded_column.ts";
import {
  type ColumnOptions,
  type CountedWeights,
  createColumnBins,
  type SeenColumn,
  type WriteOrder,
} from "./column_bins.ts";
import { passReader } from "./pass_reader.ts";
import type { DataOptions } from "./read_data.ts";
import { sharedBuffer } from "../util/buffers.ts";

/** Name of the worker. */
export const BIN_WORKER = "treeline-bins";

/** What each thread is told. */
export interface BinSetup {
  readonly path: string;
  /** Without functions. */
  readonly options: DataOptions & ColumnOptions;
  /** The calling one included. */
  readonly threads: number;
  /** One number: how many threads have taken theirs. */
  readonly taken: SharedArrayBuffer;
}

/** What a thread is asked, one after the other. */
export type BinTask =
  | { readonly step: "see" }
  | { readonly step: "weigh"; readonly weights: CountedWeights }
  | { readonly step: "write"; readonly order: WriteOrder };

/** What it answers. */
export interface BinAnswer {
  readonly seen: readonly SeenColumn[];
  /** Bins in shared memory, by position of the column. */
  readonly states: ReadonlyMap<number, CodedState>;
}

/** Carries out tasks in a worker. */
export function binWork(
  { path, options, threads, taken }: BinSetup,
): (task: BinTask) => Promise<BinAnswer> {
  const reader = passReader(path, options);
  const columns = createColumnBins(reader, options, {
    thread: 1 + Atomics.add(new Int32Array(taken), 0, 1),
    threads,
    memory: sharedBuffer,
  });
  // Codes of text are of no use here.
  const last: typeof reader = {
    ...reader,
    read: (means) => reader.read({ ...means, withoutCodes: true }),
  };
  const nothing = { seen: [], states: new Map<number, CodedState>() };
  return async (task) => {
    if (task.step === "see") {
      const { seen } = await columns.see();
      return { ...nothing, seen };
    }
    if (task.step === "weigh") {
      await columns.weigh(task.weights);
      return nothing;
    }
    const { states } = await columns.write(task.order, last, () => {});
    return { ...nothing, states };
  };
}
