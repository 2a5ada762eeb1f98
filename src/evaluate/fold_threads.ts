/**
 * Whether folds run side by side: at once where threads are asked for or there are many rows, else
 * when the first folds have shown that the others take longer than starting threads.
 *
 * @module
 */
import { threadsOf } from "../parallel/tasks.ts";
import { type FoldData, type FoldPool, openFolds } from "./fold.ts";

/** Threads that calls on the same folds share. */
export interface FoldThreads {
  /** The pool, once it pays. */
  pool(): FoldPool | undefined;
  /** Threads inside of a fold of the pool. */
  readonly inside: number;
  /** Told how long a fold took on the calling thread, and how many are left. */
  took(milliseconds: number, left: number): void;
  close(): void;
}

/** Cells of the folds' training rows from which threads are started without a try. */
const MANY_CELLS = 5e6;

/** Cells that may be copied (8 bytes each); above, folds run in turn, with threads inside. */
const MOST_CELLS = 6e7;

/** Time to start workers that can train, in milliseconds. */
const START_MS = 400;

/** Decides on the threads of some folds. */
export function foldThreads(
  parts: readonly FoldData[],
  options: { readonly threads?: number; readonly onWarning?: (message: string) => void },
): FoldThreads {
  const wanted = threadsOf(options.threads);
  const cells = parts.reduce((sum, { train }) => sum + train.numRows * train.features.length, 0);
  // Every thread has a copy of all folds.
  const most = Math.floor(MOST_CELLS / Math.max(1, cells));
  const threads = most < 2 ? 1 : Math.min(wanted, parts.length, most);
  let pays = options.threads !== undefined || cells > MANY_CELLS;
  let pool: FoldPool | undefined;
  return {
    inside: Math.max(1, Math.floor(wanted / threads)),
    pool() {
      if (threads > 1 && pays) pool ??= openFolds(parts, threads, options.onWarning);
      return pool === undefined || pool.numThreads === 0 ? undefined : pool;
    },
    took(milliseconds, left) {
      if (milliseconds * left * (1 - 1 / threads) > START_MS) pays = true;
    },
    close: () => pool?.close(),
  };
}
