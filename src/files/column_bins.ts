/**
 * Columns of numbers on their way into bins: a thread reads the whole input in each pass, and keeps
 * what its share of the columns needs. Choosing cuts and finding bins takes far longer than reading
 * (bench/ingest.md).
 *
 * @module
 */
import { type CodedColumn, type CodedState, createCodedColumn } from "../binning/coded_column.ts";
import { quantileCuts } from "../binning/cuts.ts";
import { createSketchPool, type Sketch } from "../binning/sketch.ts";
import { createMassCounter, type MassCounter } from "../binning/stream_cuts.ts";
import { createFloats, type GrowingFloats } from "../data/reading/growing.ts";
import type { PassResult, Table } from "../data/csv/table.ts";
import { missingCells, missingNumbers } from "../data/missing_cells.ts";
import { codeSink, ignoringSink, massSink, sketchSink } from "./binned_sinks.ts";
import type { PassReader } from "./pass_reader.ts";
import type { DataOptions } from "./read_data.ts";
import type { MakeBuffer } from "../util/buffers.ts";

/** How bins are chosen. */
export interface ColumnOptions extends Pick<DataOptions, "missing" | "schema"> {
  /** Most bins of a column, one of them for missing values. @default 256 */
  readonly maxBins?: number;
  /** Bytes for choosing cuts, over all columns of all threads. @default 256 MB */
  readonly sketchBytes?: number;
}

/** Which columns are a thread's: of those of numbers every `threads`th, by their first numbers. */
export interface ColumnShare {
  /** From 0. */
  readonly thread: number;
  readonly threads: number;
  /** Makes the memory of bins. @default memory of this thread */
  readonly memory?: MakeBuffer;
}

/** What the first passes tell of a column. */
export interface SeenColumn {
  /** Its position. */
  readonly at: number;
  /** Rows that were not missing. */
  readonly count: number;
  /** Most rows by which a rank may be off. */
  readonly rankError: number;
}

/** What the first passes find. */
export interface SeenColumns {
  /** Target, weights and other columns that are no features. */
  readonly table: Table;
  /** The thread's own columns. */
  readonly seen: readonly SeenColumn[];
}

/** Weights by which cuts are chosen. */
export interface CountedWeights {
  /** Weight of each row of the input; 0 where it does not count. */
  readonly counted: Float64Array;
  /** Whether rows that count have different weights. */
  readonly isWeighted: boolean;
}

/** How bins are written. */
export interface WriteOrder {
  /** Rows of each column whose values are kept, ascending, by its position. */
  readonly keeps: ReadonlyMap<number, Int32Array>;
  /** What the cuts were chosen for, if that matters. */
  readonly chosenFor: string | undefined;
}

/** What the last pass gives. */
export interface WrittenColumns {
  readonly table: Table;
  /** The thread's own columns. */
  readonly states: ReadonlyMap<number, CodedState>;
  /** Columns of the table that other threads have written. */
  readonly left: readonly number[];
}

/** One thread's columns, pass by pass. */
export interface ColumnBins {
  /** The first pass, and again where text follows numbers. */
  see(): Promise<SeenColumns>;
  /** One more pass where rows do not count alike. */
  weigh(weights: CountedWeights): Promise<void>;
  /**
   * The last pass.
   *
   * @param reader Says what there is to say.
   * @param onColumn Hears of each column of numbers before its values.
   */
  write(
    order: WriteOrder,
    reader: PassReader,
    onColumn: (at: number) => void,
  ): Promise<WrittenColumns>;
}

/** Cuts of a column, and its largest value. */
interface Bins {
  readonly cuts: Float64Array;
  readonly largest: number;
}

const SKETCH_BYTES = 1 << 28;

/** A thread's columns, none of them seen. */
export function createColumnBins(
  reader: PassReader,
  options: ColumnOptions,
  { thread, threads, memory }: ColumnShare,
): ColumnBins {
  // One bin is for missing values, as in training.
  const numBins = Math.max(2, Math.min(options.maxBins ?? 256, 65535) - 1);
  const missing = missingNumbers(missingCells(options));
  const sketches = new Map<number, Sketch>();
  const counters = new Map<number, MassCounter & { readonly largest: number }>();
  let textColumns: ReadonlySet<number> = new Set();

  async function see(): Promise<SeenColumns> {
    for (;;) {
      sketches.clear();
      const pool = createSketchPool(options.sketchBytes ?? SKETCH_BYTES);
      let next = 0;
      const createFeature = (at: number) => {
        // Those of other threads share the memory too.
        const sketch = pool.create();
        // A column without a number, perhaps of text, is the calling thread's.
        if (thread === 0) sketches.set(at, sketch);
        return sketchSink(sketch, () => {
          const isOwn = next++ % threads === thread;
          if (isOwn) sketches.set(at, sketch);
          else sketches.delete(at);
          return isOwn;
        });
      };
      const result = await reader.read({ textColumns, createFeature, withoutCodes: true });
      if (result.done) return { table: result.table, seen: [...sketches].map(seenColumn) };
      textColumns = result.textColumns;
    }
  }

  async function weigh({ counted, isWeighted }: CountedWeights): Promise<void> {
    const createFeature = (at: number): GrowingFloats => {
      const sketch = sketches.get(at);
      if (sketch === undefined) return ignoringSink();
      const found = sketch.weighted();
      const fine = isWeighted || sketch.rankError() > 0;
      const counter = createMassCounter(found, counted, fine);
      counters.set(at, { ...counter, largest: largestOf(found.values) });
      return massSink(counter);
    };
    tableOf(await reader.read({ textColumns, createFeature, withoutCodes: true }));
  }

  /** Lets what the bins are chosen from go. */
  function binsOf(at: number, sketch: Sketch): Bins {
    const counter = counters.get(at);
    sketches.delete(at);
    counters.delete(at);
    if (counter !== undefined) return { cuts: counter.cuts(numBins), largest: counter.largest };
    const { values, counts } = sketch.weighted();
    return { cuts: quantileCuts(values, numBins, counts), largest: largestOf(values) };
  }

  async function write(
    { keeps, chosenFor }: WriteOrder,
    last: PassReader,
    onColumn: (at: number) => void,
  ): Promise<WrittenColumns> {
    const written = new Map<number, CodedColumn>();
    const left: number[] = [];
    const createFeature = (at: number): GrowingFloats => {
      const keep = keeps.get(at);
      if (keep === undefined) return createFloats(); // nobody has seen it
      onColumn(at);
      const sketch = sketches.get(at);
      if (sketch === undefined) {
        left.push(at);
        return ignoringSink();
      }
      const { cuts, largest } = binsOf(at, sketch);
      const coded = createCodedColumn(cuts, largest, {
        keep,
        chosenFor,
        missing,
        ...(memory !== undefined && { memory }),
      });
      written.set(at, coded);
      return codeSink(coded);
    };
    const table = tableOf(await last.read({ textColumns, createFeature }));
    const states = new Map([...written].map(([at, coded]) => [at, coded.state()]));
    return { table, states, left };
  }

  return { see, weigh, write };
}

function seenColumn([at, sketch]: readonly [number, Sketch]): SeenColumn {
  return { at, count: sketch.count(), rankError: sketch.rankError() };
}

function largestOf(values: Float64Array): number {
  return values[values.length - 1] ?? NaN;
}

function tableOf(result: PassResult): Table {
  if (result.done) return result.table;
  throw new TypeError("the input changed between two readings");
}
