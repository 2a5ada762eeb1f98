/**
 * What the table knows about a hyperparameter.
 *
 * @module
 */

/** Canonical names of algorithms. */
export type AlgorithmName =
  | "boost"
  | "gbdt"
  | "logitboost"
  | "adaboost"
  | "id3"
  | "c45"
  | "cart"
  | "bagging"
  | "random-forest"
  | "extra-trees";

/** For parameters that only second-order boosting has. */
export const BOOST = ["boost"] as const;

/** A value of a parameter from a script, from a flag (then it is text) or from a JSON file. */
export type ParamValue =
  | number
  | string
  | boolean
  | null
  | readonly ParamValue[]
  | { readonly [key: string]: ParamValue };

/** Parameters by any of their names. */
export type ParamInput = { readonly [name: string]: unknown };

/** What {@linkcode tune} draws a value from: an interval or a list. */
export type SearchRange =
  | { readonly from: number; readonly to: number; readonly scale: "linear" | "log" }
  | { readonly choices: readonly (number | string | boolean)[] };

/** Kinds of values of a parameter. */
export type ParamKind =
  | "number"
  | "integer"
  | "boolean"
  | "choice"
  | "text"
  /** A list of numbers. */
  | "numbers"
  /** A list of texts. */
  | "texts"
  /** Numbers by name: column or class. */
  | "table"
  /** Lists of column names. */
  | "groups"
  /** An object that only a script can give. */
  | "value";

/** One hyperparameter. */
export interface ParamSpec {
  /** Kind of its values. */
  readonly kind: ParamKind;
  /** Other names, those of XGBoost, LightGBM, CatBoost and scikit-learn. */
  readonly aliases: readonly string[];
  /** Smallest value of a number. */
  readonly min?: number;
  /** Largest value of a number. */
  readonly max?: number;
  /** Which end of the range is excluded. @default neither */
  readonly open?: "min" | "max" | "both";
  /** Values of a `choice`, or words that are accepted instead of a number, a list or a table. */
  readonly choices?: readonly string[];
  /** Words that are accepted instead of a number inside a `table`. */
  readonly entries?: readonly string[];
  /** Whether a `table` may be a list instead, with a number or word for each feature, in order. */
  readonly byPosition?: boolean;
  /** Default value; absent if the algorithm decides, in a way that `doc` describes. */
  readonly default?: ParamValue;
  /** Description in Markdown. */
  readonly doc: string;
  /** Algorithms that have the parameter. */
  readonly algorithms: readonly AlgorithmName[];
  /** What `tune` draws from by default; if it is absent, the parameter is not drawn. */
  readonly search?: SearchRange;
  /** The only kind of target that `search` is for. @default any */
  readonly searchFor?: "classification" | "regression";
}

/** Parameters by canonical name. */
export type ParamTable = { readonly [name: string]: ParamSpec };
