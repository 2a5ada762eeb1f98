/**
 * Boosting rounds with exact greedy splits and XGBoost's float32 arithmetic: slower than the
 * histogram engine, and meant for small data and for reproducing XGBoost's trees number by number.
 *
 * @module
 */
import { labelsOf } from "../../data/dataset/target.ts";
import type { Dataset } from "../../data/types.ts";
import { sortColumn } from "../../grow/exact/lists.ts";
import { growExactNewton } from "../../grow/exact/newton.ts";
import { openExactCrew } from "../../parallel/splits/exact_crew.ts";
import { boostSerial } from "./rounds.ts";
import { refuseFirst, serialProblems, serialWork } from "./plan.ts";
import type { BoostPlan, TrainedEnsemble } from "../plan.ts";
import type { TrainOptions } from "../types.ts";

const { fround } = Math;

/**
 * Boosts with exact splits. Numeric features only, level-wise, all rows and columns.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` for what the exact method does not do.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` at a gradient that is not finite, `E_TRAIN_ABORTED`.
 */
export async function boostExact(
  data: Dataset,
  plan: BoostPlan,
  options: TrainOptions = {},
): Promise<TrainedEnsemble> {
  const text = data.features.find(({ kind }) => kind === "categorical");
  const name = `categorical column ${JSON.stringify(text?.name)}`;
  refuseFirst("exact", [[text !== undefined, name]], ", or numbers alone");
  refuseFirst("exact", [
    [plan.growth === "leaf", `growth "leaf"`],
    [(plan.maxLeaves ?? 0) > 0, "maxLeaves"],
    [(plan.pathSmooth ?? 0) > 0, "pathSmooth"],
    [
      plan.loss.refitLeaf !== undefined && (plan.monotone?.length ?? 0) > 0,
      `monotone of loss "${plan.loss.name}", whose leaves are set after the tree is grown`,
    ],
    ...serialProblems(plan),
  ]);
  const values = data.features.map((column) =>
    column.kind === "numeric" ? column.values : new Float64Array(0)
  );
  const columns = values.map(sortColumn);
  const limits = {
    learningRate: plan.learningRate,
    maxDepth: plan.maxDepth ?? 6,
    lambda: plan.lambda ?? 1,
    alpha: plan.alpha ?? 0,
    gamma: plan.gamma ?? 0,
    minChildWeight: plan.minChildWeight ?? 1,
    minRowsPerLeaf: plan.minRowsPerLeaf ?? 1,
    maxDeltaStep: plan.maxDeltaStep ?? 0,
    ...(plan.monotone === undefined ? {} : { monotone: plan.monotone }),
  };
  const labels = labelsOf(data);
  using crew = await openExactCrew({
    columns,
    options: limits,
    ...serialWork(data, labels, plan, options),
    single: true,
  });
  return await boostSerial(data, labels, plan, options, {
    gradients: crew.gradients,
    sets: crew.sets,
    round: fround,
    weigh: (derivative, weight) => fround(derivative) * weight,
    missingLearnt: columns.map(({ numMissing }) => numMissing > 0),
    profile: { input: "f32", sum: "f32", base: "first", shownTest: "<" },
    endsWithoutSplit: false,
    grow: (gradient, hessian) => growExactNewton(values, { gradient, hessian }, limits, crew.team),
  });
}
