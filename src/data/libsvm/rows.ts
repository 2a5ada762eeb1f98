/**
 * Lines of LIBSVM → labels, weights, queries and entries of rows.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { type BeyondNotes, isBeyond } from "../reading/beyond.ts";
import type { BadRows } from "../reading/bad_rows.ts";
import { createDecimalReader } from "../reading/decimal.ts";
import type { GrowingFloats } from "../reading/growing.ts";
import type { LineMap } from "../reading/lines.ts";
import type { Entries } from "./entries.ts";
import { isNumberText } from "../labels.ts";
import type { SparseConfig, SparseRows } from "./scan.ts";
import { createLineDecoder } from "../reading/line_reader.ts";
import type { CsvOptions } from "../options.ts";

/** What bounds rows of LIBSVM, and names columns in messages. */
export interface LibsvmRowOptions extends Pick<CsvOptions, "limits"> {
  readonly featureMap?: ReadonlyMap<number, string>;
}

/** A list with a value for each row. */
type RowList = Pick<GrowingFloats, "length" | "append" | "fill">;

/** Where rows go, and who hears of what is wrong with them. */
export interface LibsvmSinks {
  readonly bad: BadRows;
  readonly beyond: BeyondNotes;
  readonly lines: LineMap;
  readonly entries: Pick<Entries, "add" | "drop" | "endRow" | "addRows">;
  readonly labels: RowList;
  /** 1 where a row has none. */
  readonly weights: RowList;
  /** NaN where a row has none. */
  readonly queries: RowList;
}

/** Takes lines and whole rows. */
export interface LibsvmRows extends Pick<SparseConfig, "onLine" | "onRows"> {
  /** Whether a row had a weight. */
  readonly hasWeight: () => boolean;
  /** Whether a row had a query. */
  readonly hasQuery: () => boolean;
}

const SPACE = 0x20;
const TAB = 0x09;
const PLUS = 0x2b;
const MINUS = 0x2d;
const COLON = 0x3a;

/** Bounds of a reader of lines. */
export function sparseLimits({ limits }: LibsvmRowOptions) {
  return {
    columnLimit: limits?.columns ?? 100_000,
    maxBytes: limits?.recordBytes ?? 1 << 24,
  };
}

/** Lines → rows: plain lines by their bytes, others by their text. */
export function createLibsvmRows(options: LibsvmRowOptions, sinks: LibsvmSinks): LibsvmRows {
  const { bad, beyond, lines, entries, labels, weights, queries } = sinks;
  const rowLimit = options.limits?.rows ?? Infinity;
  const { columnLimit } = sparseLimits(options);
  const decimal = createDecimalReader();
  const decode = createLineDecoder();
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

  return { onLine, onRows, hasWeight: () => hasWeight, hasQuery: () => hasQuery };
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
