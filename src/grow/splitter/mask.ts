/**
 * Removes cuts that break a limit, before the best one is taken.
 *
 * @module
 */
import type { StatSource } from "../rows/stats.ts";
import type { ChildLimits } from "./split.ts";

/** Writes −∞ over gains of cuts with too small a child or too small a gap between values. */
export function maskGains(
  left: Float64Array,
  count: number,
  total: Float64Array,
  source: StatSource,
  limits: ChildLimits,
  gains: Float64Array,
): void {
  const channels = total.length;
  const { minRowsLeaf, minWeightLeaf } = limits;
  if (minRowsLeaf > 1) {
    const rows = total[channels - 1];
    let at = channels - 1;
    for (let i = 0; i < count; i++, at += channels) {
      if (left[at] < minRowsLeaf || rows - left[at] < minRowsLeaf) gains[i] = -Infinity;
    }
  }
  if (minWeightLeaf > 0) {
    const width = source.kind === "class" ? source.numClasses : 1;
    let weight = 0;
    for (let k = 0; k < width; k++) weight += total[k];
    let at = 0;
    for (let i = 0; i < count; i++, at += channels) {
      let w = 0;
      for (let k = 0; k < width; k++) w += left[at + k];
      if (w < minWeightLeaf || weight - w < minWeightLeaf) gains[i] = -Infinity;
    }
  }
}
