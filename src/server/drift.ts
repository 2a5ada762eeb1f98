/**
 * Whether the rows that are scored still look like the rows of training: the population stability
 * index over the leaves of the first tree, whose covers say how training rows spread.
 *
 * Below 0.1 little has changed, above 0.25 much has (Siddiqi, "Credit Risk Scorecards", 2006).
 *
 * @module
 */
import type { Model } from "../model/model.ts";
import { NodeKind } from "../model/types.ts";
import type { EncodedInput } from "../model/encode.ts";

/** Rows by leaf of the first tree. */
export interface DriftMeter {
  /** Share of training weight by node; NaN at inner nodes. Empty when covers are not known. */
  expected: Float64Array;
  seen: Float64Array;
  rows: number;
  calls: number;
}

/** Starts counting. */
export function createDriftMeter(): DriftMeter {
  return { expected: new Float64Array(0), seen: new Float64Array(0), rows: 0, calls: 0 };
}

/** Reads what training looked like; without covers there is nothing to compare with. */
function prepare(meter: DriftMeter, model: Model): void {
  const { treeStart, kind, cover } = model.ensemble.trees;
  const size = treeStart.length > 1 ? treeStart[1] : 0;
  if (!(size > 1 && cover[0] > 0)) return;
  meter.seen = new Float64Array(size);
  meter.expected = new Float64Array(size).fill(NaN);
  for (let node = 0; node < size; node++) {
    if (kind[node] === NodeKind.leaf) meter.expected[node] = cover[node] / cover[0];
  }
}

/** Counts one row of a request; of every 64th request once there are a thousand. */
export function countDrift(meter: DriftMeter, model: Model, input: EncodedInput): void {
  const call = meter.calls++;
  if (call === 0) return; // the first answer of a process does not wait for unpacking
  if (call === 1) prepare(meter, model);
  if (meter.expected.length === 0) return;
  if (meter.rows >= 1000 && (call & 63) !== 0) return;
  const row = call % input.rows;
  const first: EncodedInput = {
    rows: 1,
    fill: (_from, _to, out) => input.fill(row, row + 1, out),
    finish: () => input.finish(),
  };
  const { data } = model.predictLeaf(first, { rounds: model.numRounds > 0 ? 1 : 0 });
  meter.seen[data[0]]++;
  meter.rows++;
}

/** The index, once a hundred rows are known. Shares are smoothed by half a row a leaf. */
export function psiOf(meter: DriftMeter): number | undefined {
  if (meter.rows < 100) return undefined;
  const leaves = meter.expected.reduce((count, share) => count + (share === share ? 1 : 0), 0);
  let psi = 0;
  for (let node = 0; node < meter.expected.length; node++) {
    const share = meter.expected[node];
    if (share !== share) continue;
    const expected = Math.max(share, 1e-6);
    const actual = (meter.seen[node] + 0.5) / (meter.rows + 0.5 * leaves);
    psi += (actual - expected) * Math.log(actual / expected);
  }
  return psi;
}
