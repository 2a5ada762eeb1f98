/**
 * The raw score that training starts from: the loss's best constant, a user's number through the
 * link, or, where rows have offsets, the best constant beside them.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import { log } from "../util/math.ts";
import { createSum } from "../util/sum.ts";
import { logit } from "./labels.ts";
import type { Loss } from "./types.ts";

/**
 * A response as a raw score.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` where the link cannot give the response.
 */
export function rawOfResponse(loss: Loss, response: number): Float64Array {
  const { name, scale = 1 } = loss.postprocess;
  const refuse = (expected: string): never => {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use baseScore ${response} with loss "${loss.name}": expected ${expected}`,
      { details: { param: "baseScore", value: response } },
    );
  };
  const filled = (raw: number) => new Float64Array(loss.numOutputs).fill(raw);
  switch (name) {
    case "exp":
      return filled(response > 0 ? log(response) : refuse("a number greater than 0"));
    case "sigmoid":
    case "oneVsAll":
      // XGBoost holds 0 and 1 away from the ends by 1e-6.
      return filled(
        response >= 0 && response <= 1
          ? logit(Math.min(1 - 1e-6, Math.max(1e-6, response))) / scale
          : refuse("a probability"),
      );
    default:
      return filled(response);
  }
}

/** A start is found when no output moves by more. */
const TOLERANCE = 1e-10;
/** Steps after which the search for a start ends anyway. */
const MOST_STEPS = 1000;
/** Largest first step of scores that share a softmax; it doubles as long as steps lower the loss. */
const SOFTMAX_STEP = 5;

/**
 * The best constant raw scores beside the rows' own offsets, to about 1e-10: by Newton steps that are
 * held between the points where the slope is known to have either sign (so that losses which flatten
 * far from the label, or curve too little, cannot throw them away), or by the loss's own leaf rule.
 * A ranking has none: its start is 0.
 *
 * @param offset Row-major `numRows × numOutputs`.
 */
export function baseScoreBeside(loss: Loss, labels: Labels, offset: Float64Array): Float64Array {
  const base = new Float64Array(loss.numOutputs);
  if (loss.task === "ranking") return base;
  const at = scoresAt(loss, labels, offset);
  if (loss.refitLeaf !== undefined) return refitted(loss, labels, base, at);
  return loss.kernel === "softmax" ? descend(loss, labels, base, at) : roots(base, at);
}

/** Raw scores and sums of derivatives with a constant beside the offsets. */
interface ScoresAt {
  readonly raw: (base: Float64Array) => Float64Array;
  readonly slopes: (base: Float64Array) => readonly Slope[];
}

/** Σ g and Σ h of one output. */
interface Slope {
  readonly g: number;
  readonly h: number;
}

function scoresAt(loss: Loss, labels: Labels, offset: Float64Array): ScoresAt {
  const { numOutputs } = loss;
  const numRows = labels.values.length;
  const scores = new Float64Array(numRows * numOutputs);
  const gradient = new Float64Array(scores.length);
  const hessian = new Float64Array(scores.length);
  const weight = loss.weighted ? undefined : labels.weight;
  const raw = (base: Float64Array) => {
    for (let k = 0; k < numOutputs; k++) {
      for (let row = 0; row < numRows; row++) {
        scores[k * numRows + row] = base[k] + offset[row * numOutputs + k];
      }
    }
    return scores;
  };
  const slopes = (base: Float64Array) => {
    loss.gradients(labels, raw(base), gradient, hessian, 0, numRows);
    return Array.from(base, (_, k) => slopeOf(gradient, hessian, k * numRows, numRows, weight));
  };
  return { raw, slopes };
}

function slopeOf(
  gradient: Float64Array,
  hessian: Float64Array,
  at: number,
  numRows: number,
  weight: Float64Array | undefined,
): Slope {
  const g = createSum();
  const h = createSum();
  for (let row = 0; row < numRows; row++) {
    const w = weight?.[row] ?? 1;
    if (w === 0) continue;
    g.add(w * gradient[at + row]);
    h.add(w * hessian[at + row]);
  }
  return { g: g.value(), h: h.value() };
}

/** The loss's leaf rule over all rows, until it moves nothing. */
function refitted(loss: Loss, labels: Labels, base: Float64Array, at: ScoresAt): Float64Array {
  const rows = Int32Array.from(labels.values, (_, row) => row);
  for (let step = 0; step < 100; step++) {
    const raw = at.raw(base);
    let moved = 0;
    for (let k = 0; k < base.length; k++) {
      const change = loss.refitLeaf!(labels, raw, rows, k);
      base[k] += change;
      moved = Math.max(moved, Math.abs(change));
    }
    if (moved <= TOLERANCE) break;
  }
  return base;
}

/** Where each output's slope changes its sign; outputs do not depend on each other. */
function roots(base: Float64Array, at: ScoresAt): Float64Array {
  const searches = Array.from(base, createSearch);
  for (let step = 0; step < MOST_STEPS; step++) {
    let moved = 0;
    at.slopes(base).forEach((slope, k) => {
      const next = searches[k](base[k], slope);
      moved = Math.max(moved, Math.abs(next - base[k]));
      base[k] = next;
    });
    if (moved <= TOLERANCE) break;
  }
  return base;
}

/** Steps of about the same size before the search leaps. */
const MOST_SLOW = 3;

/** Newton's method on the slope, with the bounds that it has met; gives the next point to look at. */
function createSearch(): (at: number, slope: Slope) => number {
  let low = -Infinity;
  let high = Infinity;
  let last = Infinity;
  let slow = 0; // steps in a row that hardly get smaller
  return (at, { g, h }) => {
    if (g === 0) return at;
    // Scores that overflow were moved too far.
    const up = g === g ? g < 0 : last < 0;
    if (up) low = at;
    else high = at;
    const newton = h > 0 ? -g / h : NaN;
    // Found: so small a step may stay on a bound, as one that is none would.
    if (Math.abs(newton) <= TOLERANCE) return at + newton;
    const isBetween = low > -Infinity && high < Infinity;
    const isSlow = last !== Infinity && !(Math.abs(newton) < 0.75 * Math.abs(last));
    // Once it leaps, it leaps until the root is behind it: steps of |f − y| stay as small as they are.
    if (isBetween || slow <= MOST_SLOW) slow = isSlow ? slow + 1 : 0;
    let next = at + newton;
    if (isBetween) {
      if (slow > 0 || !(next > low && next < high)) next = between(low, high);
    } else if (slow > MOST_SLOW || !Number.isFinite(next)) {
      const reach = last === Infinity ? 1 : Math.max(1, 2 * Math.abs(last));
      next = at + (up ? reach : -reach);
    }
    last = next - at;
    return Number.isFinite(next) ? next : at;
  };
}

/** A point between two: in the middle, or of middle size where sizes differ much. */
function between(low: number, high: number): number {
  if (low < 0 && high > 0) {
    const [small, large] = [Math.min(-low, high), Math.max(-low, high)];
    if (large <= 4 * Math.max(1, small)) return (low + high) / 2;
    return Math.sign(low + high) * Math.sqrt(large) * Math.sqrt(Math.max(1, small));
  }
  const [near, far] = low >= 0 ? [low, high] : [high, low];
  const [small, large] = [Math.max(1, Math.abs(near)), Math.abs(far)];
  if (large <= 4 * small) return low + (high - low) / 2;
  return Math.sign(far) * Math.sqrt(small) * Math.sqrt(large);
}

/** Scores that share a softmax: all move at once, by less where that would not lower the loss. */
function descend(loss: Loss, labels: Labels, base: Float64Array, at: ScoresAt): Float64Array {
  let value = loss.value(labels, at.raw(base));
  let limit = SOFTMAX_STEP;
  for (let step = 0; step < MOST_STEPS; step++) {
    const changes = Float64Array.from(
      at.slopes(base),
      ({ g, h }) => h > 0 ? Math.max(-limit, Math.min(limit, -g / h)) : 0,
    );
    let share = 1;
    let next = base.map((raw, k) => raw + changes[k]);
    let lower = loss.value(labels, at.raw(next));
    while (!(lower <= value + 1e-12 * Math.abs(value)) && share > 1e-9) {
      share /= 2;
      next = base.map((raw, k) => raw + share * changes[k]);
      lower = loss.value(labels, at.raw(next));
    }
    base.set(next);
    value = lower;
    limit = share === 1 ? 2 * limit : SOFTMAX_STEP;
    if (
      share * changes.reduce((most, change) => Math.max(most, Math.abs(change)), 0) <= TOLERANCE
    ) {
      break;
    }
  }
  return base;
}

/**
 * Where XGBoost 2 starts: one Newton step from raw score 0; several classes start alike. Losses
 * whose leaves are refitted, and rankings, start as they do here.
 */
export function xgboostStart(loss: Loss, labels: Labels): Float64Array {
  if (loss.refitLeaf !== undefined || loss.task === "ranking") return loss.baseScore(labels);
  if (loss.numOutputs > 1) return new Float64Array(loss.numOutputs).fill(0.5);
  const [{ g, h }] = scoresAt(loss, labels, new Float64Array(labels.values.length))
    .slopes(new Float64Array(1));
  return Float64Array.of(h > 0 ? -g / h : 0);
}
