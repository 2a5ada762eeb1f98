/**
 * Builds datasets whose parts fit each other, and takes rows out of them.
 *
 * @module
 */
import { checkColumnShapes, checkExtraShapes, checkShape, checkTargetShape } from "./shape.ts";
import { checkArgument, checkOptions, shownValue } from "../../door.ts";
import { DataError } from "../../errors.ts";
import { checkDataset, checkWeight, lengthOf } from "./check.ts";
import type { Column, Dataset, SparseRule, Target } from "../types.ts";

/** Optional parts of a dataset. */
export interface DatasetExtras {
  /** Query of each row, length `numRows`. Rows of a query have the same number and are adjacent. */
  readonly group?: Int32Array;
  /** Number of rows in each query, in order. An alternative to `group`, which it overrides. */
  readonly groupSizes?: ArrayLike<number>;
  /** Raw scores that are added to the sum of the trees, row-major `numRows × numOutputs`. */
  readonly offset?: Float64Array;
  /** Name of the column that the offset was read from. */
  readonly offsetName?: string;
  /** For data that were sparse: the value that absent entries were read as. */
  readonly sparse?: SparseRule;
  /** Texts that meant missing, if not the default ones. The columns already have NaN for them. */
  readonly missingCells?: readonly string[];
}

const EXTRAS = {
  group: "any",
  groupSizes: "any",
  offset: "any",
  offsetName: "text",
  sparse: ["zero", "missing"],
  missingCells: "texts",
} as const;

/**
 * Builds a dataset from columns and checks that they fit together: equal lengths, distinct names,
 * codes in range, a finite target, and weights that are finite and not negative, of which the
 * largest is between 1e-100 and 1e100.
 *
 * @param sampleWeight Weight of each row, length `numRows`. @default 1 for every row
 * @throws {DataError} `E_DATA_SHAPE` (names, lengths, arrays of the wrong type), `E_DATA_EMPTY`
 * (no rows), `E_DATA_TYPE` (codes, weights, offsets) or `E_DATA_TARGET`.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const data = createDataset(
 *   [{ kind: "numeric", name: "x", values: new Float64Array([1, 2]) }],
 *   { kind: "regression", name: "y", values: new Float64Array([10, 20]) },
 * );
 * assertEquals(data.numRows, 2);
 * ```
 */
export function createDataset(
  features: readonly Column[],
  target?: Target,
  sampleWeight?: Float64Array,
  extras: DatasetExtras = {},
): Dataset {
  checkColumnShapes("createDataset", features);
  if (target !== undefined) checkTargetShape("createDataset", target);
  checkOptions<DatasetExtras>("createDataset", extras, EXTRAS);
  const numRows = countRows(features, target);
  const { offset, offsetName, sparse, missingCells } = extras;
  const group = extras.groupSizes === undefined
    ? extras.group
    : groupFromSizes(extras.groupSizes, numRows);
  const data: Dataset = {
    numRows,
    features,
    ...(target !== undefined && { target }),
    ...(sampleWeight !== undefined && { sampleWeight }),
    ...(group !== undefined && { group }),
    ...(offset !== undefined && { offset }),
    ...(offsetName !== undefined && { offsetName }),
    ...(sparse !== undefined && { sparse }),
    ...(missingCells !== undefined && { missingCells }),
  };
  checkExtraShapes("createDataset", data);
  checkDataset(data);
  return data;
}

/**
 * A copy of a dataset with these sample weights, for example from a file of their own. Columns are
 * shared.
 *
 * @param sampleWeight Length `numRows`, finite and not negative; the largest is between 1e-100 and
 * 1e100.
 * @throws {DataError} `E_DATA_SHAPE` for a wrong length or type, `E_DATA_TYPE` for a wrong weight.
 */
export function withWeight(data: Dataset, sampleWeight: Float64Array): Dataset {
  checkShape("withWeight", data);
  checkExtraShapes("withWeight", { sampleWeight });
  checkWeight(sampleWeight, data.numRows, "sampleWeight");
  return { ...data, sampleWeight };
}

/**
 * A copy of a dataset whose rows are divided into queries, for ranking. Columns are shared.
 *
 * @param sizes Number of rows in each query, in the order of the rows.
 * @throws {DataError} `E_DATA_SHAPE` if a size is not a whole number above 0, or if their sum is not
 * the number of rows.
 */
export function withGroupSizes(data: Dataset, sizes: ArrayLike<number>): Dataset {
  checkShape("withGroupSizes", data);
  return { ...data, group: groupFromSizes(sizes, data.numRows) };
}

/**
 * A dataset of some rows of another, in the given order. A row may occur more than once. Categories
 * and classes are kept, even those that no selected row has.
 *
 * @param rows Row numbers, counted from 0.
 * @throws {DataError} `E_DATA_SHAPE` with the first number that is out of range.
 */
export function selectRows(data: Dataset, rows: Int32Array): Dataset {
  checkShape("selectRows", data);
  checkRows(rows, data.numRows);
  const { target, sampleWeight, group, offset, offsetName, sparse, missingCells } = data;
  const width = offset === undefined ? 0 : offset.length / data.numRows;
  return {
    numRows: rows.length,
    features: data.features.map((column) =>
      column.kind === "numeric"
        ? column.binned?.select(column.name, rows) ?? {
          ...column,
          values: pick(
            column.values,
            rows,
            column.values instanceof Float32Array
              ? new Float32Array(rows.length)
              : new Float64Array(rows.length),
          ),
        }
        : { ...column, codes: pick(column.codes, rows, new Int32Array(rows.length)) }
    ),
    ...(target !== undefined && {
      target: target.kind === "regression"
        ? { ...target, values: pick(target.values, rows, new Float64Array(rows.length)) }
        : { ...target, codes: pick(target.codes, rows, new Int32Array(rows.length)) },
    }),
    ...(sampleWeight !== undefined && {
      sampleWeight: pick(sampleWeight, rows, new Float64Array(rows.length)),
    }),
    ...(group !== undefined && { group: pick(group, rows, new Int32Array(rows.length)) }),
    ...(offset !== undefined && { offset: pickWide(offset, rows, width) }),
    ...(offsetName !== undefined && { offsetName }),
    ...(sparse !== undefined && { sparse }),
    ...(missingCells !== undefined && { missingCells }),
  };
}

function checkRows(rows: Int32Array, numRows: number): void {
  checkArgument("selectRows", "rows", rows, "rows");
  const at = rows.findIndex((row) => row < 0 || row >= numRows);
  if (at < 0) return;
  throw new DataError(
    "E_DATA_SHAPE",
    `Cannot use rows[${at}] ${rows[at]} in selectRows(): expected 0 to ${numRows - 1}`,
    { details: { param: "rows", at, value: rows[at], rows: numRows } },
  );
}

/**
 * Query numbers from the number of rows in each query.
 *
 * @throws {DataError} `E_DATA_SHAPE` when a size is not a whole number above 0, or their sum is not
 * the number of rows.
 */
export function groupFromSizes(sizes: ArrayLike<number>, numRows: number): Int32Array {
  const given: { readonly length?: unknown } | null = sizes;
  if (typeof given !== "object" || given === null || !Number.isSafeInteger(given.length)) {
    throw new DataError(
      "E_DATA_SHAPE",
      `Cannot use group sizes ${shownValue(sizes)}: expected a list of whole numbers`,
      { details: { param: "groupSizes" } },
    );
  }
  const group = new Int32Array(numRows);
  let at = 0;
  for (let i = 0; i < sizes.length; i++) {
    const size = sizes[i];
    if (!Number.isInteger(size) || size < 1) {
      throw new DataError(
        "E_DATA_SHAPE",
        `Cannot use group size ${shownValue(size)} of group ${
          i + 1
        }: expected a whole number above 0`,
        { details: { group: i + 1, ...(typeof size === "number" && { size }) } },
      );
    }
    group.fill(i, at, at + size);
    at += size;
  }
  if (at !== numRows) {
    throw new DataError(
      "E_DATA_SHAPE",
      `Cannot use group sizes that add up to ${at}: expected the number of rows, ${numRows}`,
      { details: { sum: at, rows: numRows } },
    );
  }
  return group;
}

function countRows(features: readonly Column[], target: Target | undefined): number {
  if (target !== undefined) {
    return target.kind === "regression" ? target.values.length : target.codes.length;
  }
  return features.length === 0 ? 0 : lengthOf(features[0]);
}

function pick<T extends Float64Array | Float32Array | Int32Array>(
  from: T,
  rows: Int32Array,
  out: T,
): T {
  for (let i = 0; i < rows.length; i++) out[i] = from[rows[i]];
  return out;
}

function pickWide(from: Float64Array, rows: Int32Array, width: number): Float64Array {
  const out = new Float64Array(rows.length * width);
  for (let i = 0; i < rows.length; i++) {
    for (let k = 0; k < width; k++) out[i * width + k] = from[rows[i] * width + k];
  }
  return out;
}
