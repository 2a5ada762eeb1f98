/**
 * Builds datasets whose parts fit each other, and takes rows out of them.
 *
 * @module
 */
import {
  checkColumnShapes,
  checkExtraShapes,
  checkShape,
  checkTargetShape,
} from "./check_shape.ts";
import { checkArgument, checkOptions, shownValue } from "../door.ts";
import { DataError } from "../errors.ts";
import { checkDataset, checkWeight, lengthOf } from "./check_dataset.ts";
import type { Column, Dataset, SparseRule, Target } from "./types.ts";

/** Parts of a dataset that few data have. */
export interface DatasetExtras {
  /** Query of each row: rows of one query have the same number and are adjacent. */
  readonly group?: Int32Array;
  /** Rows in each query, in order; the other way to give `group`. */
  readonly groupSizes?: ArrayLike<number>;
  /** Raw score added before the trees, row-major `numRows × numOutputs`. */
  readonly offset?: Float64Array;
  /** Column that the offset was read from. */
  readonly offsetName?: string;
  /** What entries that sparse rows did not name were taken for. */
  readonly sparse?: SparseRule;
  /** Cells that meant missing, where they were not the usual ones; columns have NaN for them. */
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
 * Builds a dataset and checks that its parts fit: lengths, distinct names, codes in range, a finite
 * target, weights that are finite and not negative with at least one above zero.
 *
 * @throws {DataError} `E_DATA_SHAPE`, `E_DATA_EMPTY`, `E_DATA_TYPE` or `E_DATA_TARGET`.
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
 * Gives rows their weights, from a file of its own, say.
 *
 * @throws {DataError} `E_DATA_SHAPE` or `E_DATA_TYPE`.
 */
export function withWeight(data: Dataset, sampleWeight: Float64Array): Dataset {
  checkShape("withWeight", data);
  checkExtraShapes("withWeight", { sampleWeight });
  checkWeight(sampleWeight, data.numRows, "sampleWeight");
  return { ...data, sampleWeight };
}

/**
 * Gives rows their queries by the number of rows in each, in order.
 *
 * @throws {DataError} `E_DATA_SHAPE` when a size is 0 or their sum is not the number of rows.
 */
export function withGroupSizes(data: Dataset, sizes: ArrayLike<number>): Dataset {
  checkShape("withGroupSizes", data);
  return { ...data, group: groupFromSizes(sizes, data.numRows) };
}

/**
 * Takes rows of a dataset, in the given order. Vocabularies and class lists stay whole.
 *
 * @param rows Row numbers from 0.
 * @throws {DataError} `E_DATA_SHAPE` naming the first that is no row.
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
