/**
 * The loop that gradient boosting and LogitBoost share: each round fits one tree an output to
 * working responses of the rows and adds a step to the scores.
 *
 * @module
 */
import type { Dataset, Schema } from "../data/types.ts";
import { TrainingError } from "../errors.ts";
import { createFrame } from "../grow/frame.ts";
import { growTree } from "../grow/grower.ts";
import { packGrown } from "../grow/pack.ts";
import { contextOf, type TreePlan } from "../grow/plan.ts";
import { weightedRows } from "../grow/source.ts";
import type { StatSource } from "../grow/stats.ts";
import { type GrownTree, leafOfRows, leavesOf } from "../grow/tree.ts";
import type { Place } from "../metric/job.ts";
import type { Metric } from "../metric/types.ts";
import { concatTrees, numTrees } from "../model/trees.ts";
import type { Ensemble, Postprocess, Trees } from "../model/types.ts";
import { openSplitCrew, type SplitCrew } from "../parallel/split_crew.ts";
import { treesSpace } from "../parallel/step_rows.ts";
import type { TaskPlan } from "../parallel/team_tasks.ts";
import { forkRng } from "../util/rng.ts";
import { createPause } from "../util/pause.ts";
import { createClock } from "./clock.ts";
import { createJudge } from "./early_stopping.ts";
import type { EarlyStoppingPlan, TrainedEnsemble } from "./plan.ts";
import { OWN_PROFILE } from "./single.ts";
import { keepState, type StatePlan, treesFromState, treesToState } from "./run_state.ts";
import type { RoundReport, TrainOptions } from "./types.ts";
import { type WatchedSet, watchSet } from "./watched_set.ts";

/** What one tree is fitted to. */
export interface Working {
  /** Response of each row. */
  readonly values: Float64Array;
  /** Weight of each row; undefined is 1. */
  readonly weight: Float64Array | undefined;
  /** Step of a leaf, from the rows of the round that are in it. */
  step(tree: GrownTree, leaf: number, rows: Int32Array): number;
}

/** How a run of rounds is judged, and what the validation sets look like. */
export interface SteppedJudging {
  /** Told of every validation set each round. */
  readonly metrics: readonly Metric[];
  readonly earlyStopping?: EarlyStoppingPlan;
  /** Schema of the model; validation sets have its columns, in order. */
  readonly schema: Schema;
}

/** What a run gives back. */
export interface SteppedEnsemble extends Pick<TrainedEnsemble, "best"> {
  /** The best prefix where the plan stops early, else all rounds. */
  readonly ensemble: Ensemble;
  /**
   * Fall of the loss of the rows that a round did not draw, by the trees of that round; one number a
   * round, where rows are drawn.
   */
  readonly oobImprovement?: readonly number[];
}

/** Has a step of the method's task done by all threads. */
export type ShareStep = (step: number, arg?: number) => void;

/** A method of stepwise boosting. */
export interface SteppedPlan {
  readonly judging: SteppedJudging;
  readonly rounds: number;
  readonly numOutputs: number;
  readonly baseScore: Float64Array;
  readonly postprocess: Postprocess;
  readonly tree: TreePlan;
  /** Share of rows drawn for each round. */
  readonly subsample: number;
  readonly seed: number;
  readonly states?: StatePlan;
  /** Numbers of the method that the trees do not tell, for states: asked for without, set with. */
  memory?(values?: Float64Array): Float64Array;
  /** Work on rows that threads share, over these scores; made again where threads do not start. */
  task(raw: Float64Array, place: Place): TaskPlan | undefined;
  /** Called once a round before its trees; false ends training. */
  begin(raw: Float64Array, round: number, share: ShareStep): boolean;
  /** What the tree of an output is fitted to, until the next one is asked for. */
  work(raw: Float64Array, output: number, share: ShareStep): Working;
  /** Figures of the scores after a round, for `onRound`. */
  report(raw: Float64Array, share: ShareStep): { readonly [metric: string]: number };
  /** Mean loss of some rows under the scores; rows are drawn only where it is there. */
  lossOf?(raw: Float64Array, rows: Int32Array): number;
}

/** Numbers of tasks: the method's own, and those of a validation set. */
const METHOD_TASK = 0;
const metricsOf = (set: number) => 1 + 2 * set;
const walkOf = (set: number) => 2 + 2 * set;

/**
 * Runs the rounds. Raw scores are output-major.
 *
 * @throws {TrainingError} `E_TRAIN_ABORTED`, whose `details.best` is the run so far.
 */
export async function boostStepwise(
  data: Dataset,
  plan: SteppedPlan,
  options: TrainOptions = {},
): Promise<SteppedEnsemble> {
  const { numRows, offset } = data;
  const { numOutputs, baseScore, judging } = plan;
  const startless = new Float64Array(numOutputs);
  let raw!: Float64Array;
  let valid: readonly WatchedSet[] = [];
  using crew = await openSplitCrew(createFrame(data), {
    plan: plan.tree,
    source: { kind: "moment", values: new Float64Array(0) },
    trees: plan.rounds * numOutputs,
    tasks(place) {
      raw = place.floats(numRows * numOutputs);
      const sets = Object.entries(options.valid ?? {});
      if (sets.length === 0) return [plan.task(raw, place)];
      const round = joined(plan, treesSpace(place, numOutputs), startless);
      const rowsOf = { ...judging, baseScore, postprocess: plan.postprocess, round };
      valid = sets.map(([name, set]) => watchSet(name, set, rowsOf, place));
      return [plan.task(raw, place), ...valid.flatMap(({ task, walk }) => [task, walk])];
    },
    threads: options.threads,
    onWarning: options.onWarning,
    onDetail: options.onDetail,
  });
  const share: ShareStep = (step, arg) => crew.tasks.run(METHOD_TASK, step, arg);
  for (const set of valid) set.encode();
  const addToSets = (round: readonly Trees[]) => {
    if (valid.length === 0) return;
    const added = concatTrees(round);
    valid.forEach((set, i) => set.add(added, () => crew.tasks.run(walkOf(i), 0)));
  };
  for (let k = 0; k < numOutputs; k++) {
    for (let row = 0; row < numRows; row++) {
      raw[k * numRows + row] = baseScore[k] + (offset?.[row * numOutputs + k] ?? 0);
    }
  }
  const positive = weightedRows(numRows, data.sampleWeight);
  const judge = createJudge(judging.earlyStopping, valid.map(({ name }) => name));
  const trees: Trees[] = [];
  const improvement: number[] = [];
  const clock = createClock(plan.states?.resume?.round);
  const pause = createPause();
  const trained = (): SteppedEnsemble => {
    const kept = judge?.kept(trees.length / numOutputs) ?? trees.length / numOutputs;
    return {
      ensemble: joined(plan, concatTrees(trees.slice(0, kept * numOutputs)), baseScore),
      ...(judge?.best !== undefined && { best: judge.best }),
      ...(improvement.length > 0 && { oobImprovement: improvement.slice(0, kept) }),
    };
  };
  const { states = {} } = plan;
  const history: RoundReport[] = [...(states.resume?.history ?? [])];
  let stopped = false;
  if (states.resume !== undefined) {
    const { arrays } = states.resume;
    trees.push(...treesFromState(arrays));
    raw.set(arrays.raw);
    improvement.push(...arrays.improvement);
    plan.memory?.(arrays.memory as Float64Array);
    for (let at = 0; at < trees.length; at += numOutputs) {
      addToSets(trees.slice(at, at + numOutputs));
    }
    for (const report of history) stopped = judge?.stopsAfter(report) === true;
  }
  for (let round = trees.length / numOutputs; round < plan.rounds && !stopped; round++) {
    await pause();
    if (options.signal?.aborted === true) {
      throw new TrainingError(
        "E_TRAIN_ABORTED",
        `Training stopped after ${round} of ${plan.rounds} rounds`,
        { details: { rounds: round, best: trained() }, cause: options.signal.reason },
      );
    }
    if (!plan.begin(raw, round, share)) break;
    const rows = plan.subsample < 1 ? drawRows(positive, plan, round) : positive;
    const outside = plan.lossOf !== undefined && rows.length < positive.length
      ? without(positive, rows)
      : undefined;
    const before = outside === undefined ? 0 : plan.lossOf!(raw, outside);
    const steps: Float64Array[] = [];
    const roundTrees: Trees[] = [];
    for (let output = 0; output < numOutputs; output++) {
      const grown = growOne(crew, plan, raw, share, rows, round, output);
      roundTrees.push(grown.trees);
      steps.push(grown.steps);
    }
    trees.push(...roundTrees);
    // All outputs of a round see the scores before it.
    steps.forEach((step, output) => {
      for (let row = 0; row < numRows; row++) raw[output * numRows + row] += step[row];
    });
    if (outside !== undefined) improvement.push(before - plan.lossOf!(raw, outside));
    addToSets(roundTrees);
    const isKept = states.checkpoint !== undefined;
    if (options.onRound !== undefined || judge !== undefined || isKept) {
      const report: RoundReport = {
        round: round + 1,
        rounds: plan.rounds,
        metrics: {
          train: plan.report(raw, share),
          ...(outside !== undefined && { outOfBag: { improvement: improvement[round] } }),
          ...Object.fromEntries(valid.map((set, i) => [
            set.name,
            set.measure(() => crew.tasks.measure(metricsOf(i))),
          ])),
        },
        ...clock(round + 1, plan.rounds),
      };
      history.push(report);
      options.onRound?.(report);
      stopped = judge?.stopsAfter(report) === true;
    }
    await keepState(states, round + 1, history, () => ({
      ...treesToState(concatTrees(trees)),
      raw,
      improvement: Float64Array.from(improvement),
      memory: plan.memory?.() ?? new Float64Array(0),
    }));
  }
  return trained();
}

function joined(
  { numOutputs, postprocess }: SteppedPlan,
  trees: Trees,
  baseScore: Float64Array,
): Ensemble {
  const count = numTrees(trees);
  return {
    trees,
    leafWidth: 1,
    numOutputs,
    treeOutput: Int32Array.from({ length: count }, (_, t) => t % numOutputs),
    treeWeight: new Float64Array(count).fill(1),
    treesPerRound: numOutputs,
    aggregate: "sum",
    baseScore,
    postprocess,
    profile: OWN_PROFILE,
  };
}

/** Rows of `all` that are not in `some`; both ascend. */
function without(all: Int32Array, some: Int32Array): Int32Array {
  let at = 0;
  return all.filter((row) => {
    while (at < some.length && some[at] < row) at++;
    return some[at] !== row;
  });
}

function drawRows(positive: Int32Array, plan: SteppedPlan, round: number): Int32Array {
  const rng = forkRng(plan.seed, round, 1);
  const pool = Int32Array.from(positive);
  const count = Math.max(1, Math.floor(plan.subsample * pool.length));
  for (let i = 0; i < count; i++) {
    const other = i + rng.nextInt(pool.length - i);
    const held = pool[i];
    pool[i] = pool[other];
    pool[other] = held;
  }
  return pool.slice(0, count).sort();
}

/** A copy of the rows that weigh something, or of all where none does. */
function weighing(rows: Int32Array, weight: Float64Array | undefined): Int32Array {
  if (weight === undefined) return rows.slice();
  const used = new Int32Array(rows.length);
  let count = 0;
  for (let i = 0; i < rows.length; i++) if (weight[rows[i]] > 0) used[count++] = rows[i];
  return count === 0 ? rows.slice() : used.subarray(0, count);
}

/** Fits one tree and its leaf steps; `steps` has the step of every row, drawn or not. */
function growOne(
  { frame, team }: SplitCrew,
  plan: SteppedPlan,
  raw: Float64Array,
  share: ShareStep,
  rows: Int32Array,
  round: number,
  output: number,
): { readonly trees: Trees; readonly steps: Float64Array } {
  const { values, weight, step } = plan.work(raw, output, share);
  const source: StatSource = { kind: "moment", values, ...(weight !== undefined && { weight }) };
  const context = {
    ...contextOf(plan.tree, frame, source),
    ...(team !== undefined && { team }),
  };
  const tree = growTree(context, weighing(rows, weight), forkRng(plan.seed, round, 0, output));
  const value = new Float64Array(tree.numNodes);
  for (const leaf of leavesOf(tree)) {
    value[leaf] = step(tree, leaf, tree.rows[leaf].subarray(tree.from[leaf], tree.to[leaf]));
    if (!Number.isFinite(value[leaf])) {
      throw new TrainingError(
        "E_TRAIN_NUMERIC",
        `Cannot go on in round ${round + 1}: a leaf has the step ${value[leaf]}; a smaller ` +
          "learning rate or another loss may help",
        { details: { round: round + 1, output } },
      );
    }
  }
  // Inner nodes answer with the mean of their leaves, by weight.
  for (let node = tree.numNodes - 1; node >= 0; node--) {
    const branches = tree.numBranches[node];
    if (branches === 0) continue;
    let sum = 0;
    let total = 0;
    for (let b = 0; b < branches; b++) {
      const child = tree.firstChild[node] + b;
      sum += tree.cover[child] * value[child];
      total += tree.cover[child];
    }
    value[node] = total > 0 ? sum / total : 0;
  }
  const steps = new Float64Array(frame.numRows);
  const leafOf = leafOfRows(tree);
  for (let row = 0; row < frame.numRows; row++) steps[row] = value[leafOf[row]];
  const trees = packGrown(tree, { value: (node, out) => void (out[0] = value[node]) });
  return { trees, steps };
}
