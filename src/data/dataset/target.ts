/**
 * Labels: from a column to a target, and from one task to another.
 *
 * @module
 */
import { checkTarget } from "./check.ts";
import { checkArgument, checkOptions } from "../../door.ts";
import { checkColumnShape, checkShape, checkTargetShape } from "./shape.ts";
import { DataError } from "../../errors.ts";
import { isNumberText, labelOrder, sortVocabulary } from "../labels.ts";
import type { ClassificationTarget, Column, Dataset, Labels, Target } from "../types.ts";

/** How {@linkcode encodeTarget} turns a column into a target. */
export interface TargetOptions {
  /**
   * Whether to predict numbers or classes. By default text and booleans are classes; numbers are
   * classes if their only values are 0 and 1 (or −1 and 1), and amounts otherwise.
   */
  readonly task?: "regression" | "classification";
  /** Accept a target that has a single class. @default false */
  readonly allowSingleClass?: boolean;
  /** Called with warnings, for example if a few distinct whole numbers were read as amounts. */
  readonly onWarning?: (message: string) => void;
}

/** Kinds of {@linkcode TargetOptions}. */
export const TARGET_OPTIONS = {
  task: ["regression", "classification"],
  allowSingleClass: "flag",
  onWarning: "function",
} as const;

/** Up to this many distinct whole numbers, a regression target gets a word of doubt. */
const FEW = 20;

/** Rows that an error lists. */
const LISTED = 5;

/** Row indices (from 0) whose label is missing. */
export function missingLabels(column: Column): number[] {
  const rows: number[] = [];
  if (column.kind === "numeric") {
    column.values.forEach((value, row) => {
      if (Number.isNaN(value)) rows.push(row);
    });
  } else {
    column.codes.forEach((code, row) => {
      if (code < 0) rows.push(row);
    });
  }
  return rows;
}

/**
 * Turns a column into a target. Numbers become labels of a regression or, as text, classes.
 *
 * @throws {DataError} `E_DATA_TARGET` for missing labels (with their rows, counted from 1), for a
 * single class, and in regression for infinite labels or text that is not a number.
 *
 * @example Classes are sorted, whatever their order in the data
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const column = { kind: "numeric", name: "y", values: new Float64Array([5, 3, 4]) } as const;
 * const target = encodeTarget(column, { task: "classification" });
 * assertEquals(target.kind === "classification" && target.classes, ["3", "4", "5"]);
 * ```
 */
export function encodeTarget(column: Column, options: TargetOptions = {}): Target {
  checkColumnShape("encodeTarget", "column", column);
  checkOptions<TargetOptions>("encodeTarget", options, TARGET_OPTIONS);
  return targetOf(column, options);
}

/** As {@linkcode encodeTarget}, of arguments that were looked at. */
export function targetOf(column: Column, options: TargetOptions): Target {
  const missing = missingLabels(column);
  if (missing.length > 0) throw missingError(column.name, missing);
  const target = column.kind === "numeric"
    ? fromNumbers(column.name, column.values, options)
    : fromText(column.name, column.codes, column.categories, options);
  if (
    target.kind === "classification" && target.classes.length < 2 &&
    options.allowSingleClass !== true
  ) {
    throw new DataError(
      "E_DATA_TARGET",
      `Cannot learn classes of "${column.name}": every row is "${
        target.classes[0]
      }"; expected two classes or more (or allowSingleClass, --allow-single-class)`,
      { details: { column: column.name, class: target.classes[0] } },
    );
  }
  return target;
}

/**
 * A copy of a dataset with its target for another task: classes whose names are numbers become these
 * numbers, and each distinct number becomes a class. Features are shared.
 *
 * @throws {DataError} `E_DATA_TARGET` if there is no target, or if classes are not numbers.
 */
export function withTask(data: Dataset, task: Target["kind"]): Dataset {
  checkShape("withTask", data);
  checkArgument("withTask", "task", task, ["regression", "classification"]);
  const target = requireTarget(data);
  if (target.kind === task) return data;
  if (target.kind === "classification") {
    const values = classNumbers(target.name, target.classes);
    return {
      ...data,
      target: {
        kind: "regression",
        name: target.name,
        values: Float64Array.from(target.codes, (code) => values[code]),
      },
    };
  }
  return { ...data, target: classesOfNumbers(target.name, target.values) };
}

/**
 * The target of a dataset.
 *
 * @throws {DataError} `E_DATA_TARGET` when it has none.
 */
export function requireTarget(data: Dataset): Target {
  if (data.target !== undefined) return data.target;
  throw new DataError(
    "E_DATA_TARGET",
    "Cannot train or evaluate without a target: name the column to predict (target: …, --target)",
  );
}

/** Labels, weights and queries as losses and metrics take them: classes by number. */
export function labelsOf(data: Dataset): Labels {
  const target = requireTarget(data);
  return {
    values: target.kind === "regression" ? target.values : new Float64Array(target.codes),
    ...(data.sampleWeight !== undefined && { weight: data.sampleWeight }),
    ...(data.group !== undefined && { group: data.group }),
  };
}

/**
 * Encodes a target by the classes of a model, for evaluation.
 *
 * @throws {DataError} `E_DATA_TARGET` naming the first class that the model does not know.
 */
export function encodeByClasses(target: Target, classes: readonly string[]): Int32Array {
  const found = target.kind === "classification"
    ? target
    : classesOfNumbers(target.name, target.values);
  const codeOf = new Map(classes.map((name, code) => [name, code]));
  // "1" and "1.0" are one class where both sides are numbers.
  const codeOfNumber = classes.every(isNumberText)
    ? new Map(classes.map((name, code) => [Number(name), code]))
    : undefined;
  const map = found.classes.map((name) =>
    codeOf.get(name) ?? (isNumberText(name) ? codeOfNumber?.get(Number(name)) : undefined)
  );
  return found.codes.map((code, row) => {
    const mapped = map[code];
    if (mapped !== undefined) return mapped;
    throw new DataError(
      "E_DATA_TARGET",
      `Cannot evaluate class "${found.classes[code]}" of "${found.name}" at row ${
        row + 1
      }: the model knows ${listed(classes)}`,
      { details: { column: found.name, row: row + 1, class: found.classes[code] } },
    );
  });
}

/**
 * Sample weights that give every class the same total weight:
 * `numRows / (number of classes that occur × number of rows of the class)`.
 *
 * @returns Length `numRows`, to be used as `sampleWeight`.
 * @throws {DataError} `E_DATA_TARGET` unless the target has classes.
 */
export function balancedWeights(target: Target): Float64Array {
  checkTargetShape("balancedWeights", target);
  if (target.kind !== "classification") {
    throw new DataError("E_DATA_TARGET", `Cannot balance "${target.name}": it has no classes`);
  }
  checkTarget(target, target.codes.length);
  const counts = new Float64Array(target.classes.length);
  for (const code of target.codes) counts[code]++;
  const present = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  return Float64Array.from(target.codes, (code) => target.codes.length / (present * counts[code]));
}

function fromNumbers(name: string, values: ArrayLike<number>, options: TargetOptions): Target {
  if (options.task === "classification") return classesOfNumbers(name, values);
  const few = fewValues(values);
  if (options.task === undefined && few !== undefined && isBinary(few)) {
    return classesOfNumbers(name, values);
  }
  const bad: number[] = [];
  for (let row = 0; row < values.length; row++) if (!Number.isFinite(values[row])) bad.push(row);
  if (bad.length > 0) {
    throw new DataError(
      "E_DATA_TARGET",
      `Cannot use infinite targets in column "${name}" at ${rowList(bad)}: expected finite numbers`,
      { details: { column: name, rows: bad.slice(0, LISTED).map((row) => row + 1) } },
    );
  }
  if (options.task === undefined && few !== undefined && few.size > 1 && wholeNumbers(few)) {
    options.onWarning?.(
      `Target "${name}" has ${few.size} distinct whole numbers and is read as an amount; if they ` +
        `are classes, set task: "classification" (--task classification)`,
    );
  }
  return { kind: "regression", name, values: Float64Array.from(values) };
}

/** The distinct values, while they are few. */
function fewValues(values: ArrayLike<number>): Set<number> | undefined {
  const seen = new Set<number>();
  for (let row = 0; row < values.length; row++) {
    seen.add(values[row]);
    if (seen.size > FEW) return undefined;
  }
  return seen;
}

function isBinary(values: ReadonlySet<number>): boolean {
  return values.size === 2 && values.has(1) && (values.has(0) || values.has(-1));
}

function wholeNumbers(values: ReadonlySet<number>): boolean {
  return [...values].every(Number.isInteger);
}

function classesOfNumbers(name: string, values: ArrayLike<number>): ClassificationTarget {
  const codeOf = new Map<number, number>();
  const codes = new Int32Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    let code = codeOf.get(value);
    if (code === undefined) codeOf.set(value, code = codeOf.size);
    codes[row] = code;
  }
  return {
    kind: "classification",
    name,
    codes,
    classes: sortVocabulary([...codeOf.keys()].map(String), codes),
  };
}

function fromText(
  name: string,
  codes: Int32Array,
  categories: readonly string[],
  options: TargetOptions,
): Target {
  if (options.task === "regression") {
    const values = classNumbers(name, categories, codes);
    return { kind: "regression", name, values: Float64Array.from(codes, (code) => values[code]) };
  }
  // Only values that occur are classes, in the order of labels.
  const used = new Uint8Array(categories.length);
  for (const code of codes) used[code] = 1;
  const kept = categories.map((_, code) => code).filter((code) => used[code] === 1);
  const labels = kept.map((code) => categories[code]);
  const order = labelOrder(labels);
  const rank = new Int32Array(categories.length).fill(-1);
  order.forEach((from, to) => rank[kept[from]] = to);
  return {
    kind: "classification",
    name,
    codes: codes.map((code) => rank[code]),
    classes: order.map((i) => labels[i]),
  };
}

function classNumbers(name: string, classes: readonly string[], codes?: Int32Array): number[] {
  return classes.map((label, code) => {
    if (isNumberText(label)) return Number(label);
    const row = codes?.indexOf(code) ?? -1;
    throw new DataError(
      "E_DATA_TARGET",
      `Cannot use "${label}" in column "${name}"${row < 0 ? "" : ` at row ${row + 1}`} ` +
        `as an amount: expected a number (or task: "classification")`,
      { details: { column: name, value: label, ...(row >= 0 && { row: row + 1 }) } },
    );
  });
}

function missingError(name: string, rows: readonly number[]): DataError {
  return new DataError(
    "E_DATA_TARGET",
    `Cannot use a missing target in column "${name}" at ${
      rowList(rows)
    }: give a value, or leave such rows out (dropMissingTarget, --drop-missing-target)`,
    {
      details: {
        column: name,
        rows: rows.slice(0, LISTED).map((row) => row + 1),
        count: rows.length,
      },
    },
  );
}

/** `row 3` or `rows 3, 7, 9 and 12 more`, counted from 1. */
function rowList(rows: readonly number[]): string {
  const shown = rows.slice(0, LISTED).map((row) => row + 1);
  if (rows.length === 1) return `row ${shown[0]}`;
  const more = rows.length - shown.length;
  return `rows ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => `"${name}"`).join(", ");
  return names.length > 10 ? `${shown} and ${names.length - 10} more` : shown;
}
