/**
 * Work on rows that the threads of a split team share between trees: derivatives of a round, and
 * metrics. Every thread makes the same tasks over the same memory and takes items of a step from a
 * common counter; an item writes to places of its own, so the numbers are those of one thread.
 *
 * @module
 */
import type { Labels } from "../../data/types.ts";
import type { Frame } from "../../grow/rows/frame.ts";
import { TeamWord, TeamWork } from "../../grow/split_team.ts";
import type { Metric, Place, Predictions } from "../../metric/types.ts";
import type { Postprocess } from "../../model/types.ts";
import { type BoostedRows, boostedTask } from "./adaboost.ts";
import { type GradientRows, gradientTask } from "./gradients.ts";
import { type LeafSteps, leafStepTask } from "./leaf_steps.ts";
import { type LogitRows, logitTask } from "./logitboost.ts";
import { type RefitRows, refitTask } from "./refit.ts";
import { type StepRows, stepTask } from "./stepped.ts";
import {
  createMeasure,
  LEAST_MEASURED,
  type Measure,
  type MeasuredSet,
  placeBytes,
  placeIn,
  sharedRecipes,
} from "./measure.ts";
import type { Task } from "./task.ts";
import { type TreeRows, treeRowsTask } from "./tree_rows.ts";
import { together, type Turns } from "./turns.ts";

/** A task as plain data over memory that all threads see. */
export type TaskPlan =
  | { readonly kind: "gradients"; readonly rows: GradientRows }
  | { readonly kind: "logit"; readonly rows: LogitRows }
  | { readonly kind: "walk"; readonly rows: StepRows }
  | {
    readonly kind: "tree";
    readonly rows: TreeRows;
    readonly weight?: Float64Array | undefined;
  }
  | { readonly kind: "boosted"; readonly rows: BoostedRows }
  | { readonly kind: "steps"; readonly rows: LeafSteps }
  | { readonly kind: "refit"; readonly rows: RefitRows }
  | {
    readonly kind: "metrics";
    readonly set: Omit<MeasuredSet, "place">;
    /** For the arrays of the metrics (`placeBytes`). */
    readonly room: ArrayBufferLike;
  };

/** Tasks as the thread that grows sees them, by number. */
export interface TeamTasks {
  /** Has a step of a task done. */
  run(task: number, step: number, arg?: number): void;
  /** Has the metrics of a task computed: values in the order of its recipes. */
  measure(task: number): readonly number[];
}

/** Makes the tasks of a run in some memory, as is the frame; one that is not there keeps its number. */
export type MakeTasks = (place: Place, frame: Frame) => readonly (TaskPlan | undefined)[];

/** Memory that threads share. */
export const SHARED: Place = {
  floats: (length) => new Float64Array(new SharedArrayBuffer(8 * length)),
  ints: (length) => new Int32Array(new SharedArrayBuffer(4 * length)),
};

/** The same labels in some memory. */
export function labelsIn(place: Place, { values, weight, group }: Labels): Labels {
  return {
    values: floatsIn(place, values),
    ...(weight && { weight: floatsIn(place, weight) }),
    ...(group && { group: intsIn(place, group) }),
  };
}

/** The same numbers in some memory. */
export function floatsIn(place: Place, numbers: Float64Array): Float64Array {
  const there = place.floats(numbers.length);
  there.set(numbers);
  return there;
}

/** The same integers in some memory. */
export function intsIn(place: Place, numbers: Int32Array): Int32Array {
  const there = place.ints(numbers.length);
  there.set(numbers);
  return there;
}

/** Metrics of a set as a task; undefined where there is little to share. */
export function metricsTask(
  place: Place,
  labels: Labels,
  { predictions, postprocess, metrics }: {
    /** In that memory. */
    readonly predictions: Predictions;
    readonly postprocess: Postprocess;
    readonly metrics: readonly Metric[];
  },
): TaskPlan | undefined {
  const recipes = sharedRecipes(metrics);
  if (recipes.length === 0 || predictions.raw.length < LEAST_MEASURED) return undefined;
  const set = { labels: labelsIn(place, labels), predictions, postprocess, recipes };
  return { kind: "metrics", set, room: place.floats(placeBytes(set) / 8).buffer };
}

/** Tasks as one thread has them, and the metrics among them. */
interface ThreadTasks {
  readonly tasks: readonly (Task | undefined)[];
  readonly measures: readonly (Measure | undefined)[];
}

function threadTasks(plans: readonly (TaskPlan | undefined)[]): ThreadTasks {
  const measures = plans.map((plan) =>
    plan?.kind === "metrics"
      ? createMeasure({ ...plan.set, place: placeIn(plan.room, 0) })
      : undefined
  );
  const tasks = plans.map((plan, i) =>
    plan?.kind === "gradients"
      ? gradientTask(plan.rows)
      : plan?.kind === "logit"
      ? logitTask(plan.rows)
      : plan?.kind === "walk"
      ? stepTask(plan.rows)
      : plan?.kind === "tree"
      ? treeRowsTask(plan.rows, plan.weight)
      : plan?.kind === "boosted"
      ? boostedTask(plan.rows)
      : plan?.kind === "steps"
      ? leafStepTask(plan.rows)
      : plan?.kind === "refit"
      ? refitTask(plan.rows)
      : measures[i]
  );
  return { tasks, measures };
}

/** What a helper does when a task is due. */
export function helpWithTasks(
  plans: readonly (TaskPlan | undefined)[],
  control: Int32Array,
): () => void {
  return performer(threadTasks(plans), control);
}

function performer({ tasks }: ThreadTasks, control: Int32Array): () => void {
  const next = () => Atomics.add(control, TeamWord.next, 1);
  return () =>
    tasks[control[TeamWord.task]]!.run(
      control[TeamWord.step],
      next,
      control[TeamWord.argument],
    );
}

/** Tasks of a thread that has no helpers. */
export function ownTasks(plans: readonly (TaskPlan | undefined)[]): TeamTasks {
  const thread = threadTasks(plans);
  return teamOf(thread, (task, step, arg) => runAlone(thread, task, step, arg));
}

function runAlone({ tasks }: ThreadTasks, task: number, step: number, arg: number): void {
  let item = 0;
  tasks[task]!.run(step, () => item++, arg);
}

/** Tasks of the thread that grows, at the head of its helpers. */
export function leadTasks(
  plans: readonly (TaskPlan | undefined)[],
  control: Int32Array,
  helpers: Turns,
): TeamTasks {
  const thread = threadTasks(plans);
  const own = performer(thread, control);
  return teamOf(thread, (task, step, arg) => {
    if (thread.tasks[task]!.isSmall === true) return runAlone(thread, task, step, arg);
    control[TeamWord.task] = task;
    control[TeamWord.step] = step;
    control[TeamWord.argument] = arg;
    together(control, helpers, TeamWork.tasks, own);
  });
}

function teamOf(
  { measures }: ThreadTasks,
  run: (task: number, step: number, arg: number) => void,
): TeamTasks {
  return {
    run: (task, step, arg = 0) => run(task, step, arg),
    measure(task) {
      const { numSteps, values } = measures[task]!;
      for (let step = 0; step < numSteps; step++) run(task, step, 0);
      return values();
    },
  };
}
