/**
 * Workers that start before it is known what they will grow, and bin or rank columns until then. A
 * column's bins and ranks depend on nothing but the column, so it does not matter who finds them.
 *
 * @module
 */
import {
  type LeafwiseBinning,
  type LeafwiseColumn,
  leafwiseColumn,
} from "../../binning/leafwise_bins.ts";
import { createRanker, type Ranker } from "../../binning/rank.ts";
import type { Column } from "../../data/types.ts";
import { type FrameFeature, rankColumn } from "../../grow/rows/frame.ts";
import { nextTurn } from "../../util/turn.ts";
import { startWorker } from "./helpers.ts";
import type { BinOrder, RankOrder } from "./column_orders.ts";

/** Limits that all columns have in common. */
export type ColumnLimits = Pick<LeafwiseBinning, "maxBins" | "zeroAsMissing">;

/** Workers that are on their way. */
export interface EarlyHelpers extends Disposable {
  /** Those that are fit to grow trees; they belong to whoever takes them. */
  take(): readonly Worker[];
  /** Bins columns of one length, together with the calling thread. */
  bin(columns: readonly Column[], limits: ColumnLimits): Promise<readonly LeafwiseColumn[]>;
  /** Ranks columns of one length, together with the calling thread. */
  rank(columns: readonly Column[]): Promise<readonly FrameFeature[]>;
}

/** Columns that wait at a worker, so that it has one when it is done with another. */
const AHEAD = 2;

/**
 * Starts one worker fewer than there are threads.
 *
 * @param open Starts a worker that bins and ranks until it is told what it grows.
 */
export function startEarly(threads: number, open: () => Worker = startWorker): EarlyHelpers {
  let workers: Worker[] = [];
  const end = () => {
    for (const worker of workers) worker.terminate();
    workers = [];
  };
  try {
    for (let thread = 1; thread < threads; thread++) workers.push(open());
  } catch {
    end(); // whoever needs them tries again, and says why it cannot
  }
  return {
    take() {
      const taken = workers;
      workers = [];
      return taken;
    },
    bin(columns, limits) {
      const ranker = rankerOf(columns);
      return doTogether<LeafwiseColumn>(workers, {
        columns,
        order: (column, feature): BinOrder => ({ bin: { column, feature, limits } }),
        here: (column, feature) => leafwiseColumn(column, feature, limits, ranker),
      }, end);
    },
    rank(columns) {
      const ranker = rankerOf(columns);
      return doTogether<FrameFeature>(workers, {
        columns,
        order: (column, feature): RankOrder => ({ rank: { column, feature } }),
        here: (column) => rankColumn(ranker, column),
      }, end);
    },
    [Symbol.dispose]: end,
  };
}

/** Work on columns that workers and the calling thread share. */
interface ColumnWork<Answer> {
  readonly columns: readonly Column[];
  /** What a worker is told. */
  order(column: Column, feature: number): unknown;
  /** What the calling thread does by itself. */
  here(column: Column, feature: number): Answer;
}

/** What workers answer to orders of columns. */
interface ColumnAnswer<Answer> {
  readonly feature: number;
  readonly found: Answer;
}

async function doTogether<Answer>(
  workers: readonly Worker[],
  { columns, order, here }: ColumnWork<Answer>,
  fail: () => void,
): Promise<readonly Answer[]> {
  const found: (Answer | undefined)[] = new Array(columns.length).fill(undefined);
  let next = 0;
  const give = (worker: Worker) => {
    if (next >= columns.length) return;
    const feature = next++;
    worker.postMessage(order(ownBytes(columns[feature]), feature));
  };
  for (const worker of workers) {
    worker.onmessage = ({ data }: MessageEvent<ColumnAnswer<Answer>>) => {
      found[data.feature] ??= data.found;
      give(worker);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      fail();
    };
    for (let i = 0; i < AHEAD; i++) give(worker);
  }
  const doHere = async (feature: number) => {
    found[feature] ??= here(columns[feature], feature);
    await nextTurn(); // hears answers
  };
  while (next < columns.length) await doHere(next++);
  // A worker that is late, or does not start at all, keeps nobody waiting.
  for (let feature = columns.length - 1; feature >= 0; feature--) {
    if (found[feature] === undefined) await doHere(feature);
  }
  return found as Answer[];
}

function rankerOf(columns: readonly Column[]): Ranker {
  return createRanker(columns[0] === undefined ? 0 : lengthOf(columns[0]));
}

function lengthOf(column: Column): number {
  return column.kind === "numeric" ? column.values.length : column.codes.length;
}

/** A message carries the whole buffer of an array: those that are a part of one are copied. */
function ownBytes(column: Column): Column {
  const own = <T extends Float64Array | Float32Array | Int32Array>(values: T): T =>
    values.byteLength < values.buffer.byteLength ? values.slice() as T : values;
  return column.kind === "numeric"
    ? { ...column, values: own(column.values) }
    : { ...column, codes: own(column.codes) };
}
