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

/** A value as it comes from a script, a flag (text) or a file (JSON). */
export type ParamValue =
  | number
  | string
  | boolean
  | null
  | readonly ParamValue[]
  | { readonly [key: string]: ParamValue };

/** Parameters as a user gives them, under any known name. */
export type ParamInput = { readonly [name: string]: unknown };

/** Range that `tune` draws from. */
export type SearchRange =
  | { readonly from: number; readonly to: number; readonly scale: "linear" | "log" }
  | { readonly choices: readonly (number | string | boolean)[] };

/** Kinds of value. */
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
  /** What a value must be. */
  readonly kind: ParamKind;
  /** Names of XGBoost, LightGBM, CatBoost and scikit-learn. */
  readonly aliases: readonly string[];
  /** Least value of a number. */
  readonly min?: number;
  /** Largest value of a number. */
  readonly max?: number;
  /** The range excludes `min` or `max`. */
  readonly open?: "min" | "max" | "both";
  /** Values of a `choice`; words accepted besides a number, a list or a table. */
  readonly choices?: readonly string[];
  /** Words accepted in place of a number inside a `table`. */
  readonly entries?: readonly string[];
  /** A `table` may be a list instead: a number or word for each feature, in order. */
  readonly byPosition?: boolean;
  /** Undefined where the algorithm decides; `doc` then says how. */
  readonly default?: ParamValue;
  /** One sentence, or a few; Markdown. */
  readonly doc: string;
  /** Algorithms that have it. */
  readonly algorithms: readonly AlgorithmName[];
  /** Range that `tune` draws from where the caller gives none; absent: it is not drawn. */
  readonly search?: SearchRange;
  /** The only kind of target that `search` is for. @default any */
  readonly searchFor?: "classification" | "regression";
}

/** Parameters by canonical name. */
export type ParamTable = { readonly [name: string]: ParamSpec };
