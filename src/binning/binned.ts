/**
 * Rows as bins, in the memory of a training run: row by row for histograms and routing, column by
 * column for partition. Features of up to 256 codes take one byte, the others two.
 *
 * @module
 */
import { CELLS8 } from "../kernels/types.ts";
import type { FeatureBins } from "./bins.ts";

/** Cells of a histogram that share a line of the cache, at the least. */
const SPREAD = 8;

/** Where a feature is; plain data, known to all threads. */
export interface FeaturePlace {
  readonly categorical: boolean;
  /** Codes take two bytes. */
  readonly wide: boolean;
  /** Number among the features of its width. */
  readonly position: number;
  /** First cell in a histogram. */
  readonly cell: number;
  /** What is added to a one-byte code in row-major order. */
  readonly shift: number;
  /** Value bins; the code of missing. */
  readonly numBins: number;
}

/** Which feature is where. */
export interface BinLayout {
  readonly places: readonly FeaturePlace[];
  /** Features of one byte and of two bytes, by position. */
  readonly order8: readonly number[];
  readonly order16: readonly number[];
  /** One-byte features, padded to a multiple of 4. */
  readonly features8: number;
  /** Bytes of a row of each width; short rows of one-byte features are padded to a power of two. */
  readonly stride8: number;
  readonly stride16: number;
  /** Cells of a histogram: those of the one-byte features (padding too), and all. */
  readonly cells8: number;
  readonly numCells: number;
  /** Leading one-byte features that are categorical, padded to 4: the ones whose rows are counted. */
  readonly counted8: number;
  /**
   * Whether the cells that one-byte features use are so few that each feature's are cleared, added
   * and subtracted by themselves.
   */
  readonly sparse8: boolean;
}

/** Bins of the rows of one dataset. */
export interface BinnedRows {
  readonly numRows: number;
  /** Addresses of the row-major codes. */
  readonly rows8: number;
  readonly rows16: number;
  /** Address of each feature's codes; 0 when only rows were asked for. */
  readonly columns: readonly number[];
}

/** Gives every feature a place: categorical ones first, so that counting touches few. */
export function layoutBins(bins: readonly FeatureBins[]): BinLayout {
  const isWide = (b: FeatureBins) => b.numBins + 1 > CELLS8;
  const all = bins.map((_, feature) => feature);
  const categoricalFirst = [
    ...all.filter((f) => bins[f].kind === "categorical"),
    ...all.filter((f) => bins[f].kind === "numeric"),
  ];
  const order8 = categoricalFirst.filter((f) => !isWide(bins[f]));
  const order16 = categoricalFirst.filter((f) => isWide(bins[f]));
  const pad4 = (count: number) => (count + 3) & ~3;
  const cells8 = pad4(order8.length) * CELLS8;
  let cell = cells8;
  const places: FeaturePlace[] = new Array(bins.length);
  const shifts = spread(order8.map((f) => bins[f].numBins + 1));
  order8.forEach((f, position) => {
    places[f] = place(bins[f], false, position, position * CELLS8, shifts[position]);
  });
  order16.forEach((f, position) => {
    places[f] = place(bins[f], true, position, cell);
    cell += (bins[f].numBins + 4) & ~3; // the missing code too, padded
  });
  return {
    places,
    order8,
    order16,
    features8: pad4(order8.length),
    stride8: strideOf(pad4(order8.length)),
    stride16: 2 * order16.length,
    cells8,
    numCells: cell,
    counted8: pad4(order8.filter((f) => bins[f].kind === "categorical").length),
    sparse8: 2 * order8.reduce((sum, f) => sum + bins[f].numBins + 1, 0) < cells8,
  };
}

/** Bytes of a row: short ones lie on one line of the cache each. */
function strideOf(features8: number): number {
  const parts = [4, 8, 16, 32];
  return parts.find((bytes) => features8 <= bytes && features8 > 0) ?? features8;
}

/**
 * Where in its 256 cells each one-byte feature begins. If all began at the first cell, the few cells
 * that features of few bins use would lie whole pages apart and push each other out of the nearest
 * cache, whose lines are chosen by the low bits of an address.
 */
function spread(numCodes: readonly number[]): number[] {
  let next = 0;
  return numCodes.map((codes) => {
    const shift = next % (CELLS8 - codes + 1) & ~(SPREAD - 1);
    next = (shift + codes + SPREAD - 1) & ~(SPREAD - 1);
    return shift;
  });
}

function place(
  bins: FeatureBins,
  wide: boolean,
  position: number,
  cell: number,
  shift = 0,
): FeaturePlace {
  const categorical = bins.kind === "categorical";
  return { categorical, wide, position, cell: cell + shift, shift, numBins: bins.numBins };
}
