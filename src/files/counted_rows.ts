/**
 * Which rows of an input count, and how much: those that have a target and a weight, that a sample takes,
 * and that are in the part to train on.
 *
 * @module
 */
import type { Table } from "../data/csv/table.ts";
import { selectRows } from "../data/dataset/dataset.ts";
import { type SplitOptions, splitRows } from "../data/dataset/split.ts";
import { missingLabels } from "../data/dataset/target.ts";
import { blankNumbers, missingCells, missingNumbers } from "../data/missing_cells.ts";
import type { Column, Dataset } from "../data/types.ts";
import type { MakeBuffer } from "../util/buffers.ts";
import type { CountedWeights } from "./column_bins.ts";
import type { PassReader } from "./pass_reader.ts";
import type { DataOptions } from "./read_data.ts";

/** The rows that cuts are computed from. */
export interface BinnedSample {
  /** Row numbers, ascending. @default all rows */
  readonly rows?: Int32Array;
  /** Weight of each of these rows. @default 1 each */
  readonly weights?: ArrayLike<number>;
  /** Identifies these rows and weights; training compares it with its own sample. */
  readonly key: string;
}

/** How rows are divided into parts. The cuts are computed from the first part. */
export type BinnedSplit = Pick<SplitOptions, "fractions" | "seed"> & {
  /** Whether each part gets the same shares of the classes, if the target has classes. */
  readonly stratify?: boolean;
};

/** Which rows of the input count. */
export interface CountedRows {
  /** Rows of the input that are trained on, ascending; absent where all are. */
  readonly train?: Int32Array;
  /** Weight of each of them, where a sample says so; otherwise the table's. */
  readonly weights?: ArrayLike<number>;
  /** Whether a sample says which rows count and how much. */
  readonly key?: string;
  /** Rows of the dataset in each part; absent where it is not divided. */
  readonly parts?: readonly Int32Array[];
}

/** Finds the rows that have a target and are in the first part, from what is no feature. */
export function countedRows(
  reader: PassReader,
  table: Table,
  options: DataOptions & { readonly sample?: (data: Dataset) => BinnedSample },
  split: BinnedSplit | undefined,
): CountedRows {
  const { columns, roles, numRows } = table;
  const { sample } = options;
  const weight = roles.weight === undefined ? undefined : columns[roles.weight];
  const isWeightless = weight?.kind === "numeric" && weight.values.includes(0);
  const isPlain = split === undefined && sample === undefined;
  if (isPlain && options.dropMissingTarget !== true && !isWeightless) return {};
  const special = [roles.target, roles.weight, roles.group, roles.offset];
  const kept = columns.map((column, at) => special.includes(at) ? copyOf(column) : undefined);
  const numbers = missingNumbers(missingCells(options));
  for (const column of kept) {
    if (column?.kind === "numeric") blankNumbers(column.values, 0, numRows, numbers);
  }
  const target = roles.target === undefined ? undefined : kept[roles.target];
  const missing = new Set(
    options.dropMissingTarget === true && target !== undefined ? missingLabels(target) : [],
  );
  const labelled = new Int32Array(numRows - missing.size);
  let at = 0;
  for (let row = 0; row < numRows; row++) if (!missing.has(row)) labelled[at++] = row;
  // Without a sample that says more: training leaves rows of weight 0 out.
  const weighty = (rows: Int32Array): Int32Array =>
    isWeightless ? rows.filter((row) => weight.values[row] !== 0) : rows;
  if (isPlain) return { train: weighty(labelled) };
  // One feature without content stands for all.
  const feature: Column = { kind: "numeric", name: "", values: new Float64Array(numRows) };
  const names = [...table.names, ""];
  const data = reader.assemble({
    ...table,
    names,
    columns: [...kept, feature],
    roles: { ...roles, drop: new Set() },
  });
  const stratify = split?.stratify === true && data.target?.kind === "classification";
  const parts = split && splitRows(data, { ...split, stratify });
  const first = parts?.[0].map((row) => labelled[row]) ?? labelled;
  const found = sample?.(parts === undefined ? data : selectRows(data, parts[0]));
  return {
    train: found === undefined ? weighty(first) : found.rows?.map((row) => first[row]) ?? first,
    ...(found?.weights !== undefined && { weights: found.weights }),
    ...(found !== undefined && { key: found.key }),
    ...(parts !== undefined && { parts }),
  };
}

/** Weights to choose cuts by, unless all rows count alike. */
export function countedWeights(
  { columns, roles, numRows }: Table,
  { train, weights: given, key }: CountedRows,
  memory: MakeBuffer,
): CountedWeights | undefined {
  const weight = roles.weight === undefined ? undefined : columns[roles.weight];
  // Weights that are no numbers are refused when the dataset is put together.
  const own = weight?.kind === "numeric" ? weight.values : undefined;
  const isWeighted = key === undefined ? own !== undefined : given !== undefined;
  if (!isWeighted && (train === undefined || train.length === numRows)) return undefined;
  const counted = new Float64Array(memory(8 * numRows));
  if (train === undefined) counted.set(own!);
  else {
    train.forEach((row, i) => counted[row] = key === undefined ? own?.[row] ?? 1 : given?.[i] ?? 1);
  }
  return { counted, isWeighted };
}

/** Putting a dataset together may write to its columns. */
function copyOf(column: Column | undefined): Column | undefined {
  if (column === undefined) return undefined;
  return column.kind === "numeric"
    ? { ...column, values: column.values.slice() }
    : { ...column, codes: column.codes.slice() };
}
