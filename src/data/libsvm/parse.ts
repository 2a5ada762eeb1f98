/**
 * LIBSVM (`label [qid:n] index:value …`, sparse) → dataset, with its feature maps and lists of
 * numbers (weights, queries).
 *
 * @module
 */
import { checkArgument, checkedPiece } from "../../door.ts";
import { DataError, ParameterError } from "../../errors.ts";
import { assembleDataset } from "../reading/assemble.ts";
import { createBeyondNotes } from "../reading/beyond.ts";
import { createBadRows } from "../reading/bad_rows.ts";
import { createFloats } from "../reading/growing.ts";
import { createLineMap } from "../reading/lines.ts";
import { isNumberText } from "../labels.ts";
import type { PassMeans, Table, TablePass } from "../csv/table.ts";
import { createEntries, createPassedEntries } from "./entries.ts";
import { createLibsvmRows, sparseLimits } from "./rows.ts";
import { createSparseReader } from "./scan.ts";
import type { EachPiece } from "../csv/parse.ts";
import { checkReading, type CsvOptions } from "../options.ts";
import type { LineOf } from "../place.ts";
import { withSchema } from "../reading/roles.ts";
import { TARGET_OPTIONS, type TargetOptions } from "../dataset/target.ts";
import type { Dataset, NumericColumn, Schema, SparseRule } from "../types.ts";

/** How LIBSVM is read. */
export interface LibsvmOptions
  extends TargetOptions, Pick<CsvOptions, "badRows" | "limits" | "missing" | "dropMissingTarget"> {
  /**
   * The value of entries that a row does not name. It must be given here or by `schema`: LightGBM
   * reads them as 0 and XGBoost as missing, and a model trained one way is wrong the other way.
   */
  readonly absent?: SparseRule;
  /** Schema of the model that the data will be scored or evaluated by. */
  readonly schema?: Schema;
  /** Names of columns by index, from {@linkcode parseFeatureMap}. @default `f` and the index */
  readonly featureMap?: ReadonlyMap<number, string>;
  /** Smallest number of columns; a larger index in the data adds columns. @default 0 */
  readonly numFeatures?: number;
  /** Name of the target. @default the schema's, or "label" */
  readonly targetName?: string;
}

/** Kinds of {@linkcode LibsvmOptions}. */
export const LIBSVM_OPTIONS = {
  ...TARGET_OPTIONS,
  dropMissingTarget: "flag",
  missing: "texts",
  badRows: "text",
  limits: "object",
  absent: ["zero", "missing"],
  schema: "object",
  featureMap: "map",
  numFeatures: "count",
  targetName: "text",
} as const;

/** Cells of the dense dataset that are allowed: 2 GB. */
const MAX_CELLS = 2 ** 28;

/**
 * Reads LIBSVM: lines of `label index:value …`. Column `i` holds index `i`, so a file that counts
 * from 1 has an empty column 0. A label may have a weight (`1:0.5`) and a query (`qid:n`); `#`
 * begins a comment. The columns of the dataset are dense.
 *
 * @param input Text, or its bytes in UTF-8.
 * @throws {DataError} With the line: `E_DATA_PARSE` for a malformed line, `E_DATA_EMPTY` without
 * rows, `E_DATA_LIMIT` beyond `limits` or for more than 2^28 values (2 GiB), and `E_DATA_TARGET`.
 * @throws {ParameterError} `E_PARAM_CONFLICT` if neither `absent` nor the schema says what absent
 * entries are, or if they disagree.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const data = parseLibsvm("1 0:2.5\n0 1:4\n", { absent: "zero" });
 * assertEquals(data.features, [
 *   { kind: "numeric", name: "f0", values: new Float64Array([2.5, 0]) },
 *   { kind: "numeric", name: "f1", values: new Float64Array([0, 4]) },
 * ]);
 * ```
 */
export function parseLibsvm(input: string | Uint8Array, options: LibsvmOptions): Dataset {
  checkArgument("parseLibsvm", "input", input, "input");
  checkReading<LibsvmOptions>("parseLibsvm", options, LIBSVM_OPTIONS);
  const reader = createReader(options);
  reader.push(typeof input === "string" ? new TextEncoder().encode(input) : input);
  return reader.finish();
}

/** Reads LIBSVM from a stream of bytes, as {@linkcode parseLibsvm} does from memory. */
export async function parseLibsvmStream(
  stream: ReadableStream<Uint8Array>,
  options: LibsvmOptions,
): Promise<Dataset> {
  checkArgument("parseLibsvmStream", "stream", stream, "stream");
  checkReading<LibsvmOptions>("parseLibsvmStream", options, LIBSVM_OPTIONS);
  const reader = createReader(options);
  for await (const piece of stream) reader.push(checkedPiece("parseLibsvmStream", piece));
  return reader.finish();
}

/** Reads what is handed on piece by piece; see {@linkcode parseLibsvm}. */
export async function parseLibsvmPieces(
  eachPiece: EachPiece,
  options: LibsvmOptions,
): Promise<Dataset> {
  const reader = createReader(options);
  await eachPiece(reader.push, reader.direct);
  return reader.finish();
}

/**
 * Reads the names of columns from a feature map of XGBoost, whose lines are `index name type`. The
 * type may be absent and is not used.
 *
 * @returns Names by index.
 * @throws {DataError} `E_DATA_PARSE` with the line.
 */
export function parseFeatureMap(text: string): Map<number, string> {
  checkArgument("parseFeatureMap", "text", text, "text");
  const names = new Map<number, string>();
  text.split(/\r\n|\r|\n/).forEach((line, at) => {
    if (line.trim() === "") return;
    const match = /^\s*(\d+)\s+(.*?)(?:\s+(?:i|q|int|float|c|categorical))?\s*$/.exec(line);
    if (match === null || match[2] === "" || names.has(Number(match[1]))) {
      throw new DataError(
        "E_DATA_PARSE",
        `Cannot read line ${at + 1} of the feature map: expected a new index, a name and a type`,
        { details: { line: at + 1 } },
      );
    }
    names.set(Number(match[1]), match[2].normalize("NFC"));
  });
  return names;
}

/**
 * Reads a list of numbers, one in each line: weights, or the number of rows in each query.
 *
 * @throws {DataError} `E_DATA_PARSE` with the line.
 */
export function parseNumberList(text: string): Float64Array {
  checkArgument("parseNumberList", "text", text, "text");
  const lines = text.replace(/^\ufeff/, "").trimEnd().split(/\r\n|\r|\n/);
  return Float64Array.from(lines, (line, at) => {
    const cell = line.trim();
    if (isNumberText(cell)) return Number(cell);
    throw new DataError(
      "E_DATA_PARSE",
      `Cannot read line ${at + 1}: ${JSON.stringify(cell.slice(0, 60))} is not a number`,
      { details: { line: at + 1 } },
    );
  });
}

/** The rule for absent entries, said by the caller, the schema, or both alike. */
export function sparseRule({ absent, schema }: LibsvmOptions): SparseRule {
  const rule = absent ?? schema?.sparse;
  if (rule === undefined) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot read LIBSVM without knowing what an absent entry means: set absent to "zero" or ` +
        `"missing" (--absent)`,
      { details: { param: "absent" } },
    );
  }
  if (schema?.sparse !== undefined && schema.sparse !== rule) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot take absent entries for ${rule}: the model learnt that they are ${schema.sparse}`,
      { details: { param: "absent", value: rule } },
    );
  }
  return rule;
}

/** A pass over LIBSVM that hands the numbers of features on; see {@linkcode parseLibsvm}. */
export function createLibsvmPass(options: LibsvmOptions, means: PassMeans): TablePass {
  const { push, direct, finish } = createTableReader(options, means.createFeature);
  return { push, direct, finish: () => ({ done: true, table: finish() }), fixKinds: () => {} };
}

function createReader(options: LibsvmOptions) {
  const { push, direct, finish } = createTableReader(options);
  return {
    push,
    direct,
    finish(): Dataset {
      const { columns, roles, names, lineOf } = finish();
      const all = withSchema(options, names);
      return { ...assembleDataset(columns, roles, all, lineOf), sparse: sparseRule(options) };
    },
  };
}

function createTableReader(options: LibsvmOptions, createFeature?: PassMeans["createFeature"]) {
  const absent = absentValue(options);
  const bad = createBadRows(options);
  const beyond = createBeyondNotes(options.onWarning);
  const lines = createLineMap();
  const entries = createFeature === undefined
    ? createEntries(absent)
    : createPassedEntries(absent, createFeature);
  const labels = createFloats();
  const weights = createFloats();
  const queries = createFloats();
  const rows = createLibsvmRows(options, { bad, beyond, lines, entries, labels, weights, queries });
  const reader = createSparseReader({ ...rows, ...sparseLimits(options) });

  function finish(): Table {
    reader.finish();
    const numRows = labels.length();
    if (numRows === 0) throw new DataError("E_DATA_EMPTY", "Cannot read data: it has no rows");
    bad.report();
    beyond.report();
    const names = sparseNames(options, entries.numColumns());
    if (createFeature === undefined) checkCells(numRows, names.length);
    return finishLibsvm(options, {
      features: entries.columns(names, numRows),
      labels: labels.take(),
      ...(rows.hasWeight() && { weights: weights.take() }),
      ...(rows.hasQuery() && { queries: queries.take() }),
      lineOf: lines.lineOf,
    });
  }

  return { push: reader.push, direct: reader.direct, finish };
}

/** What an entry stands for that a row does not name. */
export function absentValue(options: LibsvmOptions): number {
  return sparseRule(options) === "zero" ? 0 : NaN;
}

/** Names of the columns, given one more than the largest index that a row names. */
export function sparseNames(
  { featureMap, numFeatures = 0 }: LibsvmOptions,
  numFound: number,
): readonly string[] {
  let numColumns = Math.max(numFeatures, numFound);
  for (const index of featureMap?.keys() ?? []) numColumns = Math.max(numColumns, index + 1);
  return Array.from({ length: numColumns }, (_, index) => featureMap?.get(index) ?? `f${index}`);
}

/** @throws {DataError} `E_DATA_LIMIT` where a dense dataset would take more than 2 GB. */
export function checkCells(numRows: number, numColumns: number): void {
  if (numColumns * numRows <= MAX_CELLS) return;
  throw new DataError(
    "E_DATA_LIMIT",
    `Cannot hold ${numRows} rows of ${numColumns} columns: the limit is ${MAX_CELLS} values`,
    { details: { rows: numRows, columns: numColumns, limit: MAX_CELLS } },
  );
}

/** What all rows hold; `features` by index, the others one value a row. */
export interface LibsvmColumns {
  readonly features: readonly NumericColumn[];
  readonly labels: Float64Array;
  /** Absent where no row has one. */
  readonly weights?: Float64Array;
  /** Absent where no row has one. */
  readonly queries?: Float64Array;
  readonly lineOf: LineOf;
}

/** A table of what was read. */
export function finishLibsvm(
  options: LibsvmOptions,
  { features, labels, weights, queries, lineOf }: LibsvmColumns,
): Table {
  const { schema } = options;
  const numRows = labels.length;
  const columns: NumericColumn[] = [...features];
  const add = (name: string, values: Float64Array) =>
    columns.push({ kind: "numeric", name, values }) - 1;
  // A column of the model that no row of this file names is there all the same.
  const found = new Set(features.map(({ name }) => name));
  for (const { name } of schema?.features ?? []) {
    if (!found.has(name)) add(name, new Float64Array(numRows).fill(absentValue(options)));
  }
  const roles = {
    target: add(options.targetName ?? schema?.target?.name ?? "label", labels),
    ...(weights !== undefined && { weight: add(" weight", weights) }),
    ...(queries !== undefined && { group: add(" qid", queries) }),
    drop: new Set<number>(),
  };
  return { names: columns.map(({ name }) => name), columns, roles, numRows, lineOf };
}
