/**
 * Data larger than memory → a dataset of bins in two passes: the first chooses the cuts of each
 * column, the second writes the bin of each value, one byte instead of eight.
 *
 * @module
 */
import { checkOptions } from "../door.ts";
import { codedColumn, type CodedState } from "../binning/coded_column.ts";
import type { Table } from "../data/csv/table.ts";
import { selectRows } from "../data/dataset/dataset.ts";
import { blankNumbers, missingCells, missingNumbers } from "../data/missing_cells.ts";
import { type SplitOptions, splitRows } from "../data/dataset/split.ts";
import { missingLabels } from "../data/dataset/target.ts";
import type { Column, Dataset } from "../data/types.ts";
import { ParameterError, SourceError } from "../errors.ts";
import { recordedRows } from "../format/training_record.ts";
import { type ByteSource, isReopenable, sourceName } from "../runtime/open.ts";
import { type BinRun, NO_OTHERS, type OtherThreads, withBinThreads } from "./binned_threads.ts";
import {
  type CountedWeights,
  createColumnBins,
  type WriteOrder,
  type WrittenColumns,
} from "./column_bins.ts";
import { type PassReader, passReader } from "./pass_reader.ts";
import { onThreads, type ReadRun } from "./read_csv.ts";
import { checkReading } from "../data/options.ts";
import { DATA_OPTIONS, type DataOptions } from "./read_data.ts";
import type { MakeBuffer } from "../util/buffers.ts";

/** How data are read into bins. */
export interface BinnedOptions extends DataOptions {
  /**
   * Largest number of bins of a numeric column, as the parameter `maxBins` of training, which has no
   * effect on data that are bins already. @default 256
   */
  readonly maxBins?: number;
  /**
   * Memory in bytes for choosing the cuts of all columns. With less than 5 MB a column, fewer
   * distinct values are counted exactly, and the ranks of sketches are proportionally less exact.
   * @default 256 MiB
   */
  readonly sketchBytes?: number;
  /**
   * Chooses the rows and weights that cuts are computed from. It is given the data without features
   * (or their first part, if they are divided). {@linkcode boostSample} makes the function that fits
   * the parameters of training. @default all rows that have a target and a weight, by their weights
   */
  readonly sample?: (data: Dataset) => BinnedSample;
}

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

/**
 * Reads data of any format into bins, so that boosting can train on data whose numbers do not fit in
 * memory: a value takes one or two bytes instead of eight.
 *
 * The source is read twice: first to choose cuts, then to write bins. It is read once more if rows
 * have weights or do not all count (no target, weight 0, held out), and once more if text follows
 * numbers in a column. With several `threads`, each reads the whole source and fills the bins of its
 * share of the columns.
 *
 * The cuts are those that training would choose, and the model has the same bytes, as long as a
 * column has at most 262,144 distinct values (65,534 if rows have weights and do not all count; fewer
 * with more than 53 columns, see `sketchBytes`). Beyond that, cuts come from a mergeable sketch, and
 * `onWarning` is given the bound on its rank error.
 *
 * If training weighs classes, holds out rows by itself, or ranks queries that have rows of weight 0,
 * give `sample`; without it such training refuses the bins.
 *
 * @param source A file, URL or bytes; a stream cannot be read twice.
 * @throws {ParameterError} `E_PARAM_CONFLICT` for a source that cannot be read twice.
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`, also if the source changes while it is read.
 * @throws {DataError} As {@linkcode parseCsv}, with line and column.
 */
export async function readBinned(
  source: ByteSource,
  options: BinnedOptions & ReadRun = {},
): Promise<Dataset> {
  checkBinned("readBinned", options);
  return (await readParts(source, options))[0];
}

/** Reads CSV into bins, whatever the name of the source; otherwise as {@linkcode readBinned}. */
export async function readCsvBinned(
  source: ByteSource,
  options: BinnedOptions & ReadRun = {},
): Promise<Dataset> {
  checkBinned("readCsvBinned", options);
  return (await readParts(source, { ...options, format: "csv" }))[0];
}

function checkBinned(call: string, options: BinnedOptions & ReadRun): void {
  checkReading<BinnedOptions & ReadRun>(call, options, {
    ...DATA_OPTIONS,
    threads: "any",
    maxBins: "any",
    sketchBytes: "count",
    sample: "function",
  });
}

/**
 * Reads data into bins and divides the rows as {@linkcode splitDataset} does. The cuts of all parts
 * are computed from the first one.
 *
 * @param split How to divide. Without it there is one part.
 * @returns One dataset for each part.
 * @throws {ParameterError} As {@linkcode readBinned} and {@linkcode splitDataset}.
 * @throws {DataError} As {@linkcode readBinned}.
 */
export async function readBinnedParts(
  source: ByteSource,
  options: BinnedOptions & ReadRun,
  split?: BinnedSplit,
): Promise<Dataset[]> {
  checkBinned("readBinnedParts", options);
  if (split !== undefined) {
    checkOptions<BinnedSplit>("readBinnedParts", split, {
      fractions: "numbers",
      seed: "whole",
      stratify: "flag",
    });
  }
  return await readParts(source, options, split);
}

async function readParts(
  source: ByteSource,
  { threads: wanted, ...options }: BinnedOptions & ReadRun,
  split?: BinnedSplit,
): Promise<Dataset[]> {
  if (!isReopenable(source)) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot read ${sourceName(source)} into bins: it is read twice, so it must be a file or URL`,
      { details: { source: sourceName(source) } },
    );
  }
  const parts = await onThreads(
    source,
    wanted,
    (path, run) => readBinnedOnThreads(path, options, run, split),
  );
  return parts ?? (await readAll(source, options, split, NO_OTHERS))!;
}

/** Reads a file by several threads; undefined where one has to, see {@linkcode withBinThreads}. */
export async function readBinnedOnThreads(
  source: string | URL,
  options: BinnedOptions,
  run: BinRun,
  split?: BinnedSplit,
): Promise<Dataset[] | undefined> {
  return await withBinThreads(
    source,
    options,
    run,
    (heard, others) => readAll(source, heard, split, others),
  );
}

/** Reads into bins; undefined where other threads have failed. */
async function readAll(
  source: ByteSource,
  options: BinnedOptions,
  split: BinnedSplit | undefined,
  others: OtherThreads,
): Promise<Dataset[] | undefined> {
  const { onWarning: warn, ...quiet } = options; // what there is to say is said once, by the last pass
  const quietReader = passReader(source, quiet);
  const share = { thread: 0, threads: others.numThreads + 1 };
  const columns = createColumnBins(quietReader, quiet, share);
  const seenThere = others.see();
  const { table: { names, numRows }, table, seen: seenHere } = await columns.see();
  const seenByOthers = await seenThere;
  if (seenByOthers === undefined) return undefined;
  const seen = new Map([...seenHere, ...seenByOthers].map((one) => [one.at, one]));

  const counted = countedRows(quietReader, table, options, split);
  const weights = countedWeights(table, counted, others.memory);
  if (weights !== undefined) {
    const weighedThere = others.weigh(weights);
    await columns.weigh(weights);
    if (!await weighedThere) return undefined;
  }

  const order: WriteOrder = {
    keeps: keptRows([...seen.keys()], table, counted.train),
    chosenFor: counted.key,
  };
  const writtenThere = others.write(order);
  const reader = passReader(source, options);
  const written = await columns.write(order, reader, (at) => {
    const { count, rankError } = seen.get(at)!;
    if (rankError === 0) return;
    const share = (100 * rankError / count).toPrecision(2);
    warn?.(`Column "${names[at]}": cuts from a sketch, ranks off by at most ${share} %`);
  });
  if (written.table.numRows !== numRows) {
    throw new SourceError(
      "E_IO_READ",
      `Cannot read "${sourceName(source)}" into bins: it changed between two readings`,
      { details: { source: sourceName(source) } },
    );
  }
  const writtenByOthers = await writtenThere;
  const whole = writtenByOthers && withColumns(written, writtenByOthers);
  if (whole === undefined) return undefined;
  const data = reader.assemble(whole);
  return counted.parts === undefined ? [data] : counted.parts.map((part) => selectRows(data, part));
}

/** Rows of each seen column whose values are kept beside the bins. */
function keptRows(
  seen: readonly number[],
  table: Table,
  train: Int32Array | undefined,
): ReadonlyMap<number, Int32Array> {
  const places = featurePlaces(table);
  const numTrain = train?.length ?? table.numRows;
  return new Map(seen.map((at) => {
    const rows = recordedRows(numTrain, places.size, places.get(at) ?? 0);
    return [at, train === undefined ? rows : rows.map((row) => train[row])];
  }));
}

/** The table with the columns that other threads have written; undefined where one is not whole. */
function withColumns(
  { table, left }: WrittenColumns,
  found: ReadonlyMap<number, CodedState>,
): Table | undefined {
  // Text behind nothing but missing values has made a column one of text.
  const numeric = new Set(left.filter((at) => table.columns[at]?.kind === "numeric"));
  for (const at of numeric) if (found.get(at)?.numRows !== table.numRows) return undefined;
  const columns = table.columns.map((column, at) =>
    numeric.has(at) ? codedColumn(column!.name, found.get(at)!) : column
  );
  return { ...table, columns };
}

/** Which rows of the input count. */
interface CountedRows {
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
function countedRows(
  reader: PassReader,
  table: Table,
  options: BinnedOptions,
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

/** Putting a dataset together may write to its columns. */
function copyOf(column: Column | undefined): Column | undefined {
  if (column === undefined) return undefined;
  return column.kind === "numeric"
    ? { ...column, values: column.values.slice() }
    : { ...column, codes: column.codes.slice() };
}

/** Positions of features in the order of the dataset. */
function featurePlaces({ columns, roles, names }: Table): ReadonlyMap<number, number> {
  const special = new Set([roles.target, roles.weight, roles.group, roles.offset, ...roles.drop]);
  const features = names.flatMap((_, at) =>
    columns[at] === undefined || special.has(at) ? [] : [at]
  );
  return new Map(features.map((at, place) => [at, place]));
}

/** Weights to choose cuts by, unless all rows count alike. */
function countedWeights(
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
