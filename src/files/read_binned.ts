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
import type { Dataset } from "../data/types.ts";
import { ParameterError, SourceError } from "../errors.ts";
import { recordedRows } from "../format/training_record.ts";
import { type ByteSource, isReopenable, sourceName } from "../runtime/open.ts";
import { type BinRun, NO_OTHERS, type OtherThreads, withBinThreads } from "./binned_threads.ts";
import { createColumnBins, type WriteOrder, type WrittenColumns } from "./column_bins.ts";
import {
  type BinnedSample,
  type BinnedSplit,
  countedRows,
  countedWeights,
} from "./counted_rows.ts";
import { passReader } from "./pass_reader.ts";
import { onThreads, type ReadRun } from "./read_csv.ts";
import { checkReading } from "../data/options.ts";
import { DATA_OPTIONS, type DataOptions } from "./read_data.ts";

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

/** Positions of features in the order of the dataset. */
function featurePlaces({ columns, roles, names }: Table): ReadonlyMap<number, number> {
  const special = new Set([roles.target, roles.weight, roles.group, roles.offset, ...roles.drop]);
  const features = names.flatMap((_, at) =>
    columns[at] === undefined || special.has(at) ? [] : [at]
  );
  return new Map(features.map((at, place) => [at, place]));
}
