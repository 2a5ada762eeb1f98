/**
 * Worker that helps to find splits: the plan first, then nodes until it is told to leave.
 *
 * @module
 */
import { exactHelper, type ExactPlan } from "../../grow/exact/team.ts";
import type { LeafwisePlan } from "../../grow/leafwise/space.ts";
import { leafwiseHelper } from "../../grow/leafwise/tree.ts";
import type { LossPlan } from "../rows/serial_loss.ts";
import type { SetsPlan } from "../rows/serial_sets.ts";
import {
  createHelper,
  FAILURE_BYTES,
  type TeamPlan,
  TeamWord,
  TeamWork,
} from "../../grow/split_team.ts";
import type { TaskPlan } from "../rows/team_tasks.ts";
import type { BinOrder, RankOrder } from "./column_orders.ts";
import { failureSlot, noteFailure } from "../failures.ts";
import type { SubtreeOrder } from "./subtrees.ts";

/** Whose splits helpers look for. */
export type HelperPlan = TeamPlan | ExactPlan | LeafwisePlan | TreelessPlan;

/** Nobody's: helpers share other work only. */
export interface TreelessPlan {
  readonly kind: "treeless";
  /** Shared memory of `TEAM_BYTES`. */
  readonly control: Int32Array;
}

/** Control words of a plan. */
export function controlOf(plan: HelperPlan): Int32Array {
  return "kind" in plan ? plan.control : plan.memory.control;
}

/** What helpers share besides trees. */
export interface SharedWork {
  /** The loss whose gradients are asked for too. */
  readonly loss?: LossPlan | undefined;
  /** Sets of rows that are followed. */
  readonly sets?: SetsPlan | undefined;
  /** Tasks between trees. */
  readonly tasks?: readonly (TaskPlan | undefined)[] | undefined;
}

/** What a helper is told at the start. */
export interface HelperStart extends SharedWork {
  readonly plan: HelperPlan;
  /** From 0; the thread that grows is none of them. */
  readonly helper: number;
  /** Looks at the control word before going to sleep. */
  readonly spins: number;
}

/** Name of the workers, by which they know what they are. */
export const SPLIT_WORKER = "treeline-split";

/** What a worker global has that we use; workers have their own `self`. */
interface WorkerScope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown, transfer?: Transferable[]): void;
  close(): void;
  readonly name?: string;
}

function workOf(plan: Exclude<HelperPlan, TreelessPlan>, helper: number): () => void {
  if (!("kind" in plan)) return createHelper(plan);
  return plan.kind === "exact" ? exactHelper(plan, helper) : leafwiseHelper(plan, helper + 1);
}

function isTreeless(plan: HelperPlan): plan is TreelessPlan {
  return "kind" in plan && plan.kind === "treeless";
}

/** What a helper does by {@linkcode TeamWork}. Those of other methods start without the losses' code. */
async function worksOf(
  { plan, helper, loss, sets, tasks }: HelperStart,
  control: Int32Array,
): Promise<{ readonly [work: number]: (() => void) | undefined }> {
  const losses = loss && await import("../rows/serial_loss.ts");
  const leaves = loss?.leaves && await import("../rows/serial_leaves.ts");
  const thread = sets && (await import("../rows/serial_sets.ts")).setsThread(sets, control);
  const share = tasks && (await import("../rows/team_tasks.ts")).helpWithTasks(tasks, control);
  return {
    ...(isTreeless(plan) ? {} : { [TeamWork.trees]: workOf(plan, helper) }),
    ...(losses && { [TeamWork.gradients]: losses.gradientsOf(loss, control) }),
    ...(leaves && { [TeamWork.leaves]: leaves.leavesOf(loss!, control) }),
    ...(thread && { [TeamWork.walk]: thread.walk, [TeamWork.measure]: thread.measure }),
    ...(share && { [TeamWork.tasks]: share }),
  };
}

async function help(start: HelperStart, ready: () => void): Promise<void> {
  const { plan, spins } = start;
  const control = controlOf(plan);
  const works = await worksOf(start, control);
  const failure = failureSlot(control.buffer, 4 * TeamWord.failure, FAILURE_BYTES);
  let seen = 0;
  ready();
  for (;;) {
    for (let i = 0; Atomics.load(control, TeamWord.sequence) === seen; i++) {
      if (i >= spins) Atomics.wait(control, TeamWord.sequence, seen);
    }
    seen = Atomics.load(control, TeamWord.sequence);
    if (control[TeamWord.leave] === 1) return;
    try {
      works[control[TeamWord.work]]!();
    } catch (error) {
      noteFailure(failure, error);
    }
    Atomics.add(control, TeamWord.arrived, 1);
    Atomics.notify(control, TeamWord.arrived);
  }
}

const scope = globalThis as unknown as WorkerScope;
// The module may be loaded outside a worker, where it must do nothing.
if (scope.name === SPLIT_WORKER) {
  let endColumns = () => {};
  scope.onmessage = async (
    { data }: MessageEvent<HelperStart | BinOrder | RankOrder | SubtreeOrder>,
  ) => {
    // Only some runs have columns to bin or rank.
    if ("bin" in data || "rank" in data) {
      const work = await import("./bin_columns.ts");
      endColumns = work.endColumns;
      return scope.postMessage("bin" in data ? work.binColumn(data) : work.rankColumns(data));
    }
    endColumns();
    if ("subtrees" in data) {
      const { growSubtrees } = await import("./subtrees.ts");
      return growSubtrees(data, (answer, moved) => scope.postMessage(answer, moved));
    }
    await help(data, () => scope.postMessage("ready"));
    scope.close();
  };
}
