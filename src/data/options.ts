/**
 * What callers may say about the data they read, whatever its format.
 *
 * @module
 */
import { checkArgument, checkOptions, checkParts, type OptionKind } from "../door.ts";
import type { Schema } from "./types.ts";

/** A column by its name, or by its position counted from 0 over every column of the file. */
export type ColumnRef = string | number;

/** What columns are for. */
export interface RoleOptions {
  /** The column to predict. There is no default by position. */
  readonly target?: ColumnRef;
  /** Weight of each row: finite, 0 or more. */
  readonly weight?: ColumnRef;
  /** Query of each row, for ranking: rows of one query stand side by side. */
  readonly group?: ColumnRef;
  /** Raw score added before the trees. */
  readonly offset?: ColumnRef;
  /** Columns to leave out. */
  readonly drop?: readonly ColumnRef[];
  /**
   * What to predict. Without it: text and booleans are classes; numbers are classes where their
   * only values are 0 and 1 (or −1 and 1), and amounts otherwise; with `group`, amounts.
   */
  readonly task?: "regression" | "classification";
  /** Accept a target with one class. @default false */
  readonly allowSingleClass?: boolean;
  /** Leave out rows without a target, and say how many. @default false */
  readonly dropMissingTarget?: boolean;
  /** Kind of columns by name, over what their values suggest. */
  readonly types?: { readonly [column: string]: "numeric" | "categorical" };
  /**
   * A model's schema: its columns keep their kinds, its target and task are the defaults, and
   * values that are its categories are never missing. For evaluation data.
   */
  readonly schema?: Schema;
  /** Cells that are missing values. @default "", NA, NaN, nan, null, ?, N/A */
  readonly missing?: readonly string[];
  /** Called with things worth saying: rows left out, a rule that was chosen. */
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

/** Cells that mean "missing" unless the caller says otherwise. */
export const MISSING: readonly string[] = ["", "NA", "NaN", "nan", "null", "?", "N/A"];

/** Bounds against input that would exhaust memory. */
export interface DataLimits {
  /** Most data rows. */
  readonly rows?: number;
  /** Most columns. @default 100,000 */
  readonly columns?: number;
  /** Most bytes in one record. @default 16 MiB */
  readonly recordBytes?: number;
}

/** How CSV is read. */
export interface CsvOptions extends RoleOptions {
  /** Character between cells. By default found among `,` `;` tab and `|` in the first two lines. */
  readonly delimiter?: string;
  /** Character before the fraction. By default `.`, and `,` where another delimiter and cells say so. */
  readonly decimal?: "." | ",";
  /** Whether the first record names the columns; otherwise they are `f0`, `f1`, … @default true */
  readonly header?: boolean;
  /** Names of the columns, in place of the header's or of `f0`, `f1`, … */
  readonly names?: readonly string[];
  /** Remove spaces around unquoted and quoted text. Numbers may always have them. @default false */
  readonly trim?: boolean;
  /**
   * What a malformed record does: stop, or be left out as long as there are at most N (`skip:N`).
   * @default "error"
   */
  readonly badRows?: "error" | `skip:${number}`;
  /** Bounds on the size of the input. */
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
