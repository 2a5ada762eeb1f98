/**
 * The waist of the library: every trainer and importer ends in an `Ensemble`, every consumer
 * starts from one. Nothing here knows how a tree was grown.
 *
 * @module
 */
import type { Schema } from "../data/types.ts";

/** Kinds of node, the values of `Trees.kind`. */
export const NodeKind = {
  /** No children; `leaf` holds its value. */
  leaf: 0,
  /** `value <= threshold` takes branch 0, else branch 1. */
  threshold: 1,
  /** A category in the node's set takes branch 0, else branch 1. */
  subset: 2,
  /** One branch for each category. */
  multiway: 3,
  /** `value === threshold` takes branch 0, else branch 1 (ONNX only). */
  equal: 4,
} as const;

/** Values of `Trees.missing` besides a branch number. */
export const MissingBranch = {
  /** Stop and return the node's own value. */
  stop: 254,
  /** Take every branch by its share of cover and average the results (C4.5). */
  fractional: 255,
} as const;

/**
 * All nodes of all trees as a structure of arrays. Siblings are adjacent:
 * `child = firstChild[node] + branch`. A child comes after its parent; trees follow each other.
 */
export interface Trees {
  /** Length `numTrees + 1`; the root of tree `t` is node `treeStart[t]`. */
  readonly treeStart: Int32Array;
  /** `NodeKind` of each node. */
  readonly kind: Uint8Array;
  /** Index into `Schema.features`; −1 at leaves. */
  readonly feature: Int32Array;
  /** Threshold of `threshold` and `equal` nodes; 0 elsewhere. Never NaN. */
  readonly threshold: Float64Array;
  /** First child; −1 at leaves. */
  readonly firstChild: Int32Array;
  /** Branch of a missing value, or a `MissingBranch`; 0 at leaves. */
  readonly missing: Uint8Array;
  /** Where the node's categories begin in `categoryPool`; −1 at nodes without. */
  readonly categoryAt: Int32Array;
  /**
   * `subset`: a bit set over codes 0 … K in words of 32 bits (bit set = branch 0), K + 1 bits where
   * K = `categories.length` of the feature and bit K stands for values outside the vocabulary.
   * `multiway`: K + 1 branch numbers; entry K is the unknown value's, `0xffffffff` means stop.
   */
  readonly categoryPool: Uint32Array;
  /** Value of every node, `node × leafWidth`; NaN at inner nodes where it is not known. */
  readonly leaf: Float64Array;
  /** Weight (or hessian) that reached each node, as SHAP uses it; all 0 when not known. */
  readonly cover: Float64Array;
  /** Loss decrease of each split; 0 at leaves and when not known. */
  readonly gain: Float64Array;
}

/**
 * The named map from raw scores to the response.
 * - `identity`, `exp` (log link), `sigmoid` (with `scale`), `softmax`
 * - `oneVsAll`: sigmoid of each output, divided by their sum only when `normalise`
 * - `hinge`: raw > 0 ? 1 : 0 · `signedSquare`: sign(x)·x² · `log1pExp`: ln(1 + eˣ)
 * - `proportions`: outputs are class weights, divided by their sum
 * - `probability`: raw scores are probabilities already (ONNX forests)
 * - `probit`: √2·erf⁻¹(2x − 1) by Winitzki's approximation, as ONNX Runtime computes it
 * - `softmaxZero`: softmax that leaves zeros at 0 (ONNX)
 */
export interface Postprocess {
  /** Which map. */
  readonly name:
    | "identity"
    | "exp"
    | "sigmoid"
    | "softmax"
    | "oneVsAll"
    | "hinge"
    | "signedSquare"
    | "log1pExp"
    | "proportions"
    | "probability"
    | "probit"
    | "softmaxZero";
  /** Factor on the raw score inside the sigmoid. @default 1 */
  readonly scale?: number;
  /** Whether `oneVsAll` divides by the sum. @default false */
  readonly normalise?: boolean;
  /**
   * Cost of answering class `j` where `i` is true, at `i × classes + j`: the answer is the class of
   * least expected cost. Only with one output a class. Absent: the most probable class.
   */
  readonly costs?: readonly number[];
}

/** How inputs are cast and sums run; names a library's arithmetic so that scores equal its own. */
export interface NumericProfile {
  /** Features are rounded to float32 before they are compared. */
  readonly input: "f32" | "f64";
  /** Sums are rounded to float32 at each step. */
  readonly sum: "f32" | "f64";
  /** Base score first (XGBoost and Treeline), or last (ONNX Runtime). */
  readonly base: "first" | "last";
  /** The test as people and exporters should see it; the stored test is always `<=`. */
  readonly shownTest: "<=" | "<";
}

/** Trees and the rule that joins them. */
export interface Ensemble {
  /** Nodes of all trees. */
  readonly trees: Trees;
  /** Numbers in each leaf: 1, or `numOutputs`. */
  readonly leafWidth: number;
  /** Number of raw scores of a row: 1, or the number of classes or targets. */
  readonly numOutputs: number;
  /** Output that a tree of leaf width 1 adds to, length `numTrees`; all 0 when `leafWidth > 1`. */
  readonly treeOutput: Int32Array;
  /** Factor on each tree, length `numTrees`. */
  readonly treeWeight: Float64Array;
  /** Trees that make one round (outputs × parallel trees); prefixes are counted in rounds. */
  readonly treesPerRound: number;
  /**
   * `sum`: base + Σ weight·leaf. `average`: base + Σ weight·leaf / Σ weight. `vote`: Σ weight at the
   * leaf's largest entry (first on ties). `median`: weighted median of leaf values (AdaBoost.R2).
   * `min`, `max`: over trees (ONNX).
   */
  readonly aggregate: "sum" | "average" | "vote" | "median" | "min" | "max";
  /** Length `numOutputs`, on the raw scale. */
  readonly baseScore: Float64Array;
  /** Map from raw scores to the response. */
  readonly postprocess: Postprocess;
  /** How inputs are cast and sums run. */
  readonly profile: NumericProfile;
  /** LightGBM's linear leaves: value = const + Σ coefficient·feature, or the leaf where one is NaN. */
  readonly linear?: LinearLeaves;
  /** CART's surrogate splits, asked in order where a node's own value is missing. */
  readonly surrogates?: Surrogates;
}

/** Splits of other features that stand in for a missing value. */
export interface Surrogates {
  /** Length `numNodes + 1`: where each node's surrogates begin. */
  readonly start: Int32Array;
  /** Feature that each surrogate tests. */
  readonly feature: Int32Array;
  /** Numeric: `value <= threshold` takes branch `below`, else the other one. */
  readonly threshold: Float64Array;
  /** Branch, 0 or 1, of values up to the threshold. */
  readonly below: Uint8Array;
  /** Categorical: where the branches of codes 0 … K begin in `pool`; −1 for numeric. */
  readonly categoryAt: Int32Array;
  /** Branch of each code; 255 where the surrogate cannot tell. */
  readonly pool: Uint8Array;
}

/** A linear model in each leaf. */
export interface LinearLeaves {
  /** Constant of each node, length `numNodes`. */
  readonly constant: Float64Array;
  /** Length `numNodes + 1`: where each node's terms begin. */
  readonly termStart: Int32Array;
  /** Feature of each term. */
  readonly termFeature: Int32Array;
  /** What each term multiplies its feature by. */
  readonly termCoefficient: Float64Array;
}

/** Plain JSON. */
export type Json = string | number | boolean | null | readonly Json[] | {
  readonly [key: string]: Json;
};

/** Where an imported model came from. */
export interface ModelOrigin {
  /** Format of the file, as `importModel` tells it: `xgboost-json`, `lightgbm-text`, `onnx` … */
  readonly format: string;
  /** Library that wrote it. */
  readonly library: string;
  /** Version of that library, where the file tells it. */
  readonly version?: string;
  /** SHA-256 of the file, lower-case hexadecimal. */
  readonly sha256?: string;
}

/** How the model came to be: never needed for scoring, stored for people. No times, no host names. */
export interface ModelInfo {
  /** Treeline's version that made the model. */
  readonly version: string;
  /** `boost`, `random-forest`, … or `import`. */
  readonly algorithm: string;
  /** Parameters of the training by canonical name. */
  readonly params?: { readonly [name: string]: Json };
  /** Seed of the training. */
  readonly seed?: number;
  /** Rows that the model was trained on. */
  readonly numRows?: number;
  /** Metric that decided early stopping, on which set, its best value and round (from 1). */
  readonly best?: {
    readonly metric: string;
    readonly set: string;
    readonly value: number;
    readonly round: number;
  };
  /** File that the model was imported from. */
  readonly origin?: ModelOrigin;
  /** Column of raw scores that rows start from: input without an offset is refused. */
  readonly offset?: string;
  /** Out-of-bag scores, warnings, notes: anything that is plain JSON. */
  readonly [key: string]: Json | ModelOrigin | object | undefined;
}

/** A map from the response of the link to a calibrated one, fitted on held-out rows. */
export type Calibration =
  /** 1 / (1 + e^−(a·raw + b)) of the raw score. */
  | { readonly method: "platt"; readonly a: number; readonly b: number }
  /** The link of raw / t. */
  | { readonly method: "temperature"; readonly t: number }
  /** Linear between the points (x ascending: response, y: calibrated), flat outside. */
  | { readonly method: "isotonic"; readonly x: readonly number[]; readonly y: readonly number[] };

/** A model before it is packed: contract, trees, story. */
export interface ModelParts {
  /** Input contract. */
  readonly schema: Schema;
  /** Trees and the rule that joins them. */
  readonly ensemble: Ensemble;
  /** How the model came to be. */
  readonly info: ModelInfo;
  /** One for each output (or one for all outputs); absent means none. */
  readonly calibration?: readonly Calibration[];
}
