/**
 * The rows of a table behind its head: blocks of cells → columns whose kinds follow from the data,
 * numeric where every cell that is not missing is a number, else categorical.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { type BeyondNotes, createBeyondNotes, isBeyond } from "../reading/beyond.ts";
import { blankNumbers, missingCells, missingNumbers } from "../missing_cells.ts";
import type { CsvOptions } from "../options.ts";
import {
  declaredKind,
  knownValues,
  resolveRoles,
  type Roles,
  withSchema,
} from "../reading/roles.ts";
import type { Column } from "../types.ts";
import { type BadRows, createBadRows } from "../reading/bad_rows.ts";
import { type Block, type BlockReader, createBlockReader } from "./blocks.ts";
import { type CellReader, createCellReader, NOT_TEXT } from "./cells.ts";
import type { Head } from "./dialect.ts";
import {
  createFloats,
  createInts,
  createNoInts,
  type GrowingFloats,
  type GrowingInts,
} from "../reading/growing.ts";
import { leadingZeros, type PaddedCell } from "./leading_zeros.ts";
import { createLevelReader, type LevelReader } from "./levels.ts";
import { createLineMap, type LineMap } from "../reading/lines.ts";
import { parseNumber } from "./number.ts";
import { CellKind, type CreateScanner } from "./scan.ts";
import { createFastScanner } from "./wasm_scan.ts";

/** Columns as they were read. */
export interface Table {
  readonly names: readonly string[];
  /** By position; undefined where the column was dropped. */
  readonly columns: readonly (Column | undefined)[];
  readonly roles: Roles;
  readonly numRows: number;
  /** Line of a row (from 0) in the input. */
  readonly lineOf: (row: number) => number;
}

/** What comes of one pass over the input. */
export type PassResult =
  | { readonly done: true; readonly table: Table }
  /** Text was found in these columns after numbers: read again with them as text. */
  | { readonly done: false; readonly textColumns: ReadonlySet<number> };

/** What a pass may be given besides options. */
export interface PassMeans {
  /** What an earlier pass found to be text. */
  readonly textColumns?: ReadonlySet<number>;
  /** The inner loop. @default WebAssembly where there is any */
  readonly createScanner?: CreateScanner;
  /** Bytes to come, where that is known. */
  readonly sizeHint?: number;
  /** Holds the numbers of a feature, by its position. @default a plain list */
  readonly createFeature?: (at: number) => GrowingFloats;
  /** Whether codes of features are of no use, so that they are not kept. */
  readonly withoutCodes?: boolean;
  /** Where rows go that are a part of the input only. */
  readonly part?: PartSinks;
}

/** What takes the rows of a part, and hears of them. */
export interface PartSinks {
  readonly bad: BadRows;
  readonly beyond: BeyondNotes;
  readonly lines: LineMap;
  /** Holds the numbers of a column, by its position. */
  readonly floats: (at: number) => GrowingFloats;
  readonly ints: (at: number) => GrowingInts;
}

/** A column while it is read. */
interface Draft {
  readonly name: string;
  readonly declared: "numeric" | "categorical" | undefined;
  readonly floats: GrowingFloats;
  readonly ints: GrowingInts;
  categories: LevelReader | undefined;
  /** Whether numbers among its cells were taken for missing: as text they would be levels. */
  blanked: boolean;
  /** Codes of the block at hand. */
  scratch: Int32Array;
}

/** Begins behind a head. */
export function createBody(
  head: Head,
  options: CsvOptions,
  means: PassMeans,
  beginning: Uint8Array,
) {
  const { names, decimal } = head;
  const { textColumns = new Set(), sizeHint, part } = means;
  const roles = resolveRoles(names, withSchema(options, names));
  const missing = missingCells(options);
  const numbers = missingNumbers(missing);
  const cells = createCellReader(missing);
  const bad = part?.bad ?? createBadRows(options);
  const beyond = part?.beyond ?? createBeyondNotes(options.onWarning);
  const lines = part?.lines ?? createLineMap();
  const rowLimit = options.limits?.rows ?? Infinity;
  const kinds = new Uint8Array(names.length);
  const demoted = new Set<number>();
  const zeros = options.onWarning === undefined
    ? new Map<number, PaddedCell>()
    : leadingZeros(beginning, head);
  let numRows = 0;
  let fixed = false;
  let reserved = false;
  let allRows = true;
  const special = new Set([roles.target, roles.weight, roles.group, roles.offset, ...roles.drop]);
  const createFeature = means.createFeature ?? createFloats;
  const drafts = names.map((name, at): Draft => {
    const declared = declaredKind(name, options);
    const text = declared === "categorical" || (declared === undefined && textColumns.has(at));
    kinds[at] = roles.drop.has(at) ? CellKind.skip : text ? CellKind.text : CellKind.number;
    return {
      name,
      declared,
      floats: part?.floats(at) ?? (text || special.has(at) ? createFloats() : createFeature(at)),
      ints: part?.ints(at) ??
        (means.withoutCodes === true && !special.has(at) ? createNoInts() : createInts()),
      categories: text ? newCategories(name, cells, options) : undefined,
      blanked: false,
      scratch: new Int32Array(0),
    };
  });

  function onBlock(block: Block): boolean {
    const problems = readNumbers(block);
    if (problems === undefined) return false;
    if (demoted.size > 0) return true; // this pass only finds out which columns are text
    readCategories(block, problems);
    if (numRows + block.numRows - problems.size > rowLimit) {
      throw new DataError("E_DATA_LIMIT", `Cannot read more than ${rowLimit} rows`, {
        details: { limit: rowLimit },
      });
    }
    if (numRows > 0 && !reserved) reserve(block);
    if (problems.size === 0) commit(block, 0, block.numRows);
    else {
      allRows = false;
      let from = 0;
      for (const row of [...problems.keys()].sort((a, b) => a - b)) {
        commit(block, from, row);
        const { column, problem } = problems.get(row)!;
        bad.add(block.line + row, problem, column, names[column]);
        from = row + 1;
      }
      commit(block, from, block.numRows);
    }
    return true;
  }

  /** Makes room for as many rows as the rest of the input has if its rows are like these. */
  function reserve({ numRows: rows, byteLength }: Block): void {
    if (sizeHint === undefined || byteLength === 0) return;
    reserved = true;
    const expected = Math.min(rowLimit, Math.ceil(1.02 * sizeHint * rows / byteLength));
    drafts.forEach((draft, column) => {
      if (kinds[column] === CellKind.number) draft.floats.reserve(expected);
      else if (kinds[column] === CellKind.text) draft.ints.reserve(expected);
    });
  }

  /** Resolves slow cells in place. Undefined when a column turned out to be text. */
  function readNumbers(
    { slow, numSlow, bytes, values, stride, line }: Block,
  ): Map<number, { column: number; problem: string }> | undefined {
    const problems = new Map<number, { column: number; problem: string }>();
    const turned = new Set<number>();
    const infinite: number[] = [];
    for (let i = 0; i < 4 * numSlow; i += 4) {
      const column = slow[i + 1];
      const start = slow[i + 2];
      const end = slow[i + 3];
      let value = NaN;
      if (!cells.isMissing(bytes, start, end)) {
        value = parseNumber(bytes, start, end, decimal);
        if (Number.isNaN(value)) {
          if (drafts[column].declared !== "numeric" && !fixed) turned.add(column);
          else if (!problems.has(slow[i])) {
            problems.set(slow[i], { column, problem: notNumber(bytes, start, end) });
          }
        } else if (value - value !== 0) {
          infinite.push(i);
        }
      }
      values[column * stride + slow[i]] = value;
    }
    turned.forEach(turnToText);
    if (turned.size > 0) return undefined;
    for (const i of infinite) {
      const [row, column, start, end] = slow.subarray(i, i + 4);
      noteBeyond(column, values[column * stride + row], line + row, bytes, start, end);
    }
    return problems;
  }

  function noteBeyond(
    column: number,
    value: number,
    line: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): void {
    const text = new TextDecoder().decode(bytes.subarray(start, end));
    if (isBeyond(value, text)) beyond.add(names[column], `line ${line}`, value, text);
  }

  function turnToText(column: number): void {
    const draft = drafts[column];
    // Once the input must be read again, numbers are no longer kept and nothing shows that there were any.
    if (demoted.size > 0 || draft.blanked || draft.floats.hasNumber()) {
      demoted.add(column);
      kinds[column] = CellKind.skip;
      return;
    }
    kinds[column] = CellKind.text;
    draft.categories = newCategories(draft.name, cells, options);
    draft.floats.take();
    draft.ints.fill(-1, numRows);
  }

  function notNumber(bytes: Uint8Array, start: number, end: number): string {
    const problem = `${shown(bytes, start, end)} is not a number`;
    return fixed ? `${problem}; say types: { … : "categorical" } if it is text` : problem;
  }

  function readCategories(
    block: Block,
    problems: Map<number, { column: number; problem: string }>,
  ): void {
    const { numRows: rows, spans, stride, bytes } = block;
    for (let column = 0; column < names.length; column++) {
      if (kinds[column] !== CellKind.text) continue;
      const draft = drafts[column];
      if (draft.scratch.length < rows) draft.scratch = new Int32Array(Math.max(rows, stride));
      const { scratch, categories } = draft;
      if (categories!.codes(block, column, 0, rows, scratch)) continue;
      for (let row = 0; row < rows; row++) {
        if (scratch[row] !== NOT_TEXT || problems.has(row)) continue;
        const at = 2 * (column * stride + row);
        const problem = notText(bytes, spans[at], spans[at + 1]);
        problems.set(row, { column, problem });
      }
    }
  }

  function commit(block: Block, from: number, to: number): void {
    if (from >= to) return;
    lines.add(numRows, block.line + from);
    for (let column = 0; column < names.length; column++) {
      const draft = drafts[column];
      if (kinds[column] === CellKind.text) draft.ints.append(draft.scratch, from, to);
      else if (kinds[column] === CellKind.number) {
        const at = column * block.stride;
        if (blankNumbers(block.values, at + from, at + to, numbers)) draft.blanked = true;
        draft.floats.append(block.values, at + from, at + to);
      }
    }
    numRows += to - from;
  }

  const reader: BlockReader = createBlockReader({
    numColumns: names.length,
    delimiter: head.delimiter,
    decimal,
    line: head.line,
    emptyIsMissing: missing.includes(""),
    recordBytes: options.limits?.recordBytes ?? 1 << 24,
    sizeHint,
    createScanner: means.createScanner ?? createFastScanner,
    kinds,
    onBlock,
    onBad: (line, problem, column) => bad.add(line, problem, column, names[column ?? -1]),
  });

  /** Says what was noticed in all rows. */
  function sayAll(): void {
    bad.report();
    beyond.report();
    zeros.forEach((cell, at) => {
      // Two digits are hours, days and months, but as classes they lose their names, and queries 01
      // and 1 are one.
      const isTold = cell.text.length > 2 || at === roles.target || at === roles.group;
      if (isTold && kinds[at] === CellKind.number && drafts[at].declared === undefined) {
        options.onWarning?.(paddedText(names[at], cell));
      }
    });
  }

  function result(): PassResult {
    if (demoted.size > 0) {
      return { done: false, textColumns: new Set([...textColumns, ...demoted]) };
    }
    if (numRows === 0) {
      throw new DataError(
        "E_DATA_EMPTY",
        options.header === false
          ? "Cannot read data: it has no rows"
          : "Cannot read data: it has a header and no rows",
        { details: { columns: names.length } },
      );
    }
    sayAll();
    const columns = drafts.map((draft, at) =>
      kinds[at] === CellKind.skip ? undefined : finishColumn(draft, allRows)
    );
    return { done: true, table: { names, columns, roles, numRows, lineOf: lines.lineOf } };
  }

  return {
    reader,
    result,
    fixKinds: () => fixed = true,
    roles,
    kinds,
    demoted,
    bad,
    sayAll,
    numRows: () => numRows,
    /** Begins with rows from 0 again. */
    restart: () => numRows = 0,
    /** The vocabulary of a column so far. */
    levels: (column: number) => drafts[column].categories,
  };
}

function paddedText(name: string, { text, line }: PaddedCell): string {
  return `Column "${name}" is read as numbers, where ${JSON.stringify(text)} at line ${line} is ` +
    `${Number(text)}: if these are names of something, mark it (types, --categorical)`;
}

function newCategories(name: string, cells: CellReader, options: CsvOptions): LevelReader {
  return createLevelReader(cells, options.trim === true, knownValues(name, options));
}

function finishColumn({ name, floats, ints, categories }: Draft, allRows: boolean): Column {
  if (categories === undefined) {
    return floats.column?.(name) ?? { kind: "numeric", name, values: floats.take() };
  }
  const codes = ints.take();
  return {
    kind: "categorical",
    name,
    codes,
    categories: categories.finish(codes, allRows && codes.length > 0),
  };
}

/** A cell as a message shows it: quoted, escaped, cut short. */
export function shown(bytes: Uint8Array, start: number, end: number): string {
  const cut = Math.min(end, start + 60);
  const text = JSON.stringify(new TextDecoder().decode(bytes.subarray(start, cut)));
  return cut < end ? `${text.slice(0, -1)}…"` : text;
}

/** Why a cell is no text. */
export function notText(bytes: Uint8Array, start: number, end: number): string {
  const why = bytes.subarray(start, end).includes(0) ? "holds a NUL byte" : "is not UTF-8 text";
  return `${shown(bytes, start, end)} ${why}`;
}
