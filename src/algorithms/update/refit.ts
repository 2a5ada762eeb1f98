/**
 * New leaf values for the trees of a finished model: which models may have them, and on which rows.
 *
 * @module
 */
import { checkShape } from "../../data/dataset/shape.ts";
import { labelsOf } from "../../data/dataset/target.ts";
import type { Dataset } from "../../data/types.ts";
import { checkModel, checkOptions } from "../../door.ts";
import { ModelError, ParameterError } from "../../errors.ts";
import { resolveLoss } from "../../loss/losses.ts";
import type { Loss } from "../../loss/types.ts";
import { HERE } from "../../metric/job.ts";
import type { Model } from "../../model/model.ts";
import type { RefitRows } from "../../parallel/rows/refit.ts";
import { SHARED, type TaskPlan } from "../../parallel/rows/team_tasks.ts";
import { leavesOnThreads } from "../../parallel/score/leaves.ts";
import { openLossTeam } from "../../parallel/splits/loss_team.ts";
import { learntRows } from "../boost/learnt_rows.ts";
import type { ResolvedBoost } from "../boost/plan.ts";
import { weighClasses } from "../common/class_weights.ts";
import {
  type Begun,
  type Derivatives,
  fitLeaves,
  type LossSteps,
  type RefitOptions,
  rowsOf,
} from "./fit_leaves.ts";
import { keepRounds } from "./keep_rounds.ts";
import { type LeafSteps, leafStepsOf } from "./leaf_steps.ts";
import { inShapeOf, mergedParams, storedFactors, warnOfUnknown } from "./model_params.ts";

const REFIT_OPTIONS = { decay: "number", onWarning: "function" } as const;

/**
 * Keeps the trees and fits their leaves to new data, round by round and member by member:
 *
 *     leaf ← decay · leaf + (1 − decay) · rate · step
 *
 * where `step` is the value that boosting would give the leaf on the new rows, and `rate` is the learning rate of the
 * round divided by the number of trees that are averaged. Values of inner nodes change in the same
 * way. Class weights are those of the training. A leaf keeps its value if no row reaches it whose
 * weight (in ranking: the weight of some row of its query) is above 0. A calibration is removed, with
 * a warning, since it was fitted to other scores.
 *
 * @throws {ModelError} `E_MODEL_SCHEMA` for a model that was not boosted by Treeline.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` for a leaf that is not finite.
 * @throws {ParameterError} `E_PARAM_CONFLICT` for monotone models, whose order new leaf values could
 * break, for models with smoothed paths or linear leaves, and for those whose rounds
 * {@linkcode shrinkModel} joined into one.
 */
export function refitBoost(given: Model, data: Dataset, options: RefitOptions = {}): Model {
  checkModel("refitBoost", given);
  checkShape("refitBoost", data);
  checkOptions<RefitOptions>("refitBoost", options, REFIT_OPTIONS);
  const begun = begin(given, data, options);
  const leaves = begun.model.predictLeaf(begun.shaped).data;
  return fitLeaves(begun, rowsOf(begun, leaves, HERE), options);
}

/**
 * {@linkcode refitBoost} on several threads. The model is the same. If {@linkcode continueBoost}
 * changed parameters of the loss, threads only find the leaf of each row; one thread does the rest.
 *
 * @throws As {@linkcode refitBoost}; {@linkcode ParameterError} `E_PARAM_RANGE` for wrong `threads`.
 */
export async function refitBoostOnThreads(
  given: Model,
  data: Dataset,
  options: RefitOptions & {
    /** Threads, 1 or more. @default all cores if there are enough rows, else 1 */
    readonly threads?: number;
  } = {},
): Promise<Model> {
  checkModel("refitBoostOnThreads", given);
  checkShape("refitBoostOnThreads", data);
  checkOptions<NonNullable<typeof options>>("refitBoostOnThreads", options, {
    ...REFIT_OPTIONS,
    threads: "any",
  });
  const begun = begin(given, data, options);
  const leaves = await leavesOnThreads(begun.model, begun.shaped, options.threads);
  const { model: { numTrees }, steps: [{ loss }, ...later], labels } = begun;
  const { threads, onWarning } = options;
  let rows: RefitRows | undefined;
  const tasks = (plan: Derivatives): TaskPlan[] => {
    rows = rowsOf(begun, leaves, SHARED, plan);
    return [{ kind: "refit", rows }];
  };
  // Threads are told of one loss: where continuations changed it, one thread does this part.
  const isOne = later.every((step) => step.loss === loss);
  using team = isOne
    ? await openLossTeam({ loss, labels, numTrees, tasks, threads, onWarning })
    : undefined;
  return fitLeaves(begun, rows ?? rowsOf(begun, leaves, HERE), options, team);
}

function begin(given: Model, data: Dataset, options: RefitOptions): Begun {
  const model = given.info.kept === undefined ? given : keepRounds(given);
  const { decay = 0.9 } = options;
  if (!(decay >= 0 && decay <= 1)) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use decay ${decay}: expected a number in [0, 1]`,
      { details: { param: "decay", value: decay } },
    );
  }
  if (model.info.offset !== undefined && data.offset === undefined) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot refit without offsets: rows start from column ${JSON.stringify(model.info.offset)}`,
      { details: { columns: [model.info.offset] } },
    );
  }
  const { data: aligned, loss: { loss } } = inShapeOf(model, data, mergedParams(model, {}));
  const steps = withLosses(leafStepsOf(model, loss.numOutputs), aligned);
  refuseRounds(model, loss.numOutputs * steps[0].params.parallelTrees);
  for (const { params } of steps) {
    refuseShaped({ ...params, linearTree: model.ensemble.linear !== undefined });
  }
  warnOfUnknown(model, data, options);
  const factors = storedFactors(model);
  loss.checkLabels(labelsOf(aligned));
  // Losses that draw do so for the same rows.
  const learnt = learntRows(aligned, loss, steps[0].params);
  const shaped = factors === undefined ? learnt : weighClasses(learnt, factors);
  return { given, model, steps, labels: labelsOf(shaped), shaped };
}

/** The loss of each stretch of rounds: one and the same where its parameters are. */
function withLosses(steps: readonly LeafSteps[], data: Dataset): LossSteps[] {
  const known = new Map<string, Loss>();
  return steps.map((step) => {
    const { loss } = resolveLoss(step.given, data, step.params);
    const key = JSON.stringify([loss.name, loss.recipe]);
    const same = known.get(key) ?? loss;
    known.set(key, same);
    return { ...step, loss: same };
  });
}

/**
 * Refuses trees that are not those of single rounds, as `shrinkModel` leaves them: which saw what
 * is lost.
 */
function refuseRounds({ info, ensemble: { treesPerRound } }: Model, trees: number): void {
  const perRound = trees * Number(info.committee ?? 1);
  if (perRound === treesPerRound) return;
  throw new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot refit ${treesPerRound} trees a round: training made ${perRound} (outputs × ` +
      "parallelTrees × committee); expected the model from before it was shrunk",
    { details: { param: "parallelTrees", value: perRound, model: treesPerRound } },
  );
}

function refuseShaped({ monotone, pathSmooth, linearTree }: ResolvedBoost): void {
  const what = Object.values(monotone ?? {}).some((way) => way !== 0 && way !== "none")
    ? "monotone"
    : pathSmooth > 0
    ? "pathSmooth"
    : linearTree
    ? "linearTree"
    : undefined;
  if (what === undefined) return;
  throw new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot refit leaves of a model with ${what}: new values would not keep it; expected ` +
      `continue, or training anew`,
    { details: { param: what } },
  );
}
