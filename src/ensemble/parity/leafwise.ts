/**
 * Boosting rounds with LightGBM's bins, leaf-wise trees and arithmetic, for reproducing LightGBM's
 * trees number by number. Rows are never sampled for the bins.
 *
 * @module
 */
import type { BinShare } from "../../binning/bin_share.ts";
import {
  type LeafwiseColumn,
  leafwiseColumn,
  type LeafwiseFeature,
  usefulBins,
} from "../../binning/leafwise_bins.ts";
import { createRanker } from "../../binning/rank.ts";
import { labelsOf } from "../../data/dataset/target.ts";
import type { Dataset, Labels } from "../../data/types.ts";
import { EPSILON, type LeafwiseOptions } from "../../grow/leafwise/math.ts";
import { linearFitter } from "../../grow/leafwise/linear.ts";
import { float32Labels } from "../../loss/labels.ts";
import type { ColumnLimits, EarlyHelpers } from "../../parallel/splits/early_helpers.ts";
import { openLeafwiseCrew, startLeafwise } from "../../parallel/splits/leafwise_crew.ts";
import { boostSerial } from "./rounds.ts";
import { refuseFirst, serialProblems, serialWork } from "./plan.ts";
import { coarseColumns, float32Columns } from "../linear_leaves.ts";
import type { BoostPlan, TrainedEnsemble } from "../plan.ts";
import { OWN_PROFILE } from "../single.ts";
import type { TrialOptions } from "../types.ts";

const MOST_LEAVES = 131072; // LightGBM's own limit

/** What this method does not do, each with whether the plan asks for it. */
function leafwiseProblems(plan: BoostPlan): readonly (readonly [boolean, string])[] {
  return [
    [plan.growth === "depth", `growth "depth"`],
    [plan.postPrune === true, "postPrune"],
    [
      plan.loss.refitLeaf !== undefined && isConstrained(plan),
      `monotone of loss "${plan.loss.name}", whose leaves are set after the tree is grown`,
    ],
    [plan.zeroAsMissing === true && plan.linear !== undefined, "linearTree with zeroAsMissing"],
    ...serialProblems(plan),
  ];
}

function isConstrained({ monotone }: BoostPlan): boolean {
  return Array.from(monotone ?? []).some((direction) => direction !== 0);
}

/** What of a plan {@linkcode boostLeafwise} does not do, if anything. */
export function leafwiseProblem(plan: BoostPlan): string | undefined {
  return leafwiseProblems(plan).find(([bad]) => bad)?.[1];
}

/**
 * Boosts with LightGBM's method.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` for what this method does not do.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` at a gradient that is not finite, `E_TRAIN_ABORTED`.
 */
export async function boostLeafwise(
  data: Dataset,
  plan: BoostPlan,
  options: TrialOptions = {},
): Promise<TrainedEnsemble> {
  refuseFirst("lightgbm", leafwiseProblems(plan));
  const limits = limitsOf(plan);
  const { minRowsPerLeaf } = limits;
  if (minRowsPerLeaf > (plan.minRowsPerLeaf ?? minRowsPerLeaf)) {
    options.onWarning?.(
      `Leaves have at least ${minRowsPerLeaf} rows: LightGBM's pathSmooth does not work with fewer`,
    );
  }
  const columns = plan.linear && float32Columns(data);
  const coarse = plan.linear === undefined ? [] : coarseColumns(data);
  if (coarse.length > 0) {
    options.onWarning?.(
      `Linear leaves are fitted to float32 values, as by LightGBM, which are coarse for ${
        coarse.map((name) => JSON.stringify(name)).join(", ")
      }: subtract a constant from such columns, or use treeMethod "hist"`,
    );
  }
  const linear = columns && linearFitter(columns, plan.linear!.lambda, plan.learningRate);
  const { maxBins = 255, zeroAsMissing = false } = plan;
  const numFeatures = data.features.length;
  using early = startLeafwise({
    numRows: data.numRows,
    numFeatures,
    // No more than this.
    bins: numFeatures * Math.min(maxBins, data.numRows + 2),
    options: limits,
    trees: plan.rounds * plan.loss.numOutputs,
    threads: options.threads,
  });
  const features = (await binColumns(data, { maxBins, zeroAsMissing }, options.share, early))
    .flatMap((column) => usefulBins(column, minRowsPerLeaf) ?? []);
  const missed = features.filter(isRestMissed).map(({ feature }) => data.features[feature].name);
  if (zeroAsMissing && missed.length > 0) {
    options.onWarning?.(
      `Most values of ${missed.map((name) => JSON.stringify(name)).join(", ")} are in the lowest ` +
        "bin, which LightGBM leaves out of some of its sums where zeros are missing: leaves may be " +
        `far off, as LightGBM's are; treeMethod "hist" counts them`,
    );
  }
  const exactLabels = labelsOf(data);
  warnOfCoarseLabels(exactLabels, options);
  const labels = float32Labels(exactLabels);
  using crew = await openLeafwiseCrew({
    features,
    early,
    options: limits,
    ...serialWork(data, labels, plan, options),
    single: false,
  });
  return await boostSerial(data, labels, plan, options, {
    gradients: crew.gradients,
    sets: crew.sets,
    round: (value) => value,
    // LightGBM rounds the error to float32 before its weight, of this loss only.
    weigh: plan.loss.name === "squared"
      ? (derivative, weight) => Math.fround(derivative) * weight
      : (derivative, weight) => derivative * weight,
    missingLearnt: data.features.map((column) =>
      column.kind === "numeric"
        ? zeroAsMissing || column.values.some((value) => value !== value)
        : column.codes.some((code) => code < 0)
    ),
    columns,
    profile: OWN_PROFILE,
    endsWithoutSplit: true,
    grow: (gradient, hessian, round) => {
      const grown = crew.grow(gradient, hessian);
      const isConstant = grown.tree.numNodes === 1;
      if (isConstant) grown.tree.setValue(0, [0]);
      if (linear === undefined) return grown;
      const terms = isConstant || round === 1 ? [] : linear(grown, { gradient, hessian });
      return { ...grown, terms };
    },
  });
}

function warnOfCoarseLabels({ values }: Labels, { onWarning }: TrialOptions): void {
  const column = { kind: "numeric", name: "labels", values } as const;
  if (coarseColumns({ numRows: values.length, features: [column] }).length === 0) return;
  onWarning?.(
    "Labels and metrics of training rows are float32 values, as LightGBM has them, which are coarse " +
      `for these labels: subtract a constant from them, or use treeMethod "hist"`,
  );
}

/** Whether the scan from the left misses rows: the lowest bin is the rest, and holds no zeros. */
function isRestMissed({ kind, restBin, missingBin, numBins }: LeafwiseFeature): boolean {
  return kind === "numeric" && restBin === 0 && missingBin > 0 && missingBin < numBins - 1;
}

/** Bins of all columns, those of an earlier training where there are. */
async function binColumns(
  data: Dataset,
  limits: ColumnLimits,
  share: BinShare | undefined,
  early: EarlyHelpers | undefined,
): Promise<readonly LeafwiseColumn[]> {
  const setting = JSON.stringify(limits);
  const known = share?.find("lightgbm", data, setting);
  if (known !== undefined) return known;
  const columns = await (early?.bin(data.features, limits) ?? binHere(data, limits));
  const byteLength = columns.reduce((sum, { codes }) => sum + codes.byteLength, 0);
  share?.keep("lightgbm", data, setting, columns, byteLength);
  return columns;
}

function binHere(
  { numRows, features }: Dataset,
  limits: ColumnLimits,
): readonly LeafwiseColumn[] {
  const ranker = createRanker(numRows);
  return features.map((column, f) => leafwiseColumn(column, f, limits, ranker));
}

function limitsOf(plan: BoostPlan): LeafwiseOptions {
  return {
    learningRate: plan.learningRate,
    maxDepth: plan.maxDepth ?? 0,
    maxLeaves: plan.maxLeaves === undefined || plan.maxLeaves === 0 ? MOST_LEAVES : plan.maxLeaves,
    lambda: plan.lambda ?? 0,
    alpha: plan.alpha ?? 0,
    gamma: plan.gamma ?? 0,
    minChildWeight: plan.minChildWeight ?? 1e-3,
    minRowsPerLeaf: Math.max(plan.minRowsPerLeaf ?? 20, (plan.pathSmooth ?? 0) > EPSILON ? 2 : 1),
    maxDeltaStep: plan.maxDeltaStep ?? 0,
    pathSmooth: plan.pathSmooth ?? 0,
    maxCategoriesOneHot: plan.maxCategoriesOneHot ?? 4,
    maxCategoriesPerSplit: plan.maxCategoriesPerSplit ?? 32,
    catSmooth: plan.catSmooth ?? 10,
    catL2: plan.catL2 ?? 10,
    minRowsPerCategory: plan.minRowsPerCategory ?? 100,
    ...(isConstrained(plan)
      ? {
        monotone: {
          directions: plan.monotone!,
          method: plan.monotoneMethod ?? "basic",
          penalty: plan.monotonePenalty ?? 0,
          rules: plan.monotoneRules ?? "sound",
        },
      }
      : {}),
  };
}
