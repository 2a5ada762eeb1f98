/**
 * The shapes of data in memory: columns, targets, datasets, and the input contract of a model.
 *
 * @module
 */

/** Real numbers; Float32Array where the source is float32, so that large data is held once. */
export type FloatArray = Float64Array | Float32Array;

/** A column of numbers. `NaN` is missing; infinities are ordinary values. */
export interface NumericColumn {
  /** Tells a column of numbers from one of categories. */
  readonly kind: "numeric";
  /** Column name, not empty and unlike any other of its dataset. */
  readonly name: string;
  /** Length `numRows`. */
  readonly values: FloatArray;
  /** Bins, where they are chosen already and `values` are only known up to them. */
  readonly binned?: BinnedValues;
}

/** Bins of a column instead of its values. */
export interface BinnedValues {
  /** Rows of the column. */
  readonly numRows: number;
  /** Ascending; bin b holds values above cut b − 1 up to and with cut b. */
  readonly cuts: Float64Array;
  /** Whether some row is missing. */
  readonly hasMissing: boolean;
  /** Stands for the rows and weights that the cuts were chosen from, where they were asked for. */
  readonly chosenFor?: string;
  /** Writes the bin of each row; missing is `cuts.length + 1`. */
  writeCodes(out: Uint8Array | Uint16Array): void;
  /** The value itself of a row, where it was kept: of the few that a model remembers. */
  exact(row: number): number | undefined;
  /** The column of some rows, in the given order. */
  select(name: string, rows: Int32Array): NumericColumn;
}

/** A column of category codes. */
export interface CategoricalColumn {
  /** Tells a column of categories from one of numbers. */
  readonly kind: "categorical";
  /** Column name, not empty and unlike any other of its dataset. */
  readonly name: string;
  /** Length `numRows`; −1 is missing, `categories.length` is a value outside the vocabulary. */
  readonly codes: Int32Array;
  /** Value of each code, in order of code. */
  readonly categories: readonly string[];
}

/** One feature of a dataset. */
export type Column = NumericColumn | CategoricalColumn;

/** What is to be predicted. */
export type Target = RegressionTarget | ClassificationTarget;

/** A number for each row: regression, counts, ranking labels or probabilities in [0, 1]. */
export interface RegressionTarget {
  /** Tells numbers from classes. */
  readonly kind: "regression";
  /** Name of the column that holds them; a model tells it as `schema.target.name`. */
  readonly name: string;
  /** Length `numRows`, finite. */
  readonly values: Float64Array;
}

/** A class for each row. */
export interface ClassificationTarget {
  /** Tells classes from numbers. */
  readonly kind: "classification";
  /** Name of the column that holds them; a model tells it as `schema.target.name`. */
  readonly name: string;
  /** Length `numRows`, each in `0 … classes.length − 1`. */
  readonly codes: Int32Array;
  /** Distinct labels as text, sorted by number where all are numbers, else by code point. */
  readonly classes: readonly string[];
}

/** Columns of equal length and what belongs to their rows. */
export interface Dataset {
  /** Rows of every column, from 0 on. */
  readonly numRows: number;
  /** Columns to learn from or to score, in the order of the input. */
  readonly features: readonly Column[];
  /** What is to be predicted; training and evaluation need it, scoring does not. */
  readonly target?: Target;
  /** Length `numRows`, finite, non-negative, at least one positive; training leaves rows of 0 out. */
  readonly sampleWeight?: Float64Array;
  /** Query of each row for ranking: rows of one query have the same number and are adjacent. */
  readonly group?: Int32Array;
  /** Raw score added before the trees, row-major `numRows × numOutputs` (log exposure, say). */
  readonly offset?: Float64Array;
  /** Column that the offset was read from: a model trained with it asks for it when it scores. */
  readonly offsetName?: string;
  /** What entries that sparse rows did not name were taken for; absent where rows were dense. */
  readonly sparse?: SparseRule;
  /** Cells that meant missing, where they were not the usual ones. */
  readonly missingCells?: readonly string[];
}

/** What an entry that a sparse row (LIBSVM) does not name stands for. */
export type SparseRule = "zero" | "missing";

/** Labels as boosting sees them: class codes as numbers for classification. */
export interface Labels {
  /** Length `numRows`. */
  readonly values: Float64Array;
  /** How many rows have label 0, 1, 2, …, where there are no others and they have been counted. */
  readonly counts?: Uint32Array | undefined;
  /** What each row counts for: length `numRows`, finite, non-negative. @default 1 each */
  readonly weight?: Float64Array;
  /** Query of each row (ranking), adjacent. */
  readonly group?: Int32Array;
}

/** Numbers in row-major order. */
export interface Matrix {
  /** Length `rows × cols`. */
  readonly data: Float64Array;
  /** Rows, from 0 on. */
  readonly rows: number;
  /** Numbers in each row. */
  readonly cols: number;
}

/** A value as it comes from JSON, CSV or a script: null, undefined, NaN and "" are missing. */
export type Cell = string | number | boolean | bigint | null | undefined;

/**
 * One example by column name. TypeScript takes a `type` of such cells for one, but no `interface`: of that
 * pass a copy, `{ ...row }`.
 */
export type Row = { readonly [column: string]: Cell };

/** What scoring noticed about its input; nothing is guessed in silence. */
export interface InputReport {
  /** Rows that were scored. */
  readonly rows: number;
  /** Missing values by feature name; features without any are left out. */
  readonly missing: ReadonlyMap<string, number>;
  /** Values outside the vocabulary by feature name. */
  readonly unknown: ReadonlyMap<string, number>;
  /** Features that the input has no column for. */
  readonly absent: readonly string[];
  /** Columns that the model does not use. */
  readonly ignored: readonly string[];
}

/**
 * What a missing value does.
 * - `learnt`: some rows lacked it in training and each node learnt a side.
 * - `heavier`: none lacked it in training; it follows the child with more weight, and is reported.
 * - `error`: it is refused.
 */
export type MissingRule = "learnt" | "heavier" | "error";

/**
 * What a value outside the vocabulary does.
 * - `heavier`: it follows the child with more weight at each node (the learnt side of "unknown").
 * - `missing`: it is treated as missing.
 * - `node`: scoring stops at the first node that tests it and returns that node's own value.
 * - `error`: it is refused.
 */
export type UnknownRule = "heavier" | "missing" | "node" | "error";

/** One input column as the model expects it. */
export interface NumericInput {
  /** Tells a column of numbers from one of categories. */
  readonly kind: "numeric";
  /** Column name, as rows and tables call it. */
  readonly name: string;
  /** What a missing value does. */
  readonly missing: MissingRule;
  /** LightGBM's `zero_as_missing`: |x| ≤ float32(1e-35) counts as missing. */
  readonly zeroIsMissing?: boolean;
}

/** One categorical input column as the model expects it. */
export interface CategoricalInput {
  /** Tells a column of categories from one of numbers. */
  readonly kind: "categorical";
  /** Column name, as rows and tables call it. */
  readonly name: string;
  /** What a missing value does. */
  readonly missing: MissingRule;
  /** What a value does that `categories` does not have. */
  readonly unknown: UnknownRule;
  /** Value of each code. For `coded` inputs the text of the code itself: "0", "1", … */
  readonly categories: readonly string[];
  /** Imported models without a vocabulary: the input is the code itself, truncated to an integer. */
  readonly coded?: boolean;
  /** XGBoost's codes: rounded to float32, and below zero is unknown (LightGBM cuts −0.5 to code 0). */
  readonly float32Codes?: boolean;
}

/** One input column as the model expects it. */
export type InputFeature = NumericInput | CategoricalInput;

/** Everything about the input that scoring needs; stored in the model file. */
export interface Schema {
  /** Input columns in the order that positional rows have. */
  readonly features: readonly InputFeature[];
  /** Absent for models whose target is not known by name (some imports). */
  readonly target?: { readonly name: string };
  /** `classification` has `classes`; `ranking` scores are only comparable within a query. */
  readonly task: "regression" | "classification" | "ranking";
  /** Labels in the order of the outputs of `predictProba`; empty unless classification. */
  readonly classes: readonly string[];
  /** Columns that the model does not know: ignored and reported, or refused. */
  readonly extraColumns: "ignore" | "error";
  /** Columns that are absent: missing where the rule is `learnt`, else refused; or always refused. */
  readonly absentColumns: "missing" | "error";
  /** How the model reads sparse rows; absent where it learnt from dense ones. */
  readonly sparse?: SparseRule;
  /**
   * Text that meant missing in training, where it was not the usual one; numbers also by their
   * value. Scoring reads its input so too, except for values that are categories of the model.
   */
  readonly missingCells?: readonly string[];
}
