/**
 * A large file read into bins by several threads: each reads it, and fills the bins of its columns.
 *
 * @module
 */
import type { CodedState } from "../binning/coded_column.ts";
import { openTasks } from "../parallel/tasks.ts";
import { openRange, sentSource } from "../runtime/ranges.ts";
import { BIN_WORKER, type BinAnswer, type BinSetup, type BinTask } from "./bin_work.ts";
import type { ColumnOptions, CountedWeights, SeenColumn, WriteOrder } from "./column_bins.ts";
import { type DataOptions, formatOf } from "./read_data.ts";
import { type MakeBuffer, ownBuffer, sharedBuffer } from "../util/buffers.ts";

/** Options of a reader of bins. */
export interface BinOptions extends DataOptions, ColumnOptions {
  /** Only the calling thread asks it. */
  readonly sample?: unknown;
}

/** Other threads, each with its share of the columns; a pass of theirs begins when it is asked for. */
export interface OtherThreads {
  readonly numThreads: number;
  /** Makes memory that they see. */
  readonly memory: MakeBuffer;
  /** Their columns; undefined where they have failed. */
  see(): Promise<readonly SeenColumn[] | undefined>;
  /** Whether they have not failed. */
  weigh(weights: CountedWeights): Promise<boolean>;
  /** Their columns by position; undefined where they have failed. */
  write(order: WriteOrder): Promise<ReadonlyMap<number, CodedState> | undefined>;
}

/** The calling thread is alone. */
export const NO_OTHERS: OtherThreads = {
  numThreads: 0,
  memory: ownBuffer,
  see: () => Promise.resolve([]),
  weigh: () => Promise.resolve(true),
  write: () => Promise.resolve(new Map()),
};

/** How a file is read. */
export interface BinRun {
  /** Threads, the calling one included. */
  readonly threads: number;
  /** Starts a worker. */
  readonly open?: () => Worker;
}

/**
 * Reads a file while other threads are there.
 *
 * @param read Reads it with these options; gives undefined where other threads have failed.
 * @returns Undefined where one thread has to read it: it is packed or no file, it is replaced or
 * written to meanwhile, or threads have failed. Nothing has been said then.
 */
export async function withBinThreads<Options extends BinOptions, Found>(
  source: string | URL,
  options: Options,
  { threads, open = openWorker }: BinRun,
  read: (options: Options, others: OtherThreads) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  if (typeof Worker === "undefined" || typeof SharedArrayBuffer === "undefined") return undefined;
  const stamp = stampOf(source);
  if (stamp === undefined) return undefined;
  const { onWarning, sample: _, ...plain }: BinOptions = options;
  const said: string[] = [];
  const sayAll = () => said.forEach((message) => onWarning?.(message));
  const pool = openTasks<BinSetup, BinTask, BinAnswer | undefined>({
    threads: threads - 1,
    beside: true,
    setup: {
      path: sentSource(source),
      options: { ...plain, format: options.format ?? formatOf(source) },
      threads,
      taken: new SharedArrayBuffer(4),
    },
    // Where no worker starts the calling thread reads everything as it is.
    work: () => () => undefined,
    open,
  });

  if (pool.numThreads === 0) return undefined;

  /** What all other threads answer; undefined where one has failed. */
  async function ask(task: BinTask): Promise<readonly BinAnswer[] | undefined> {
    const answers = await pool.all(task).catch(() => []);
    const found = answers.flatMap((answer) => answer ?? []);
    return found.length === threads - 1 ? found : undefined;
  }

  try {
    const found = await read({ ...options, onWarning: (message) => void said.push(message) }, {
      numThreads: threads - 1,
      memory: sharedBuffer,
      see: async () => (await ask({ step: "see" }))?.flatMap(({ seen }) => seen),
      weigh: async (weights) => await ask({ step: "weigh", weights }) !== undefined,
      async write(order) {
        const answers = await ask({ step: "write", order });
        return answers && new Map(answers.flatMap(({ states }) => [...states]));
      },
    });
    if (found === undefined || stampOf(source) !== stamp) return undefined;
    sayAll();
    return found;
  } catch (error) {
    sayAll();
    throw error;
  } finally {
    pool.close();
  }
}

/** Tells a plain file from others, and from itself after it was written to. */
function stampOf(source: string | URL): string | undefined {
  using file = openRange(source);
  return file?.stamp;
}

function openWorker(): Worker {
  return new Worker(new URL("./bin_worker.ts", import.meta.url), {
    type: "module",
    name: BIN_WORKER,
  });
}
