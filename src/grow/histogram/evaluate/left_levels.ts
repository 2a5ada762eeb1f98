/**
 * Which levels of a category go left, by the split that a node has.
 *
 * @module
 */
import { CELLS8, LEVEL_ENTRY_BYTES, LEVEL_WORK_BYTES } from "../../../kernels/types.ts";
import { levelsOnLeft } from "../split/category.ts";
import type { FeatureSplit } from "../split/scan.ts";
import type { NodeSums } from "../split/score.ts";
import { type GrowSpace, splitOf, sumsOf } from "../tree/grow_space.ts";
import type { GrowTask } from "../tree/grow_task.ts";
import type { HistContext } from "../workspace/context.ts";
import { cellBytes } from "../workspace/histogram_bytes.ts";
import { EVALUATE_BYTES } from "../workspace/layout.ts";
import { readFeature } from "./evaluate.ts";
import { writeFound } from "./found.ts";

/** Units of the histograms of a tree. */
type Units = Pick<GrowTask, "wide" | "unitG" | "unitH">;

/**
 * 1 for each level that goes left, missing last. What the node has no rows of follows the heavier side.
 */
export function leftLevels(
  context: HistContext,
  histogram: number,
  units: Units,
  space: GrowSpace,
  node: number,
): Uint8Array {
  const split = splitOf(space, node);
  const total = sumsOf(space, node);
  return context.layout.bins.places[split.feature].wide
    ? ofTwoBytes(context, histogram, units, split, total)
    : ofOneByte(context, histogram, units, split, total);
}

/** By the kernel, which has the features of one byte. */
function ofOneByte(
  { kernels, layout, memory, thread }: HistContext,
  histogram: number,
  { wide, unitG, unitH }: Units,
  split: FeatureSplit,
  { gradient, hessian }: NodeSums,
): Uint8Array {
  const { u8, u32, f64 } = memory;
  const { levels, bins, counted } = layout;
  const { position, numBins } = bins.places[split.feature];
  let entry = levels.at + LEVEL_ENTRY_BYTES * levels.first[position];
  while (u32[(entry >>> 2) + 2] !== split.feature) entry += LEVEL_ENTRY_BYTES;
  // What the last evaluation has left of the other parameters holds for all nodes.
  const params = layout.evaluate + EVALUATE_BYTES * thread;
  const at = params >>> 3;
  f64[at] = gradient;
  f64[at + 1] = hessian;
  f64[at + 2] = unitG;
  f64[at + 3] = unitH;
  const work = layout.levelWork + LEVEL_WORK_BYTES * thread;
  const out = work + LEVEL_WORK_BYTES - CELLS8;
  const found = out - 64;
  writeFound(f64, found, split);
  const counts = counted === "none" ? 0 : histogram + bins.numCells * cellBytes(wide);
  kernels.leftLevels(entry, histogram, counts, wide ? 1 : 0, params, work, found, out);
  return u8.slice(out, out + numBins + 1);
}

/** Of a feature of two bytes. */
function ofTwoBytes(
  context: HistContext,
  histogram: number,
  { wide, unitG, unitH }: Units,
  split: FeatureSplit,
  total: NodeSums,
): Uint8Array {
  const { layout, scratch: { sums } } = context;
  const { numBins } = layout.bins.places[split.feature];
  readFeature(context, histogram, wide, split.feature, total, sums);
  sums.unitG = unitG;
  sums.unitH = unitH;
  const levels = new Uint8Array(numBins + 1);
  for (const level of levelsOnLeft(sums, numBins, total, layout.params, split)) levels[level] = 1;
  // Unknown is not missing: levels that the node has not seen follow the known ones.
  let left = 0;
  let right = 0;
  for (let bin = 0; bin < numBins; bin++) {
    if (levels[bin] === 1) left += sums.hessian[bin];
    else right += sums.hessian[bin];
  }
  const isEmpty = (bin: number) =>
    sums.gradient[bin] === 0 && sums.hessian[bin] === 0 &&
    (!sums.counted || sums.count[bin] === 0);
  const knownLeft = left >= right ? 1 : 0;
  for (let bin = 0; bin < numBins; bin++) if (isEmpty(bin)) levels[bin] = knownLeft;
  const missingLeft = isEmpty(numBins) ? 2 * split.hessian >= total.hessian : split.missingLeft;
  levels[numBins] = missingLeft ? 1 : 0;
  return levels;
}
