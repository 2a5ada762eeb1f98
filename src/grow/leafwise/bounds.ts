/**
 * Bounds that monotone splits put on the values of a leaf: the same for all of it, or, in the
 * advanced method, another for each bin of the feature that is cut next.
 *
 * @module
 */
import type { LeafwiseFeature } from "../../binning/leafwise_bins.ts";

/** Bounds of the two children of a cut. */
export interface CutBounds {
  readonly leftMin: number;
  readonly leftMax: number;
  readonly rightMin: number;
  readonly rightMax: number;
}

/** Bounds of all cuts of one feature. */
export interface FeatureBounds {
  /** 1: the right child must not be below the left; −1: not above; 0: free. */
  readonly direction: number;
  /** Those of the cut whose right child begins at a bin. */
  at(bin: number, missingLeft: boolean): CutBounds;
}

/** Whether the two values are in order. */
export function inOrder(direction: number, left: number, right: number): boolean {
  return direction === 0 || (direction > 0 ? left <= right : left >= right);
}

/** A value inside its bounds. */
export function clamp(value: number, min: number, max: number): number {
  return value < min ? min : value > max ? max : value;
}

/** Bounds that are the same wherever the cut is. */
export function evenBounds(direction: number, min: number, max: number): FeatureBounds {
  const bounds = { leftMin: min, leftMax: max, rightMin: min, rightMax: max };
  return { direction, at: () => bounds };
}

/** One bound, or one for each bin. */
export type Bound = number | Float64Array;

/** Bounds that differ from bin to bin: a child keeps those of all of its bins. */
export function unevenBounds(
  direction: number,
  feature: LeafwiseFeature,
  min: Bound,
  max: Bound,
): FeatureBounds {
  if (typeof min === "number" && typeof max === "number") return evenBounds(direction, min, max);
  const least = sides(feature, min, Math.max, -Infinity);
  const most = sides(feature, max, Math.min, Infinity);
  return {
    direction,
    at: (bin, missingLeft) => ({
      leftMin: least.left(bin, missingLeft),
      leftMax: most.left(bin, missingLeft),
      rightMin: least.right(bin, missingLeft),
      rightMax: most.right(bin, missingLeft),
    }),
  };
}

interface Sides {
  left(bin: number, missingLeft: boolean): number;
  right(bin: number, missingLeft: boolean): number;
}

/** The tightest bound of the bins on either side of a cut. */
function sides(
  { numBins, missingBin }: LeafwiseFeature,
  bound: Bound,
  tighter: (a: number, b: number) => number,
  none: number,
): Sides {
  if (typeof bound === "number") return { left: () => bound, right: () => bound };
  // A bin of zeros that are missing stays among its neighbours, too.
  const numbers = missingBin === numBins - 1 ? numBins - 1 : numBins;
  const before = new Float64Array(numbers + 1).fill(none);
  const after = new Float64Array(numbers + 1).fill(none);
  for (let bin = 0; bin < numbers; bin++) before[bin + 1] = tighter(before[bin], bound[bin]);
  for (let bin = numbers - 1; bin >= 0; bin--) after[bin] = tighter(after[bin + 1], bound[bin]);
  const missing = missingBin >= 0 ? bound[missingBin] : none;
  return {
    left: (bin, missingLeft) => missingLeft ? tighter(before[bin], missing) : before[bin],
    right: (bin, missingLeft) => missingLeft ? after[bin] : tighter(after[bin], missing),
  };
}
