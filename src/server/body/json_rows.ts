/**
 * Parsed JSON → a filled batch. Four shapes are understood, and no request fits two of them:
 *
 * - an object of values: one row;
 * - an array of such objects: rows (also as `{"rows": […]}`);
 * - an object of arrays: columns (also as `{"columns": {…}}`);
 * - anything else is refused with the place.
 *
 * @module
 */
import { DataError, RequestError } from "../../errors.ts";
import { parseJson } from "./parse_json.ts";
import { bodyText } from "./read.ts";
import { columnOf, type Encoder, featureOf, putCell, quote, shown, twice } from "./encoder.ts";
import type { Batch } from "./batch.ts";
import { fillRows, type RowErrors } from "./partial.ts";

/** Objects as `JSON.parse` makes them. */
type Bag = { readonly [key: string]: unknown };

/**
 * A JSON body, as text or as its bytes.
 *
 * @throws {DataError} `E_DATA_PARSE` for what is no UTF-8 or no JSON, and as `batchFromJson`.
 */
export function batchFromBody(
  encoder: Encoder,
  body: string | Uint8Array,
  errors?: RowErrors,
): Batch {
  return encoder.reader.read(body) ?? batchFromText(encoder, body, errors);
}

/** As `batchFromBody`, for a body that the kernel did not take. */
export function batchFromText(
  encoder: Encoder,
  body: string | Uint8Array,
  errors?: RowErrors,
): Batch {
  const text = typeof body === "string" ? body : bodyText(body);
  return batchFromJson(encoder, parseJson(text, encoder), errors);
}

/** A parsed body as columns. */
export function batchFromJson(encoder: Encoder, body: unknown, errors?: RowErrors): Batch {
  if (Array.isArray(body)) return batchFromRows(encoder, body, errors);
  if (!isBag(body)) {
    throw new DataError(
      "E_DATA_SHAPE",
      `Cannot read rows from ${shown(body)}: expected an object, an array of objects, or columns`,
    );
  }
  const wrapped = wrappedBody(encoder, body);
  if (wrapped !== undefined) return batchFromJson(encoder, wrapped, errors);
  return hasArrays(body)
    ? batchFromColumns(encoder, body, errors)
    : batchFromRows(encoder, [body], errors);
}

/** `{"rows": […objects]}` and `{"columns": {…}}`, unless the model has a column of that name. */
function wrappedBody(encoder: Encoder, body: Bag): unknown {
  const key = Object.hasOwn(body, "rows") ? "rows" : "columns";
  if (!Object.hasOwn(body, key) || Object.keys(body).length !== 1) return undefined;
  const value = body[key];
  const wrapper = (key === "rows" && Array.isArray(value) && value.every(isBag)) ||
    (key === "columns" && isBag(value));
  if (
    !wrapper || (encoder.contract.byName.has(key) && Array.isArray(value) && value.length === 0)
  ) {
    return undefined;
  }
  return value;
}

/** Whether an object holds columns; mixing values and arrays could mean either and is refused. */
function hasArrays(body: Bag): boolean {
  let arrays = 0;
  let values = 0;
  for (const key of Object.keys(body)) {
    if (Array.isArray(body[key])) arrays++;
    else values++;
  }
  if (arrays > 0 && values > 0) {
    throw new RequestError(
      "E_HTTP_AMBIGUOUS",
      `Cannot tell one row from columns: ${arrays} of the fields are arrays and ${values} are not; ` +
        "is this one row (no arrays) or columns (only arrays)?",
    );
  }
  return arrays > 0;
}

/** Rows as objects. */
function batchFromRows(encoder: Encoder, rows: readonly unknown[], errors: RowErrors): Batch {
  checkRows(encoder, rows.length);
  return fillRows(encoder, rows.length, (batch) => {
    // Rows of one request mostly have the same keys in the same order: remember where each led.
    const keys: string[] = [];
    const features: number[] = [];
    return (row, at) => fillRow(encoder, batch, row, at, rows[row], keys, features);
  }, errors);
}

function fillRow(
  encoder: Encoder,
  batch: Batch,
  row: number,
  place: number,
  value: unknown,
  keys: string[],
  features: number[],
): void {
  if (!isBag(value)) {
    throw new DataError(
      "E_DATA_SHAPE",
      `Cannot read row ${row + 1}: ${shown(value)} is not accepted, expected an object`,
      { details: { row: row + 1 } },
    );
  }
  let at = 0;
  for (const key of Object.keys(value)) {
    if (keys[at] !== key) {
      keys[at] = key;
      features[at] = featureOf(encoder, batch, key);
    }
    const feature = features[at]!;
    if (feature >= 0 && key !== encoder.schema.features[feature].name) {
      refuseTwin(encoder, value, feature, row);
    }
    if (feature >= 0) putCell(encoder, batch, place, feature, value[key]);
    at++;
  }
}

/** Refuses a row that holds a feature in two Unicode forms: neither is the right one. */
function refuseTwin(encoder: Encoder, value: Bag, feature: number, row: number): void {
  const { name } = encoder.schema.features[feature];
  let found = 0;
  for (const key of Object.keys(value)) if (key.normalize() === name) found++;
  if (found > 1) throw twice(encoder, feature, row);
}

/** Columns as arrays of equal length. */
function batchFromColumns(encoder: Encoder, body: Bag, errors: RowErrors): Batch {
  let rows = -1;
  let first = "";
  for (const key of Object.keys(body)) {
    const { length } = body[key] as unknown[];
    if (rows < 0) {
      rows = length;
      first = key;
    } else if (length !== rows) {
      throw new DataError(
        "E_DATA_SHAPE",
        `Cannot read columns: ${quote(first)} has ${rows} values and ${quote(key)} has ${length}`,
        { details: { column: key.slice(0, 200), expected: rows, found: length } },
      );
    }
  }
  checkRows(encoder, rows);
  return fillRows(encoder, rows, (batch) => {
    const columns: (readonly [feature: number, cells: readonly unknown[]])[] = [];
    for (const key of Object.keys(body)) {
      const feature = columnOf(encoder, batch, key);
      if (feature >= 0) columns.push([feature, body[key] as unknown[]]);
    }
    return (row, at) => {
      for (const [feature, cells] of columns) putCell(encoder, batch, at, feature, cells[row]);
    };
  }, errors);
}

/**
 * Refuses no rows and too many rows, before any work is done on them.
 *
 * @throws {DataError} `E_DATA_EMPTY`, `E_DATA_LIMIT`.
 */
export function checkRows(encoder: Encoder, rows: number): void {
  if (rows <= 0) throw new DataError("E_DATA_EMPTY", "Cannot score 0 rows: send at least one");
  const { maxRows } = encoder.limits;
  if (rows > maxRows) {
    throw new DataError(
      "E_DATA_LIMIT",
      `Cannot score ${rows} rows in one request: expected at most ${maxRows}`,
      { details: { limit: "maxRows", value: maxRows, found: rows } },
    );
  }
}

/** The error for who sends so many rows that they are not counted to the end. */
export function tooManyRows(maxRows: number): DataError {
  return new DataError("E_DATA_LIMIT", `Cannot score more than ${maxRows} rows in one request`, {
    details: { limit: "maxRows", value: maxRows },
  });
}

function isBag(value: unknown): value is Bag {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
