/**
 * CSV larger than memory → a dataset of bins in two passes: the first chooses the cuts of each
 * column, the second writes the bin of each value, one byte instead of eight.
 *
 * @module
 */
import { createCodedColumn } from "../binning/coded_column.ts";
import { quantileCuts } from "../binning/cuts.ts";
import { createSketch, type Sketch } from "../binning/sketch.ts";
import { assembleDataset } from "../data/assemble.ts";
import { createFloats, type GrowingFloats } from "../data/csv/growing.ts";
import { createTablePass, type PassResult, type Table } from "../data/csv/table.ts";
import type { CsvOptions } from "../data/options.ts";
import { withSchema } from "../data/roles.ts";
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
 * values (and rows have no weights), so the model's bytes are the same; beyond, they come from a
 * sketch whose bound on the rank error is said through `onWarning`. The source is read twice, or
 * three times where text follows numbers.
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

  let sketches = new Map<number, Sketch>();
  const first = (at: number): GrowingFloats => {
    const sketch = createSketch();
    sketches.set(at, sketch);
    return sketchSink(sketch);
  };
  let textColumns: ReadonlySet<number> = new Set();
  let found = await readPass(source, quiet, textColumns, first);
  while (!found.done) {
    textColumns = found.textColumns;
    sketches = new Map();
    found = await readPass(source, quiet, textColumns, first);
  }

  const { names } = found.table;
  const second = (at: number): GrowingFloats => {
    const sketch = sketches.get(at);
    if (sketch === undefined) return createFloats();
    const { values, counts } = sketch.weighted();
    // One bin is for missing values, as in training.
    const numBins = Math.max(2, Math.min(options.maxBins ?? 256, 65535) - 1);
    const cuts = quantileCuts(values, numBins, counts);
    if (sketch.rankError() > 0) {
      const share = (100 * sketch.rankError() / sketch.count()).toPrecision(2);
      warn?.(`Column "${names[at]}": cuts from a sketch, ranks off by at most ${share} %`);
    }
    return codeSink(cuts, values[values.length - 1] ?? NaN);
  };
  const table = tableOf(await readPass(source, all, textColumns, second));
  return assembleDataset(table.columns, table.roles, withSchema(all, table.names), table.lineOf);
}

async function readPass(
  source: ByteSource,
  options: CsvOptions,
  textColumns: ReadonlySet<number>,
  createFeature: (at: number) => GrowingFloats,
): Promise<PassResult> {
  const pass = createTablePass(options, { textColumns, createFeature });
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
