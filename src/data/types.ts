/**
 * The shapes of data in memory: columns, targets, datasets, and the input contract of a model.
 *
 * @module
 */

/** Real numbers. A Float32Array is used as it is, so that large float32 data need no second copy. */
export type FloatArray = Float64Array | Float32Array;

/** A column of numbers. `NaN` is missing; infinities are ordinary values. */
export interface NumericColumn {
  /** Distinguishes a column of numbers from one of categories. */
  readonly kind: "numeric";
  /** Column name, not empty and unlike any other of its dataset. */
  readonly name: string;
  /** Length `numRows`. */
  readonly values: FloatArray;
  /** Bins that were chosen while reading; `values` are then known only up to their bin. */
  readonly binned?: BinnedValues;
}

/** The bins of a numeric column, which stand in for its values. */
export interface BinnedValues {
  /** Number of rows. */
  readonly numRows: number;
  /** Ascending. Bin `b` holds values `v` with `cuts[b − 1] < v ≤ cuts[b]`. */
  readonly cuts: Float64Array;
  /** Whether a value is missing in some row. */
  readonly hasMissing: boolean;
  /** Identifies the sample that cuts were chosen from ({@linkcode BinnedSample.key}), if any. */
  readonly chosenFor?: string;
  /** Writes the bin of each row to `out`, length `numRows`. Missing is `cuts.length + 1`. */
  writeCodes(out: Uint8Array | Uint16Array): void;
  /** The exact value in a row, if it was kept, as it is for the rows that a model file records. */
  exact(row: number): number | undefined;
  /** A column of the given rows, in the given order. */
  select(name: string, rows: Int32Array): NumericColumn;
}

/** A column of category codes. */
export interface CategoricalColumn {
  /** Distinguishes a column of categories from one of numbers. */
  readonly kind: "categorical";
  /** Column name, not empty and unlike any other of its dataset. */
  readonly name: string;
  /** Length `numRows`. −1 means missing, `categories.length` a value that is not a category. */
  readonly codes: Int32Array;
  /** Value of each code, in order of code. */
  readonly categories: readonly string[];
}

/** One feature of a dataset. */
export type Column = NumericColumn | CategoricalColumn;

/** What is to be predicted: numbers or classes. */
export type Target = RegressionTarget | ClassificationTarget;

/** A number for each row: regression, counts, ranking labels or probabilities in [0, 1]. */
export interface RegressionTarget {
  /** Distinguishes numbers from classes. */
  readonly kind: "regression";
  /** Name of the target column; a model has it in `schema.target.name`. */
  readonly name: string;
  /** Length `numRows`, finite. */
  readonly values: Float64Array;
}

/** A class for each row. */
export interface ClassificationTarget {
  /** Distinguishes classes from numbers. */
  readonly kind: "classification";
  /** Name of the target column; a model has it in `schema.target.name`. */
  readonly name: string;
  /** Length `numRows`, each in `0 … classes.length − 1`. */
  readonly codes: Int32Array;
  /** Distinct labels as text, sorted by number if all are numbers, and by code point otherwise. */
  readonly classes: readonly string[];
}

/** Columns of equal length, with the target, weights, queries and offsets of their rows. */
export interface Dataset {
  /** Length of every column. */
  readonly numRows: number;
  /** Columns to learn from or to score, in the order of the input. */
  readonly features: readonly Column[];
  /** What is to be predicted; training and evaluation need it, scoring does not. */
  readonly target?: Target;
  /**
   * Length `numRows`, finite and not negative, at least one positive. Training leaves out rows of
   * weight 0.
   */
  readonly sampleWeight?: Float64Array;
  /** Query of each row for ranking: rows of one query have the same number and are adjacent. */
  readonly group?: Int32Array;
  /**
   * Raw scores (such as the logarithm of an exposure) that are added to the sum of the trees,
   * row-major `numRows × numOutputs`.
   */
  readonly offset?: Float64Array;
  /** Column that the offset was read from; a model trained with it needs it for scoring, too. */
  readonly offsetName?: string;
  /** For data that were sparse: the value that absent entries were read as. */
  readonly sparse?: SparseRule;
  /** Texts that meant missing, if not the default ones. */
  readonly missingCells?: readonly string[];
}

/** What an entry means that a sparse row (LIBSVM) does not name. */
export type SparseRule = "zero" | "missing";

/** Labels as boosting sees them: class codes as numbers for classification. */
export interface Labels {
  /** Length `numRows`. */
  readonly values: Float64Array;
  /** Number of rows with label 0, 1, 2, …, if there are no other labels and they were counted. */
  readonly counts?: Uint32Array | undefined;
  /** Weight of each row: length `numRows`, finite and not negative. @default 1 each */
  readonly weight?: Float64Array;
  /** Query of each row for ranking; the rows of a query are adjacent. */
  readonly group?: Int32Array;
}

/** Numbers in row-major order. */
export interface Matrix {
  /** Length `rows × cols`. */
  readonly data: Float64Array;
  /** Number of rows. */
  readonly rows: number;
  /** Numbers in each row. */
  readonly cols: number;
}

/** A value from JSON, CSV or a script. `null`, `undefined`, `NaN` and `""` are missing. */
export type Cell = string | number | boolean | bigint | null | undefined;

/**
 * One example: cells by column name. TypeScript accepts values of a `type` of such cells here, but
 * not those of an `interface`; pass a copy of these, `{ ...row }`.
 */
export type Row = { readonly [column: string]: Cell };

/** What scoring noticed about its input. */
export interface InputReport {
  /** Number of rows that were scored. */
  readonly rows: number;
  /** Number of missing values by feature name. Features without any are left out. */
  readonly missing: ReadonlyMap<string, number>;
  /** Number of values that are not a category of the model, by feature name. */
  readonly unknown: ReadonlyMap<string, number>;
  /** Features for which the input has no column. */
  readonly absent: readonly string[];
  /** Columns that the model does not use. */
  readonly ignored: readonly string[];
}

/**
 * How a missing value is scored.
 * - `learnt`: training saw missing values in this feature, and each node learnt where they go.
 * - `heavier`: training saw none; the value follows the child with more weight, and is reported.
 * - `error`: it is refused.
 */
export type MissingRule = "learnt" | "heavier" | "error";

/**
 * How a value is scored that is not a category of the model.
 * - `heavier`: it follows the child with more weight at each node.
 * - `missing`: it is treated as missing.
 * - `node`: scoring stops at the first node that tests it and returns that node's own value.
 * - `error`: it is refused.
 */
export type UnknownRule = "heavier" | "missing" | "node" | "error";

/** A numeric input column, as the model expects it. */
export interface NumericInput {
  /** Distinguishes a column of numbers from one of categories. */
  readonly kind: "numeric";
  /** Name of the column in rows and tables. */
  readonly name: string;
  /** How a missing value is scored. */
  readonly missing: MissingRule;
  /** LightGBM's `zero_as_missing`: a value with |x| ≤ float32(1e-35) counts as missing. */
  readonly zeroIsMissing?: boolean;
}

/** A categorical input column, as the model expects it. */
export interface CategoricalInput {
  /** Distinguishes a column of categories from one of numbers. */
  readonly kind: "categorical";
  /** Name of the column in rows and tables. */
  readonly name: string;
  /** How a missing value is scored. */
  readonly missing: MissingRule;
  /** How a value is scored that is not in `categories`. */
  readonly unknown: UnknownRule;
  /** Value of each code. For `coded` inputs, the text of the code itself: "0", "1", … */
  readonly categories: readonly string[];
  /** For imported models without category names: the input is a code, truncated to an integer. */
  readonly coded?: boolean;
  /**
   * For codes of XGBoost: they are rounded to float32, and one below zero is unknown (LightGBM
   * truncates −0.5 to code 0).
   */
  readonly float32Codes?: boolean;
}

/** One input column as the model expects it. */
export type InputFeature = NumericInput | CategoricalInput;

/** Everything about the input that scoring needs; stored in the model file. */
export interface Schema {
  /** Input columns, in the order of positional rows. */
  readonly features: readonly InputFeature[];
  /** The target; absent if its name is not known, as in some imported models. */
  readonly target?: { readonly name: string };
  /** Models of `classification` have `classes`; scores of `ranking` compare within a query only. */
  readonly task: "regression" | "classification" | "ranking";
  /** Labels in the order of the outputs of `predictProba`; empty unless classification. */
  readonly classes: readonly string[];
  /** Whether columns that the model does not know are ignored (and reported) or refused. */
  readonly extraColumns: "ignore" | "error";
  /**
   * What happens if a column of the model is absent: `error` refuses the input; `missing` takes its
   * values for missing if the feature's rule is `learnt`, and refuses the input otherwise.
   */
  readonly absentColumns: "missing" | "error";
  /** How the model reads entries that sparse rows do not name; absent if it learnt from dense rows. */
  readonly sparse?: SparseRule;
  /**
   * Texts that meant missing in training, if not the default ones; those that are numbers are
   * compared as numbers. Scoring reads its input in the same way, except for values that are
   * categories of the model.
   */
  readonly missingCells?: readonly string[];
}
