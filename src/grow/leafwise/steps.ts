/**
 * Bounds along the bins of a feature as LightGBM keeps them: a list of steps, each from a bin on. Ranges
 * without a bin, which nodes have whose other side only missing values reach, bound what LightGBM
 * makes them bound: that is why it breaks the order there.
 *
 * Release 4.6.0, `monotone_constraints.hpp`.
 *
 * @module
 */

/** A bound for the bins `from[i] … from[i + 1] − 1`; the first step is from 0. */
export interface Steps {
  readonly from: number[];
  readonly bound: number[];
}

/** The tighter of two bounds: `Math.max` of lower ones, `Math.min` of upper ones. */
export type Tighter = (a: number, b: number) => number;

/** A bound that holds for all bins. */
export function evenSteps(bound: number): Steps {
  return { from: [0], bound: [bound] };
}

/** Bounds the bins `start … end − 1` by a value, in place. */
export function limitSteps(
  { from, bound }: Steps,
  value: number,
  { start, end, numBins }: {
    readonly start: number;
    readonly end: number;
    readonly numBins: number;
  },
  tighter: Tighter,
): void {
  const isTighter = (other: number) => value !== other && tighter(value, other) === value;
  const insert = (at: number, bin: number, limit: number) => {
    from.splice(at, 0, bin);
    bound.splice(at, 0, limit);
  };
  let begun = false;
  let ended = end === numBins;
  let before = -tighter(-Infinity, Infinity); // of no step: every value is tighter
  for (let i = 0; i < from.length; i++) {
    const own = bound[i];
    begun ||= from[i] === start;
    if (from[i] === start || (from[i] > start && from[i] < end)) bound[i] = tighter(own, value);
    if (from[i] > start && !begun) {
      begun = true;
      if (isTighter(before)) insert(i++, start, value);
    }
    if (from[i] >= end) {
      if (from[i] > end && i > 0 && before !== bound[i - 1]) insert(i, end, before);
      ended = true;
      break;
    }
    if (i > 0 && bound[i] === bound[i - 1]) {
      from.splice(i, 1);
      bound.splice(i--, 1);
    }
    before = own;
  }
  if (!begun) {
    if (!isTighter(bound[bound.length - 1])) return;
    insert(from.length, start, value);
  }
  if (!ended && before !== bound[bound.length - 1]) insert(from.length, end, before);
}

/** The tightest bound of the steps on either side of a bin. */
export interface StepSides {
  /** Up to the step of the bin before. */
  left(bin: number): number;
  /** From the bin's own step on. */
  right(bin: number): number;
}

/** Looks bounds up by bin. */
export function stepSides({ from, bound }: Steps, tighter: Tighter): StepSides {
  const before = [...bound];
  const after = [...bound];
  for (let i = 1; i < bound.length; i++) {
    before[i] = tighter(before[i], before[i - 1]);
    const j = bound.length - 1 - i;
    after[j] = tighter(after[j], after[j + 1]);
  }
  const stepOf = (bin: number) => from.findLastIndex((first) => first <= bin);
  return {
    left: (bin) => before[stepOf(bin - 1)],
    right: (bin) => after[stepOf(bin)],
  };
}
