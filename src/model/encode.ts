/**
 * Rows by name or a dataset → encoded rows: matched by column name and category value, never by
 * position or code, with every missing, unknown, absent or ignored thing counted or refused.
 *
 * @module
 */
import type {
  CategoricalInput,
  Cell,
  Column,
  Dataset,
  InputFeature,
  InputReport,
  Row,
} from "../data/types.ts";
import { type ErrorDetails, ModelError } from "../errors.ts";
import { cellError, cellNumber, cellText, isMark } from "./cells.ts";
import { type Contract, createTally, settle, settleCode, type Tally } from "./contract.ts";
import { demand } from "../small_door.ts";

/** Input of the predict methods: a row, rows, a dataset, or input that a reader has encoded. */
export type PredictInput = Row | readonly Row[] | Dataset | EncodedInput;

/** How columns of the input are matched to those of the model. */
export interface ColumnOptions {
  /**
   * `strict` refuses columns that the model does not know, and absent columns. `lenient` ignores the
   * former, and takes an absent column as missing if the model learnt what that means (otherwise it
   * is refused, too). @default the rules stored in the model
   */
  readonly columns?: "strict" | "lenient";
}

/** Input as numbers, in the order of the model's features. */
export interface EncodedInput {
  /** Number of rows. */
  readonly rows: number;
  /** Raw scores to add to those of the trees, row-major `rows × numOutputs`. */
  readonly offset?: Float64Array;
  /**
   * Writes rows `from … to − 1` to `out`, row-major `rows × features`: values, and codes from 0 to K =
   * `categories.length` (unknown). What counts as missing by the schema (zeros, unknown categories) is
   * `NaN` already. Nobody looks at that again: other codes give scores that mean nothing, or a
   * `WebAssembly.RuntimeError`. `positional` takes any numbers.
   */
  fill(from: number, to: number, out: Float64Array): void;
  /**
   * Reports what was noticed. Call it after the last `fill`.
   *
   * @throws {ModelError} `E_MODEL_SCHEMA` if an absent column is refused.
   */
  finish(): InputReport;
}

/** Opens rows or a dataset for scoring. */
export function encodeInput(
  contract: Contract,
  input: PredictInput,
  options: ColumnOptions = {},
): EncodedInput {
  input ??= [input]; // row 1 is no object
  // Cells are never functions, so no row by name looks like this.
  if (typeof (input as EncodedInput).finish === "function") return input as EncodedInput;
  const { columns } = options;
  const { extraColumns, absentColumns } = contract.schema;
  const refuse = (rule: string) => columns === undefined ? rule === "error" : columns === "strict";
  const rules = { refuseExtra: refuse(extraColumns), refuseAbsent: refuse(absentColumns) };
  if (Array.isArray(input)) return encodeRows(contract, input, rules);
  const { features, numRows } = input as Dataset;
  return Array.isArray(features) && typeof numRows === "number"
    ? encodeDataset(contract, input as Dataset, rules)
    : encodeRows(contract, [input as Row], rules);
}

interface ColumnRules {
  readonly refuseExtra: boolean;
  readonly refuseAbsent: boolean;
}

function encodeRows(
  contract: Contract,
  rows: readonly Row[],
  rules: ColumnRules,
): EncodedInput {
  const { features, byName } = contract;
  const numFeatures = features.length;
  const target = contract.schema.target?.name;
  const tally = createTally(numFeatures);
  const seen = new Uint8Array(numFeatures);
  const ignored = new Set<string>();

  /** Columns that the model does not know: their NFC form may still be a feature's name. */
  function extraKeys(row: Row, at: number): Map<number, string> | undefined {
    let renamed: Map<number, string> | undefined;
    for (const key of Object.keys(row)) {
      if (byName.has(key) || key === target) continue;
      const feature = byName.get(key.normalize());
      if (feature !== undefined && !Object.hasOwn(row, features[feature].name)) {
        (renamed ??= new Map()).set(feature, key);
      } else {
        if (rules.refuseExtra) throw extraColumn(key, at);
        ignored.add(key);
      }
    }
    return renamed;
  }

  return {
    rows: rows.length,
    fill(from, to, out) {
      let at = 0;
      for (let r = from; r < to; r++) {
        const row = rows[r];
        if (Object(row) !== row) throw notARow(row, r + 1);
        let found = 0;
        for (let f = 0; f < numFeatures; f++) if (Object.hasOwn(row, features[f].name)) found++;
        // A map, a list, an instance whose cells are getters: it would be a row without any value.
        // A cell called "constructor" is a cell.
        if (
          !found && (row.constructor?.name ?? "Object") !== "Object" &&
          !Object.keys(row).some((key) => key === "constructor" || byName.has(key.normalize()))
        ) throw notARow(row, r + 1);
        const renamed = Object.keys(row).length > found ? extraKeys(row, r + 1) : undefined;
        for (let f = 0; f < numFeatures; f++) {
          const name = renamed?.get(f) ?? features[f].name;
          let cell: Cell;
          if (Object.hasOwn(row, name)) {
            cell = row[name];
            seen[f] = 1;
          }
          out[at++] = encodeCell(contract, f, cell, r + 1, tally);
        }
      }
    },
    finish() {
      const absent = rows.length === 0 ? [] : features.filter((_, f) => seen[f] === 0);
      return report(contract, rows.length, tally, absent, ignored, rules);
    },
  };
}

/** One cell as the number the trees compare, with the feature's rules applied. */
export function encodeCell(
  contract: Contract,
  index: number,
  cell: Cell,
  row: number,
  tally: Tally,
): number {
  const feature = contract.features[index];
  // undefined where the model has no list of its own; spaces around a marker do not count.
  const mark = contract.schema.missingCells?.includes(
    String(cell).replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ""),
  );
  if (feature.kind === "numeric" || feature.coded === true) {
    const number = mark ? NaN : cellNumber(cell, feature.name, row);
    return settle(contract.schema, index, number, row, tally);
  }
  const text = cellText(cell, feature.name, row);
  const code = text === undefined
    ? NaN
    : contract.codesOf(index).get(text) ?? (mark ?? isMark(text) ? NaN : -1);
  return settleCode(feature, index, code, row, tally, text!);
}

function encodeDataset(contract: Contract, data: Dataset, rules: ColumnRules): EncodedInput {
  const { features, byName } = contract;
  const numFeatures = features.length;
  const tally = createTally(numFeatures);
  const columns: (Column | undefined)[] = features.map(() => undefined);
  const ignored: string[] = [];
  for (const column of data.features) {
    const cells = column?.kind === "numeric" ? column.values : column?.categories && column.codes;
    const name = "" + column?.name;
    demand(cells?.length, data.numRows, `places of column "${name}"`, name);
    const index = byName.get(name.normalize());
    if (index !== undefined) columns[index] = column;
    else if (name !== contract.schema.target?.name) {
      if (rules.refuseExtra) throw extraColumn(name);
      ignored.push(name);
    }
  }
  const absent = features.filter((_, f) => !columns[f]);
  report(contract, 0, tally, absent, ignored, rules); // refuses absent columns before any work
  const fillers = columns.map((column, f) => columnFiller(contract, f, column, tally));
  return {
    rows: data.numRows,
    ...(data.offset && { offset: data.offset }),
    fill(from, to, out) {
      for (let f = 0; f < numFeatures; f++) fillers[f](from, to, out, f, numFeatures);
    },
    finish: () => report(contract, data.numRows, tally, absent, ignored, rules),
  };
}

type ColumnFiller = (from: number, to: number, out: Float64Array, at: number, by: number) => void;

/** How one column of a dataset becomes one column of encoded rows. */
function columnFiller(
  contract: Contract,
  index: number,
  column: Column | undefined,
  tally: Tally,
): ColumnFiller {
  const feature = contract.features[index];
  if (column?.kind === "numeric" && feature.kind === "numeric") {
    const { values } = column;
    return (from, to, out, at, by) => {
      for (let r = from; r < to; r++, at += by) {
        out[at] = settle(contract.schema, index, values[r], r + 1, tally);
      }
    };
  }
  if (column && column.kind !== "numeric") {
    const { codes, categories } = column;
    const encoded = new Float64Array(categories.length);
    const known = new Uint8Array(categories.length);
    return (from, to, out, at, by) => {
      for (let r = from; r < to; r++, at += by) {
        const code = codes[r];
        // A code's meaning is looked up once; afterwards only what must be counted goes that way.
        if (code >= 0 && code < categories.length) {
          if (known[code] === 0) {
            encoded[code] = encodeCell(contract, index, categories[code], r + 1, tally);
            const plain = feature.kind === "numeric" || encoded[code] < feature.categories.length;
            if (plain && encoded[code] === encoded[code]) known[code] = 1;
          }
          out[at] = encoded[code];
        } else {
          // Missing, or a category that the dataset itself does not name.
          const none = code < 0 || feature.kind === "numeric" ? NaN : -1;
          out[at] = settleCode(feature as CategoricalInput, index, none, r + 1, tally, "unnamed");
        }
      }
    };
  }
  // Numbers where text was learnt: 7 may have been the text "007", if there is such a category.
  const levels = (feature as CategoricalInput).categories;
  if (column && levels.some((text) => +text === +text && text !== `${+text}`)) {
    throw cellError(column.name, 1, "found numbers, expected text");
  }
  return (from, to, out, at, by) => {
    for (let r = from; r < to; r++, at += by) {
      out[at] = encodeCell(contract, index, column?.values[r], r + 1, tally);
    }
  };
}

function report(
  contract: Contract,
  rows: number,
  tally: Tally,
  absent: readonly InputFeature[],
  ignoredNames: Iterable<string>,
  rules: ColumnRules,
): InputReport {
  const { features } = contract;
  const ignored = [...ignoredNames];
  // Other data altogether, or a file without a header.
  const strange = ignored.length > 0 && absent.length === features.length;
  const refused = absent.filter(({ missing }) =>
    strange || rules.refuseAbsent || missing !== "learnt"
  ).map(({ name }) => name);
  if (refused.length > 0) {
    const names = refused.map((name) => JSON.stringify(name)).join(", ");
    throw schemaError(
      `without column ${names}: ` +
        (strange
          ? "no column of the model is there"
          : rules.refuseAbsent
          ? "every column is needed"
          : "training never lacked it"),
      { columns: refused },
    );
  }
  const counts = (numbers: Float64Array) =>
    new Map(features.flatMap(({ name }, f) => numbers[f] > 0 ? [[name, numbers[f]]] : []));
  return {
    rows,
    missing: counts(tally.missing),
    unknown: counts(tally.unknown),
    absent: absent.map(({ name }) => name),
    ignored,
  };
}

function extraColumn(name: string, row?: number): ModelError {
  return schemaError(
    `with column ${JSON.stringify(name)}: the model does not know it`,
    { columns: [name], row },
  );
}

function notARow(row: unknown, at: number): ModelError {
  return schemaError(
    `row ${at}: found ${row?.constructor?.name ?? row}, expected an object`,
    { row: at },
  );
}

/** The error of input that does not fit the model. */
export function schemaError(problem: string, details?: ErrorDetails): ModelError {
  return new ModelError("E_MODEL_SCHEMA", `Cannot score ${problem}`, { details: details! });
}
