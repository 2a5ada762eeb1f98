/**
 * A tree learner as plain data: what a worker needs to know to grow trees, turned into the pieces of
 * a `GrowContext` by name.
 *
 * @module
 */
import { absoluteCriterion } from "../criterion/absolute.ts";
import type { Criterion } from "../criterion/criterion.ts";
import { entropyCriterion } from "../criterion/entropy.ts";
import { giniByShares, giniCriterion } from "../criterion/gini.ts";
import { misclassificationCriterion } from "../criterion/misclassification.ts";
import { poissonCriterion, poissonSecond } from "../criterion/poisson.ts";
import { alteredCriterion } from "../criterion/altered.ts";
import { varianceCriterion } from "../criterion/variance.ts";
import type { Frame } from "../rows/frame.ts";
import type { GrowContext, GrowLimits, StopRule } from "./context.ts";
import type { GrowOrder } from "./queue.ts";
import { c45Splitter } from "../splitter/c45.ts";
import { chooseGainRatio, chooseLargestGain } from "../splitter/choose.ts";
import { findExactSplit } from "../splitter/exact.ts";
import { multiwaySplitter } from "../splitter/multiway.ts";
import { findRandomSplit } from "../splitter/random.ts";
import { findRandomSubset } from "../splitter/random_subset.ts";
import type { MissingPolicy } from "../splitter/split.ts";
import { findSubsetSplit } from "../splitter/subset.ts";
import { chiSquareStop, criticalValueStop } from "./stop.ts";
import type { StatSource } from "../rows/stats.ts";

/** Names of split rules. */
export type CriterionName =
  | "gini"
  | "entropy"
  | "misclassification"
  | "variance"
  | "absolute"
  | "poisson";

/** A tree learner as plain data. */
export interface TreePlan {
  readonly criterion: CriterionName;
  /**
   * `exact`: thresholds and subsets. `random`: a random threshold a feature. `c45`: gain ratio,
   * thresholds and multiway. `id3`: information gain, multiway.
   */
  readonly splitter: "exact" | "random" | "c45" | "id3";
  readonly missing: MissingPolicy;
  readonly order: GrowOrder;
  readonly limits: GrowLimits;
  readonly featuresPerNode?: number;
  readonly maxSurrogates?: number;
  readonly maxExhaustive?: number;
  /** ID3: a split must gain more than this per unit of weight. */
  readonly minUnitGain?: number;
  /** Multiway nodes: values outside the vocabulary stop there. */
  readonly stopUnknown?: boolean;
  /** C4.5: least weight of two branches. */
  readonly minObjects?: number;
  /** C4.5: whether a threshold pays for the choice among its candidates. */
  readonly mdl?: boolean;
  /** C4.5: thresholds are training values. */
  readonly dataValue?: boolean;
  /** C4.5: rows that weigh something, with which numbers of levels are compared; by default all. */
  readonly cases?: number;
  /** Factor on the weight of each class inside the split rule (altered priors of a loss matrix). */
  readonly classFactors?: readonly number[];
  /** A split must show dependence on the class at this level of significance. */
  readonly chiSquare?: number;
  /** Stop where a split gains no more than this per unit of weight. */
  readonly criticalGain?: number;
}

/** Limits that limit nothing. */
export const NO_LIMITS: GrowLimits = {
  maxDepth: Infinity,
  maxLeaves: Infinity,
  minRowsSplit: 2,
  minRowsLeaf: 1,
  minWeightSplit: 0,
  minWeightLeaf: 0,
  minGain: -Infinity,
  minGap: 0,
  cut: "midpoint",
};

/** A split rule by name. */
function criterionByName(name: CriterionName, numClasses: number): Criterion {
  switch (name) {
    case "gini":
      return giniCriterion(numClasses);
    case "entropy":
      return entropyCriterion(numClasses);
    case "misclassification":
      return misclassificationCriterion(numClasses);
    case "variance":
      return varianceCriterion();
    case "absolute":
      return absoluteCriterion();
    case "poisson":
      return poissonCriterion();
  }
}

/** Puts the pieces of a plan together for one frame and source. */
export function contextOf(plan: TreePlan, frame: Frame, source: StatSource): GrowContext {
  const numClasses = source.kind === "class" ? source.numClasses : 0;
  let criterion = plan.missing === "surrogate" && plan.criterion === "gini"
    ? giniByShares(numClasses)
    : criterionByName(plan.criterion, numClasses);
  if (plan.classFactors !== undefined) {
    criterion = alteredCriterion(criterion, plan.classFactors);
  }
  const stop: StopRule | undefined = plan.chiSquare !== undefined
    ? chiSquareStop(plan.chiSquare)
    : plan.criticalGain !== undefined
    ? criticalValueStop(plan.criticalGain)
    : undefined;
  const multiway = plan.splitter === "c45" || plan.splitter === "id3";
  const numeric = plan.splitter === "random"
    ? findRandomSplit
    : plan.splitter === "exact"
    ? findExactSplit
    : c45Splitter({
      minObjects: plan.minObjects ?? 0,
      mdl: plan.mdl ?? true,
    });
  return {
    frame,
    source: plan.criterion === "poisson" && source.kind === "moment"
      ? { ...source, second: poissonSecond(source.values) }
      : source,
    criterion,
    numeric,
    categorical: multiway
      ? multiwaySplitter({
        minObjects: plan.minObjects ?? 0,
        manyLevels: plan.splitter === "c45" ? manyLevels(frame, plan.cases) : Infinity,
        // C4.5 lets an attribute that gains nothing lower the average gain.
        minGain: plan.minUnitGain ?? -1,
        stopUnknown: plan.stopUnknown ?? false,
      })
      : plan.splitter === "random"
      ? findRandomSubset
      : findSubsetSplit,
    choose: plan.splitter === "c45" ? chooseGainRatio : chooseLargestGain,
    missing: plan.missing,
    order: plan.order,
    limits: plan.limits,
    random: plan.splitter === "random",
    // The kernel knows this case alone; its trees are the same.
    counted: plan.splitter === "exact" && plan.criterion === "gini" && plan.missing === "learn" &&
      plan.classFactors === undefined && stop === undefined && plan.limits.minGap === 0,
    unitGain: multiway,
    cutsAtValues: plan.splitter === "c45" && (plan.dataValue ?? true),
    ...(plan.featuresPerNode !== undefined && { featuresPerNode: plan.featuresPerNode }),
    ...(plan.maxSurrogates !== undefined && { maxSurrogates: plan.maxSurrogates }),
    ...(plan.maxExhaustive !== undefined && { maxExhaustive: plan.maxExhaustive }),
    ...(stop !== undefined && { stop }),
  };
}

/** Levels from which the average gain leaves an attribute out; none when all are like that. */
function manyLevels({ numRows, features }: Frame, cases = numRows): number {
  const bound = 0.3 * cases;
  const all = features.every((f) => f.kind === "categorical" && f.numCodes - 1 >= bound);
  return all ? Infinity : bound;
}
