/**
 * Gradient boosting on binned data: gradients, one tree for each output, scores, until the rounds
 * are done or early stopping finds no improvement. Friedman 2001; Chen & Guestrin, KDD 2016.
 *
 * @module
 */
import { labelsOf } from "../data/target.ts";
import type { Dataset, Labels } from "../data/types.ts";
import { ParameterError, TrainingError } from "../errors.ts";
import { predictionsOf } from "../metric/response.ts";
import { createPause } from "../util/pause.ts";
import { hasTimeMeanwhile, runRound } from "./boost_round.ts";
import { type BoostState, createBoostState } from "./boost_state.ts";
import { createClock } from "./clock.ts";
import { type Committee, createCommittee, OUT_OF_FOLD } from "./committee.ts";
import { createJudge } from "./early_stopping.ts";
import { type Engine, type EngineOptions, openEngine } from "./engine.ts";
import type { BoostPlan, TrainedEnsemble } from "./plan.ts";
import type { RoundReport, TrainOptions } from "./types.ts";

/** A set of rows whose scores follow the trees. */
interface Watched {
  readonly name: string;
  readonly labels: Labels;
  /** Its number in the engine: 0 is the training set. */
  readonly set: number;
  /** Rows are judged by members of the committee that have not seen them. */
  readonly outOfFold?: true;
}

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
  const base = Float64Array.from(plan.baseScore ?? loss.baseScore(labels));
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
  const engine = await openEngine(data, labels, sets, plan, options);
  const isOwn = data.target?.kind === "classification";
  if (isOwn && !needsLabels(plan) && watched.every((one) => one.labels !== labels)) {
    // The engine has them: 8 bytes a row, freed at once and not whenever garbage is collected.
    (labels.values.buffer as ArrayBuffer).transfer(0);
  }
  try {
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
    const isLater = hasTimeMeanwhile(engine, plan);
    for (let round = state.numRounds + 1; round <= plan.rounds && !stopped; round++) {
      await pause();
      if (options.signal?.aborted === true) {
        settle();
        if (stopped) break;
        refuseAborted(round - 1);
      }
      state.drop(round);
      const number = round + (plan.roundsBefore ?? 0);
      const trees = runRound(engine, plan, labels, number, committee, settle);
      // What was told meanwhile may have ended training: this round has not been then.
      if (stopped) break;
      if (isLater) refuseAborted(round - 1);
      state.add(trees);
      const metrics = measureSets(engine, plan, watched, committee);
      due = () => {
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

/**
 * Metrics of all watched sets; out-of-fold, where every row counts, only the one that decides.
 *
 * @returns Measures the scores as they are now, at any time before those of validation sets change.
 */
function measureSets(
  engine: Engine,
  plan: BoostPlan,
  watched: readonly Watched[],
  committee: Committee | undefined,
): () => RoundReport["metrics"] {
  const { loss, earlyStopping } = plan;
  const measures = watched.map(({ name, labels, set, outOfFold }) => {
    const all = plan.metrics ?? [];
    const metrics = outOfFold !== true
      ? all
      : all.filter((one, i) =>
        earlyStopping === undefined ? i === 0 : one === earlyStopping.metric
      );
    if (metrics.length === 0) return { name, values: () => ({}) };
    const raw = outOfFold === true
      ? committee!.outOfFold()
      : set === 0
      ? committee?.average() ?? engine.raw(0)
      : engine.raw(set);
    return {
      name,
      values: () => {
        const found = predictionsOf(raw, labels.values.length, loss.numOutputs, loss.postprocess);
        return Object.fromEntries(metrics.map((m) => [m.name, m.value(labels, found)]));
      },
    };
  });
  return () => Object.fromEntries(measures.map(({ name, values }) => [name, values()]));
}
