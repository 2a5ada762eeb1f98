/**
 * LIBSVM (`label [qid:n] index:value …`, sparse) → dataset, with its feature maps and lists of
 * numbers (weights, queries).
 *
 * @module
 */
import { checkArgument } from "../door.ts";
import { DataError, ParameterError } from "../errors.ts";
import { assembleDataset } from "./assemble.ts";
import { createBeyondNotes, isBeyond } from "./beyond.ts";
import { createBadRows } from "./csv/bad_rows.ts";
import { createDecimalReader } from "./csv/decimal.ts";
import { createFloats } from "./csv/growing.ts";
import { createLineMap } from "./csv/lines.ts";
import { isNumberText } from "./labels.ts";
import type { PassMeans, Table, TablePass } from "./csv/table.ts";
import { createEntries, createPassedEntries } from "./entries.ts";
import { createSparseReader, type SparseRows } from "./libsvm_scan.ts";
import { createLineDecoder } from "./line_reader.ts";
import type { EachPiece } from "./csv.ts";
import { checkReading, type CsvOptions } from "./options.ts";
import { withSchema } from "./roles.ts";
import { TARGET_OPTIONS, type TargetOptions } from "./target.ts";
import type { Column, Dataset, Schema, SparseRule } from "./types.ts";

/** How LIBSVM is read. */
export interface LibsvmOptions
  extends TargetOptions, Pick<CsvOptions, "badRows" | "limits" | "missing" | "dropMissingTarget"> {
  /**
   * What an entry that a row does not name stands for. There is no default: LightGBM takes it for
   * 0, XGBoost for missing, and models learnt one way are wrong the other way. A schema that knows
   * is enough.
   */
  readonly absent?: SparseRule;
  /** Schema of the model that the data are for. */
  readonly schema?: Schema;
  /** Names of columns by index, from {@linkcode parseFeatureMap}; others are `f` and their index. */
  readonly featureMap?: ReadonlyMap<number, string>;
  /** Least number of columns; more where an index says so. */
  readonly numFeatures?: number;
  /** Name of the label. @default the schema's, or "label" */
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

const SPACE = 0x20;
const TAB = 0x09;
const PLUS = 0x2b;
const MINUS = 0x2d;
const COLON = 0x3a;

/** Cells of the dense dataset that are allowed: 2 GB. */
const MAX_CELLS = 2 ** 28;

/**
 * Reads LIBSVM. Column `i` holds index `i`, so files that count from 1 have an empty column 0. A
 * label may carry a weight (`1:0.5`), `qid:n` a query; `#` begins a comment.
 *
 * @throws {DataError} Naming the line.
 * @throws {ParameterError} `E_PARAM_CONFLICT` without `absent`, or where the schema says otherwise.
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

/** Reads LIBSVM from a stream; see {@linkcode parseLibsvm}. */
export async function parseLibsvmStream(
  stream: ReadableStream<Uint8Array>,
  options: LibsvmOptions,
): Promise<Dataset> {
  checkArgument("parseLibsvmStream", "stream", stream, "stream");
  checkReading<LibsvmOptions>("parseLibsvmStream", options, LIBSVM_OPTIONS);
  const reader = createReader(options);
  for await (const piece of stream) reader.push(piece);
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
 * Names of columns from a feature map of XGBoost: `index name type` a line.
 *
 * @throws {DataError} `E_DATA_PARSE` naming the line.
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
 * Numbers, one a line: a file of weights or of rows in each query.
 *
 * @throws {DataError} `E_DATA_PARSE` naming the line.
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
  const rule = sparseRule(options);
  const bad = createBadRows(options);
  const beyond = createBeyondNotes(options.onWarning);
  const lines = createLineMap();
  const labels = createFloats();
  const weights = createFloats();
  const queries = createFloats();
  const absent = rule === "zero" ? 0 : NaN;
  const entries = createFeature === undefined
    ? createEntries(absent)
    : createPassedEntries(absent, createFeature);
  const rowLimit = options.limits?.rows ?? Infinity;
  const columnLimit = options.limits?.columns ?? 100_000;
  const decimal = createDecimalReader();
  const decode = createLineDecoder();
  let numColumns = options.numFeatures ?? 0;
  let hasWeight = false;
  let hasQuery = false;
  let plainLabel = 0;

  function onLine(bytes: Uint8Array, start: number, end: number, line: number): void {
    if (readPlain(bytes, start, end)) return addRow(plainLabel, 1, NaN, line);
    entries.drop();
    const text = decode(bytes, start, end);
    if (text === undefined) return bad.add(line, "it is not UTF-8 text");
    readText(text, line);
  }

  /**
   * Reads `label index:value …` with rising indices into the entries and the label. False for all
   * that is not so plain, right or wrong: `readText` is the specification.
   */
  function readPlain(bytes: Uint8Array, start: number, end: number): boolean {
    let p = bytes[start] === PLUS ? start + 1 : start;
    if (p > start && bytes[p] === MINUS) return false;
    p = decimal.read(bytes, p, false);
    if (p < 0) return false;
    const label = decimal.value;
    let last = -1;
    while (p < end) {
      let byte = bytes[p];
      if (byte !== SPACE && byte !== TAB) return false;
      do byte = bytes[++p]; while (byte === SPACE || byte === TAB);
      if (p === end) break;
      const from = p;
      let index = 0;
      while (byte >= 48 && byte < 58) {
        index = index * 10 + byte - 48;
        byte = bytes[++p];
      }
      if (p === from || byte !== COLON || index <= last || index >= columnLimit) return false;
      p = decimal.read(bytes, p + 1, false);
      // A number beyond float64 is told by the long way.
      if (p < 0 || decimal.value - decimal.value !== 0) return false;
      entries.add(index, decimal.value);
      last = index;
    }
    plainLabel = label;
    return true;
  }

  function readText(text: string, line: number): void {
    const hash = text.indexOf("#");
    const parts = (hash < 0 ? text : text.slice(0, hash)).trim().split(/[ \t]+/);
    if (parts[0] === "") return;
    checkRowLimit();
    const [label, weight = 1] = parts[0].split(":").map(toNumber);
    if (Number.isNaN(label) || Number.isNaN(weight)) {
      return bad.add(line, `${quote(parts[0])} is not a label`);
    }
    const query = parts[1]?.startsWith("qid:") ? toNumber(parts[1].slice(4)) : undefined;
    if (query !== undefined && !Number.isInteger(query)) {
      return bad.add(line, `${quote(parts[1])} is not a query`);
    }
    const seen = new Set<number>();
    for (let k = query === undefined ? 1 : 2; k < parts.length; k++) {
      const colon = parts[k].indexOf(":");
      const index = Number(parts[k].slice(0, colon));
      const cell = parts[k].slice(colon + 1);
      const value = /^nan$/i.test(cell) ? NaN : toNumber(cell);
      let problem: string | undefined;
      if (!/^\d+:/.test(parts[k]) || (Number.isNaN(value) && !/^nan$/i.test(cell))) {
        problem = `${quote(parts[k])} is not an index and a value`;
      } else if (seen.has(index)) problem = `index ${index} occurs twice`;
      if (problem !== undefined) {
        entries.drop();
        return bad.add(line, problem);
      }
      if (index >= columnLimit) {
        throw new DataError(
          "E_DATA_LIMIT",
          `Cannot read index ${index} at line ${line}: the limit is ${columnLimit} columns`,
          { details: { line, limit: columnLimit } },
        );
      }
      seen.add(index);
      if (isBeyond(value, cell)) {
        const name = options.featureMap?.get(index) ?? `f${index}`;
        beyond.add(name, `line ${line}`, value, cell);
      }
      entries.add(index, value);
    }
    hasWeight ||= parts[0].includes(":");
    hasQuery ||= query !== undefined;
    addRow(label, weight, query ?? NaN, line);
  }

  function checkRowLimit(): void {
    if (labels.length() < rowLimit) return;
    throw new DataError("E_DATA_LIMIT", `Cannot read more than ${rowLimit} rows`, {
      details: { limit: rowLimit },
    });
  }

  function addRow(label: number, weight: number, query: number, line: number): void {
    checkRowLimit();
    lines.add(labels.length(), line);
    labels.fill(label, 1);
    weights.fill(weight, 1);
    queries.fill(query, 1);
    entries.endRow();
  }

  function onRows(rows: SparseRows): void {
    // Rows beyond the limit are refused as they would be one by one.
    const numRows = Math.min(rows.numRows, rowLimit - labels.length());
    if (numRows > 0) {
      lines.add(labels.length(), rows.line);
      labels.append(rows.labels, 0, numRows);
      weights.fill(1, numRows);
      queries.fill(NaN, numRows);
      entries.addRows({ ...rows, numRows });
    }
    if (numRows < rows.numRows) checkRowLimit();
  }

  const reader = createSparseReader({
    columnLimit,
    maxBytes: options.limits?.recordBytes ?? 1 << 24,
    onRows,
    onLine,
  });

  function finish(): Table {
    reader.finish();
    const numRows = labels.length();
    if (numRows === 0) throw new DataError("E_DATA_EMPTY", "Cannot read data: it has no rows");
    bad.report();
    beyond.report();
    numColumns = Math.max(numColumns, entries.numColumns());
    for (const index of options.featureMap?.keys() ?? []) {
      numColumns = Math.max(numColumns, index + 1);
    }
    if (createFeature === undefined && numColumns * numRows > MAX_CELLS) {
      throw new DataError(
        "E_DATA_LIMIT",
        `Cannot hold ${numRows} rows of ${numColumns} columns: the limit is ${MAX_CELLS} values`,
        { details: { rows: numRows, columns: numColumns, limit: MAX_CELLS } },
      );
    }
    const columns: Column[] = featureColumns(numRows);
    const name = options.targetName ?? options.schema?.target?.name ?? "label";
    const target = columns.push({ kind: "numeric", name, values: labels.take() }) - 1;
    const extra = (role: string, numbers: Float64Array) =>
      columns.push({ kind: "numeric", name: ` ${role}`, values: numbers }) - 1;
    const roles = {
      target,
      ...(hasWeight && { weight: extra("weight", weights.take()) }),
      ...(hasQuery && { group: extra("qid", queries.take()) }),
      drop: new Set<number>(),
    };
    const names = columns.map((column) => column.name);
    return { names, columns, roles, numRows, lineOf: lines.lineOf };
  }

  function featureColumns(numRows: number): Column[] {
    const names = Array.from(
      { length: numColumns },
      (_, index) => options.featureMap?.get(index) ?? `f${index}`,
    );
    const columns = entries.columns(names, numRows);
    // A column of the model that no row of this file names is there all the same.
    for (const { name } of options.schema?.features ?? []) {
      if (names.includes(name)) continue;
      columns.push({ kind: "numeric", name, values: new Float64Array(numRows).fill(absent) });
    }
    return columns;
  }

  return { push: reader.push, direct: reader.direct, finish };
}

/** A decimal as a number; NaN for anything else. */
function toNumber(text: string): number {
  if (isNumberText(text)) return Number(text);
  const match = /^([+-]?)inf(inity)?$/i.exec(text);
  return match === null ? NaN : match[1] === "-" ? -Infinity : Infinity;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
