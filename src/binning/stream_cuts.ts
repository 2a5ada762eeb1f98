/**
 * Cuts of a column that is never in memory as a whole: from its distinct values and, where rows
 * have weights, from a second look at all of them.
 *
 * @module
 */
import { binOf } from "./bins.ts";
import { quantileCuts, weightedCuts } from "./cuts.ts";
import type { WeightedValues } from "./distinct.ts";

/** Bins within which weights are added up, as in training. */
const FINE_BINS = 65534;

/** The weight in each stretch of a column's values. */
export interface MassCounter {
  /** Number of rows so far. */
  readonly length: () => number;
  /** Takes the values of the next rows. */
  append(values: ArrayLike<number>, from: number, to: number): void;
  /** At most so many bins of about equal weight. */
  cuts(numBins: number): Float64Array;
}

/**
 * A counter for rows of given weights.
 *
 * @param found Distinct values of the column, not written to while rows are counted.
 * @param weights Weight of each row, in order; 0 for a row that does not count.
 * @param fine Whether values share stretches where there are more than 65,534, as training lets
 * them where rows have weights, and as is enough where values come from a sketch.
 */
export function createMassCounter(
  { values, counts }: WeightedValues,
  weights: ArrayLike<number>,
  fine: boolean,
): MassCounter {
  const shared = fine && values.length > FINE_BINS;
  const ends = shared ? endsOf(values, quantileCuts(values, FINE_BINS, counts)) : values;
  // The values themselves are let go: they are many.
  const starts = shared ? startsOf(values, ends) : values;
  const mass = new Float64Array(ends.length);
  let rows = 0;
  return {
    length: () => rows,
    append(cells, from, to) {
      for (let i = from; i < to; i++) {
        const value = cells[i];
        const weight = weights[rows++];
        // Beyond the last end nothing is but what a sketch has let go.
        if (value === value) mass[Math.min(ends.length - 1, binOf(ends, value))] += weight;
      }
    },
    cuts: (numBins) => weightedCuts(ends, starts, mass, numBins),
  };
}

/** Largest value up to each cut, and the last value. */
function endsOf(values: Float64Array, cuts: Float64Array): Float64Array {
  const ends = Float64Array.from(cuts, (cut) => {
    const at = binOf(values, cut);
    return values[at] === cut ? cut : values[at - 1];
  });
  return Float64Array.of(...ends, values[values.length - 1]);
}

/** The value behind each end's predecessor. */
function startsOf(values: Float64Array, ends: Float64Array): Float64Array {
  return ends.map((_, i) => i === 0 ? values[0] : values[binOf(values, ends[i - 1]) + 1]);
}
