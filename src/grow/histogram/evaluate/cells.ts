/**
 * The cells of one feature in a node's histogram: where they are, or, of a bundled feature, taken out
 * of the byte that it shares with others.
 *
 * @module
 */
import type { FeaturePlace } from "../../../binning/binned.ts";
import { CELLS8 } from "../../../kernels/types.ts";
import { cellBytes } from "../workspace/histogram_bytes.ts";
import { APART_BYTES } from "../workspace/layout.ts";
import type { HistContext } from "../workspace/context.ts";
import type { NodeSums } from "../split/score.ts";

/** Addresses of a feature's cells and of its counts, bin by bin, missing last. */
export interface FeatureCells {
  readonly cells: number;
  readonly counts: number;
}

/**
 * Finds the cells of a feature.
 *
 * @param node Whole-number sums of the node; what its other bins leave of them is the usual bin's.
 */
export function cellsOf(
  context: HistContext,
  histogram: number,
  wide: boolean,
  feature: number,
  node: NodeSums,
): FeatureCells {
  const { layout } = context;
  const place = layout.bins.places[feature];
  const counts = histogram + layout.bins.numCells * cellBytes(wide) + 4 * place.cell;
  const cells = histogram + place.cell * cellBytes(wide);
  if (place.bundled === undefined && place.joint === undefined) return { cells, counts };
  const out = layout.apart + APART_BYTES * context.thread;
  const outCounts = out + 16 * CELLS8;
  if (place.joint !== undefined) {
    const { f64, i32 } = context.memory;
    if (wide) sumPairs(f64, place, cells >>> 3, out >>> 3);
    else sumPairs(i32, place, cells >>> 2, out >>> 2);
    const counted = layout.counted === "all" || (layout.counted !== "none" && place.categorical);
    if (counted) sumCounts(context, place, counts, outCounts);
    return { cells: out, counts: outCounts };
  }
  if (wide) takeWide(context, place, cells, node, out);
  else takePacked(context, place, cells, node, out);
  if (layout.counted === "all") takeCounts(context, place, counts, node, outCounts);
  return { cells: out, counts: outCounts };
}

/** Adds the pairs of cells of joint codes to those of a feature's own bins. */
function sumPairs(
  list: Float64Array | Int32Array,
  { numBins, joint }: FeaturePlace,
  from: number,
  to: number,
): void {
  list.fill(0, to, to + 2 * (numBins + 1));
  for (let code = 0; code < joint!.length; code++) {
    const at = to + 2 * joint![code];
    list[at] += list[from + 2 * code];
    list[at + 1] += list[from + 2 * code + 1];
  }
}

function sumCounts(
  { memory: { i32 } }: HistContext,
  { numBins, joint }: FeaturePlace,
  counts: number,
  out: number,
): void {
  const to = out >>> 2;
  i32.fill(0, to, to + numBins + 1);
  for (let code = 0; code < joint!.length; code++) {
    i32[to + joint![code]] += i32[(counts >>> 2) + code];
  }
}

function takeWide(
  { memory: { f64 } }: HistContext,
  { numBins, bundled }: FeaturePlace,
  cells: number,
  node: NodeSums,
  out: number,
): void {
  const { usual, codes } = bundled!;
  const to = out >>> 3;
  f64.fill(0, to, to + 2 * (numBins + 1));
  let { gradient, hessian } = node;
  for (let bin = 0; bin < codes.length; bin++) {
    if (bin === usual) continue;
    const at = (cells >>> 3) + 2 * codes[bin];
    gradient -= f64[to + 2 * bin] = f64[at];
    hessian -= f64[to + 2 * bin + 1] = f64[at + 1];
  }
  f64[to + 2 * usual] = gradient;
  f64[to + 2 * usual + 1] = hessian;
}

function takePacked(
  { memory: { i32, u32 } }: HistContext,
  { numBins, bundled }: FeaturePlace,
  cells: number,
  node: NodeSums,
  out: number,
): void {
  const { usual, codes } = bundled!;
  const to = out >>> 2;
  u32.fill(0, to, to + 2 * (numBins + 1));
  let { gradient, hessian } = node;
  for (let bin = 0; bin < codes.length; bin++) {
    if (bin === usual) continue;
    const at = (cells >>> 2) + 2 * codes[bin];
    hessian -= u32[to + 2 * bin] = u32[at];
    gradient -= i32[to + 2 * bin + 1] = i32[at + 1];
  }
  u32[to + 2 * usual] = hessian;
  i32[to + 2 * usual + 1] = gradient;
}

function takeCounts(
  { memory: { u32 } }: HistContext,
  { numBins, bundled }: FeaturePlace,
  counts: number,
  node: NodeSums,
  out: number,
): void {
  const { usual, codes } = bundled!;
  const to = out >>> 2;
  u32.fill(0, to, to + numBins + 1);
  let { count } = node;
  for (let bin = 0; bin < codes.length; bin++) {
    if (bin !== usual) count -= u32[to + bin] = u32[(counts >>> 2) + codes[bin]];
  }
  u32[to + usual] = count;
}
