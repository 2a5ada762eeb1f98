/**
 * Options of reading data that hold for every format.
 *
 * @module
 */
import { checkArgument, checkOptions, checkParts, type OptionKind } from "../door.ts";
import type { Schema } from "./types.ts";

/** A column: its name, or its position counted from 0 over all columns of the file. */
export type ColumnRef = string | number;

/** The roles of columns, and how their values are read. */
export interface RoleOptions {
  /** The column to predict. There is no default: the last column is not assumed. */
  readonly target?: ColumnRef;
  /** The column with the weight of each row: finite and not negative. */
  readonly weight?: ColumnRef;
  /** The column with the query of each row, for ranking. The rows of a query must be adjacent. */
  readonly group?: ColumnRef;
  /** The column with a raw score for each row that is added to the sum of the trees. */
  readonly offset?: ColumnRef;
  /** Columns to leave out. */
  readonly drop?: readonly ColumnRef[];
  /**
   * Whether to predict numbers or classes. By default text and booleans are classes; numbers are
   * classes if their only values are 0 and 1 (or −1 and 1), and amounts otherwise. With `group` the
   * default is amounts.
   */
  readonly task?: "regression" | "classification";
  /** Accept a target that has a single class. @default false */
  readonly allowSingleClass?: boolean;
  /** Leave out rows without a target, and report how many. @default false */
  readonly dropMissingTarget?: boolean;
  /** Kinds of columns by name. They override what the values suggest. */
  readonly types?: { readonly [column: string]: "numeric" | "categorical" };
  /**
   * The schema of a model that the data will be scored or evaluated by: its columns keep their
   * kinds, its target and task are the defaults, and values that are among its categories are never
   * missing.
   */
  readonly schema?: Schema;
  /** Texts that stand for a missing value. @default "", NA, NaN, nan, null, ?, N/A */
  readonly missing?: readonly string[];
  /** Called with warnings: rows that were left out, a rule that was chosen, a doubtful column. */
  readonly onWarning?: (message: string) => void;
}

/** Kinds of {@linkcode RoleOptions}. */
export const ROLES = {
  target: "column",
  weight: "column",
  group: "column",
  offset: "column",
  drop: "columns",
  task: ["regression", "classification"],
  allowSingleClass: "flag",
  dropMissingTarget: "flag",
  types: "object",
  schema: "object",
  missing: "texts",
  onWarning: "function",
} as const;

/** Limits for input that would exhaust memory; beyond one, reading ends in `E_DATA_LIMIT`. */
export interface DataLimits {
  /** Largest number of data rows. @default no limit */
  readonly rows?: number;
  /** Largest number of columns. @default 100,000 */
  readonly columns?: number;
  /** Largest number of bytes in one record. @default 16 MiB */
  readonly recordBytes?: number;
}

/** How CSV is read. */
export interface CsvOptions extends RoleOptions {
  /** Character between cells. @default found among `,` `;` tab and `|` in the first two lines */
  readonly delimiter?: string;
  /**
   * Character before the fraction of a number. By default it is `.`, or `,` if the delimiter is not
   * a comma, cells look like decimal commas and none has a decimal point.
   */
  readonly decimal?: "." | ",";
  /** Whether the first record names the columns; otherwise they are `f0`, `f1`, … @default true */
  readonly header?: boolean;
  /** Names of all columns. They replace those of the header, or `f0`, `f1`, … */
  readonly names?: readonly string[];
  /** Remove spaces around text, quoted or not. Around numbers they never matter. @default false */
  readonly trim?: boolean;
  /**
   * What to do with a malformed record: throw an error, or leave it out and report it, for at most
   * N records (`skip:N`). @default "error"
   */
  readonly badRows?: "error" | `skip:${number}`;
  /** Limits on the size of the input. */
  readonly limits?: DataLimits;
}

/** Kinds of {@linkcode CsvOptions}. */
export const CSV_OPTIONS = {
  ...ROLES,
  delimiter: "text",
  decimal: [".", ","],
  header: "flag",
  names: "texts",
  trim: "flag",
  badRows: "text",
  limits: "object",
} as const;

/**
 * Checks the options of a reader, and what `limits` and `types` hold.
 *
 * @throws {ParameterError} `E_PARAM_UNKNOWN` with the nearest name, or `E_PARAM_RANGE`.
 */
export function checkReading<Options extends Pick<CsvOptions, "limits" | "types">>(
  call: string,
  options: Options,
  kinds: { readonly [Name in keyof Required<Options>]: OptionKind },
): void {
  checkOptions<Options>(call, options, kinds);
  const { limits, types } = options;
  if (limits !== undefined) {
    checkParts<DataLimits>(call, "limits", limits, {
      rows: "number",
      columns: "number",
      recordBytes: "number",
    });
  }
  for (const [name, kind] of Object.entries(types ?? {})) {
    checkArgument(call, `types[${JSON.stringify(name)}]`, kind, ["numeric", "categorical"]);
  }
}
