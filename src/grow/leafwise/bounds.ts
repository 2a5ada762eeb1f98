/**
 * Bounds that monotone splits put on the values of a leaf: the same for all of it, or, in the
 * advanced method, another for each bin of the feature that is cut next.
 *
 * @module
 */
import type { LeafwiseFeature } from "../../binning/leafwise_bins.ts";
import { evenSteps, type Steps, stepSides } from "./steps.ts";

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
  /** Those of the cut whose right child begins at a bin, as the scan from the right takes them. */
  at(bin: number, missingLeft: boolean): CutBounds;
  /** The same for the scan from the left: missing values go right. */
  fromLeft(bin: number): CutBounds;
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
  return { direction, at: () => bounds, fromLeft: () => bounds };
}

/** One bound, one for each bin, or (as LightGBM has them) steps. */
export type Bound = number | Float64Array | Steps;

/** Bounds that differ from bin to bin: a child keeps those of all of its bins. */
export function unevenBounds(
  direction: number,
  feature: LeafwiseFeature,
  min: Bound,
  max: Bound,
): FeatureBounds {
  if (typeof min === "number" && typeof max === "number") return evenBounds(direction, min, max);
  const least = sides(feature, min as number | Float64Array, Math.max, -Infinity);
  const most = sides(feature, max as number | Float64Array, Math.min, Infinity);
  const at = (bin: number, missingLeft: boolean) => ({
    leftMin: least.left(bin, missingLeft),
    leftMax: most.left(bin, missingLeft),
    rightMin: least.right(bin, missingLeft),
    rightMax: most.right(bin, missingLeft),
  });
  return { direction, at, fromLeft: (bin) => at(bin, false) };
}

/**
 * The same by LightGBM's steps: missing values are the last of the numbers, and the scan from the left
 * never moves on, so that a left child is bounded by the first step alone and a right child by all.
 */
export function lightgbmBounds(direction: number, min: Bound, max: Bound): FeatureBounds {
  if (typeof min === "number" && typeof max === "number") return evenBounds(direction, min, max);
  const least = stepSides(asSteps(min), Math.max);
  const most = stepSides(asSteps(max), Math.min);
  const at = (leftBin: number, rightBin: number) => ({
    leftMin: least.left(leftBin),
    leftMax: most.left(leftBin),
    rightMin: least.right(rightBin),
    rightMax: most.right(rightBin),
  });
  const unmoved = at(1, 0);
  return { direction, at: (bin) => at(bin, bin), fromLeft: () => unmoved };
}

function asSteps(bound: Bound): Steps {
  return typeof bound === "number" ? evenSteps(bound) : bound as Steps;
}

interface Sides {
  left(bin: number, missingLeft: boolean): number;
  right(bin: number, missingLeft: boolean): number;
}

/** The tightest bound of the bins on either side of a cut. */
function sides(
  { numBins, missingBin }: LeafwiseFeature,
  bound: number | Float64Array,
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
