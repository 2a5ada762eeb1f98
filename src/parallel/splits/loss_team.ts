/**
 * Threads that compute gradients, the leaves that losses set and what else is shared, for a run that
 * grows no trees.
 *
 * @module
 */
import type { Labels } from "../../data/types.ts";
import { TEAM_BYTES } from "../../grow/split_team.ts";
import type { Loss } from "../../loss/types.ts";
import { numCores } from "../../runtime/env.ts";
import {
  leadGradients,
  type LossPlan,
  lossPlan,
  type SharedGradients,
} from "../rows/serial_loss.ts";
import { openHelpers } from "./helpers.ts";
import { startProblem, whyNoThreads } from "../start.ts";
import { threadsOf } from "../tasks.ts";
import { leadTasks, type TaskPlan, type TeamTasks } from "../rows/team_tasks.ts";

/** A run. */
export interface LossRun {
  readonly loss: Loss;
  readonly labels: Labels;
  readonly numTrees: number;
  /** What threads share besides, made where there are threads. */
  readonly tasks: (plan: LossPlan) => readonly TaskPlan[];
  /** @default all cores where there is work enough */
  readonly threads?: number | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Gradients and tasks by threads, until they are let go. */
export type LossTeam = SharedGradients & { readonly tasks: TeamTasks } & Disposable;

/**
 * Rows × trees from which threads start: those asked for, and all cores. A gradient takes 0.02 to
 * 0.06 µs, a new thread 0.05 s. That of `squared` is one subtraction, which threads do no faster.
 */
const LEAST_ASKED = 1e5;
const LEAST_WORK = 1e7;

/** Starts threads; undefined where one thread is as good, or is all there is. */
export async function openLossTeam(run: LossRun): Promise<LossTeam | undefined> {
  const { loss, labels, numTrees } = run;
  const threads = threadsOf(run.threads, numCores());
  const least = run.threads === undefined ? LEAST_WORK : LEAST_ASKED;
  const isLittle = labels.values.length * numTrees < least || loss.name === "squared";
  const plan = threads === 1 || isLittle ? undefined : lossPlan(loss, labels);
  if (plan === undefined) return undefined;
  const reason = whyNoThreads();
  if (reason !== undefined) {
    run.onWarning?.(`${reason}: refitting on one thread`);
    return undefined;
  }
  const control = new Int32Array(new SharedArrayBuffer(TEAM_BYTES));
  try {
    const tasks = run.tasks(plan);
    const helpers = await openHelpers({ kind: "treeless", control }, threads, {
      loss: plan,
      tasks,
    });
    return {
      ...leadGradients(plan, control, helpers),
      tasks: leadTasks(tasks, control, helpers),
      [Symbol.dispose]: () => helpers.close(),
    };
  } catch (error) {
    run.onWarning?.(startProblem(error));
    return undefined;
  }
}
