/**
 * Checks that an object has the form of a dataset: the right parts of the right types and lengths. What the
 * numbers are is looked at by `checkDataset`.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { isObject, shownValue, tagOf } from "../../door.ts";
import { lengthOf } from "./check.ts";
import type { Column, Dataset, Target } from "../types.ts";

function wrong(call: string, part: string, value: unknown, expected: string): DataError {
  return new DataError(
    "E_DATA_SHAPE",
    `Cannot use ${part} ${shownValue(value)} in ${call}(): expected ${expected}`,
    { details: { call, param: part, expected } },
  );
}

function checkArray(call: string, part: string, value: unknown, types: readonly string[]): void {
  if (types.includes(tagOf(value) ?? "")) return;
  throw wrong(call, part, value, `a ${types.join(" or ")}`);
}

function checkTexts(call: string, part: string, value: unknown): void {
  if (!Array.isArray(value)) throw wrong(call, part, value, "a list of texts");
  for (let i = 0; i < value.length; i++) {
    if (typeof value[i] !== "string") throw wrong(call, `${part}[${i}]`, value[i], "text");
  }
}

function checkName(call: string, part: string, value: unknown): void {
  if (typeof value !== "string") throw wrong(call, part, value, "text");
}

/** Checks the form of columns. @throws {DataError} `E_DATA_SHAPE` */
export function checkColumnShapes(call: string, features: readonly Column[]): void {
  if (!Array.isArray(features)) {
    throw wrong(call, "features", features, "a list of columns");
  }
  for (let i = 0; i < features.length; i++) checkColumnShape(call, `features[${i}]`, features[i]);
}

/** Checks the form of a column. @throws {DataError} `E_DATA_SHAPE` */
export function checkColumnShape(call: string, at: string, column: Column): void {
  if (!isObject(column)) {
    throw wrong(
      call,
      at,
      column,
      "a column { kind, name, values } or { kind, name, codes, categories }",
    );
  }
  checkName(call, `${at}.name`, column.name);
  if (column.kind === "numeric") {
    checkArray(call, `${at}.values`, column.values, ["Float64Array", "Float32Array"]);
  } else if (column.kind === "categorical") {
    checkArray(call, `${at}.codes`, column.codes, ["Int32Array"]);
    checkTexts(call, `${at}.categories`, column.categories);
  } else {
    const { kind } = column as { readonly kind: unknown };
    throw wrong(call, `${at}.kind`, kind, '"numeric" or "categorical"');
  }
}

/** Checks the form of a target. @throws {DataError} `E_DATA_SHAPE` */
export function checkTargetShape(call: string, target: Target): void {
  if (!isObject(target)) {
    throw wrong(call, "target", target, "{ kind, name, values } or { kind, name, codes, classes }");
  }
  checkName(call, "target.name", target.name);
  if (target.kind === "regression") {
    checkArray(call, "target.values", target.values, ["Float64Array"]);
  } else if (target.kind === "classification") {
    checkArray(call, "target.codes", target.codes, ["Int32Array"]);
    checkTexts(call, "target.classes", target.classes);
  } else {
    const { kind } = target as { readonly kind: unknown };
    throw wrong(call, "target.kind", kind, '"regression" or "classification"');
  }
}

/** Checks the form of what a dataset may have besides columns and target. */
export function checkExtraShapes(call: string, data: Omit<Dataset, "numRows" | "features">): void {
  const { sampleWeight, group, offset, offsetName, sparse, missingCells } = data;
  if (sampleWeight !== undefined) checkArray(call, "sampleWeight", sampleWeight, ["Float64Array"]);
  if (group !== undefined) checkArray(call, "group", group, ["Int32Array"]);
  if (offset !== undefined) checkArray(call, "offset", offset, ["Float64Array"]);
  if (offsetName !== undefined) checkName(call, "offsetName", offsetName);
  if (missingCells !== undefined) checkTexts(call, "missingCells", missingCells);
  if (sparse !== undefined && sparse !== "zero" && sparse !== "missing") {
    throw wrong(call, "sparse", sparse, '"zero" or "missing"');
  }
}

/**
 * Checks the form of a dataset.
 *
 * @param call The function that it was given to, for messages.
 * @throws {DataError} `E_DATA_SHAPE` naming the part that is wrong.
 */
export function checkShape(call: string, data: Dataset): void {
  if (!isObject(data) || !("numRows" in data || "features" in data)) {
    throw wrong(call, "data", data, "a Dataset, as readCsv() and createDataset() give it");
  }
  const { numRows, features, target } = data as Dataset;
  if (!Number.isSafeInteger(numRows) || numRows < 0) {
    throw wrong(call, "numRows", numRows, "a whole number of at least 0");
  }
  checkColumnShapes(call, features);
  if (target !== undefined) checkTargetShape(call, target);
  checkExtraShapes(call, data);
  const lengths: [string, number][] = features.map((one, i) => [`features[${i}]`, lengthOf(one)]);
  if (target !== undefined) {
    const { length } = target.kind === "regression" ? target.values : target.codes;
    lengths.push(["target", length]);
  }
  for (const [part, length] of lengths) {
    if (length === numRows) continue;
    throw new DataError(
      "E_DATA_SHAPE",
      `Cannot use ${part} with ${length} rows in ${call}(): expected ${numRows}`,
      { details: { call, param: part, length, rows: numRows } },
    );
  }
}
