/**
 * Data larger than memory → a dataset of bins in two passes: the first chooses the cuts of each
 * column, the second writes the bin of each value, one byte instead of eight.
 *
 * @module
 */
import { checkOptions } from "../door.ts";
import { quantileCuts } from "../binning/cuts.ts";
import { createSketchPool, type Sketch } from "../binning/sketch.ts";
import { createMassCounter, type MassCounter } from "../binning/stream_cuts.ts";
import { createFloats, type GrowingFloats } from "../data/csv/growing.ts";
import type { PassResult, Table } from "../data/csv/table.ts";
import { selectRows } from "../data/dataset.ts";
import { blankNumbers, missingCells, missingNumbers } from "../data/missing_cells.ts";
import { type SplitOptions, splitRows } from "../data/split.ts";
import { missingLabels } from "../data/target.ts";
import type { Column, Dataset } from "../data/types.ts";
import { ParameterError, SourceError } from "../errors.ts";
import { recordedRows } from "../format/training_record.ts";
import { type ByteSource, isReopenable, sourceName } from "../runtime/open.ts";
import { type PassReader, passReader } from "./pass_reader.ts";
import { codeSink, massSink, sketchSink } from "./binned_sinks.ts";
import { checkReading } from "../data/options.ts";
import { DATA_OPTIONS, type DataOptions } from "./read_data.ts";

/** How data are read into bins. */
export interface BinnedOptions extends DataOptions {
  /**
   * Most bins of a numeric column, as the parameter of training; that one is then not used.
   * @default 256
   */
  readonly maxBins?: number;
  /**
   * Bytes for choosing cuts, over all columns. With fewer than 5 MB a column, fewer distinct values
   * are counted exactly, and ranks of sketches are less exact in proportion. @default 256 MB
   */
  readonly sketchBytes?: number;
  /**
   * Which rows bins are chosen from, given the data without features (the first part, where they are
   * divided); {@linkcode boostSample} says what training will do. @default all, by their weights
   */
  readonly sample?: (data: Dataset) => BinnedSample;
}

const SKETCH_BYTES = 1 << 28;

/** Rows that bins are chosen from. */
export interface BinnedSample {
  /** Rows of the data, ascending; absent where all count. */
  readonly rows?: Int32Array;
  /** Weight of each of these rows; absent where they count alike. */
  readonly weights?: ArrayLike<number>;
  /** Stands for these rows with these weights: what the bins say they were chosen for. */
  readonly key: string;
}

/** How rows are divided: the bins are those of the first part. */
export type BinnedSplit = Pick<SplitOptions, "fractions" | "seed"> & {
  /** Give each part the same shares of the classes, where the target has classes. */
  readonly stratify?: boolean;
};

/**
 * Reads data of any format into bins, for boosting on what does not fit in memory as numbers.
 *
 * Cuts are those that training itself would choose while a column has at most 262,144 distinct
 * values (in up to 53 columns; fewer in proportion in more, see `sketchBytes`), 65,534 where rows
 * both have weights and some do not count (they have no target or weight 0, or are held out); so the
 * model has the same bytes. Class weights and rows that training itself holds out for early stopping are
 * known only through `sample`, without which it refuses such bins. Beyond, cuts come from a sketch
 * whose bound on the rank error is said through `onWarning`. The source is read twice; once more
 * where rows have weights or some do not count, and once more where text follows numbers.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` for a source that cannot be read again.
 * @throws {DataError} Naming line and column.
 */
export async function readBinned(
  source: ByteSource,
  options: BinnedOptions = {},
): Promise<Dataset> {
  checkBinned("readBinned", options);
  return (await readParts(source, options))[0];
}

/** Reads CSV into bins; see {@linkcode readBinned}. */
export async function readCsvBinned(
  source: ByteSource,
  options: BinnedOptions = {},
): Promise<Dataset> {
  checkBinned("readCsvBinned", options);
  return (await readParts(source, { ...options, format: "csv" }))[0];
}

function checkBinned(call: string, options: BinnedOptions): void {
  checkReading<BinnedOptions>(call, options, {
    ...DATA_OPTIONS,
    maxBins: "any",
    sketchBytes: "count",
    sample: "function",
  });
}

/** Reads data into bins chosen from the rows of the first part, and divides them as `splitDataset`. */
export async function readBinnedParts(
  source: ByteSource,
  options: BinnedOptions,
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
  options: BinnedOptions,
  split?: BinnedSplit,
): Promise<Dataset[]> {
  if (!isReopenable(source)) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot read ${sourceName(source)} into bins: it is read twice, so it must be a file or URL`,
      { details: { source: sourceName(source) } },
    );
  }
  const { onWarning: warn, ...quiet } = options; // what there is to say is said once, by the last pass
  const plan = await planBins(passReader(source, quiet), quiet, split);
  const missing = missingNumbers(missingCells(options));
  const createFeature = (at: number): GrowingFloats => {
    const sketch = plan.sketches.get(at);
    if (sketch === undefined) return createFloats();
    plan.sketches.delete(at);
    if (sketch.rankError() > 0) {
      const share = (100 * sketch.rankError() / sketch.count()).toPrecision(2);
      warn?.(`Column "${plan.names[at]}": cuts from a sketch, ranks off by at most ${share} %`);
    }
    const { cuts, largest } = plan.binsOf(at, sketch);
    const keep = recordedRows(plan.numTrain, plan.places.size, plan.places.get(at) ?? 0)
      .map(plan.rowOf);
    return codeSink(cuts, largest, keep, plan.chosenFor, missing);
  };
  const reader = passReader(source, options);
  const table = tableOf(await reader.read({ textColumns: plan.textColumns, createFeature }));
  if (table.numRows !== plan.numRows) {
    throw new SourceError(
      "E_IO_READ",
      `Cannot read "${sourceName(source)}" into bins: it changed between two readings`,
      { details: { source: sourceName(source) } },
    );
  }
  const data = reader.assemble(table);
  return plan.parts === undefined ? [data] : plan.parts.map((part) => selectRows(data, part));
}

/** What is known before bins are written. */
interface Plan {
  /** By position of the feature. */
  readonly sketches: Map<number, Sketch>;
  readonly textColumns: ReadonlySet<number>;
  readonly names: readonly string[];
  /** Features in the order of the dataset, by position. */
  readonly places: ReadonlyMap<number, number>;
  readonly numRows: number;
  /** Rows that are trained on, and which rows of the input they are. */
  readonly numTrain: number;
  readonly rowOf: (row: number) => number;
  /** Rows of the dataset in each part; absent where it is not divided. */
  readonly parts: readonly Int32Array[] | undefined;
  readonly chosenFor: string | undefined;
  readonly binsOf: (at: number, sketch: Sketch) => Bins;
}

/** Cuts of a column, and its largest value. */
interface Bins {
  readonly cuts: Float64Array;
  readonly largest: number;
}

/** Reads the input until its bins are known. */
async function planBins(
  reader: PassReader,
  options: BinnedOptions,
  split: BinnedSplit | undefined,
): Promise<Plan> {
  const found = await readSketches(reader, options.sketchBytes ?? SKETCH_BYTES);
  const { sketches, textColumns, table } = found;
  const counted = countedRows(reader, table, options, split);
  const { train, parts } = counted;
  // One bin is for missing values, as in training.
  const numBins = Math.max(2, Math.min(options.maxBins ?? 256, 65535) - 1);
  return {
    sketches,
    textColumns,
    names: table.names,
    places: featurePlaces(table),
    numRows: table.numRows,
    numTrain: train?.length ?? table.numRows,
    rowOf: train === undefined ? (row) => row : (row) => train[row],
    parts,
    chosenFor: counted.key,
    binsOf: await readCuts(reader, found, counted, numBins),
  };
}

/** What the first passes find. */
interface Found {
  /** By position of the feature. */
  readonly sketches: Map<number, Sketch>;
  readonly textColumns: ReadonlySet<number>;
  /** Target, weights and other columns that are no features. */
  readonly table: Table;
}

/** Sketches of all columns of numbers. */
async function readSketches(reader: PassReader, sketchBytes: number): Promise<Found> {
  let textColumns: ReadonlySet<number> = new Set();
  for (;;) {
    const sketches = new Map<number, Sketch>();
    const pool = createSketchPool(sketchBytes);
    const createFeature = (at: number) => {
      const sketch = pool.create();
      sketches.set(at, sketch);
      return sketchSink(sketch);
    };
    const result = await reader.read({ textColumns, createFeature, withoutCodes: true });
    if (result.done) return { sketches, textColumns, table: result.table };
    textColumns = result.textColumns;
  }
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

/** Cuts of each column; where rows have weights or some do not count, they are made by one more pass. */
async function readCuts(
  reader: PassReader,
  { sketches, textColumns, table }: Found,
  { train, weights: given, key }: CountedRows,
  numBins: number,
): Promise<(at: number, sketch: Sketch) => Bins> {
  const { columns, roles, numRows } = table;
  const weight = roles.weight === undefined ? undefined : columns[roles.weight];
  // Weights that are no numbers are refused when the dataset is put together.
  const own = weight?.kind === "numeric" ? weight.values : undefined;
  const isWeighted = key === undefined ? own !== undefined : given !== undefined;
  if (!isWeighted && (train === undefined || train.length === numRows)) return plainBins(numBins);
  const counted = train === undefined ? own!.slice() : new Float64Array(numRows);
  train?.forEach((row, i) => counted[row] = key === undefined ? own?.[row] ?? 1 : given?.[i] ?? 1);
  const counters = new Map<number, MassCounter & { readonly largest: number }>();
  const createFeature = (at: number): GrowingFloats => {
    const sketch = sketches.get(at);
    if (sketch === undefined) return createFloats();
    const found = sketch.weighted();
    const fine = isWeighted || sketch.rankError() > 0;
    const counter = createMassCounter(found, counted, fine);
    counters.set(at, { ...counter, largest: largestOf(found.values) });
    return massSink(counter);
  };
  tableOf(await reader.read({ textColumns, createFeature, withoutCodes: true }));
  return (at) => {
    const { cuts, largest } = counters.get(at)!;
    counters.delete(at);
    return { cuts: cuts(numBins), largest };
  };
}

/** Bins of rows that all count alike. */
function plainBins(numBins: number): (at: number, sketch: Sketch) => Bins {
  return (_, sketch) => {
    const { values, counts } = sketch.weighted();
    return { cuts: quantileCuts(values, numBins, counts), largest: largestOf(values) };
  };
}

function largestOf(values: Float64Array): number {
  return values[values.length - 1] ?? NaN;
}

function tableOf(result: PassResult): Table {
  if (result.done) return result.table;
  throw new TypeError("the input changed between two readings");
}
