/**
 * A random set of the levels in the node against the others, the rule of extremely randomised trees
 * for categories.
 *
 * Geurts, Ernst and Wehenkel, "Extremely Randomized Trees", Machine Learning 63 (2006), table 1;
 * levels that the node has not seen follow the heavier child, as they do in all trees here.
 *
 * @module
 */
import type { Rng } from "../../util/rng.ts";
import { groupByCode } from "./groups.ts";
import { maskGains } from "./mask.ts";
import { missingBeside, orderedBySets } from "./ordered.ts";
import type { FindSplit } from "./split.ts";
import { subsetSplit } from "./subset.ts";

/** One set of all that are neither empty nor all levels, each alike; missing values on the better side. */
export const findRandomSubset: FindSplit = (view, feature, context, rng) => {
  const { frame, source, criterion, scratch, limits } = context;
  const ordered = criterion.orderedGains !== undefined;
  const { count, known } = groupByCode(view, frame.features[feature], source, scratch, ordered);
  const withMissing = known < view.to - view.from;
  const learn = withMissing && context.missing === "learn";
  if (count === 0 || count === 1 && !learn) return undefined;
  // A single level can be parted from missing values only.
  const members = count === 1 ? [0] : drawMembers(count, rng!);
  const channels = view.total.length;
  const levels = scratch.left.slice(0, count * channels);
  for (let at = levels.length - 1; at >= channels; at--) levels[at] -= levels[at - channels];
  const sums = scratch.left.slice((count - 1) * channels, count * channels);
  const total = withMissing && !learn ? sums : view.total;
  const left = new Float64Array(channels);
  for (const level of members) {
    for (let k = 0; k < channels; k++) left[k] += levels[level * channels + k];
  }
  const gains = new Float64Array(1);
  const gainOf = (side: "left" | "right") => {
    if (ordered) {
      const others = Array.from({ length: count }, (_, i) => i).filter((i) => !members.includes(i));
      const sets = { order: Int32Array.from([...members, ...others]), ends: [members.length] };
      const { order, groupEnd } = orderedBySets(context, sets);
      const lacking = scratch.order.subarray(known, learn ? view.to - view.from : known);
      criterion.orderedGains!(view, missingBeside(order, groupEnd, lacking, side), 1, gains);
    } else criterion.gains(left, 1, total, gains);
    maskGains(left, 1, total, source, limits, gains);
    return gains[0];
  };
  let gain = gainOf("right");
  let missing = learn ? 1 : -1;
  if (learn && count > 1) {
    for (let k = 0; k < channels; k++) left[k] += view.total[k] - sums[k];
    const other = gainOf("left");
    if (other > gain) [gain, missing] = [other, 0];
  }
  if (!(gain > -Infinity)) return undefined;
  return subsetSplit(feature, context, levels, members, count, { gain, missing });
};

/** Some of the levels, not all. */
function drawMembers(count: number, rng: Rng): number[] {
  for (;;) {
    const members: number[] = [];
    for (let level = 0; level < count; level++) if (rng.nextInt(2) === 0) members.push(level);
    if (members.length > 0 && members.length < count) return members;
  }
}
