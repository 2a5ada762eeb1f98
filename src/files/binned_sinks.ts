/**
 * What becomes of the numbers of a column that is read straight into bins: seen once for its cuts,
 * perhaps once more for its weights, and at last written as bins.
 *
 * @module
 */
import { createCodedColumn } from "../binning/coded_column.ts";
import type { Sketch } from "../binning/sketch.ts";
import type { MassCounter } from "../binning/stream_cuts.ts";
import type { GrowingFloats } from "../data/csv/growing.ts";
import { blankNumbers } from "../data/missing_cells.ts";
import type { NumericColumn } from "../data/types.ts";

/** Takes numbers and keeps none. */
interface Taker {
  readonly length: () => number;
  append(values: ArrayLike<number>, from: number, to: number): void;
}

/** A column that only sees values go by. */
export function sketchSink(sketch: Sketch): GrowingFloats {
  return sinkOf({ length: () => sketch.count() + sketch.missing(), append: sketch.add });
}

/** A column whose weights are added up. */
export function massSink(counter: MassCounter): GrowingFloats {
  return sinkOf(counter);
}

/**
 * A column that keeps bins.
 *
 * @param largest Largest value, which stands for the last bin.
 * @param keep Rows whose values are kept, ascending.
 * @param chosenFor What the cuts were chosen for, if that matters.
 * @param missing Numbers that mean missing.
 */
export function codeSink(
  cuts: Float64Array,
  largest: number,
  keep: Int32Array,
  chosenFor?: string,
  missing?: readonly number[],
): GrowingFloats {
  const coded = createCodedColumn(cuts, largest, keep, chosenFor, missing);
  return sinkOf(coded, coded.column);
}

/** A column to which some numbers mean missing: it never sees them. */
export function blankingSink(sink: GrowingFloats, numbers: readonly number[]): GrowingFloats {
  let blanked = false;
  return {
    ...sink,
    append(values, from, to) {
      const own = values.slice(from, to);
      if (blankNumbers(own, 0, own.length, numbers)) blanked = true;
      sink.append(own, 0, own.length);
    },
    fill(value, count) {
      const isMissing = numbers.includes(value);
      blanked ||= isMissing && count > 0;
      sink.fill(isMissing ? NaN : value, count);
    },
    // As text they would be levels.
    hasNumber: () => blanked || sink.hasNumber(),
  };
}

/** Values that are handed on at once where one is repeated. */
const FILL = 1024;

function sinkOf(taker: Taker, column?: (name: string) => NumericColumn): GrowingFloats {
  let held = new Float64Array(0);
  let hasNumber = false;

  function append(values: Float64Array, from: number, to: number): void {
    for (let at = from; !hasNumber && at < to; at++) hasNumber = !Number.isNaN(values[at]);
    taker.append(values, from, to);
  }

  return {
    length: taker.length,
    reserve: () => {},
    append,
    fill(value, count) {
      if (held.length === 0) held = new Float64Array(FILL);
      held.fill(value, 0, Math.min(FILL, count));
      for (let left = count; left > 0; left -= FILL) append(held, 0, Math.min(FILL, left));
    },
    hasNumber: () => hasNumber,
    take: () => new Float64Array(0),
    ...(column !== undefined && { column }),
  };
}
