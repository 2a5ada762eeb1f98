/**
 * What a boosting run is told and what it gives back. Names are those of docs/parameters.md.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import type { Loss } from "../loss/types.ts";
import type { Metric } from "../metric/types.ts";
import type { Ensemble } from "../model/types.ts";
import type { StatePlan } from "./run_state.ts";
import type { RoundReport } from "./types.ts";

/** Which rounds to keep: one metric on one set decides; later ones are dropped. */
export interface EarlyStoppingPlan {
  readonly metric: Metric;
  /** Name of the validation set. */
  readonly set: string;
  /** Rounds without improvement before training stops; 0 never stops but still marks the best. */
  readonly rounds: number;
  /** An improvement must exceed this. @default 0 */
  readonly minDelta?: number;
  /**
   * Keeps this many times the best round (a committee's members, averaged, may learn longer).
   * @default 1
   */
  readonly stretch?: number;
}

/** DART: rounds that are dropped while a new one is fitted, and how all are scaled after. */
export interface DartPlan {
  readonly dropRate: number;
  readonly skipDrop: number;
  /** Most rounds dropped at once; 0 means no limit. */
  readonly maxDrop: number;
  readonly oneDrop: boolean;
  readonly dropBy: "uniform" | "weighted";
  readonly dropScale: "tree" | "forest" | "lightgbm";
}

/** A committee: member k learns from the rows that are not in part k. */
export interface CommitteePlan {
  readonly members: number;
  /** Part of each row, 0 … members − 1. */
  readonly partOf: Uint8Array;
  /** Training scores that each member goes on from, output-major. @default those of the plan */
  readonly scores?: readonly Float64Array[];
  /** Whether no member has seen the rows of its part, so that they can judge it. @default true */
  readonly outOfFold?: boolean;
}

/** Everything about a boosting run except the data. Fields with a default may be left out. */
export interface BoostPlan {
  readonly loss: Loss;
  readonly rounds: number;
  /** Folded into the leaves. */
  readonly learningRate: number;
  /** Round t takes t / 50 times `learningRate`, at least once and at most this often. @default 1 */
  readonly learningRateGrowth?: number;
  readonly seed: number;
  /** Metrics told every round, of every validation set. @default none */
  readonly metrics?: readonly Metric[];
  /** Also of the training rows, as set `train`. @default false */
  readonly trainMetrics?: boolean;
  readonly earlyStopping?: EarlyStoppingPlan;
  /** Keeps rounds after those that early stopping chose, with weight 0. @default false */
  readonly keepAll?: boolean;
  /** Labels and weights that metrics of the training rows see. @default those that are learnt from */
  readonly judged?: Labels;
  /** Rounds of an earlier run that this one goes on from: draws go on after theirs. @default 0 */
  readonly roundsBefore?: number;
  /** Raw score with no trees, length `numOutputs`. @default the loss's best constant */
  readonly baseScore?: ArrayLike<number>;

  /** `hist` here; `exact` is `boostExact`'s, `lightgbm` is `boostLeafwise`'s. @default "hist" */
  readonly treeMethod?: "auto" | "hist" | "exact" | "lightgbm";
  /** Largest number of bins of a feature, the one of missing values included. @default 256 */
  readonly maxBins?: number;
  /** @default "depth" */
  readonly growth?: "depth" | "leaf";
  /** 0 means no limit. @default 6 */
  readonly maxDepth?: number;
  /** 0 means no limit. @default 0 */
  readonly maxLeaves?: number;

  /** @default 1 */
  readonly lambda?: number;
  /** @default 0 */
  readonly alpha?: number;
  /** @default 0 */
  readonly gamma?: number;
  /** Grows fully and removes splits below `gamma` from the bottom. @default false */
  readonly postPrune?: boolean;
  /** @default 1 */
  readonly minChildWeight?: number;
  /** @default 1 */
  readonly minRowsPerLeaf?: number;
  /** 0 means no limit. @default 0 */
  readonly maxDeltaStep?: number;
  /** @default 0 */
  readonly pathSmooth?: number;

  /** @default 1 */
  readonly subsample?: number;
  /** @default "uniform" */
  readonly sampling?: "uniform" | "bootstrap" | "goss";
  /** @default 0.2 */
  readonly gossTop?: number;
  /** @default 0.1 */
  readonly gossOther?: number;
  /** @default 1 */
  readonly featuresPerTree?: number;
  /** @default 1 */
  readonly featuresPerLevel?: number;
  /** @default 1 */
  readonly featuresPerNode?: number;
  /** Chance of each feature to be drawn, length `numFeatures`. @default alike */
  readonly featureWeights?: ArrayLike<number>;
  /** Trees of each round and output, averaged. @default 1 */
  readonly parallelTrees?: number;
  readonly dart?: DartPlan;
  /** Several models, each without the rows of one part, averaged. @default one model of all rows */
  readonly committee?: CommitteePlan;

  /** Missing numbers stand for zeros, too (`boostLeafwise` bins them as such). @default false */
  readonly zeroAsMissing?: boolean;
  /** Direction of each feature: 1, −1 or 0, length `numFeatures`. @default none */
  readonly monotone?: ArrayLike<number>;
  /** How leaves are bounded; the others than `basic` are `boostLeafwise`'s. @default "basic" */
  readonly monotoneMethod?: "basic" | "intermediate" | "advanced";
  /** Whose bounds, and what becomes of trees that break the order. @default "sound" */
  readonly monotoneRules?: "sound" | "lightgbm" | "lightgbm-unproved";
  /** Holds splits on constrained features back near the root (`boostLeafwise`). @default 0 */
  readonly monotonePenalty?: number;
  /** Leaves are linear models, with this ridge penalty (`boostLeafwise`). @default none */
  readonly linear?: { readonly lambda: number };
  /** Groups of features (by index) that may meet on one path. @default none */
  readonly interactions?: readonly (readonly number[])[];

  /** @default 4 */
  readonly maxCategoriesOneHot?: number;
  /** @default 64 */
  readonly maxCategoriesPerSplit?: number;
  /** @default 10 */
  readonly catSmooth?: number;
  /** @default 0 */
  readonly catL2?: number;
  /** @default 1 */
  readonly minRowsPerCategory?: number;

  /** Called every `every` rounds with what `resume` needs. */
  readonly checkpoint?: {
    readonly every: number;
    readonly save: (state: CheckpointState) => void | Promise<void>;
  };
  /** State of an interrupted run with the same plan and data. */
  readonly resume?: CheckpointState;
  /** Both of the methods `exact` and `lightgbm`. */
  readonly states?: StatePlan;
}

/** What an interrupted run goes on from: plain data and the trees so far. */
export interface CheckpointState {
  /** Rounds done. */
  readonly round: number;
  readonly ensemble: Ensemble;
  readonly history: readonly RoundReport[];
  /** Factor of each tree after each round (DART only), for exact prefixes. */
  readonly weightHistory?: readonly Float64Array[];
}

/** What a boosting run gives back: the best prefix, its story. */
export interface TrainedEnsemble {
  readonly ensemble: Ensemble;
  /** Whether each feature had missing values in training. */
  readonly missingLearnt: readonly boolean[];
  readonly history: readonly RoundReport[];
  /** Rounds that count, where later ones are kept. */
  readonly kept?: number;
  /** The round early stopping chose. */
  readonly best?: {
    readonly metric: string;
    readonly set: string;
    readonly value: number;
    /** From 1; 0 when the base score was best. */
    readonly round: number;
  };
}
