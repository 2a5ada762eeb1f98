/**
 * CSV larger than memory → a dataset of bins in two passes: the first chooses the cuts of each
 * column, the second writes the bin of each value, one byte instead of eight.
 *
 * @module
 */
import { createCodedColumn } from "../binning/coded_column.ts";
import { quantileCuts } from "../binning/cuts.ts";
import { createSketch, type Sketch } from "../binning/sketch.ts";
import { createMassCounter, type MassCounter } from "../binning/stream_cuts.ts";
import { assembleDataset } from "../data/assemble.ts";
import { createFloats, type GrowingFloats } from "../data/csv/growing.ts";
import { createTablePass, type PassMeans, type PassResult, type Table } from "../data/csv/table.ts";
import type { CsvOptions } from "../data/options.ts";
import { withSchema } from "../data/roles.ts";
import { missingLabels } from "../data/target.ts";
import type { Dataset } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import { type ByteSource, isReopenable, sourceName } from "../runtime/open.ts";
import { eachPiece } from "../runtime/pieces.ts";
import { withExtension } from "./read_csv.ts";

/** How CSV is read into bins. */
export interface BinnedOptions extends CsvOptions {
  /** Most bins of a numeric column, as the parameter of training; that one is then not used. @default 256 */
  readonly maxBins?: number;
}

/**
 * Reads CSV into bins, for boosting on data that does not fit in memory as numbers.
 *
 * Cuts are those that training itself would choose while a column has at most 262,144 distinct
 * values, 65,534 where rows both have weights and are left out for want of a target; so the model's
 * bytes are the same, without self-test and statistics. Beyond, cuts come from a sketch whose bound on the rank error is said through
 * `onWarning`. The source is read twice; once more where rows have weights or no target, and once
 * more where text follows numbers.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` for a source that cannot be read again.
 * @throws {DataError} Naming line and column.
 */
export async function readCsvBinned(
  source: ByteSource,
  options: BinnedOptions = {},
): Promise<Dataset> {
  if (!await isReopenable(source)) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot read ${sourceName(source)} into bins: it is read twice, so it must be a file or URL`,
      { details: { source: sourceName(source) } },
    );
  }
  const all = withExtension(source, options);
  const { onWarning: warn, ...quiet } = all; // what there is to say is said once, by the last pass
  const { sketches, textColumns, table: first } = await readSketches(source, quiet);

  // One bin is for missing values, as in training.
  const numBins = Math.max(2, Math.min(options.maxBins ?? 256, 65535) - 1);
  const cutsOf = await readCuts(source, quiet, { sketches, textColumns, first, numBins });
  const second = (at: number): GrowingFloats => {
    const sketch = sketches.get(at);
    if (sketch === undefined) return createFloats();
    const { values } = sketch.weighted();
    if (sketch.rankError() > 0) {
      const share = (100 * sketch.rankError() / sketch.count()).toPrecision(2);
      warn?.(`Column "${first.names[at]}": cuts from a sketch, ranks off by at most ${share} %`);
    }
    const cuts = cutsOf(at, sketch);
    sketches.delete(at);
    return codeSink(cuts, values[values.length - 1] ?? NaN);
  };
  const table = tableOf(await readPass(source, all, { textColumns, createFeature: second }));
  if (table.numRows !== first.numRows) {
    throw new TypeError("the input changed between two readings");
  }
  return assembleDataset(table.columns, table.roles, withSchema(all, table.names), table.lineOf);
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
async function readSketches(source: ByteSource, options: CsvOptions): Promise<Found> {
  let textColumns: ReadonlySet<number> = new Set();
  for (;;) {
    const sketches = new Map<number, Sketch>();
    const createFeature = (at: number) => {
      const sketch = createSketch();
      sketches.set(at, sketch);
      return sketchSink(sketch);
    };
    const result = await readPass(source, options, {
      textColumns,
      createFeature,
      withoutCodes: true,
    });
    if (result.done) return { sketches, textColumns, table: result.table };
    textColumns = result.textColumns;
  }
}

/** Cuts of each column; those of rows with weights are made by one more pass. */
async function readCuts(
  source: ByteSource,
  options: CsvOptions,
  { sketches, textColumns, first, numBins }: Omit<Found, "table"> & {
    readonly first: Table;
    readonly numBins: number;
  },
): Promise<(at: number, sketch: Sketch) => Float64Array> {
  const { columns, roles, numRows } = first;
  const weight = roles.weight === undefined ? undefined : columns[roles.weight];
  const labels = roles.target === undefined ? undefined : columns[roles.target];
  const unlabelled = options.dropMissingTarget === true && labels !== undefined
    ? missingLabels(labels)
    : [];
  // Weights that are no numbers are refused when the dataset is put together.
  const weights = weight?.kind === "numeric" ? weight.values.slice() : undefined;
  if (weights === undefined && unlabelled.length === 0) {
    return (_, sketch) => {
      const { values, counts } = sketch.weighted();
      return quantileCuts(values, numBins, counts);
    };
  }
  const counted = weights ?? new Float64Array(numRows).fill(1);
  for (const row of unlabelled) counted[row] = 0;
  const counters = new Map<number, MassCounter>();
  const createFeature = (at: number): GrowingFloats => {
    const sketch = sketches.get(at);
    if (sketch === undefined) return createFloats();
    const counter = createMassCounter(sketch.weighted(), counted, weights !== undefined);
    counters.set(at, counter);
    return massSink(counter);
  };
  tableOf(await readPass(source, options, { textColumns, createFeature, withoutCodes: true }));
  return (at) => counters.get(at)!.cuts(numBins);
}

async function readPass(
  source: ByteSource,
  options: CsvOptions,
  means: PassMeans,
): Promise<PassResult> {
  const pass = createTablePass(options, means);
  await eachPiece(source, pass.push);
  return pass.finish();
}

/** A column that only sees values go by. */
function sketchSink(sketch: Sketch): GrowingFloats {
  return {
    length: () => sketch.count() + sketch.missing(),
    reserve: () => {},
    append: sketch.add,
    fill(value, count) {
      for (let i = 0; i < count; i++) sketch.add([value], 0, 1);
    },
    hasNumber: () => sketch.count() > 0,
    take: () => new Float64Array(0),
  };
}

/** A column whose weights are added up. */
function massSink(counter: MassCounter): GrowingFloats {
  return {
    length: counter.length,
    reserve: () => {},
    append: counter.append,
    fill(value, count) {
      for (let i = 0; i < count; i++) counter.append([value], 0, 1);
    },
    hasNumber: () => counter.length() > 0,
    take: () => new Float64Array(0),
  };
}

/** A column that keeps bins. */
function codeSink(cuts: Float64Array, largest: number): GrowingFloats {
  const coded = createCodedColumn(cuts, largest);
  return {
    length: coded.length,
    reserve: () => {},
    append: coded.append,
    fill(value, count) {
      for (let i = 0; i < count; i++) coded.append([value], 0, 1);
    },
    hasNumber: () => coded.length() > 0,
    take: () => new Float64Array(0),
    column: coded.column,
  };
}

function tableOf(result: PassResult): Table {
  if (result.done) return result.table;
  throw new TypeError("the input changed between two readings");
}
