/**
 * What becomes of the numbers of a column that is read straight into bins: seen once for its cuts,
 * perhaps once more for its weights, and at last written as bins.
 *
 * @module
 */
import type { CodedColumn } from "../binning/coded_column.ts";
import type { Sketch } from "../binning/sketch.ts";
import type { MassCounter } from "../binning/stream_cuts.ts";
import type { GrowingFloats } from "../data/reading/growing.ts";
import { blankNumbers } from "../data/missing_cells.ts";
import type { NumericColumn } from "../data/types.ts";

/** Takes numbers and keeps none. */
interface Taker {
  readonly length: () => number;
  append(values: ArrayLike<number>, from: number, to: number): void;
}

/**
 * A column that only sees values go by.
 *
 * @param isOwn Asked at the first number: whether they are this thread's.
 */
export function sketchSink(sketch: Sketch, isOwn: () => boolean): GrowingFloats {
  let length = 0;
  let own: boolean | undefined;
  return sinkOf({
    length: () => length,
    append(values, from, to) {
      length += to - from;
      if (own === undefined && firstNumber(values, from, to) < to) own = isOwn();
      if (own !== false) sketch.add(values, from, to);
    },
  });
}

/** Place of the first value that is not missing, or `to`. */
function firstNumber(values: ArrayLike<number>, from: number, to: number): number {
  let at = from;
  while (at < to && Number.isNaN(values[at])) at++;
  return at;
}

/** A column whose weights are added up. */
export function massSink(counter: MassCounter): GrowingFloats {
  return sinkOf(counter);
}

/** A column that keeps bins. */
export function codeSink(coded: CodedColumn): GrowingFloats {
  return sinkOf(coded, coded.column);
}

/** A column whose values go by unseen: another thread takes them. */
export function ignoringSink(): GrowingFloats {
  let length = 0;
  return sinkOf({ length: () => length, append: (_, from, to) => void (length += to - from) });
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
    hasNumber ||= firstNumber(values, from, to) < to;
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
