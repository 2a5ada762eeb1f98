/**
 * Gradient-based one-side sampling by all threads: the rows of largest |g·h| are kept, and of the
 * others some are drawn, whose gradients are multiplied so that sums stay unbiased.
 *
 * Ke et al., "LightGBM: A Highly Efficient Gradient Boosting Decision Tree", NeurIPS 2017.
 *
 * Both the least row that is kept and the draw are found by digits: threads count how many of their
 * rows have each value of 16 bits, and the sums of the counts tell in which of them the wanted place
 * is. Which rows are taken does not depend on who counted them.
 *
 * @module
 */
import type { Arena } from "../../../kernels/memory.ts";
import { spread } from "../../../kernels/twin/draw.ts";
import type { Rng } from "../../../util/rng.ts";
import { Op } from "../workspace/op.ts";
import { forBlocks, type HistContext } from "../workspace/context.ts";
import type { GossLayout } from "../workspace/layout.ts";
import type { Team } from "../workspace/team.ts";

/** Values of a digit. */
const DIGITS = 65_536;

/** Makes room. */
export function layOutGoss(arena: Arena, numThreads: number, numBlocks: number): GossLayout {
  return { counts: arena.alloc(4 * DIGITS * numThreads), ties: arena.alloc(4 * numBlocks) };
}

/** What is done to the rows; the number is the first argument. */
const Step = {
  /** |g·h| of each row, in the place of its factor; counts of its first digit. */
  importance: 0,
  /** Counts of a digit of the rows that have the digits before it. Args: digit, both words. */
  digit: 1,
  /** Rows at the threshold. Args: first and last bits, both words. */
  ties: 2,
  /**
   * Rows that are kept get the factor 1 and others 0; counts of the upper digit of these rows' draws.
   * Args: as `ties`, then how many at the threshold are kept, and the seed.
   */
  keep: 3,
  /** Counts of the lower digit of draws. Args: upper digit, seed. */
  draw: 4,
  /** Factors, masks and gradients. Args: least draw that is not taken, seed, factor, member. */
  take: 5,
} as const;

/** How many rows are kept and drawn. */
export interface GossShares {
  /** Share of rows of largest |g·h|. */
  readonly top: number;
  /** Share of rows drawn from the others; with a sum of 1 these are all. */
  readonly other: number;
}

/** Places of the arguments of steps. */
const ARGS = 1;

/** Draws the rows of a tree; gradients are multiplied by the factors of their rows. */
export function drawGoss(team: Team, { top, other }: GossShares, member: number, rng: Rng): void {
  const { memory, layout } = team.context;
  const { numRows } = layout.sets[0].rows;
  const run = (step: number, ...args: readonly number[]) => {
    memory.f64.set([step, ...args], layout.args >>> 3);
    team.run(Op.goss);
  };
  const numTop = Math.max(1, Math.floor(top * numRows));
  const kept = numTop < numRows ? findLeast(team.context, run, numRows - numTop) : ALL;
  const numRest = numRows - numTop;
  // One of the others at least: without any, the sums would be those of the largest alone.
  const count = top + other === 1
    ? numRest
    : Math.min(numRest, Math.max(1, Math.floor(other * numRows)));
  const seed = rng.nextUint32();
  run(Step.keep, ...kept.range, kept.ties, seed);
  let limit = count < numRest ? 0 : 2 ** 32;
  if (count > 0 && count < numRest) {
    const high = digitAt(team.context, count - 1);
    run(Step.draw, high.digit, seed);
    const low = digitAt(team.context, count - 1 - high.below);
    // Rows have different draws, so as many as are wanted lie below the next number.
    limit = high.digit * DIGITS + low.digit + 1;
  }
  run(Step.take, limit, seed, count > 0 ? numRest / count : 0, member);
}

/**
 * Bits of importances, high and low word of the first and of the last, and how many of the rows between
 * are kept: the first ones.
 */
interface Kept {
  readonly range: readonly [number, number, number, number];
  readonly ties: number;
}

/** Every importance is above. */
const ALL: Kept = { range: [0, 0, 0, 0], ties: Infinity };

type Run = (step: number, ...args: readonly number[]) => void;

/** The threshold: the importance at a place from 0 in ascending order, or a range of bits about it. */
function findLeast(context: HistContext, run: Run, place: number): Kept {
  run(Step.importance);
  let left = place;
  let high = 0;
  let low = 0;
  for (let digit = 0; digit < 4; digit++) {
    if (digit > 0) run(Step.digit, digit, high, low);
    const found = digitAt(context, left);
    left -= found.below;
    const shift = digit % 2 === 0 ? DIGITS : 1;
    if (digit < 2) high += found.digit * shift;
    else low += found.digit * shift;
    // All that share these digits are kept: further ones would not tell them apart.
    if (left === 0 || digit === 3) {
      const lastHigh = digit === 0 ? high + DIGITS - 1 : high;
      const lastLow = digit < 2 ? 2 ** 32 - 1 : digit === 2 ? low + DIGITS - 1 : low;
      const range = [high, low, lastHigh, lastLow] as const;
      if (left === 0) return { range, ties: Infinity };
      run(Step.ties, ...range);
      return { range, ties: found.count - left };
    }
  }
  throw new RangeError("A number has four digits");
}

/** The digit of the row at a place from 0, how many have it, and how many have smaller ones. */
function digitAt(
  { memory, layout }: HistContext,
  place: number,
): { readonly digit: number; readonly count: number; readonly below: number } {
  const { u32 } = memory;
  const at = layout.goss!.counts >>> 2;
  let below = 0;
  for (let digit = 0;; digit++) {
    let count = 0;
    for (let t = 0; t < layout.numThreads; t++) count += u32[at + DIGITS * t + digit];
    if (below + count > place) return { digit, count, below };
    below += count;
  }
}

/** A thread's part of a step. */
export function goss(context: HistContext): void {
  const { memory, layout, thread } = context;
  const args = (layout.args >>> 3) + ARGS;
  const step = memory.f64[args - 1];
  const given = memory.f64.slice(args, args + 6);
  const first = (layout.goss!.counts >>> 2) + DIGITS * thread;
  const counts = memory.u32.subarray(first, first + DIGITS);
  if (step !== Step.ties && step !== Step.take) counts.fill(0);
  const ties = layout.goss!.ties >>> 2;
  // Blocks before this one come first among the rows at the threshold.
  const tiesBefore = (block: number) => {
    let sum = 0;
    for (let b = 0; b < block; b++) sum += memory.u32[ties + b];
    return sum;
  };
  forBlocks(context, 0, (from, n, block) => {
    const to = from + n;
    if (step === Step.importance) weighRows(context, counts, from, to);
    else if (step === Step.digit) countDigit(context, counts, given, from, to);
    else if (step === Step.ties) memory.u32[ties + block] = countTies(context, given, from, to);
    else if (step === Step.keep) keepRows(context, counts, given, from, to, tiesBefore(block));
    else if (step === Step.draw) countDraws(context, counts, given, from, to);
    else takeRows(context, given, from, to);
  });
}

function weighRows(
  { memory: { f64, u32 }, layout }: HistContext,
  counts: Uint32Array,
  from: number,
  to: number,
): void {
  const { numRows } = layout.sets[0].rows;
  const factor = layout.factor >>> 3;
  for (let k = 0; k < layout.numOutputs; k++) {
    const g = (layout.gradient >>> 3) + k * numRows;
    const h = (layout.hessian >>> 3) + k * numRows;
    for (let row = from; row < to; row++) {
      const own = Math.abs(f64[g + row] * f64[h + row]);
      f64[factor + row] = k === 0 ? own : f64[factor + row] + own;
    }
  }
  for (let row = from; row < to; row++) counts[u32[2 * (factor + row) + 1] >>> 16]++;
}

function countDigit(
  { memory: { u32 }, layout }: HistContext,
  counts: Uint32Array,
  given: Float64Array,
  from: number,
  to: number,
): void {
  const [digit, high, low] = given;
  const factor = layout.factor >>> 3;
  for (let row = from; row < to; row++) {
    const at = 2 * (factor + row);
    const own = u32[at + 1];
    if (digit === 1) {
      if (own >>> 16 === high >>> 16) counts[own & 0xffff]++;
    } else if (own === high) {
      if (digit === 2) counts[u32[at] >>> 16]++;
      else if (u32[at] >>> 16 === low >>> 16) counts[u32[at] & 0xffff]++;
    }
  }
}

/** Whether bits lie above a range (1), in it (0) or below (−1). */
function place(high: number, low: number, range: Float64Array): number {
  if (high > range[2] || high === range[2] && low > range[3]) return 1;
  return high > range[0] || high === range[0] && low >= range[1] ? 0 : -1;
}

function countTies(
  { memory: { u32 }, layout }: HistContext,
  range: Float64Array,
  from: number,
  to: number,
): number {
  const factor = layout.factor >>> 3;
  let count = 0;
  for (let row = from; row < to; row++) {
    const at = 2 * (factor + row);
    if (place(u32[at + 1], u32[at], range) === 0) count++;
  }
  return count;
}

function keepRows(
  { memory: { f64, u32 }, layout }: HistContext,
  counts: Uint32Array,
  given: Float64Array,
  from: number,
  to: number,
  before: number,
): void {
  const [, , , , most, seed] = given;
  const factor = layout.factor >>> 3;
  let ties = before;
  for (let row = from; row < to; row++) {
    const at = 2 * (factor + row);
    const where = place(u32[at + 1], u32[at], given);
    const isKept = where > 0 || where === 0 && ties++ < most;
    f64[factor + row] = isKept ? 1 : 0;
    if (!isKept) counts[spread(row, seed) >>> 16]++;
  }
}

function countDraws(
  { memory: { f64 }, layout }: HistContext,
  counts: Uint32Array,
  [high, seed]: Float64Array,
  from: number,
  to: number,
): void {
  const factor = layout.factor >>> 3;
  for (let row = from; row < to; row++) {
    const own = spread(row, seed);
    if (own >>> 16 === high && f64[factor + row] === 0) counts[own & 0xffff]++;
  }
}

function takeRows(
  { memory: { f64, u8 }, kernels, layout }: HistContext,
  [limit, seed, value, member]: Float64Array,
  from: number,
  to: number,
): void {
  const { numRows } = layout.sets[0].rows;
  const { mask } = layout;
  const factor = layout.factor >>> 3;
  const partOf = layout.members?.partOf ?? 0;
  for (let row = from; row < to; row++) {
    if (f64[factor + row] === 0 && spread(row, seed) < limit) f64[factor + row] = value;
    if (partOf !== 0 && u8[partOf + row] === member) f64[factor + row] = 0;
    u8[mask + row] = f64[factor + row] > 0 ? 1 : 0;
  }
  for (let k = 0; k < layout.numOutputs; k++) {
    const at = 8 * (k * numRows + from);
    kernels.weigh(layout.gradient + at, layout.hessian + at, layout.factor + 8 * from, to - from);
  }
}
