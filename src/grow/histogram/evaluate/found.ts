/**
 * The best split found so far for a node: which of two is better, and where threads and kernels write
 * it, as eight float64 numbers.
 *
 * @module
 */
import { FOUND_BYTES } from "../../../kernels/items/evaluate.ts";
import type { FeatureSplit } from "../split/scan.ts";
import type { GrowSpace } from "../tree/grow_space.ts";
import type { HistContext } from "../workspace/context.ts";

/** Whether a split is to be taken instead of another. */
export function isBetter(a: FeatureSplit, b: FeatureSplit): boolean {
  return beats(a.gain, a.feature, b.gain, b.feature);
}

/** Larger gain, or the same gain by a lower feature. */
export function beats(gain: number, feature: number, than: number, thanFeature: number): boolean {
  return gain > 0 && (gain > than || (gain === than && feature < thanFeature));
}

/** Makes one split a copy of another. */
export function copySplit(from: FeatureSplit, to: FeatureSplit): void {
  to.gain = from.gain;
  to.feature = from.feature;
  to.bin = from.bin;
  to.kind = from.kind;
  to.missingLeft = from.missingLeft;
  to.gradient = from.gradient;
  to.hessian = from.hessian;
  to.count = from.count;
}

/** Writes a split to where a node's best is. */
export function writeFound(f64: Float64Array, found: number, split: FeatureSplit): void {
  const at = found >>> 3;
  f64[at] = split.gain;
  f64[at + 1] = split.feature;
  f64[at + 2] = split.bin;
  f64[at + 3] = split.kind;
  f64[at + 4] = split.missingLeft ? 1 : 0;
  f64[at + 5] = split.gradient;
  f64[at + 6] = split.hessian;
  f64[at + 7] = split.count;
}

/** Reads a split from where a node's best is. */
export function readBest(f64: Float64Array, found: number, split: FeatureSplit): void {
  const at = found >>> 3;
  split.gain = f64[at];
  split.feature = f64[at + 1];
  split.bin = f64[at + 2];
  split.kind = f64[at + 3];
  split.missingLeft = f64[at + 4] === 1;
  split.gradient = f64[at + 5];
  split.hessian = f64[at + 6];
  split.count = f64[at + 7];
}

/** Takes over what an item found for its built node (0) or sibling (1), where it is better. */
export function readFound(
  context: HistContext,
  item: number,
  which: number,
  space: GrowSpace,
  node: number,
): void {
  const { f64 } = context.memory;
  const at = (context.layout.found + (item * 2 + which) * FOUND_BYTES) >>> 3;
  if (!beats(f64[at], f64[at + 1], space.splitGain[node], space.splitFeature[node])) return;
  space.splitGain[node] = f64[at];
  space.splitFeature[node] = f64[at + 1];
  space.splitBin[node] = f64[at + 2];
  space.splitKind[node] = f64[at + 3];
  space.splitMissingLeft[node] = f64[at + 4];
  space.splitGradient[node] = f64[at + 5];
  space.splitHessian[node] = f64[at + 6];
  space.splitRows[node] = f64[at + 7];
}
