/**
 * One column of a model's schema, filled from blocks of CSV.
 *
 * @module
 */
import { type BeyondNotes, isBeyond } from "../reading/beyond.ts";
import { blankNumbers } from "../missing_cells.ts";
import type { CategoricalColumn, Column, InputFeature } from "../types.ts";
import type { Block } from "./blocks.ts";
import { type CellReader, createCategoryReader, NOT_TEXT } from "./cells.ts";
import { parseNumber } from "./number.ts";
import { notText, shown } from "./table.ts";

/** What is wrong with rows, by row of the block. */
export type Problems = Map<number, { column: number; problem: string }>;

/** Fills one column of batches. */
export interface ColumnSink {
  readonly name: string;
  /** Position in the file. */
  readonly column: number;
  /** Whether cells are numbers. */
  readonly number: boolean;
  /** Missing values since the last `take`. */
  readonly missing: number;
  /** Values outside the vocabulary since the last `take`. */
  readonly unknown: number;
  /** Reads rows of a block to one side, and notes problems. */
  read(block: Block, from: number, to: number, asText: boolean, problems: Problems): void;
  /** Keeps rows `from … to − 1` of those read last. */
  commit(from: number, to: number): void;
  /** The column so far; the next batch begins. */
  take(rows: number): Column;
}

/** How cells are read, whatever their column. */
export interface SinkRules {
  readonly cells: CellReader;
  /** Numbers that mean missing. */
  readonly numbers: readonly number[];
  /** Byte before the fraction. */
  readonly decimal: number;
  /** Whether spaces around text are left out. */
  readonly trim: boolean;
  /** Hears of numbers beyond float64. */
  readonly beyond: BeyondNotes;
}

/** Makes the sink of a feature. */
export function createSchemaSink(
  feature: InputFeature,
  column: number,
  rules: SinkRules,
): ColumnSink {
  // Models without a vocabulary take the code itself, a number.
  return feature.kind === "numeric" || feature.coded === true
    ? numberSink(feature, column, rules)
    : categorySink(feature, column, rules);
}

const REFUSED = "the value is missing, which the model refuses";

function numberSink(
  feature: InputFeature,
  column: number,
  { cells, numbers, decimal, beyond }: SinkRules,
): ColumnSink {
  let side = new Float64Array(0);
  let kept = new Float64Array(64);
  let used = 0;
  const refuse = feature.missing === "error";

  function cell(block: Block, row: number, start: number, end: number, problems: Problems): number {
    if (cells.isMissing(block.bytes, start, end)) return NaN;
    const value = parseNumber(block.bytes, start, end, decimal);
    if (Number.isNaN(value) && !problems.has(row)) {
      problems.set(row, { column, problem: `${shown(block.bytes, start, end)} is not a number` });
    } else if (value === Infinity || value === -Infinity) {
      const text = new TextDecoder().decode(block.bytes.subarray(start, end));
      if (isBeyond(value, text)) beyond.add(feature.name, `line ${block.line + row}`, value, text);
    }
    return value;
  }

  const sink = {
    name: feature.name,
    column,
    number: true,
    missing: 0,
    unknown: 0,
    read(block: Block, from: number, to: number, asText: boolean, problems: Problems): void {
      const { stride, values, spans, slow, numSlow } = block;
      if (side.length < to - from) side = new Float64Array(to - from);
      const at = column * stride;
      if (asText) {
        for (let row = from; row < to; row++) {
          const span = 2 * (at + row);
          side[row - from] = cell(block, row, spans[span], spans[span + 1], problems);
        }
      } else {
        side.set(values.subarray(at + from, at + to));
        for (let i = 0; i < 4 * numSlow; i += 4) {
          const row = slow[i];
          if (slow[i + 1] !== column || row < from || row >= to) continue;
          side[row - from] = cell(block, row, slow[i + 2], slow[i + 3], problems);
        }
      }
      blankNumbers(side, 0, to - from, numbers);
      if (!refuse) return;
      for (let row = from; row < to; row++) {
        if (Number.isNaN(side[row - from]) && !problems.has(row)) {
          problems.set(row, { column, problem: REFUSED });
        }
      }
    },
    commit(from: number, to: number): void {
      if (used + to - from > kept.length) {
        const bigger = new Float64Array(2 * (used + to - from));
        bigger.set(kept);
        kept = bigger;
      }
      for (let i = from; i < to; i++) {
        const value = side[i];
        if (value !== value) sink.missing++;
        kept[used++] = value;
      }
    },
    take(rows: number): Column {
      const values = kept.slice(0, rows);
      used = 0;
      sink.missing = 0;
      return { kind: "numeric", name: feature.name, values };
    },
  };
  return sink;
}

function categorySink(
  feature: InputFeature & { readonly kind: "categorical" },
  column: number,
  { cells, trim }: SinkRules,
): ColumnSink {
  const { name, categories } = feature;
  const reader = createCategoryReader(cells, trim, categories);
  let side = new Int32Array(0);
  let kept = new Int32Array(64);
  let used = 0;

  const sink = {
    name,
    column,
    number: false,
    missing: 0,
    unknown: 0,
    read(block: Block, from: number, to: number, _asText: boolean, problems: Problems): void {
      const { bytes, stride, spans } = block;
      if (side.length < to - from) side = new Int32Array(to - from);
      reader.codes(block, column, from, to, side);
      for (let row = from; row < to; row++) {
        const at = 2 * (column * stride + row);
        const code = side[row - from];
        if (code >= 0 && code < categories.length) continue;
        if (problems.has(row)) continue;
        if (code === NOT_TEXT) {
          const problem = notText(bytes, spans[at], spans[at + 1]);
          problems.set(row, { column, problem });
          continue;
        }
        const refused = code < 0 ? feature.missing === "error" : feature.unknown === "error";
        if (!refused) continue;
        const problem = code < 0
          ? REFUSED
          : `${
            shown(bytes, spans[at], spans[at + 1])
          } is not one of the ${categories.length} categories the model knows`;
        problems.set(row, { column, problem });
      }
    },
    commit(from: number, to: number): void {
      if (used + to - from > kept.length) {
        const bigger = new Int32Array(2 * (used + to - from));
        bigger.set(kept);
        kept = bigger;
      }
      for (let i = from; i < to; i++) {
        const code = side[i];
        if (code < 0) sink.missing++;
        else if (code >= categories.length) sink.unknown++;
        kept[used++] = code;
      }
    },
    take(rows: number): CategoricalColumn {
      const codes = kept.slice(0, rows);
      used = 0;
      sink.missing = 0;
      sink.unknown = 0;
      return { kind: "categorical", name, codes, categories };
    },
  };
  return sink;
}
