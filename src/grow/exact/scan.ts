/**
 * The best split of one feature for every node of a level: rows in order of value, derivatives of
 * those seen so far on one side and the rest on the other. The order of scans and the rule for ties
 * are those of XGBoost's `updater_colmaker.cc`.
 *
 * @module
 */
import { type ListSpace, listSpace, type NodeLists, partList, type SortedColumn } from "./lists.ts";
import { type ExactNode, type NodeMath, nodeMath, type NodeOptions } from "./math.ts";

/** Limits of one tree's splits. */
export interface ScanOptions extends NodeOptions {
  readonly minRowsPerLeaf: number;
}

/** What the scans of a tree read: all threads see it. */
export interface ScanRows {
  readonly columns: readonly SortedColumn[];
  readonly lists: NodeLists;
  /** The node of each row; −1: takes no part. */
  readonly leafOf: Int32Array;
  /** Float32 derivatives: gradient and hessian of each row beside each other. */
  readonly pairs: Float32Array;
}

/** Looks for the splits of a feature at all nodes of a level, where they beat what is known. */
export type ScanFeature = (feature: number, level: readonly ExactNode[]) => void;

const { fround } = Math;
/** XGBoost's kRtEps: least loss change of a split, and the distance of the outermost thresholds. */
export const MIN_GAIN = fround(1e-6);

/** Makes the scans of a thread. */
export function createScan(rows: ScanRows, options: ScanOptions): ScanFeature {
  const math = nodeMath(options);
  const space = listSpace(rows.leafOf.length);
  const limits = { ...options, lambda: fround(options.lambda), alpha: fround(options.alpha) };
  return (feature, level) => {
    const { columns, lists, leafOf } = rows;
    const column = columns[feature];
    partList(column, feature, lists, leafOf, level[0].id, level.length, space);
    const { values, numMissing } = column;
    const constant = values.length > 0 && values[0] === values[values.length - 1];
    // With nothing missing (or one value only) the forward scan proposes nothing new.
    if (numMissing > 0 && !constant) scan(rows, feature, 1, level, limits, math, space);
    scan(rows, feature, -1, level, limits, math, space);
  };
}

/** Whether a split is better than the best so far: ties go to the lower feature. */
export function isBetter(loss: number, feature: number, best: ExactNode["best"]): boolean {
  if (!Number.isFinite(loss)) return false;
  return best.feature <= feature ? loss > best.loss : !(best.loss > loss);
}

/** One pass over a feature: forward sends missing rows right, backward sends them left. */
function scan(
  rows: ScanRows,
  feature: number,
  step: 1 | -1,
  level: readonly ExactNode[],
  options: ScanOptions,
  math: NodeMath,
  { starts }: ListSpace,
): void {
  const isPlain = !math.explicit;
  for (let i = 0; i < level.length; i++) {
    const from = step === 1 ? starts[i] : starts[i + 1] - 1;
    const end = step === 1 ? starts[i + 1] : starts[i] - 1;
    scanNode(rows, feature, step, level[i], from, end, options, math, isPlain);
  }
}

/** A split's loss change may be this much off, relatively, by rounding to float32; it is less. */
const SLACK = 1e-6;
/** Below, float32 numbers lose digits. */
const LEAST_BAR = 1e-30;

/**
 * What (Σg)²/(Σh + λ) of both sides must add up to for a split of a node to count: less cannot beat
 * its best, whatever the rounding. 0 where that is not certain. Where a side's Σh is not above 0 the
 * sum says nothing, and the split is refused by the limits.
 */
function barOf({ best, gain }: ExactNode): number {
  const bar = (best.loss + gain) * (1 - SLACK);
  return bar > LEAST_BAR ? bar : 0;
}

function scanNode(
  { lists, pairs }: ScanRows,
  feature: number,
  step: 1 | -1,
  node: ExactNode,
  from: number,
  end: number,
  { minRowsPerLeaf: least, lambda, alpha }: ScanOptions,
  math: NodeMath,
  isPlain: boolean,
): void {
  const rows = lists.rows[feature];
  const values = lists.values[feature];
  const { minWeight } = math;
  const { g: allG, h: allH, count: all } = node;
  let bar = isPlain ? barOf(node) : 0;
  let g = 0;
  let h = 0;
  let last = 0;
  for (let i = from; i !== end; i += step) {
    const value = values[i];
    if (value !== last) {
      const restG = allG - g;
      const one = alpha === 0 ? g : shrink(g, alpha);
      const other = alpha === 0 ? restG : shrink(restG, alpha);
      const oneH = h + lambda;
      const otherH = allH - h + lambda;
      // Nearly all splits are behind the best: limits, divisions and roundings only for the others.
      if (!(one * one * otherH + other * other * oneH < bar * oneH * otherH)) {
        const seen = (i - from) * step;
        if (h !== 0 && isAllowed(h, allH - h, minWeight) && isAllowed(seen, all - seen, least)) {
          const better = propose(node, feature, step, g, h, between(value, last), math);
          if (better && isPlain) bar = barOf(node);
        }
      }
    }
    const at = 2 * rows[i];
    g += pairs[at];
    h += pairs[at + 1];
    last = value;
  }
  // All present rows against the missing ones. No number is beyond an infinity, so that none parts
  // it from them.
  const count = (end - from) * step;
  if (Math.abs(last) === Infinity) return;
  if (!isAllowed(h, allH - h, minWeight) || !isAllowed(count, all - count, least)) return;
  const gap = fround(Math.abs(last) + MIN_GAIN);
  propose(node, feature, step, g, h, fround(step === 1 ? last + gap : last - gap), math);
}

/** Whether both sides of a split have enough. */
function isAllowed(one: number, other: number, least: number): boolean {
  return one >= least && other >= least;
}

function shrink(g: number, alpha: number): number {
  return g > alpha ? g - alpha : g < -alpha ? g + alpha : 0;
}

/** The threshold that parts two neighbours. */
function between(value: number, last: number): number {
  const middle = fround(fround(value + last) * 0.5);
  // Nothing is below minus infinity, and infinities of both signs have no middle.
  if (middle === -Infinity || middle !== middle) return Math.max(value, last);
  return middle === value ? last : middle;
}

/** Takes a split where it is better; `g` and `h` are the sums of the side that was seen. */
function propose(
  node: ExactNode,
  feature: number,
  step: 1 | -1,
  g: number,
  h: number,
  value: number,
  math: NodeMath,
): boolean {
  const restG = node.g - g;
  const restH = node.h - h;
  const loss = step === 1
    ? math.lossChange(node, feature, g, h, restG, restH)
    : math.lossChange(node, feature, restG, restH, g, h);
  const { best } = node;
  if (!isBetter(loss, feature, best)) return false;
  best.loss = loss;
  best.feature = feature;
  best.value = value;
  best.left = step === -1;
  best.g = step === 1 ? g : restG;
  best.h = step === 1 ? h : restH;
  return true;
}
