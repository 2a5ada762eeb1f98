/**
 * One fold of a cross-validation: train on some rows, score others. A task that threads can be sent.
 *
 * @module
 */
import { train, type TrainSpec } from "../algorithms/train.ts";
import { type BinShare, createBinShare } from "../binning/bin_share.ts";
import type { Dataset } from "../data/types.ts";
import type { TrialOptions } from "../ensemble/types.ts";
import { openTasks, type TaskPool } from "../parallel/tasks.ts";
import { evaluateOnThreads, type Evaluation } from "./evaluate.ts";
import { EVALUATE_WORKERS, openEvaluateWorker } from "./open_worker.ts";

/** The datasets of one fold. */
export interface FoldData {
  /** Rows to train on. */
  readonly train: Dataset;
  /** Rows to test on. */
  readonly test: Dataset;
  /** Row numbers of `test` in the whole dataset, counted from 0. */
  readonly rows: Int32Array;
}

/** What to do with a fold. */
export interface FoldSpec {
  readonly spec: TrainSpec;
  readonly metrics: readonly string[] | undefined;
  /** Threads inside of the fold. */
  readonly threads: number | undefined;
}

/** What a fold came to. */
export interface FoldAnswer {
  readonly evaluation: Evaluation;
  readonly rounds: number;
  /** Responses of the tested rows, `rows × cols`. */
  readonly values: Float64Array;
  readonly cols: number;
  readonly warnings: readonly string[];
}

/** Nothing yet to share, on training rows that are copies of ours. */
export function shareOf(parts: readonly Pick<FoldData, "train">[]): BinShare {
  const share = createBinShare();
  for (const { train } of parts) share.own(train);
  return share;
}

/** Trains and scores a fold. */
export async function runFold(
  part: Omit<FoldData, "rows">,
  share: BinShare,
  { spec, metrics, threads }: FoldSpec,
  signal?: AbortSignal,
): Promise<FoldAnswer> {
  const warnings: string[] = [];
  const options: TrialOptions = {
    share,
    onWarning: (message) => void warnings.push(message),
    ...(threads === undefined ? {} : { threads }),
    ...(signal === undefined ? {} : { signal }),
  };
  const model = await train(part.train, spec, options);
  return {
    evaluation: await evaluateOnThreads(model, part.test, {
      ...(metrics !== undefined && { metrics }),
      ...(threads !== undefined && { threads }),
    }),
    rounds: model.numRounds,
    values: model.predictValue(part.test),
    cols: model.numOutputs,
    warnings,
  };
}

/** A fold by its number. */
export type FoldTask = FoldSpec & { readonly fold: number };

/** Threads that carry out folds. */
export type FoldPool = TaskPool<FoldTask, FoldAnswer>;

type Parts = readonly Omit<FoldData, "rows">[];

/** The work of such a thread, whose trials share the bins of their folds. */
export function foldWork(parts: Parts): (task: FoldTask) => Promise<FoldAnswer> {
  const share = shareOf(parts);
  return (task) => runFold(parts[task.fold], share, task);
}

/** Starts threads that carry out folds. */
export function openFolds(
  parts: readonly FoldData[],
  threads: number,
  onWarning?: (message: string) => void,
): FoldPool {
  return openTasks({
    threads,
    setup: parts.map(({ train, test }) => ({ train, test })),
    work: foldWork,
    open: () => openEvaluateWorker(EVALUATE_WORKERS.fold),
    onWarning,
  });
}
