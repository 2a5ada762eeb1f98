/**
 * One line of advice for each kind of error, printed below it.
 *
 * @module
 */
import type { TreelineError } from "../../errors.ts";
import { kebab } from "../../params/resolve.ts";
import { paramsOf } from "../../params/table.ts";
import type { Command } from "../common/command.ts";
import { PARAM_TITLE } from "../flags/params.ts";

const HINTS: { readonly [code: string]: string } = {
  E_USAGE: "`treeline help` lists the commands, `treeline help <command>` its flags",
  E_DATA_PARSE: "check the file near that place, or name --delimiter, --decimal and --missing",
  E_DATA_SHAPE: "check the header; `treeline inspect <model>` shows the columns of a model",
  E_DATA_TYPE: "force a kind with --numeric NAME or --categorical NAME",
  E_DATA_EMPTY: "the file needs a header line and at least one row",
  E_DATA_LIMIT: "--drop NAME leaves a column out; an id of each row teaches nothing",
  E_DATA_TARGET: "--target names the column to predict; --task says what kind it is",
  E_MODEL_MAGIC: "`treeline convert` reads models of other libraries",
  E_MODEL_VERSION: "the file was written by a newer Treeline",
  E_MODEL_CORRUPT: "the file is damaged: copy it again from where it was made",
  E_MODEL_SCHEMA: "`treeline inspect <model>` shows the columns it expects",
  E_CONVERT_UNSUPPORTED: "nothing is approximated: choose another format or another model kind",
  E_TRAIN_NUMERIC: "look for extreme targets or weights",
  E_IO_NOT_FOUND: "check the path",
};

/** Advice on tables that have no delimiters, decimal commas and headers. */
const HINTS_OFF_CSV: { readonly [code: string]: string } = {
  E_DATA_PARSE: "check the file near that place, or name --missing",
  E_DATA_SHAPE: "check the names in the file; `treeline inspect <model>` shows those of a model",
  E_DATA_EMPTY: "the file needs at least one row",
};

/**
 * Advice for an error; an error may bring its own in `details.hint`.
 *
 * @param command The command that was run, where it is known.
 */
export function hintFor(error: TreelineError, command?: Command): string | undefined {
  const own = error.details["hint"];
  if (typeof own === "string") return own;
  if (error.code === "E_USAGE" && command !== undefined) return helpOn(command);
  if (command?.name === "predict" && WITHOUT_CLASSES.test(error.message)) {
    return "`--kind value` writes what the model answers, `--kind raw` its scores before the link";
  }
  if (error.code.startsWith("E_PARAM_")) return hintOnParam(error, command);
  // A line too long is no matter of columns.
  if (error.code === "E_DATA_LIMIT" && error.details["line"] !== undefined) {
    return "look at the file from that line on: what ends lines or quotes there may be missing";
  }
  if (error.details["megabytes"] !== undefined) {
    return "fewer rows, columns or classes need less memory";
  }
  if (error.code === "E_MODEL_SCHEMA" && NAMELESS.test(error.message)) {
    return "libraries that learnt from plain arrays name columns so: `treeline convert MODEL " +
      "--feature-names A,B,… --out named.tlm` gives their names, in the order of training";
  }
  if (error.code === "E_DATA_PARSE" && BOOLEAN.test(error.message)) {
    return "the column is numeric: write booleans as 1 and 0";
  }
  if (error.code === "E_DATA_PARSE") {
    const how = WAYS_TO_CSV.find(([pattern]) => pattern.test(error.message));
    if (how !== undefined) return how[1];
  }
  const isCsv = (error.details["format"] ?? "csv") === "csv";
  if (!isCsv) return HINTS_OFF_CSV[error.code] ?? HINTS[error.code];
  if (error.code === "E_DATA_SHAPE" && error.details["columns"] !== undefined) {
    return "the file's first line names its columns; --delimiter when it was cut wrongly";
  }
  return HINTS[error.code];
}

/** What scoring says of kinds that a model does not have. */
const WITHOUT_CLASSES = /^Cannot give (probabilities|classes)/;

/** Models whose columns are named by position: by LightGBM, or by our import of other libraries' files. */
const NAMELESS = /the model knows "(f0|Column_0)"/;

/** How a file that is no CSV in UTF-8 becomes one. */
const WAYS_TO_CSV: readonly (readonly [RegExp, string])[] = [
  [/UTF-16/, "`iconv -f UTF-16 -t UTF-8 old.csv > new.csv` writes it anew"],
  [
    /not UTF-8 text/,
    "if it is an export of Excel or a bank, `iconv -f WINDOWS-1252 -t UTF-8 old.csv > new.csv` " +
    "writes it anew",
  ],
  [
    /pointer of Git LFS/,
    "`git lfs pull` fetches what it stands for",
  ],
  [
    /web page/,
    "an address may lead to a page about the file, or to a login: look for the link named raw or " +
    "download",
  ],
  [/: unpack it first/, "what another program unpacks is read from a pipe, as `-`"],
  [
    /: (unpack or )?export it first/,
    "save it as CSV with a header; pandas does so by `.to_csv(path, index=False)`",
  ],
];

/** What pandas writes of columns that XGBoost and LightGBM took as numbers. */
const BOOLEAN = /"(true|false)" is not a number/i;

function helpOn({ name }: Command): string {
  return `\`treeline help ${name}\` shows its arguments and flags`;
}

/** Where a hyperparameter is explained. Others have flags of the command, or none: `--folds` of `tune`. */
function hintOnParam({ code, details }: TreelineError, command?: Command): string | undefined {
  const name = String(details["param"]);
  const flags = command?.groups.find(({ title }) => title === PARAM_TITLE)?.flags ?? [];
  if (flags.some((flag) => flag.name === kebab(name))) {
    const whose = paramsOf("boost").has(name) ? "" : " -a ALGORITHM";
    return `\`treeline params ${name}${whose}\` shows what it does, its range and default`;
  }
  if (code === "E_PARAM_UNKNOWN" && details["algorithm"] !== undefined) {
    return "`treeline params` lists every hyperparameter";
  }
  return command && helpOn(command);
}
