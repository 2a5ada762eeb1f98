/**
 * What a thread keeps between evaluations: one feature's sums as float64.
 *
 * @module
 */
import type { BinSums } from "../split/scan.ts";
import type { HistLayout } from "./layout.ts";

/** A thread's own working space. */
export interface Scratch {
  readonly sums: BinSums;
}

/** Space for the feature with the most bins. */
export function createScratch(layout: HistLayout): Scratch {
  let most = 256;
  for (const place of layout.bins.places) most = Math.max(most, place.numBins + 1);
  return {
    sums: {
      gradient: new Float64Array(most),
      hessian: new Float64Array(most),
      count: new Float64Array(most),
      order: new Int32Array(most),
      ratios: new Float64Array(most),
      counted: false,
      unitG: 1,
      unitH: 1,
    },
  };
}
