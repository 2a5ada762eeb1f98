/**
 * Opens the threads that look for splits together (`grow/split_team.ts`), where there is work enough
 * for them and they can be had.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import { createFrame, type Frame } from "../../grow/rows/frame.ts";
import type { TreePlan } from "../../grow/plan/plan.ts";
import type { SplitTeam } from "../../grow/plan/context.ts";
import { leadTeam, shareFrame, teamMemory } from "../../grow/split_team.ts";
import type { StatSource } from "../../grow/rows/stats.ts";
import { HERE } from "../../metric/job.ts";
import { type EarlyHelpers, startEarly } from "./early_helpers.ts";
import { openHelpers } from "./helpers.ts";
import { startProblem, whyNoThreads } from "../start.ts";
import { threadsOf } from "../tasks.ts";
import { leadTasks, type MakeTasks, ownTasks, SHARED, type TeamTasks } from "../rows/team_tasks.ts";

/** What grows, and how it is carried out. */
export interface SplitWork {
  readonly plan: TreePlan;
  readonly source: StatSource;
  /** Trees that will grow, at most. */
  readonly trees: number;
  /** What threads share between trees. */
  readonly tasks?: MakeTasks | undefined;
  /** @default all cores where there is work enough */
  readonly threads?: number | undefined;
  /** Once it aborts threads that start are not waited for. */
  readonly signal?: AbortSignal | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Whether a tree of two classes may grow in parts (`subtrees.ts`). @default false */
  readonly parts?: boolean | undefined;
  /** Told on how many threads splits are found. */
  readonly onDetail?: ((message: string) => void) | undefined;
}

/** A frame, and the team that sees it. */
export interface SplitCrew extends Disposable {
  /** The frame to grow on: in shared memory where there is a team. */
  readonly frame: Frame;
  readonly team?: SplitTeam;
  /** The tasks asked for, by all threads. */
  readonly tasks: TeamTasks;
  /** Workers that grow subtrees with this thread. */
  readonly growers?: readonly Worker[];
}

/**
 * Cells × levels × trees from which threads are started: those asked for, and all cores. A million
 * take about 0.04 s on one thread, and a new thread is slow until its code is compiled (0.3 s).
 */
const LEAST_ASKED = 5e4;
const LEAST_WORK = 2e7;

/**
 * Cells from which columns are ranked by threads: a million take 0.025 s on one. Where these will not
 * grow trees together, they start for the ranks alone, and are there after 0.05 s.
 */
const LEAST_RANKED = 1e5;
const LEAST_RANKED_ALONE = 4e6;

/** The same, times trees, for threads that were asked for and will grow subtrees of two classes. */
const LEAST_PARTS = 1e6;

/** Why one thread looks for splits; undefined where more do. */
function whyAlone(
  { numRows, features }: Pick<Dataset, "numRows" | "features">,
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

/** Ranks the columns of a dataset and opens a crew. */
export async function openSplitCrew(data: Dataset, work: SplitWork): Promise<SplitCrew> {
  const { numRows, features } = data;
  const threads = Math.min(threadsOf(work.threads), Math.max(1, features.length));
  const why = threads === 1 ? undefined : whyAlone(data, work);
  const inParts = work.parts === true && features.length > 1 &&
    work.plan.order === "depth-first" && isCounted(work.plan, work.source);
  const least = why === undefined
    ? LEAST_RANKED
    : inParts && work.threads !== undefined
    ? LEAST_PARTS
    : LEAST_RANKED_ALONE;
  const cells = numRows * features.length * (inParts ? work.trees : 1);
  const isShared = cells >= least && whyNoThreads() === undefined;
  using early = threads > 1 && isShared ? startEarly(threads) : undefined;
  const frame: Frame = early === undefined
    ? createFrame(data)
    : { numRows, features: await early.rank(features) };
  if (threads > 1 && why === undefined) {
    const reason = whyNoThreads();
    if (reason === undefined) {
      try {
        const crew = await openTeam(frame, work, threads, early);
        work.onDetail?.(`Finding splits on ${threads} threads, shared memory`);
        return crew;
      } catch (error) {
        if (work.signal?.aborted !== true) work.onWarning?.(startProblem(error));
      }
    } else work.onWarning?.(`${reason}: training on one thread`);
  }
  const growers = inParts && early !== undefined ? early.take() : [];
  if (growers.length > 0) {
    const shared = shareFrame(frame);
    work.onDetail?.(`Growing subtrees on ${growers.length + 1} threads, shared memory`);
    return {
      frame: shared,
      growers,
      tasks: ownTasks(work.tasks?.(HERE, shared) ?? []),
      [Symbol.dispose]() {
        for (const worker of growers) worker.terminate();
      },
    };
  }
  work.onDetail?.(`Finding splits on one thread${why === undefined ? "" : `: ${why}`}`);
  return { frame, tasks: ownTasks(work.tasks?.(HERE, frame) ?? []), [Symbol.dispose]() {} };
}

async function openTeam(
  frame: Frame,
  work: SplitWork,
  threads: number,
  early: EarlyHelpers | undefined,
): Promise<SplitCrew> {
  const { plan, source } = work;
  const numClasses = source.kind === "class" ? source.numClasses : 0;
  const sharedFrame = shareFrame(frame);
  const memory = teamMemory(sharedFrame, numClasses);
  const tasks = work.tasks?.(SHARED, sharedFrame) ?? [];
  const helpers = await openHelpers(
    { plan, frame: sharedFrame, numClasses, memory },
    threads,
    tasks.length > 0 ? { tasks } : {},
    { early: early?.take(), signal: work.signal },
  );
  return {
    frame: sharedFrame,
    team: leadTeam(memory, helpers.release, helpers.join),
    tasks: leadTasks(tasks, memory.control, helpers),
    [Symbol.dispose]: () => helpers.close(),
  };
}
