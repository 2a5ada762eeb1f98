/**
 * Bagging: trees on bootstrap samples, averaged or voting. Random forests and extremely randomised
 * trees are the same loop with other trees.
 *
 * Breiman, "Bagging Predictors", Machine Learning 24 (1996); "Random Forests", Machine Learning 45
 * (2001); Geurts, Ernst and Wehenkel, "Extremely Randomized Trees", Machine Learning 63 (2006).
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import type { BagJob, BagNotes } from "../../grow/bagged_tree.ts";
import { TrainingError } from "../../errors.ts";
import { centreTarget } from "../../grow/plan/centre.ts";
import type { Frame, FrameFeature } from "../../grow/rows/frame.ts";
import type { TreePlan } from "../../grow/plan/plan.ts";
import { sourceOf } from "../../grow/rows/source.ts";
import type { Ensemble } from "../../model/types.ts";
import { type BagRun, growBag, type GrownBag, rankForBag } from "../../parallel/bagging/pool.ts";
import { forkRng, shuffle } from "../../util/rng.ts";
import { createClock } from "../clock.ts";
import { type OutOfBag, outOfBagOf, outOfBagSums } from "./oob.ts";
import { leafWidthOf, OWN_PROFILE } from "../single.ts";
import {
  listFromState,
  listToState,
  type StatePlan,
  treesFromState,
  treesToState,
} from "../run_state.ts";
import type { TrainOptions } from "../types.ts";

/** What a bagged ensemble is made of. */
export interface BaggingPlan {
  readonly tree: TreePlan;
  readonly trees: number;
  readonly aggregate: "average" | "vote";
  /** Draws in a bag over number of rows; 0 takes every row once. */
  readonly sampleShare: number;
  readonly replace: boolean;
  readonly featuresPerTree?: number;
  /** How often each row is in each tree's bag. */
  readonly inbag?: readonly ArrayLike<number>[];
  readonly oob: boolean;
  readonly importance: "none" | "permutation" | "corrected";
  readonly innerValues: boolean;
  /** The rows with the weights that out-of-bag metrics count them by. @default the training rows */
  readonly judged?: Dataset;
  readonly seed: number;
  readonly states?: StatePlan;
}

/** Importance of each feature, by number. */
export interface BagImportance {
  /** Impurity decrease over total weight, averaged over trees. */
  readonly impurity: Float64Array;
  /** Mean rise of the out-of-bag error when the feature is shuffled. */
  readonly permutation?: Float64Array;
  /** Impurity importance less that of a shuffled copy of the feature. */
  readonly corrected?: Float64Array;
}

/** A bagged ensemble and what its bags told. */
export interface Bagged {
  readonly ensemble: Ensemble;
  readonly oob?: OutOfBag;
  readonly importance: BagImportance;
}

/**
 * Grows a bagged ensemble; its bytes do not depend on the number of threads.
 *
 * @throws {TrainingError} `E_TRAIN_ABORTED`, whose `details.best` is the {@linkcode Bagged} of the
 * first trees where one is done: that of a run of so many trees, without corrected importance.
 */
export async function bag(
  data: Dataset,
  plan: BaggingPlan,
  options: TrainOptions = {},
): Promise<Bagged> {
  const { data: centred, centre } = centreTarget(data, plan.tree.criterion);
  const source = sourceOf(centred);
  const { states = {} } = plan;
  const left = plan.trees - (states.resume?.round ?? 0);
  using ranked = await rankForBag(data, left, options);
  const { frame, early } = ranked;
  const clock = createClock(states.resume?.round);
  const job: BagJob = {
    frame,
    source,
    ...(centre !== 0 && { centre }),
    plan: plan.tree,
    seed: plan.seed,
    sampleShare: plan.sampleShare,
    replace: plan.replace,
    outOfBag: plan.oob,
    permutation: plan.importance === "permutation",
    innerValues: plan.innerValues,
    ...(plan.featuresPerTree !== undefined && { featuresPerTree: plan.featuresPerTree }),
    ...(plan.inbag !== undefined && { inbag: plan.inbag }),
  };
  const run = {
    ...(options.threads !== undefined && { threads: options.threads }),
    ...(options.signal !== undefined && { signal: options.signal }),
  };
  const onTree = (done: number) =>
    options.onRound?.({
      round: done,
      rounds: plan.trees,
      metrics: {},
      ...clock(done, plan.trees),
    });
  // Votes are added up while other threads grow trees.
  const sums = plan.oob ? outOfBagSums(data.numRows, leafWidthOf(data), plan.aggregate) : undefined;
  const state = stateRun(states);
  state.from?.trees.forEach(({ leaf }, t) => sums?.add(state.from!.notes[t], leaf));
  let grown: GrownBag | undefined;
  try {
    const { onWarning, onDetail } = options;
    grown = await growBag(job, plan.trees, {
      ...run,
      early,
      onTree,
      ...state,
      ...(sums && { onNext: (tree) => sums.add(tree, tree.trees.leaf) }),
      ...(onWarning && { onWarning }),
      ...(onDetail && { onDetail }),
    });
    const corrected = plan.importance === "corrected"
      ? await correctedImportance(job, plan, run)
      : undefined;
    return baggedOf(data, plan, grown, corrected, sums?.result(plan.judged ?? data));
  } catch (error) {
    throw handOver(error, data, plan, grown);
  }
}

/** Arrays of the notes on a tree. */
const NOTES = ["impurity", "oobRows", "oobNodes", "oobValues", "permutation"] as const;

/** Where a run goes on from, and what it leaves. */
function stateRun({ checkpoint, resume }: StatePlan): Pick<BagRun, "from" | "keep"> {
  return {
    ...(resume !== undefined && {
      from: {
        trees: treesFromState(resume.arrays),
        notes: listFromState(resume.arrays, NOTES, resume.round) as unknown as BagNotes[],
      },
    }),
    ...(checkpoint !== undefined && {
      keep: {
        every: checkpoint.every,
        save: ({ trees, notes }) =>
          checkpoint.save({
            round: notes.length,
            history: [],
            arrays: { ...treesToState(trees), ...listToState(notes, NOTES) },
          }),
      },
    }),
  };
}

/** An interrupted run with its trees so far as `details.best`, in place of `details.grown`. */
function handOver(
  error: unknown,
  data: Dataset,
  plan: BaggingPlan,
  whole: GrownBag | undefined,
): unknown {
  if (!(error instanceof TrainingError) || error.code !== "E_TRAIN_ABORTED") return error;
  const { cause, message, details: { grown, ...details } } = error;
  const bag = whole ?? grown as GrownBag;
  const trees = bag.notes.length;
  return new TrainingError(
    "E_TRAIN_ABORTED",
    whole === undefined ? message : "Training stopped while importance was corrected",
    {
      details: {
        ...details,
        trees,
        ...(trees > 0 && { best: baggedOf(data, plan, bag, undefined, oobSoFar(data, plan, bag)) }),
      },
      cause,
    },
  );
}

/** Of the trees that are handed over: others may have come in since. */
function oobSoFar(data: Dataset, plan: BaggingPlan, bag: GrownBag): OutOfBag | undefined {
  if (!plan.oob) return undefined;
  const judged = plan.judged ?? data;
  return outOfBagOf(judged, bag.trees, bag.notes, leafWidthOf(data), plan.aggregate);
}

/** Joins the trees. */
function baggedOf(
  data: Dataset,
  plan: BaggingPlan,
  { trees, notes }: GrownBag,
  corrected: Float64Array | undefined,
  oob: OutOfBag | undefined,
): Bagged {
  const width = leafWidthOf(data);
  const numFeatures = data.features.length;
  return {
    ensemble: {
      trees,
      leafWidth: width,
      numOutputs: width,
      treeOutput: new Int32Array(notes.length),
      treeWeight: new Float64Array(notes.length).fill(1),
      treesPerRound: 1,
      // A vote needs classes; the mean of numbers is their average.
      aggregate: width > 1 ? plan.aggregate : "average",
      baseScore: new Float64Array(width),
      postprocess: { name: data.target?.kind === "classification" ? "proportions" : "identity" },
      profile: OWN_PROFILE,
    },
    ...(oob !== undefined && { oob }),
    importance: {
      impurity: impurityOf(notes, numFeatures),
      ...(plan.importance === "permutation" &&
        { permutation: meanPermutation(notes, numFeatures) }),
      ...(corrected !== undefined && { corrected }),
    },
  };
}

/** Averaged over trees. */
function impurityOf(notes: readonly BagNotes[], numFeatures: number): Float64Array {
  const sums = new Float64Array(numFeatures);
  for (const { impurity } of notes) impurity.forEach((sum, feature) => sums[feature] += sum);
  return sums.map((sum) => sum / notes.length);
}

function meanPermutation(notes: readonly BagNotes[], numFeatures: number): Float64Array {
  const sums = new Float64Array(numFeatures);
  for (const { permutation } of notes) {
    permutation?.forEach((rise, feature) => sums[feature] += rise);
  }
  return sums.map((sum) => sum / notes.length);
}

/**
 * Impurity importance without its bias for features of many values: a second forest also sees a
 * shuffled copy of every feature, and the copy's importance is taken off. The forest is only used
 * for this.
 *
 * Nembrini, König and Wright, "The revival of the Gini importance?", Bioinformatics 34 (2018).
 */
async function correctedImportance(
  job: BagJob,
  plan: BaggingPlan,
  run: { readonly threads?: number; readonly signal?: AbortSignal },
): Promise<Float64Array> {
  const numFeatures = job.frame.features.length;
  const order = shuffle(
    Int32Array.from({ length: job.frame.numRows }, (_, row) => row),
    forkRng(plan.seed, plan.trees, 0),
  );
  const shadows = job.frame.features.map((feature): FrameFeature => ({
    ...feature,
    codes: order.map((row) => feature.codes[row]),
  }));
  const frame: Frame = { ...job.frame, features: [...job.frame.features, ...shadows] };
  const { featuresPerTree: _, ...rest } = job;
  const { notes } = await growBag(
    { ...rest, frame, outOfBag: false, permutation: false },
    plan.trees,
    { ...run, keepTrees: false },
  );
  const both = impurityOf(notes, 2 * numFeatures);
  return both.slice(0, numFeatures).map((value, feature) => value - both[numFeatures + feature]);
}
