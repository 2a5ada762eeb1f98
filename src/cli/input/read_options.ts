/**
 * Flags that say how a table is read, shared by the commands that read one.
 *
 * @module
 */
import type { ColumnRef, CsvOptions } from "../../data/options.ts";
import type { Dataset } from "../../data/types.ts";
import { DataError, UsageError } from "../../errors.ts";
import { numCores } from "../../runtime/env.ts";
import type { ReadRun } from "../../files/read_csv.ts";
import {
  type DataFormat,
  type DataOptions,
  formatOf,
  readData,
  TABLE_ROLES,
} from "../../files/read_data.ts";
import type { ArgumentSpec, FlagGroup, Flags, FlagSpec, Output } from "../common/command.ts";
import { type CliIo, nameSource, takeStdin } from "../common/io.ts";

/** The argument that names a table. */
export const TABLE_ARGUMENT: ArgumentSpec = {
  name: "DATA",
  about: "CSV or TSV file, gzipped or not: path, URL, or - for stdin",
  required: true,
};

/** How text is cut into cells. */
export const READ_FLAGS: readonly FlagSpec[] = [
  {
    name: "delimiter",
    kind: "text",
    value: "CHAR",
    about: "Character between cells; tab is \\t",
    default: "found",
  },
  {
    name: "decimal",
    kind: "text",
    value: "CHAR",
    choices: [".", ","],
    about: "Character before the fraction",
    default: "found",
  },
  {
    name: "missing",
    kind: "list",
    value: "A,B",
    about: "Cells that mean a missing value, besides empty ones",
    default: "NA,NaN,nan,null,?,N/A",
  },
  {
    name: "header",
    kind: "text",
    value: "true|false",
    choices: ["true", "false", "none"],
    about: "Whether the first line names the columns",
    default: "true",
  },
  { name: "trim", kind: "switch", about: "Remove spaces around text" },
  {
    name: "bad-rows",
    kind: "text",
    value: "skip:N",
    about: "Leave out up to N rows that cannot be read",
  },
];

/** What columns are for. */
export const ROLE_FLAGS: readonly FlagSpec[] = [
  { name: "target", short: "t", kind: "text", value: "COLUMN", about: "The column to predict" },
  {
    name: "task",
    kind: "text",
    value: "NAME",
    choices: ["classification", "regression"],
    about: "What to predict",
    default: "decided by the values of the target",
  },
  { name: "drop", kind: "list", value: "A,B", about: "Columns to leave out" },
  { name: "weight", short: "w", kind: "text", value: "COLUMN", about: "Weight of each row" },
  { name: "group", kind: "text", value: "COLUMN", about: "Query of each row, for ranking" },
  { name: "offset", kind: "text", value: "COLUMN", about: "Raw score that each row starts from" },
  { name: "categorical", kind: "list", value: "A,B", about: "Columns to read as categories" },
  { name: "numeric", kind: "list", value: "A,B", about: "Columns to read as numbers" },
  { name: "drop-missing-target", kind: "switch", about: "Leave out rows without a target" },
  { name: "allow-single-class", kind: "switch", about: "Accept a target with one class" },
  {
    name: "format",
    kind: "text",
    value: "NAME",
    choices: ["csv", "jsonl", "libsvm"],
    about: "Format of the data",
    default: "by the file name, otherwise csv",
  },
  {
    name: "absent",
    kind: "text",
    value: "MEANING",
    choices: ["zero", "missing"],
    about:
      "LIBSVM: what an entry means that a row does not name (evaluate: default the model's rule)",
  },
];

/**
 * `--seed` of folds.
 *
 * @throws {UsageError} `E_USAGE` unless it is a whole number from 0 on.
 */
export function seedOf(flags: Flags): number | undefined {
  const seed = flags.number("seed");
  if (seed === undefined || (Number.isSafeInteger(seed) && seed >= 0)) return seed;
  throw new UsageError(
    "E_USAGE",
    `Cannot use --seed ${seed}: expected a whole number of at least 0`,
    {
      details: { flag: "--seed", value: seed },
    },
  );
}

/** Heading of {@linkcode READ_FLAGS}. */
export const READ_GROUP: FlagGroup = { title: "Reading", flags: READ_FLAGS };

/** How text is cut into cells, from the flags. */
export function cellOptions(flags: Flags): CsvOptions {
  const delimiter = flags.text("delimiter");
  const decimal = flags.text("decimal") as "." | "," | undefined;
  const missing = flags.list("missing");
  const header = flags.text("header");
  const badRows = flags.text("bad-rows");
  if (badRows !== undefined && !/^skip:\d+$/.test(badRows)) {
    throw new UsageError("E_USAGE", `Cannot use --bad-rows "${badRows}": expected skip:N`);
  }
  return {
    ...(delimiter !== undefined && { delimiter: delimiter === "\\t" ? "\t" : delimiter }),
    ...(decimal !== undefined && { decimal }),
    ...(missing !== undefined && { missing: ["", ...missing] }),
    ...(header !== undefined && { header: header === "true" }),
    ...(flags.has("trim") && { trim: true }),
    ...(badRows !== undefined && { badRows: badRows as `skip:${number}` }),
  };
}

/** Everything about reading a table with a target, from the flags. */
export function tableOptions(flags: Flags, out: Output): DataOptions & ReadRun {
  const task = flags.text("task") as "classification" | "regression" | undefined;
  const types: { [column: string]: "numeric" | "categorical" } = Object.create(null);
  for (const kind of ["numeric", "categorical"] as const) {
    for (const name of flags.list(kind) ?? []) {
      if (types[name] !== undefined && types[name] !== kind) {
        throw new UsageError(
          "E_USAGE",
          `Cannot read column "${name}" as categories and as numbers: expected one of --categorical and --numeric`,
          { details: { column: name } },
        );
      }
      types[name] = kind;
    }
  }
  const role = (name: string): { [role: string]: ColumnRef } => {
    const column = flags.text(name);
    return column === undefined ? {} : { [name]: column };
  };
  const drop = flags.list("drop");
  const format = flags.text("format") as DataOptions["format"];
  const absent = flags.text("absent") as DataOptions["absent"];
  return {
    ...cellOptions(flags),
    ...role("target"),
    ...role("weight"),
    ...role("group"),
    ...role("offset"),
    ...(drop !== undefined && { drop }),
    ...(task !== undefined && { task }),
    ...(Object.keys(types).length > 0 && { types }),
    ...(flags.has("drop-missing-target") && { dropMissingTarget: true }),
    ...(flags.has("allow-single-class") && { allowSingleClass: true }),
    ...(format !== undefined && { format }),
    ...(absent !== undefined && { absent }),
    threads: flags.number("threads") ?? numCores(),
    onWarning: (message) => out.warn(message),
  };
}

/** Options that formats other than CSV have no use for. */
const CSV_ONLY = ["delimiter", "decimal", "header", "trim"] as const;
const FORMAT_NAMES = { csv: "CSV", jsonl: "JSON lines", libsvm: "LIBSVM" } as const;

/**
 * Refuses flags that the format of a table has no use for, so that none is passed over.
 *
 * @returns The format.
 * @throws {UsageError} `E_USAGE`.
 */
function checkFormat(path: string, options: DataOptions): DataFormat {
  const format = options.format ?? formatOf(path);
  const useless = format === "csv"
    ? ["absent"] as const
    : format === "jsonl"
    ? [...CSV_ONLY, "absent"] as const
    : [...CSV_ONLY, ...TABLE_ROLES] as const;
  const idle = useless.find((name) => options[name] !== undefined);
  if (idle === undefined) return format;
  throw new UsageError("E_USAGE", `Cannot use --${idle} with ${FORMAT_NAMES[format]}`, {
    details: { flag: `--${idle}` },
  });
}

/**
 * Refuses a file that by its name is no CSV, where rows are scored as they are read.
 *
 * @throws {UsageError} `E_USAGE`.
 */
export function needCsv(path: string): void {
  const format = formatOf(path);
  if (format === "csv") return;
  throw new UsageError(
    "E_USAGE",
    `Cannot score rows of "${path}": by its name it is ${FORMAT_NAMES[format]}, expected CSV`,
  );
}

/** Reads a whole table; an error in it names the file, for there may be several. */
export function readTable(
  io: CliIo,
  path: string,
  options: DataOptions & ReadRun,
): Promise<Dataset> {
  return namingTable(path, options, () => readData(path === "-" ? takeStdin(io) : path, options));
}

/** Does what reads a table; an error about its content names the file, and tells hints its format. */
export async function namingTable<T>(
  path: string,
  options: DataOptions,
  read: () => Promise<T>,
): Promise<T> {
  const format = checkFormat(path, options);
  try {
    return await read();
  } catch (error) {
    if (error instanceof DataError) nameSource(error, path, format);
    throw error;
  }
}
