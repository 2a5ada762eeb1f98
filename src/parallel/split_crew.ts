/**
 * Opens the threads that look for splits together (`grow/split_team.ts`), where there is work enough
 * for them and they can be had.
 *
 * @module
 */
import { TrainingError } from "../errors.ts";
import type { Frame } from "../grow/frame.ts";
import type { TreePlan } from "../grow/plan.ts";
import {
  leadTeam,
  shareFrame,
  type SplitTeam,
  teamMemory,
  type TeamPlan,
  TeamWord,
} from "../grow/split_team.ts";
import type { StatSource } from "../grow/stats.ts";
import { started, whyNoThreads } from "./crew.ts";
import { type HelperStart, SPLIT_WORKER } from "./split_worker.ts";
import { threadsOf } from "./tasks.ts";
import { spinsOf } from "./worker_loop.ts";

/** What grows, and how it is carried out. */
export interface SplitWork {
  readonly plan: TreePlan;
  readonly source: StatSource;
  /** Trees that will grow, at most. */
  readonly trees: number;
  /** @default all cores where there is work enough */
  readonly threads?: number | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Told on how many threads splits are found. */
  readonly onDetail?: ((message: string) => void) | undefined;
}

/** A frame, and the team that sees it. */
export interface SplitCrew extends Disposable {
  /** The frame to grow on: in shared memory where there is a team. */
  readonly frame: Frame;
  readonly team?: SplitTeam;
}

/**
 * Cells × levels × trees from which threads are started: those asked for, and all cores. A million
 * take about 0.04 s on one thread, and a new thread is slow until its code is compiled (0.3 s).
 */
const LEAST_ASKED = 5e4;
const LEAST_WORK = 4e7;

/** Why one thread looks for splits; undefined where more do. */
function whyAlone(
  { numRows, features }: Frame,
  { plan, source, trees, threads }: SplitWork,
): string | undefined {
  if (plan.splitter === "random") return "random splits are drawn in turn";
  if (features.length < 2) return "there is one feature";
  if (isCounted(plan, source)) return "two classes are counted by one kernel";
  const levels = Math.min(plan.limits.maxDepth, Math.ceil(Math.log2(numRows + 1)));
  const work = numRows * features.length * levels * trees;
  return work < (threads === undefined ? LEAST_WORK : LEAST_ASKED)
    ? "there is too little work to share"
    : undefined;
}

/** Whether the wasm kernel of two classes takes all nodes (`grow/counted/nodes.ts`). */
function isCounted(plan: TreePlan, source: StatSource): boolean {
  return plan.splitter === "exact" && plan.criterion === "gini" && plan.missing === "learn" &&
    plan.classFactors === undefined && plan.chiSquare === undefined &&
    plan.criticalGain === undefined && plan.limits.minGap === 0 &&
    source.kind === "class" && source.numClasses === 2 &&
    (source.weight === undefined || source.weight.every(Number.isInteger));
}

/** Opens a crew; without helpers the frame is the one given. */
export async function openSplitCrew(frame: Frame, work: SplitWork): Promise<SplitCrew> {
  const threads = Math.min(threadsOf(work.threads), Math.max(1, frame.features.length));
  const why = threads === 1 ? undefined : whyAlone(frame, work);
  if (threads > 1 && why === undefined) {
    const reason = whyNoThreads();
    if (reason === undefined) {
      try {
        const crew = await openHelpers(frame, work, threads);
        work.onDetail?.(`Finding splits on ${threads} threads, shared memory`);
        return crew;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        work.onWarning?.(`Threads do not start (${message}): training on one`);
      }
    } else work.onWarning?.(`${reason}: training on one thread`);
  }
  work.onDetail?.(`Finding splits on one thread${why === undefined ? "" : `: ${why}`}`);
  return { frame, [Symbol.dispose]() {} };
}

async function openHelpers(frame: Frame, work: SplitWork, threads: number): Promise<SplitCrew> {
  const { plan, source } = work;
  const numClasses = source.kind === "class" ? source.numClasses : 0;
  const sharedFrame = shareFrame(frame);
  const memory = teamMemory(sharedFrame, numClasses);
  const team: TeamPlan = { plan, frame: sharedFrame, numClasses, memory };
  const workers: Worker[] = [];
  try {
    const ready: Promise<void>[] = [];
    for (let thread = 1; thread < threads; thread++) {
      const worker = new Worker(new URL("./split_worker.ts", import.meta.url), {
        type: "module",
        name: SPLIT_WORKER,
      });
      workers.push(worker);
      ready.push(started(worker));
      worker.postMessage({ plan: team, spins: spinsOf(threads) } satisfies HelperStart);
    }
    await Promise.all(ready);
  } catch (error) {
    for (const worker of workers) worker.terminate();
    throw error;
  }
  const { control } = memory;
  const mostSpins = spinsOf(threads);
  const wake = () => {
    Atomics.add(control, TeamWord.sequence, 1);
    Atomics.notify(control, TeamWord.sequence);
  };
  const release = () => {
    Atomics.store(control, TeamWord.next, 0);
    Atomics.store(control, TeamWord.arrived, 0);
    wake();
  };
  const join = () => {
    for (let spins = 0;; spins++) {
      const arrived = Atomics.load(control, TeamWord.arrived);
      if (arrived === workers.length) break;
      if (spins >= mostSpins) Atomics.wait(control, TeamWord.arrived, arrived);
    }
    if (Atomics.load(control, TeamWord.failed) !== 0) {
      throw new TrainingError("E_TRAIN_NUMERIC", "Cannot go on: a training thread has failed");
    }
  };
  return {
    frame: sharedFrame,
    team: leadTeam(memory, release, join),
    [Symbol.dispose]() {
      Atomics.store(control, TeamWord.leave, 1);
      wake();
      for (const worker of workers) worker.terminate();
    },
  };
}
