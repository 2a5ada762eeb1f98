/**
 * Boosting by reweighting: SAMME and SAMME.R for classes, AdaBoost.R2 for numbers.
 *
 * Zhu, Zou, Rosset and Hastie, "Multi-class AdaBoost", Statistics and Its Interface 2 (2009);
 * Drucker, "Improving Regressors using Boosting Techniques", ICML 1997. Two classes under SAMME are
 * AdaBoost.M1 of Freund and Schapire with doubled weights.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import { TrainingError } from "../../errors.ts";
import { growTree } from "../../grow/grower.ts";
import { packGrown } from "../../grow/tree/pack.ts";
import { contextOf } from "../../grow/plan/plan.ts";
import { sourceOf } from "../../grow/rows/source.ts";
import { concatTrees } from "../../model/trees.ts";
import type { Ensemble, Trees } from "../../model/types.ts";
import { openSplitCrew } from "../../parallel/splits/split_crew.ts";
import { createPause } from "../../util/pause.ts";
import { forkRng } from "../../util/rng.ts";
import { leafOption } from "./answers.ts";
import { createRounds, type RoundRows, roundRows, type RoundsPlan } from "./rounds.ts";
import { createClock } from "../clock.ts";
import { OWN_PROFILE } from "../single.ts";
import { keepState, type StatePlan, treesFromState, treesToState } from "../run_state.ts";
import type { RoundReport, TrainOptions } from "../types.ts";

/** What AdaBoost is made of. */
export interface AdaBoostPlan extends RoundsPlan {
  readonly states?: StatePlan;
}

/** An ensemble with the error and weight of each round. */
export interface AdaBoosted {
  readonly ensemble: Ensemble;
  readonly errors: readonly number[];
  readonly weights: readonly number[];
}

/**
 * Runs the rounds; stops early at a perfect tree, or at one no better than chance.
 *
 * @throws {TrainingError} `E_TRAIN_ABORTED`, whose `details.best` is the {@linkcode AdaBoosted} so
 * far where there is a round.
 */
export async function adaboost(
  data: Dataset,
  plan: AdaBoostPlan,
  options: TrainOptions = {},
): Promise<AdaBoosted> {
  const { target, numRows } = data;
  const numClasses = target?.kind === "classification" ? target.classes.length : 0;
  const width = Math.max(1, numClasses);
  const start = normalised(data.sampleWeight ?? new Float64Array(numRows).fill(1), plan.total);
  let room!: RoundRows;
  using crew = await openSplitCrew(data, {
    plan: plan.tree,
    source: sourceOf(data, start),
    trees: plan.rounds,
    tasks(place, frame) {
      room = roundRows(data, start, frame, plan, place);
      return room.tasks;
    },
    threads: options.threads,
    signal: options.signal,
    onWarning: options.onWarning,
    onDetail: options.onDetail,
  });
  const rounds = createRounds(room, plan, crew.tasks);
  const { weight } = room.boosted;
  const trees: Trees[] = [];
  const errors: number[] = [];
  const weights: number[] = [];
  const { states = {} } = plan;
  const history: RoundReport[] = [...(states.resume?.history ?? [])];
  const clock = createClock(states.resume?.round);
  const trained = (): AdaBoosted => ({
    ensemble: {
      trees: concatTrees(trees),
      leafWidth: width,
      numOutputs: width,
      treeOutput: new Int32Array(trees.length),
      treeWeight: Float64Array.from(weights),
      treesPerRound: 1,
      aggregate: plan.variant === "r2" ? "median" : "average",
      baseScore: new Float64Array(width),
      postprocess: { name: plan.variant === "r2" ? "identity" : "softmax" },
      profile: OWN_PROFILE,
    },
    errors,
    weights,
  });
  if (states.resume !== undefined) {
    const { arrays } = states.resume;
    trees.push(...treesFromState(arrays));
    errors.push(...arrays.errors);
    weights.push(...arrays.weights);
    weight.set(arrays.rowWeight);
  }
  const pause = createPause();
  for (let round = trees.length; round < plan.rounds; round++) {
    await pause();
    if (options.signal?.aborted === true) {
      throw new TrainingError(
        "E_TRAIN_ABORTED",
        `Training stopped after ${round} of ${plan.rounds} rounds`,
        {
          details: { rounds: round, ...(round > 0 && { best: trained() }) },
          cause: options.signal.reason,
        },
      );
    }
    const rng = forkRng(plan.seed, round);
    const drawn = rounds.rows(round);
    const context = {
      ...contextOf(plan.tree, crew.frame, sourceOf(data, drawn.weight)),
      ...(crew.team !== undefined && { team: crew.team }),
    };
    const tree = growTree(context, drawn.rows, rng);
    const update = round < plan.rounds - 1;
    const result = rounds.judge(tree, trees.length === 0, update);
    if (result.alpha === undefined) {
      if (trees.length > 0) break;
      throw new TrainingError(
        "E_TRAIN_NUMERIC",
        `Cannot boost: the first tree errs on ${result.error} of the weight, no better than chance; ` +
          "use deeper trees",
        { details: { round: 1, error: result.error } },
      );
    }
    const value = leafOption(tree, plan.variant, numClasses);
    trees.push(packGrown(tree, { leafWidth: width, value }));
    errors.push(result.error);
    weights.push(result.alpha);
    const report: RoundReport = {
      round: round + 1,
      rounds: plan.rounds,
      metrics: { train: { weightedError: result.error } },
      ...clock(round + 1, plan.rounds),
    };
    history.push(report);
    options.onRound?.(report);
    if (result.last) break;
    if (update && !rounds.rescale()) {
      throw new TrainingError("E_TRAIN_NUMERIC", "Cannot boost: the row weights are not finite", {
        details: { round: round + 1 },
      });
    }
    // After the last round there is nothing to go on with.
    if (!update) continue;
    await keepState(states, round + 1, history, () => ({
      ...treesToState(concatTrees(trees)),
      errors: Float64Array.from(errors),
      weights: Float64Array.from(weights),
      rowWeight: weight,
    }));
  }
  return trained();
}

function normalised(weight: Float64Array, total: number): Float64Array {
  let sum = 0;
  for (const w of weight) sum += w;
  return weight.map((w) => w / (sum / total));
}
