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
  /** Start of the node's categories in `categoryPool`; −1 at nodes without categories. */
  readonly categoryAt: Int32Array;
  /**
   * `subset`: a bit set over codes 0 … K in words of 32 bits (bit set = branch 0), K + 1 bits where
   * K = `categories.length` of the feature and bit K stands for values outside the vocabulary.
   * `multiway`: K + 1 branch numbers; entry K is the unknown value's, `0xffffffff` means stop.
   */
  readonly categoryPool: Uint32Array;
  /** Value of every node, row-major `nodes × leafWidth`; NaN at inner nodes if not known. */
  readonly leaf: Float64Array;
  /** Sum of the weights (or hessians) of the rows that reached each node; all 0 if not known. */
  readonly cover: Float64Array;
  /** Decrease of the loss by each split; 0 at leaves and if not known. */
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
  /** Name of the map. */
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
   * Cost of answering class `j` if `i` is true, at `i × classes + j`: the answer is then the class
   * with the smallest expected cost, otherwise the most probable one. Only with one output for each
   * class.
   */
  readonly costs?: readonly number[];
}

/** The arithmetic of scoring. That of another library makes scores equal to its own. */
export interface NumericProfile {
  /** Features are rounded to float32 before they are compared. */
  readonly input: "f32" | "f64";
  /** Sums are rounded to float32 at each step. */
  readonly sum: "f32" | "f64";
  /** Base score first (XGBoost and Treeline), or last (ONNX Runtime). */
  readonly base: "first" | "last";
  /** The test as it is shown to people; the stored test is always `<=`. */
  readonly shownTest: "<=" | "<";
}

/** Trees, and how they are combined. */
export interface Ensemble {
  /** Nodes of all trees. */
  readonly trees: Trees;
  /** Numbers in each leaf: 1, or `numOutputs`. */
  readonly leafWidth: number;
  /** Number of raw scores of each row: 1, or the number of classes or targets. */
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
  /** The arithmetic of scoring. */
  readonly profile: NumericProfile;
  /**
   * LightGBM's linear leaves: the value is constant + Σ coefficient·feature, or that of the leaf if
   * one of the features is NaN.
   */
  readonly linear?: LinearLeaves;
  /** CART's surrogate splits, tried in order if the value that a node tests is missing. */
  readonly surrogates?: Surrogates;
}

/** Splits of other features that stand in for a missing value. */
export interface Surrogates {
  /** Length `numNodes + 1`: the start of each node's surrogates. */
  readonly start: Int32Array;
  /** Feature that each surrogate tests. */
  readonly feature: Int32Array;
  /** Numeric: `value <= threshold` takes branch `below`, else the other one. */
  readonly threshold: Float64Array;
  /** Branch, 0 or 1, of values up to the threshold. */
  readonly below: Uint8Array;
  /** Categorical: start of the branches of codes 0 … K in `pool`; −1 for numeric. */
  readonly categoryAt: Int32Array;
  /** Branch of each code; 255 if the surrogate does not decide. */
  readonly pool: Uint8Array;
}

/** A linear model in each leaf. */
export interface LinearLeaves {
  /** Constant of each node, length `numNodes`. */
  readonly constant: Float64Array;
  /** Length `numNodes + 1`: the start of each node's terms. */
  readonly termStart: Int32Array;
  /** Feature of each term. */
  readonly termFeature: Int32Array;
  /** Coefficient of each term. */
  readonly termCoefficient: Float64Array;
}

/** Plain JSON. */
export type Json = string | number | boolean | null | readonly Json[] | {
  readonly [key: string]: Json;
};

/** The file that a model was imported from. */
export interface ModelOrigin {
  /** Its format: `xgboost-json`, `lightgbm-text`, `onnx`, … */
  readonly format: string;
  /** Library that wrote it. */
  readonly library: string;
  /** Version of that library, if the file has it. */
  readonly version?: string;
  /** SHA-256 of the file, lower-case hexadecimal. */
  readonly sha256?: string;
}

/** How a model was made. For people: scoring uses none of it but `offset`. */
export interface ModelInfo {
  /** Version of Treeline that made the model. */
  readonly version: string;
  /** `boost`, `random-forest`, … or `import`. */
  readonly algorithm: string;
  /** Parameters of the training by canonical name. */
  readonly params?: { readonly [name: string]: Json };
  /** Seed of the training. */
  readonly seed?: number;
  /** Rows that the model was trained on. */
  readonly numRows?: number;
  /** With early stopping: its metric and set, the best value, and its round, counted from 1. */
  readonly best?: {
    readonly metric: string;
    readonly set: string;
    readonly value: number;
    readonly round: number;
  };
  /** File that the model was imported from. */
  readonly origin?: ModelOrigin;
  /**
   * Of a model that `shrinkModel` changed: by how much raw scores may differ from those before; null if
   * that is not proved.
   */
  readonly shrunk?: { readonly bound: number | null };
  /** Column of raw scores that are added to those of the trees; input without it is refused. */
  readonly offset?: string;
  /** Out-of-bag scores, warnings, notes: anything that is plain JSON. */
  readonly [key: string]: Json | ModelOrigin | object | undefined;
}

/** A map to calibrated probabilities, fitted on held-out rows. */
export type Calibration =
  /** 1 / (1 + e^−(a·raw + b)), of the raw score instead of the link. */
  | { readonly method: "platt"; readonly a: number; readonly b: number }
  /** The link of raw / t. */
  | { readonly method: "temperature"; readonly t: number }
  /**
   * Of the response of the link: linear between the points (x: response, ascending; y: calibrated)
   * and constant outside.
   */
  | { readonly method: "isotonic"; readonly x: readonly number[]; readonly y: readonly number[] };

/** The parts of a model, for {@linkcode createModel}. */
export interface ModelParts {
  /** Input columns, task and classes. */
  readonly schema: Schema;
  /** Trees, and how they are combined. */
  readonly ensemble: Ensemble;
  /** How the model was made. */
  readonly info: ModelInfo;
  /** One map for each output, or one for all outputs. @default none */
  readonly calibration?: readonly Calibration[];
}
