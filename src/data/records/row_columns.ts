/**
 * Rows of values, one after another → typed columns, without keeping the rows.
 *
 * @module
 */
import { isObject, shownValue } from "../../door.ts";
import { DataError } from "../../errors.ts";
import { type BeyondNotes, createBeyondNotes, isBeyond } from "../reading/beyond.ts";
import {
  createFloats,
  createInts,
  type GrowingFloats,
  type GrowingInts,
  heldFloats,
  heldInts,
} from "../reading/growing.ts";
import type { PassMeans } from "../csv/table.ts";
import { isNumberText, sortVocabulary } from "../labels.ts";
import { missingCells, withoutSpaces } from "../missing_cells.ts";
import { normaliseNames } from "../names.ts";
import type { RoleOptions } from "../options.ts";
import { type LineOf, placeDetails, placeOf } from "../place.ts";
import { declaredKind, knownValues, resolveRoles, type Roles } from "../reading/roles.ts";
import { withSchema } from "../reading/roles.ts";
import type { Cell, Column, Row } from "../types.ts";

/** Takes rows until `finish`. */
export interface RowColumns {
  /** Number of rows so far. */
  readonly numRows: () => number;
  /** @throws {DataError} `E_DATA_TYPE` when it is no row, or a value is nested. */
  add(row: Row): void;
  /** The column of a key that a row had, for a caller that hands on many values at once. */
  feed(key: string): ColumnFeed;
  /** Says that so many values were handed to the columns; those that got none are missing. */
  advance(count: number): void;
  /** Begins with rows from 0 again; whoever made the lists has cleared them. */
  restart(): void;
  /** The columns by position of first appearance; undefined where they are dropped. */
  finish(): FinishedRows;
}

/** Columns of all rows. */
export interface FinishedRows {
  readonly names: readonly string[];
  readonly columns: readonly (Column | undefined)[];
  readonly roles: Roles;
  /** Columns that must be taken for text from the beginning: their numbers were handed on. */
  readonly textColumns: ReadonlySet<number>;
}

/** Where a column of a part of the input goes. */
export interface PartColumn {
  /** Undefined where it is known to hold text. */
  readonly floats: GrowingFloats | undefined;
  readonly ints: GrowingInts;
  readonly codeOf: Map<string, number>;
  /** Hears that text came. */
  onText(): void;
}

/** What takes the rows of a part of the input. */
export interface RowPart {
  readonly beyond: BeyondNotes;
  /** Begins the column of a key. */
  column(key: string): PartColumn;
}

/** A column that takes many values at once. */
export interface ColumnFeed {
  /** Whether it holds numbers alone so far; otherwise it takes codes. */
  isNumeric(): boolean;
  /** Whether true or false occurred. */
  hasBoolean(): boolean;
  /** Code of a value in a column of codes; −1 where it is missing. */
  codeOf(value: string | boolean): number;
  appendNumbers(values: Float64Array, count: number): void;
  appendCodes(codes: Int32Array, count: number): void;
}

/** A column while it is filled. Numbers alone are `floats`; text among them makes it codes. */
interface Draft {
  floats: GrowingFloats | undefined;
  readonly ints: GrowingInts;
  readonly codeOf: Map<string, number>;
  /** Whether true or false occurred: such a column is never numeric. */
  hasBoolean: boolean;
  readonly part?: PartColumn | undefined;
  /** Whether numbers were handed on, so that they cannot become text. */
  readonly passed: boolean;
  /** Whether text came behind such numbers. */
  demoted: boolean;
}

/** What reading rows may be given besides options. */
export interface RowMeans extends Pick<PassMeans, "createFeature" | "textColumns"> {
  /** Whether rows are from JSON, which has no infinities: what is one was beyond float64. */
  readonly isJson?: boolean;
  /** Where rows go that are a part of the input only. */
  readonly rowPart?: RowPart;
}

const INFINITY = /^[+-]?inf(inity)?$/i;

/**
 * Columns without rows. `null`, `undefined`, `NaN` and the missing tokens are missing, and so is a
 * key that a row does not have.
 *
 * @param lineOf Where rows stand in a file, for messages.
 * @param means Where the numbers of features go, if not into columns.
 */
export function createRowColumns(
  options: RoleOptions,
  lineOf?: LineOf,
  means: RowMeans = {},
): RowColumns {
  const beyond = means.rowPart?.beyond ?? createBeyondNotes(options.onWarning);
  const missing = new Set(missingCells(options));
  const drafts = new Map<string, Draft>();
  const known = new Map<string, ReadonlySet<string>>();
  let numRows = 0;

  function add(row: Row): void {
    // A map, or an instance whose cells are getters, would be a row without any value.
    const isEmpty = isObject(row) && Object.keys(row).length === 0 &&
      (row.constructor?.name ?? "Object") !== "Object";
    if (!isObject(row) || isEmpty) {
      throw new DataError(
        "E_DATA_TYPE",
        `Cannot read ${placeOf(numRows, lineOf)}: found ${
          isEmpty ? row.constructor.name : shownValue(row)
        }, expected an object of values by column name`,
        { details: placeDetails(numRows, lineOf) },
      );
    }
    // Every value is checked before the first is kept, so that a bad row leaves no trace.
    for (const key of Object.keys(row)) checkCell(key, row[key]);
    for (const key of Object.keys(row)) {
      let draft = drafts.get(key);
      if (draft === undefined) {
        draft = newDraft(key);
        drafts.set(key, draft);
        known.set(key, new Set(knownValues(key.normalize("NFC"), options)));
      }
      put(draft, row[key], known.get(key)!);
      noteBeyond(key, row[key]);
    }
    numRows++;
  }

  function checkCell(name: string, cell: Cell): void {
    if (!/^(object|function|symbol)$/.test(typeof cell) || cell === null) return;
    throw new DataError(
      "E_DATA_TYPE",
      `Cannot read column "${name}" at ${placeOf(numRows, lineOf)}: found ${
        shownValue(cell)
      }, expected a number, text or true and false`,
      { details: { column: name, ...placeDetails(numRows, lineOf) } },
    );
  }

  function put(draft: Draft, cell: Cell, vocabulary: ReadonlySet<string>): void {
    pad(draft, numRows);
    if (
      cell === null || cell === undefined || Number.isNaN(cell) ||
      (typeof cell === "string" && isMissing(cell, vocabulary))
    ) {
      pad(draft, numRows + 1);
      return;
    }
    if (typeof cell === "boolean") draft.hasBoolean = true;
    if (draft.floats !== undefined) {
      if (typeof cell === "number" || typeof cell === "bigint") {
        draft.floats.fill(Number(cell), 1);
        return;
      }
      toCodes(draft);
    }
    draft.ints.fill(codeFor(draft, String(cell)), 1);
  }

  /** Text that is a number is looked at when its column is known to hold numbers. */
  function noteBeyond(key: string, cell: Cell): void {
    const written = typeof cell === "bigint" || (means.isJson === true && typeof cell === "number");
    const value = written ? Number(cell) : 0;
    if (value - value === 0 || Number.isNaN(value)) return;
    const text = typeof cell === "bigint" ? String(cell) : undefined;
    beyond.add(key, placeOf(numRows, lineOf), value, text);
  }

  function isMissing(text: string, vocabulary: ReadonlySet<string>): boolean {
    return missing.has(withoutSpaces(text)) && !vocabulary.has(text);
  }

  function newDraft(key: string): Draft {
    const part = means.rowPart?.column(key);
    if (part !== undefined) {
      const { floats, ints, codeOf } = part;
      return { floats, ints, codeOf, hasBoolean: false, passed: false, demoted: false, part };
    }
    const at = drafts.size;
    const passed = means.createFeature !== undefined && mayPass(key.normalize("NFC"), at);
    const text = means.createFeature !== undefined && means.textColumns?.has(at) === true;
    return {
      floats: text ? undefined : passed ? means.createFeature!(at) : createFloats(),
      ints: createInts(),
      codeOf: new Map(),
      hasBoolean: false,
      passed,
      demoted: false,
    };
  }

  /** Whether a column is a feature whose numbers nobody asks for as text. */
  function mayPass(name: string, at: number): boolean {
    const { target, weight, group, offset } = withSchema(options, [name]);
    const refs = [target, weight, group, offset];
    const isRef = refs.some((ref) =>
      ref === at || (typeof ref === "string" && (ref.normalize("NFC") === name || ref === `${at}`))
    );
    return !isRef && declaredKind(name, options) !== "categorical";
  }

  function feed(key: string): ColumnFeed {
    const draft = drafts.get(key)!;
    const vocabulary = known.get(key)!;
    return {
      isNumeric: () => draft.floats !== undefined,
      hasBoolean: () => draft.hasBoolean,
      codeOf: (value) =>
        typeof value === "string" && isMissing(value, vocabulary)
          ? -1
          : codeFor(draft, String(value)),
      appendNumbers(values, count) {
        pad(draft, numRows);
        draft.floats!.append(values, 0, count);
      },
      appendCodes(codes, count) {
        pad(draft, numRows);
        draft.ints.append(codes, 0, count);
      },
    };
  }

  return {
    numRows: () => numRows,
    add,
    feed,
    advance: (count) => numRows += count,
    restart: () => numRows = 0,
    finish: () => finishDrafts(drafts, numRows, options, beyond, lineOf),
  };
}

function finishDrafts(
  drafts: ReadonlyMap<string, Draft>,
  numRows: number,
  options: RoleOptions,
  beyond: BeyondNotes,
  lineOf: LineOf | undefined,
): FinishedRows {
  const raw = [...drafts.keys()];
  const names = normaliseNames(raw);
  const roles = resolveRoles(names, withSchema(options, names));
  const textColumns = new Set(
    raw.flatMap((key, at) => drafts.get(key)!.demoted ? [at] : []),
  );
  const columns = names.map((name, at): Column | undefined => {
    if (roles.drop.has(at) || textColumns.size > 0) return undefined;
    const draft = drafts.get(raw[at])!;
    pad(draft, numRows);
    return finishColumn(name, draft, declaredKind(name, options), beyond, lineOf);
  });
  if (textColumns.size === 0) beyond.report();
  return { names, columns, roles, textColumns };
}

/** A column of all rows before its kind is settled. */
export interface JoinedColumn {
  readonly key: string;
  readonly column: Column;
}

/**
 * The columns that {@linkcode createRowColumns} would have made of all rows, from what several
 * threads have read of them.
 *
 * @param beyond Hears of numbers beyond float64, perhaps not of the first.
 * @throws {DataError} As one thread does, perhaps for another cell.
 */
export function finishJoined(
  joined: readonly JoinedColumn[],
  numRows: number,
  options: RoleOptions,
  beyond: BeyondNotes,
  lineOf: LineOf,
): FinishedRows {
  const drafts = new Map(joined.map(({ key, column }): [string, Draft] => {
    const isNumeric = column.kind === "numeric";
    return [key, {
      floats: isNumeric ? heldFloats(column.values as Float64Array) : undefined,
      ints: isNumeric ? createInts() : heldInts(column.codes),
      codeOf: new Map(isNumeric ? [] : column.categories.map((text, code) => [text, code])),
      hasBoolean: false, // as text they are no numbers either
      passed: false,
      demoted: false,
    }];
  }));
  return finishDrafts(drafts, numRows, options, beyond, lineOf);
}

/** Missing values up to a number of rows. */
function pad({ floats, ints }: Draft, rows: number): void {
  if (floats !== undefined) floats.fill(NaN, rows - floats.length());
  else ints.fill(-1, rows - ints.length());
}

function codeFor({ codeOf }: Draft, text: string): number {
  const code = codeOf.get(text);
  if (code !== undefined) return code;
  codeOf.set(text, codeOf.size);
  return codeOf.size - 1;
}

/** Numbers so far become the text that stands for them. */
function toCodes(draft: Draft): void {
  if (draft.passed) {
    // Values are gone: missing ones need none, and for others the input is read again.
    draft.demoted ||= draft.floats!.hasNumber();
    draft.ints.fill(-1, draft.floats!.length());
    draft.floats = undefined;
    return;
  }
  draft.part?.onText();
  const values = draft.floats!.take();
  draft.floats = undefined;
  const codes = Int32Array.from(
    values,
    (value) => Number.isNaN(value) ? -1 : codeFor(draft, String(value)),
  );
  draft.ints.append(codes, 0, codes.length);
}

function finishColumn(
  name: string,
  draft: Draft,
  declared: "numeric" | "categorical" | undefined,
  beyond: BeyondNotes,
  lineOf: LineOf | undefined,
): Column {
  const { codeOf } = draft;
  if (draft.floats !== undefined) {
    if (declared !== "categorical") {
      return draft.floats.column?.(name) ??
        { kind: "numeric", name, values: draft.floats.take() };
    }
    toCodes(draft);
  }
  const codes = draft.ints.take();
  const texts = [...codeOf.keys()];
  if (declared === "numeric" || (declared === undefined && !draft.hasBoolean)) {
    const numbers = texts.map((text) => numberOf(text, declared === "numeric"));
    const bad = numbers.findIndex(Number.isNaN);
    if (bad < 0) {
      const large = numbers.findIndex((value, i) => isBeyond(value, texts[i]));
      if (large >= 0) {
        beyond.add(name, placeOf(codes.indexOf(large), lineOf), numbers[large], texts[large]);
      }
      const values = Float64Array.from(codes, (code) => code < 0 ? NaN : numbers[code]);
      return { kind: "numeric", name, values };
    }
    if (declared === "numeric") {
      const row = codes.indexOf(bad);
      throw new DataError(
        "E_DATA_PARSE",
        `Cannot read column "${name}" at ${placeOf(row, lineOf)}: ${
          JSON.stringify(texts[bad].slice(0, 60))
        } is not a number`,
        { details: { column: name, ...placeDetails(row, lineOf) } },
      );
    }
  }
  return { kind: "categorical", name, codes, categories: sortVocabulary(texts, codes) };
}

/** Text as a number; true and false are 1 and 0 where a column is declared numeric, else no numbers. */
function numberOf(text: string, isDeclared: boolean): number {
  const trimmed = withoutSpaces(text);
  if (isNumberText(trimmed)) return Number(trimmed);
  if (INFINITY.test(trimmed)) return trimmed.startsWith("-") ? -Infinity : Infinity;
  if (!isDeclared) return NaN;
  return text === "true" ? 1 : text === "false" ? 0 : NaN;
}
