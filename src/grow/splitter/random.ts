/**
 * A random threshold between the smallest and largest value in the node, the rule of extremely
 * randomised trees.
 *
 * Geurts, Ernst and Wehenkel, "Extremely Randomized Trees", Machine Learning 63 (2006), table 1.
 *
 * @module
 */
import { maskGains } from "./mask.ts";
import { rankOf } from "../../binning/rank.ts";
import { groupByCode } from "./groups.ts";
import { missingBeside } from "./ordered.ts";
import type { FindSplit } from "./split.ts";

/** One threshold, uniform on [smallest, largest); missing values on the better side. */
export const findRandomSplit: FindSplit = (view, feature, context, rng) => {
  const { frame, source, criterion, scratch, limits } = context;
  const column = frame.features[feature];
  const ordered = criterion.orderedGains !== undefined;
  const { count, known } = groupByCode(view, column, source, scratch, ordered);
  if (count < 2) return undefined;
  const { left, gains, groupCode, groupEnd } = scratch;
  const low = column.values[groupCode[0]];
  const high = column.values[groupCode[count - 1]];
  const u = rng!.nextFloat();
  let threshold = low === -Infinity || high === Infinity
    ? column.values[groupCode[Math.floor(u * (count - 1))]]
    : low * (1 - u) + high * u;
  if (limits.cut === "short") {
    const rounded = Math.fround(threshold);
    if (rounded >= low && rounded < high) threshold = rounded;
  }
  if (!(threshold >= low && threshold < high)) threshold = low;
  // Last group whose value is at most the threshold.
  const rank = rankOf(column.values, threshold);
  const limit = column.values[rank] === threshold ? rank : rank - 1;
  let group = 0;
  let beyond = count - 1;
  while (group < beyond) {
    const middle = (group + beyond + 1) >>> 1;
    if (groupCode[middle] <= limit) group = middle;
    else beyond = middle - 1;
  }
  const channels = view.total.length;
  const withMissing = known < view.to - view.from;
  const learn = withMissing && context.missing === "learn";
  let total = view.total;
  if (withMissing && !learn) total = left.slice((count - 1) * channels, count * channels);
  const one = left.slice(group * channels, (group + 1) * channels);
  const gainOf = (side: "left" | "right") => {
    if (ordered) {
      const order = scratch.order.subarray(0, known);
      const lacking = scratch.order.subarray(known, learn ? view.to - view.from : known);
      const rows = missingBeside(order, [groupEnd[group]], lacking, side);
      criterion.orderedGains!(view, rows, 1, gains);
    } else criterion.gains(one, 1, total, gains);
    maskGains(one, 1, total, source, limits, gains);
    return gains[0];
  };
  let missing = learn ? 1 : -1;
  let gain = gainOf("right");
  if (learn) {
    const last = (count - 1) * channels;
    for (let k = 0; k < channels; k++) one[k] += view.total[k] - left[last + k];
    const other = gainOf("left");
    if (other > gain) [gain, missing] = [other, 0];
  }
  if (!(gain > -Infinity)) return undefined;
  return {
    feature,
    kind: "threshold",
    code: limit,
    threshold,
    categories: undefined,
    numBranches: 2,
    missing,
    gain,
    score: gain,
  };
};
