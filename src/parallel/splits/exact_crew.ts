/**
 * Opens the threads that look for splits of the exact method together (`grow/exact/team.ts`), where
 * there is work enough for them and they can be had.
 *
 * @module
 */
import { nodeLists, type SortedColumn } from "../../grow/exact/lists.ts";
import { aloneExact, type ExactOptions, type ExactTeam } from "../../grow/exact/newton.ts";
import { exactPlan, leadExact } from "../../grow/exact/team.ts";
import { openSerialHelpers, type SerialShares } from "./serial_help.ts";
import type { SerialWork } from "../rows/serial_work.ts";
import { startProblem, whyNoThreads } from "../start.ts";
import { threadsOf } from "../tasks.ts";
import { ownBuffer } from "../../util/buffers.ts";

/** What grows, and how it is carried out. */
export interface ExactWork extends SerialWork {
  readonly columns: readonly SortedColumn[];
  readonly options: ExactOptions;
}

/** Who finds the splits. */
export interface ExactCrew extends SerialShares, Disposable {
  readonly team: ExactTeam;
}

/**
 * Cells × levels × trees from which threads are started: those asked for, and all cores. A million
 * take about 0.01 s on one thread, and a new thread is there after 0.1 s.
 */
const LEAST_ASKED = 5e4;
const LEAST_WORK = 2e7;

/** Opens a crew. */
export async function openExactCrew(work: ExactWork): Promise<ExactCrew> {
  const { columns, numRows, options, trees } = work;
  const threads = Math.min(threadsOf(work.threads), Math.max(1, columns.length));
  const levels = Math.min(options.maxDepth || Infinity, Math.ceil(Math.log2(numRows + 1)));
  const least = work.threads === undefined ? LEAST_WORK : LEAST_ASKED;
  const isLittle = numRows * columns.length * levels * trees < least;
  if (threads > 1 && !isLittle) {
    const reason = whyNoThreads();
    if (reason === undefined) {
      try {
        const plan = exactPlan(columns, numRows, options, threads - 1);
        const { helpers, shares } = await openSerialHelpers(plan, threads, work);
        work.onDetail?.(`Finding splits on ${threads} threads, shared memory`);
        return {
          ...shares,
          team: leadExact(plan, threads - 1, helpers.release, helpers.join),
          [Symbol.dispose]: () => helpers.close(),
        };
      } catch (error) {
        if (work.signal?.aborted !== true) work.onWarning?.(startProblem(error));
      }
    } else work.onWarning?.(`${reason}: training on one thread`);
  }
  const why = threads > 1 && isLittle ? ": there is too little work to share" : "";
  work.onDetail?.(`Finding splits on one thread${why}`);
  const rows = {
    columns,
    lists: nodeLists(columns, ownBuffer),
    leafOf: new Int32Array(numRows),
    pairs: new Float32Array(2 * numRows),
  };
  return { team: aloneExact(rows, options), [Symbol.dispose]() {} };
}
