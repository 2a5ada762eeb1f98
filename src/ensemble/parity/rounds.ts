/**
 * The loop of the two methods that repeat another library's arithmetic number by number (`exact.ts`,
 * `leafwise.ts`): boosting rounds with trees that the method grows from float32 derivatives.
 *
 * @module
 */
import { labelsOf } from "../../data/dataset/target.ts";
import type { Dataset, Labels } from "../../data/types.ts";
import { TrainingError } from "../../errors.ts";
import { packTrees } from "../../model/trees.ts";
import type { Ensemble } from "../../model/types.ts";
import { nextTurn } from "../../util/turn.ts";
import { createClock } from "../clock.ts";
import { createJudge } from "../early_stopping.ts";
import { packTerms, type SerialTree, treesOf, withConstants } from "../linear_leaves.ts";
import type { BoostPlan, TrainedEnsemble } from "../plan.ts";
import { keepState } from "../run_state.ts";
import type { RoundReport, TrainOptions } from "../types.ts";
import type { SerialMethod } from "./method.ts";
import { growOutput } from "./output.ts";
import { validSets } from "./plan.ts";
import { addTree, measure, watch } from "./rows.ts";

/**
 * Boosts with a method's trees.
 *
 * @param labels Those of the training rows, as the method sees them.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` at a gradient that is not finite, `E_TRAIN_ABORTED`.
 */
export async function boostSerial(
  data: Dataset,
  labels: Labels,
  plan: BoostPlan,
  options: TrainOptions,
  method: SerialMethod,
): Promise<TrainedEnsemble> {
  const { loss } = plan;
  const base = Float64Array.from(plan.baseScore ?? loss.baseScore(labels), method.round);
  const shared = method.gradients;
  const train = watch("train", 0, data, labels, base, method, method.columns, shared?.raw);
  const judged = { ...train, labels: plan.judged ?? labels };
  const valid = Object.entries(validSets(options.valid))
    .map(([name, set], i) =>
      watch(
        name,
        i + 1,
        set,
        labelsOf(set),
        base,
        method,
        undefined,
        method.sets?.raw(i + 1),
      )
    );
  const watched = plan.trainMetrics === true ? [judged, ...valid] : valid;
  const judge = createJudge(plan.earlyStopping, watched.map(({ name }) => name));
  const grown: SerialTree[] = [];
  const states = plan.states ?? {};
  const history: RoundReport[] = [...(states.resume?.history ?? [])];
  const gradient = shared?.gradient ?? new Float64Array(train.raw.length);
  const hessian = shared?.hessian ?? new Float64Array(train.raw.length);
  const clock = createClock(states.resume?.round);
  let paused = performance.now();
  const trained = (): TrainedEnsemble => {
    const best = judge?.best;
    const counted = best === undefined ? grown.length : best.round * loss.numOutputs;
    const keep = plan.keepAll === true ? grown : grown.slice(0, counted);
    return {
      ensemble: finish(keep, counted, plan, base, method),
      ...(keep.length > counted ? { kept: counted / loss.numOutputs } : {}),
      missingLearnt: method.missingLearnt,
      history,
      ...(best === undefined ? {} : { best }),
    };
  };
  let stopped = false;
  if (states.resume !== undefined) {
    const { arrays } = states.resume;
    grown.push(...treesOf(arrays, data));
    train.raw.set(arrays.raw);
    for (const set of valid) {
      grown.forEach((tree, t) => addTree(tree, set, t % loss.numOutputs, method));
    }
    for (const report of history) stopped = judge?.stopsAfter(report) === true;
  }
  for (let round = history.length + 1; round <= plan.rounds && !stopped; round++) {
    if (performance.now() - paused > 50) {
      await nextTurn(); // lets signals be heard
      paused = performance.now();
    }
    if (options.signal?.aborted === true) {
      throw new TrainingError(
        "E_TRAIN_ABORTED",
        `Training stopped after ${round - 1} of ${plan.rounds} rounds`,
        { details: { rounds: round - 1, best: trained() }, cause: options.signal.reason },
      );
    }
    const number = round + (plan.roundsBefore ?? 0);
    if (shared !== undefined) shared.run(number);
    else loss.gradients(labels, train.raw, gradient, hessian, 0, data.numRows, number);
    const trees: SerialTree[] = [];
    for (let k = 0; k < loss.numOutputs; k++) {
      trees.push(growOutput(k, gradient, hessian, train, plan, round, method));
    }
    const isOver = method.endsWithoutSplit &&
      trees.every(({ tree }) => tree.children[0].length === 0);
    if (isOver && grown.length > 0) break;
    grown.push(...trees);
    for (const set of valid) trees.forEach((tree, k) => addTree(tree, set, k, method));
    const report: RoundReport = {
      round,
      rounds: plan.rounds,
      metrics: Object.fromEntries(watched.map((set) => [set.name, measure(set, plan, method)])),
      ...clock(round, plan.rounds),
    };
    history.push(report);
    options.onRound?.(report);
    stopped = judge?.stopsAfter(report) === true || isOver;
    if (isOver) continue;
    await keepState(states, round, history, () => ({
      ...packTrees(grown.map(({ tree }) => tree), 1),
      ...(plan.linear && packTerms(grown)),
      raw: train.raw.slice(), // never shared with threads that go on
    }));
  }
  return trained();
}

function finish(
  grown: readonly SerialTree[],
  counted: number,
  plan: BoostPlan,
  base: Float64Array,
  { profile }: SerialMethod,
): Ensemble {
  const { numOutputs, postprocess } = plan.loss;
  const trees = packTrees(grown.map(({ tree }) => tree), 1);
  const linear = plan.linear && packTerms(grown);
  return {
    trees: linear === undefined ? trees : withConstants(trees, linear),
    ...(linear && { linear }),
    leafWidth: 1,
    numOutputs,
    treeOutput: Int32Array.from(grown, (_, t) => t % numOutputs),
    treeWeight: Float64Array.from(grown, (_, t) => t < counted ? 1 : 0),
    treesPerRound: numOutputs,
    aggregate: "sum",
    baseScore: base,
    postprocess,
    profile,
  };
}
