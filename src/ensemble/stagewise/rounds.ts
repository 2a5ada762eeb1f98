/**
 * The loop that gradient boosting and LogitBoost share: each round fits one tree an output to
 * working responses of the rows and adds a step to the scores.
 *
 * @module
 */
import type { Dataset, Schema } from "../../data/types.ts";
import { TrainingError } from "../../errors.ts";
import type { TreePlan } from "../../grow/plan/plan.ts";
import { weightedRows } from "../../grow/rows/source.ts";
import type { Metric, Place } from "../../metric/types.ts";
import { concatTrees, numTrees } from "../../model/trees.ts";
import type { Ensemble, Postprocess, Trees } from "../../model/types.ts";
import { openSplitCrew } from "../../parallel/splits/split_crew.ts";
import { treesSpace } from "../../parallel/rows/stepped.ts";
import type { TaskPlan } from "../../parallel/rows/team_tasks.ts";
import { forkRng } from "../../util/rng.ts";
import { createPause } from "../../util/pause.ts";
import { createClock } from "../clock.ts";
import { createJudge } from "../early_stopping.ts";
import type { EarlyStoppingPlan, TrainedEnsemble } from "../plan.ts";
import { OWN_PROFILE } from "../single.ts";
import { keepState, type StatePlan, treesFromState, treesToState } from "../run_state.ts";
import { createTrees, type StagewiseRows, stagewiseRows, type Working } from "./trees.ts";
import type { RoundReport, TrainOptions } from "../types.ts";
import { type WatchedSet, watchSet } from "./watched_set.ts";

/** How a run of rounds is judged, and what the validation sets look like. */
export interface StagewiseJudging {
  /** Told of every validation set each round. */
  readonly metrics: readonly Metric[];
  readonly earlyStopping?: EarlyStoppingPlan;
  /** Schema of the model; validation sets have its columns, in order. */
  readonly schema: Schema;
}

/** What a run gives back. */
export interface StagewiseEnsemble extends Pick<TrainedEnsemble, "best"> {
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

/** A method of stagewise boosting. */
export interface StagewisePlan {
  readonly judging: StagewiseJudging;
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
  /**
   * Work on rows that threads share, over these scores; made again where threads do not start.
   *
   * @param taken Above 0 of the rows that a round has drawn; empty where it takes all.
   */
  task(raw: Float64Array, place: Place, taken: Float64Array): TaskPlan | undefined;
  /** Working weights that the task has made, where some may be 0 whose rows weigh something. */
  weights?(): Float64Array;
  /** Called once a round before its trees; false ends training. */
  begin(raw: Float64Array, round: number, share: ShareStep): boolean;
  /** What the tree of an output is fitted to, until the next one is asked for. */
  work(raw: Float64Array, output: number, share: ShareStep): Working;
  /** Figures of the scores after a round, for `onRound`. */
  report(raw: Float64Array, share: ShareStep): { readonly [metric: string]: number };
  /** Mean loss of the rows that the round has not drawn; told only where it is there. */
  lossOutside?(raw: Float64Array, share: ShareStep): number;
}

/** Numbers of tasks: the method's own, two of its trees, and those of a validation set. */
const METHOD_TASK = 0;
const TREE_TASKS = 1;
const metricsOf = (set: number) => 3 + 2 * set;
const walkOf = (set: number) => 4 + 2 * set;

/**
 * Runs the rounds. Raw scores are output-major.
 *
 * @throws {TrainingError} `E_TRAIN_ABORTED`, whose `details.best` is the run so far.
 */
export async function boostStagewise(
  data: Dataset,
  plan: StagewisePlan,
  options: TrainOptions = {},
): Promise<StagewiseEnsemble> {
  const { numRows } = data;
  const { numOutputs, baseScore, judging } = plan;
  const startless = new Float64Array(numOutputs);
  let raw!: Float64Array;
  let valid: readonly WatchedSet[] = [];
  let rows!: StagewiseRows;
  let taken!: Float64Array;
  const positive = weightedRows(numRows, data.sampleWeight);
  const draws = plan.subsample < 1;
  using crew = await openSplitCrew(data, {
    plan: plan.tree,
    source: { kind: "moment", values: new Float64Array(0) },
    trees: plan.rounds * numOutputs,
    tasks(place, frame) {
      raw = place.floats(numRows * numOutputs);
      taken = place.floats(draws ? numRows : 0);
      const own = plan.task(raw, place, taken);
      const weight = draws ? taken : plan.weights?.();
      rows = stagewiseRows({ frame, plan: plan.tree, positive, raw, weight }, place);
      const sets = Object.entries(options.valid ?? {});
      if (sets.length === 0) return [own, ...rows.tasks];
      const round = joined(plan, treesSpace(place, numOutputs), startless);
      const rowsOf = { ...judging, baseScore, postprocess: plan.postprocess, round };
      valid = sets.map(([name, set]) => watchSet(name, set, rowsOf, place));
      return [own, ...rows.tasks, ...valid.flatMap(({ task, walk }) => [task, walk])];
    },
    threads: options.threads,
    signal: options.signal,
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
    raw.fill(baseScore[k] + 0, k * numRows, (k + 1) * numRows);
  }
  const grower = createTrees(rows, {
    plan: plan.tree,
    seed: plan.seed,
    numOutputs,
    numPositive: positive.length,
    chooses: draws || plan.weights !== undefined,
    crew,
    firstTask: TREE_TASKS,
  });
  const judge = createJudge(judging.earlyStopping, valid.map(({ name }) => name));
  const trees: Trees[] = [];
  const improvement: number[] = [];
  const clock = createClock(plan.states?.resume?.round);
  const pause = createPause();
  const trained = (): StagewiseEnsemble => {
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
    const left = draws ? positive.length - drawRows(positive, plan, round, taken) : 0;
    const lossOutside = left > 0 ? plan.lossOutside : undefined;
    const before = lossOutside?.(raw, share) ?? 0;
    const roundTrees: Trees[] = [];
    for (let output = 0; output < numOutputs; output++) {
      roundTrees.push(grower.grow(plan.work(raw, output, share), round, output));
    }
    trees.push(...roundTrees);
    grower.add();
    if (lossOutside !== undefined) improvement.push(before - lossOutside(raw, share));
    addToSets(roundTrees);
    const isKept = states.checkpoint !== undefined;
    if (options.onRound !== undefined || judge !== undefined || isKept) {
      const report: RoundReport = {
        round: round + 1,
        rounds: plan.rounds,
        metrics: {
          train: plan.report(raw, share),
          ...(lossOutside !== undefined && { outOfBag: { improvement: improvement[round] } }),
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
  { numOutputs, postprocess }: StagewisePlan,
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

/** Marks the rows of a round in `taken`; returns how many there are. */
function drawRows(
  positive: Int32Array,
  { seed, subsample }: StagewisePlan,
  round: number,
  taken: Float64Array,
): number {
  const rng = forkRng(seed, round, 1);
  const pool = Int32Array.from(positive);
  const count = Math.max(1, Math.floor(subsample * pool.length));
  taken.fill(0);
  for (let i = 0; i < count; i++) {
    const other = i + rng.nextInt(pool.length - i);
    const drawn = pool[other];
    pool[other] = pool[i];
    taken[drawn] = 1;
  }
  return count;
}
