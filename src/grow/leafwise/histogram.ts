/**
 * Histograms of leaf-wise growth: float64 sums of float32 derivatives in order of rows, in the two
 * blocks in which LightGBM's row-wise learner sums on two threads (so the reference models were
 * made), and the fullest bin as what the others leave.
 *
 * @module
 */
import type { LeafwiseFeature } from "../../binning/leafwise_bins.ts";
import type { LeafwiseSums } from "./math.ts";
import type { LeafwiseSpace } from "./space.ts";

/** Fills and subtracts histograms; `start` is where the bins of each of the thread's features begin. */
export interface LeafwiseHistograms {
  readonly start: Int32Array;
  /** Sums of the rows from `from` on, whose derivatives are in order, of the features that are used. */
  build(from: number, sums: LeafwiseSums, used: Uint8Array): Float64Array;
  /** Turns the parent's histogram into that of a child's sibling. */
  subtract(parent: Float64Array, child: Float64Array, used: Uint8Array): Float64Array;
}

const ALIGNED = 32; // kAlignedSize: a block has a multiple of this many rows
const SPARSE = 0.25; // multi_val_bin_sparse_threshold

/** Makes the histograms of a thread's features. */
export function histogramBuilder(
  { plan: { features, rows, orderedG, orderedH }, own }: LeafwiseSpace,
): LeafwiseHistograms {
  const start = new Int32Array(features.length + 1);
  features.forEach(({ numBins }, f) => start[f + 1] = start[f] + 2 * numBins * own[f]);
  const second = new Float64Array(2 * Math.max(0, ...features.map(({ numBins }) => numBins)));
  const leastRows = leastBlock(features);
  /** Adds rows `from … to − 1` (counted from the node's first) to a feature's cells. */
  const add = (
    codes: Uint16Array,
    first: number,
    from: number,
    to: number,
    out: Float64Array,
    at: number,
  ) => {
    for (let i = from; i < to; i++) {
      const cell = at + 2 * codes[rows[first + i]];
      out[cell] += orderedG[i];
      out[cell + 1] += orderedH[i];
    }
  };
  return {
    start,
    build(first, sums, used) {
      const { count } = sums;
      const out = new Float64Array(start[features.length]);
      const block = blockRows(count, leastRows);
      features.forEach(({ codes, restBin, numBins }, f) => {
        if (used[f] === 0) return;
        add(codes, first, 0, block, out, start[f]);
        if (block < count) {
          second.fill(0, 0, 2 * numBins);
          add(codes, first, block, count, second, 0);
          for (let i = 0; i < 2 * numBins; i++) out[start[f] + i] += second[i];
        }
        if (restBin > 0) leaveRest(out, start[f], numBins, restBin, sums);
      });
      return out;
    },
    subtract(parent, child, used) {
      for (let f = 0; f < features.length; f++) {
        if (used[f] === 0) continue;
        for (let i = start[f]; i < start[f + 1]; i++) parent[i] -= child[i];
      }
      return parent;
    },
  };
}

/** Rows of the first of two blocks; all where there are too few for two. */
function blockRows(count: number, leastRows: number): number {
  if (count <= leastRows) return count;
  return Math.min(count, Math.ceil(Math.ceil(count / 2) / ALIGNED) * ALIGNED);
}

/** Least rows for which LightGBM opens a second block: what its histogram is worth. */
function leastBlock(features: readonly LeafwiseFeature[]): number {
  const sparse = features.reduce((sum, { restShare }) => sum + restShare, 0) / features.length;
  let bins = sparse >= SPARSE ? 1 : 0;
  for (const { numBins, restBin } of features) {
    bins += numBins + (restBin > 0 ? 1 : 0) - (sparse >= SPARSE ? 1 : 0);
  }
  const perRow = sparse >= SPARSE ? (1 - sparse) * features.length : features.length;
  return Math.max(32, Math.min(1024, Math.trunc(Math.fround(0.3) * bins / perRow) + 1));
}

/** The rest's bin is the node's sums without all others'. */
function leaveRest(
  out: Float64Array,
  at: number,
  numBins: number,
  rest: number,
  { gradient, hessian }: LeafwiseSums,
): void {
  const cell = at + 2 * rest;
  out[cell] = gradient;
  out[cell + 1] = hessian;
  for (let bin = 0; bin < numBins; bin++) {
    if (bin === rest) continue;
    out[cell] -= out[at + 2 * bin];
    out[cell + 1] -= out[at + 2 * bin + 1];
  }
}
