/**
 * The parameters of `boost` as scripts write them; tests/types/ proves them equal to the table.
 *
 * @module
 */

/** Parameters of second-order boosting; docs/parameters.md describes each. */
export interface BoostParams {
  readonly preset?: string;
  /** A name, `expr:…`, or a loss object. */
  readonly loss?: unknown;
  readonly rounds?: number;
  readonly committee?: number;
  readonly learningRate?: number;
  readonly treeMethod?: "auto" | "hist" | "exact" | "lightgbm";
  readonly growth?: "depth" | "leaf";
  readonly maxDepth?: number;
  readonly maxLeaves?: number;
  readonly maxBins?: number;
  readonly lambda?: number;
  readonly alpha?: number;
  readonly gamma?: number;
  readonly postPrune?: boolean;
  readonly minChildWeight?: number;
  readonly minRowsPerLeaf?: number;
  readonly maxDeltaStep?: number;
  readonly pathSmooth?: number;
  readonly subsample?: number;
  readonly sampling?: "uniform" | "bootstrap" | "goss";
  readonly gossTop?: number;
  readonly gossOther?: number;
  readonly featuresPerTree?: number;
  readonly featuresPerLevel?: number;
  readonly featuresPerNode?: number;
  readonly learningRateGrowth?: number;
  readonly featureWeights?: { readonly [name: string]: number };
  readonly parallelTrees?: number;
  readonly dropRate?: number;
  readonly skipDrop?: number;
  readonly maxDrop?: number;
  readonly oneDrop?: boolean;
  readonly dropBy?: "uniform" | "weighted";
  readonly dropScale?: "tree" | "forest" | "lightgbm";
  readonly zeroAsMissing?: boolean;
  readonly monotone?:
    | { readonly [name: string]: number | "increasing" | "decreasing" | "none" }
    | readonly (number | "increasing" | "decreasing" | "none")[];
  readonly monotoneMethod?: "basic" | "intermediate" | "advanced";
  readonly monotoneRules?: "sound" | "lightgbm" | "lightgbm-unproved";
  readonly monotonePenalty?: number;
  readonly linearTree?: boolean;
  readonly linearLambda?: number;
  readonly interactions?: readonly (readonly string[])[];
  readonly maxCategoriesOneHot?: number;
  readonly maxCategoriesPerSplit?: number;
  readonly catSmooth?: number;
  readonly catL2?: number;
  readonly minRowsPerCategory?: number;
  readonly requireSplit?: boolean;
  readonly positiveWeight?: number;
  readonly classWeights?: "balanced" | { readonly [name: string]: number };
  readonly priorCorrection?: boolean;
  readonly baseScore?: number;
  readonly huberDelta?: number;
  readonly quantiles?: readonly number[];
  readonly expectiles?: readonly number[];
  readonly fairC?: number;
  readonly tweediePower?: number;
  readonly sigmoidScale?: number;
  readonly curvature?: "treeline" | "xgboost" | "lightgbm";
  readonly rankTruncation?: number;
  readonly rankGain?: "exponential" | "linear";
  readonly rankNormalise?: boolean;
  readonly emptyGroup?: "skip" | "one" | "zero";
  readonly metrics?: readonly string[];
  readonly earlyStoppingRounds?: number;
  readonly keepAll?: boolean;
  readonly earlyStoppingMetric?: string;
  readonly earlyStoppingSet?: string;
  readonly minDelta?: number;
  readonly validFraction?: number;
  readonly trainMetrics?: boolean;
  readonly unknown?: "heavier" | "missing" | "node" | "error";
  readonly seed?: number;
}
