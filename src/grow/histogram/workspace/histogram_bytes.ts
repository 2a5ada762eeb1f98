/**
 * Sizes of histograms: cells of all features, then the counts of rows where any are counted.
 *
 * @module
 */
import type { BinLayout } from "../../../binning/binned.ts";

/** Bytes of a histogram cell, and where counts begin. */
export function cellBytes(wide: boolean): number {
  return wide ? 16 : 8;
}

/** Bytes of a whole histogram. */
export function histogramBytes(bins: BinLayout, wide: boolean, counted: boolean): number {
  return bins.numCells * (cellBytes(wide) + (counted ? 4 : 0));
}
