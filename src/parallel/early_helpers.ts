/**
 * Workers that start before it is known what they will grow, and bin columns until then. A column's
 * bins depend on nothing but the column, so it does not matter who finds them.
 *
 * @module
 */
import {
  type LeafwiseBinning,
  type LeafwiseColumn,
  leafwiseColumn,
} from "../binning/leafwise_bins.ts";
import { createRanker } from "../binning/rank.ts";
import type { Column } from "../data/types.ts";
import { nextTurn } from "../util/turn.ts";
import { startWorker } from "./split_helpers.ts";
import type { BinnedAnswer, BinOrder } from "./split_worker.ts";

/** Limits that all columns have in common. */
export type ColumnLimits = Pick<LeafwiseBinning, "maxBins" | "zeroAsMissing">;

/** Workers that are on their way. */
export interface EarlyHelpers extends Disposable {
  /** Those that are fit to grow trees; they belong to whoever takes them. */
  take(): readonly Worker[];
  /** Bins columns of one length, together with the calling thread. */
  bin(columns: readonly Column[], limits: ColumnLimits): Promise<readonly LeafwiseColumn[]>;
}

/** Columns that wait at a worker, so that it has one when it is done with another. */
const AHEAD = 2;

/** Starts one worker fewer than there are threads. */
export function startEarly(threads: number): EarlyHelpers {
  let workers: Worker[] = [];
  const end = () => {
    for (const worker of workers) worker.terminate();
    workers = [];
  };
  try {
    for (let thread = 1; thread < threads; thread++) workers.push(startWorker());
  } catch {
    end(); // whoever needs them tries again, and says why it cannot
  }
  return {
    take() {
      const taken = workers;
      workers = [];
      return taken;
    },
    bin: (columns, limits) => binTogether(workers, columns, limits, end),
    [Symbol.dispose]: end,
  };
}

async function binTogether(
  workers: readonly Worker[],
  columns: readonly Column[],
  limits: ColumnLimits,
  fail: () => void,
): Promise<readonly LeafwiseColumn[]> {
  const found: (LeafwiseColumn | undefined)[] = new Array(columns.length).fill(undefined);
  const ranker = createRanker(columns[0] === undefined ? 0 : lengthOf(columns[0]));
  let next = 0;
  const give = (worker: Worker) => {
    if (next >= columns.length) return;
    const feature = next++;
    const order: BinOrder = { bin: { column: ownBytes(columns[feature]), feature, limits } };
    worker.postMessage(order);
  };
  for (const worker of workers) {
    worker.onmessage = ({ data }: MessageEvent<BinnedAnswer>) => {
      found[data.feature] ??= data;
      give(worker);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      fail();
    };
    for (let i = 0; i < AHEAD; i++) give(worker);
  }
  const binHere = async (feature: number) => {
    found[feature] ??= leafwiseColumn(columns[feature], feature, limits, ranker);
    await nextTurn(); // hears answers
  };
  while (next < columns.length) await binHere(next++);
  // A worker that is late, or does not start at all, keeps nobody waiting.
  for (let feature = columns.length - 1; feature >= 0; feature--) {
    if (found[feature] === undefined) await binHere(feature);
  }
  return found as LeafwiseColumn[];
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
