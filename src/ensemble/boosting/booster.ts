/**
 * Gradient boosting on binned data: gradients, one tree for each output, scores, until the rounds
 * are done or early stopping finds no improvement. Friedman 2001; Chen & Guestrin, KDD 2016.
 *
 * @module
 */
import { labelsOf } from "../../data/dataset/target.ts";
import type { Dataset } from "../../data/types.ts";
import { ParameterError, TrainingError } from "../../errors.ts";
import { createPause } from "../../util/pause.ts";
import { hasTimeMeanwhile } from "../engine/alone_choice.ts";
import { beginRound, runRound } from "./round.ts";
import { type BoostState, createBoostState } from "./state.ts";
import { createClock } from "../clock.ts";
import { createCommittee, OUT_OF_FOLD } from "./committee.ts";
import { createJudge } from "../early_stopping.ts";
import { type Engine, type EngineOptions, openEngine } from "../engine/engine.ts";
import { measureSets } from "./measure_sets.ts";
import type { Watched } from "../engine/watched.ts";
import type { BoostPlan, TrainedEnsemble } from "../plan.ts";
import type { RoundReport, TrainOptions } from "../types.ts";

/**
 * Boosts trees on binned features.
 *
 * @returns The best prefix where the plan stops early, else all rounds.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` at a gradient that is not finite; `E_TRAIN_ABORTED`,
 * whose `details.best` is the {@linkcode TrainedEnsemble} so far.
 */
export async function boost(
  data: Dataset,
  plan: BoostPlan,
  options: EngineOptions = {},
): Promise<TrainedEnsemble> {
  const { loss, resume, checkpoint } = plan;
  const labels = labelsOf(data);
  const valid = Object.entries(validSets(options.valid));
  const watched: Watched[] = valid.map(([name, set], i) => ({
    name,
    labels: labelsOf(set),
    set: i + 1,
  }));
  const judged = plan.judged ?? labels;
  if (plan.committee !== undefined && plan.committee.outOfFold !== false) {
    watched.unshift({ name: OUT_OF_FOLD, labels: judged, set: 0, outOfFold: true });
  }
  if (plan.trainMetrics === true) watched.unshift({ name: "train", labels: judged, set: 0 });
  if (plan.committee !== undefined && plan.dart !== undefined) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      "Cannot train a committee with DART: each member has scores of its own",
      { details: { param: "committee" } },
    );
  }
  const judge = createJudge(plan.earlyStopping, watched.map(({ name }) => name));
  const sets = valid.map(([, set]) => set);
  const engine = await openEngine(data, labels, sets, plan, options, watched);
  try {
    const base = Float64Array.from(
      plan.baseScore ?? loss.baseScore({ ...labels, counts: engine.counts }),
    );
    const isOwn = data.target?.kind === "classification";
    if (isOwn && !needsLabels(plan) && watched.every((one) => one.labels !== labels)) {
      // The engine has them: 8 bytes a row, freed at once and not whenever garbage is collected.
      (labels.values.buffer as ArrayBuffer).transfer(0);
    }
    const state = createBoostState(engine, plan, [data, ...sets], base);
    const committee = createCommittee(engine, plan);
    if (resume !== undefined) state.resume(resume, committee);
    const history: RoundReport[] = [...(resume?.history ?? [])];
    let stopped = history.map((report) => judge?.stopsAfter(report) === true).includes(true);
    const clock = createClock(state.numRounds);
    const pause = createPause();
    const trained = () => {
      const kept = judge?.kept(state.numRounds);
      return finish(engine, state, history, judge?.best, kept, plan.keepAll);
    };
    /** Tells the last round's metrics; what it does may take place while the next round grows. */
    let due: (() => void) | undefined;
    const settle = () => {
      const tell = due;
      due = undefined;
      tell?.();
    };
    const refuseAborted = (rounds: number) => {
      if (options.signal?.aborted !== true) return;
      throw new TrainingError(
        "E_TRAIN_ABORTED",
        `Training stopped after ${rounds} of ${plan.rounds} rounds`,
        { details: { rounds, best: trained() }, cause: options.signal.reason },
      );
    };
    const isLater = hasTimeMeanwhile(engine.team.context.layout, plan, watched.length > 0);
    for (let round = state.numRounds + 1; round <= plan.rounds && !stopped; round++) {
      if (isLater && committee === undefined) beginRound(engine);
      await pause();
      if (options.signal?.aborted === true) {
        settle();
        if (stopped) break;
        refuseAborted(round - 1);
      }
      state.drop(round);
      const number = round + (plan.roundsBefore ?? 0);
      const trees = runRound(engine, plan, labels, number, committee, () => {
        settle();
        if (!stopped) refuseAborted(round - 1);
      });
      // What was told meanwhile may have ended training: this round has not been then.
      if (stopped) break;
      if (!isLater) state.add(trees);
      const metrics = measureSets(engine, plan, watched, committee);
      due = () => {
        if (isLater) state.add(trees);
        const report: RoundReport = {
          round,
          rounds: plan.rounds,
          metrics: metrics(),
          ...clock(round, plan.rounds),
        };
        history.push(report);
        options.onRound?.(report);
        stopped = judge?.stopsAfter(report) === true;
      };
      const isKept = checkpoint !== undefined && round % checkpoint.every === 0;
      if (!isLater || isKept || round === plan.rounds) settle();
      if (isKept) {
        const { weightHistory } = state;
        await checkpoint.save({
          round,
          ensemble: state.ensemble(),
          history: [...history],
          ...(weightHistory === undefined ? {} : { weightHistory: [...weightHistory] }),
        });
      }
    }
    return trained();
  } finally {
    engine.close();
  }
}

/** Whether the labels are looked at outside of the engine's memory. */
function needsLabels({ loss }: BoostPlan): boolean {
  return loss.kernel === undefined || loss.refitLeaf !== undefined;
}

function finish(
  engine: Engine,
  state: BoostState,
  history: readonly RoundReport[],
  best: TrainedEnsemble["best"],
  kept: number | undefined,
  keepAll: boolean | undefined,
): TrainedEnsemble {
  const hasRest = keepAll === true && kept !== undefined && kept < state.numRounds;
  return {
    ensemble: state.ensemble(kept, keepAll),
    ...(hasRest ? { kept } : {}),
    missingLearnt: engine.bins.map(({ hasMissing }) => hasMissing),
    history,
    ...(best === undefined ? {} : { best }),
  };
}

function validSets(valid: TrainOptions["valid"]): { readonly [name: string]: Dataset } {
  if (valid === undefined) return {};
  return typeof (valid as Dataset).numRows === "number" && Array.isArray(valid.features)
    ? { valid: valid as Dataset }
    : valid as { readonly [name: string]: Dataset };
}
