/**
 * Best threshold of a numeric feature: every cut between neighbouring values is judged.
 *
 * Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, section 2.4.
 *
 * @module
 */
import type { FrameFeature } from "../frame.ts";
import { maskGains } from "../mask.ts";
import type { NodeView } from "../stats.ts";
import { cutCodes } from "./cut.ts";
import { groupByCode } from "./groups.ts";
import type { FindSplit, Split, SplitContext } from "./split.ts";

/** Best threshold, on ties the lowest; missing values right, then left, as `missing` says. */
export const findExactSplit: FindSplit = (view, feature, context) => {
  const { frame, source, criterion, scratch, limits } = context;
  const column = frame.features[feature];
  const ordered = criterion.orderedGains !== undefined;
  const groups = groupByCode(view, column, source, scratch, ordered);
  const n = view.to - view.from;
  const { count, known } = groups;
  const withMissing = known < n;
  if (count === 0 || count === 1 && !withMissing) return undefined;
  const channels = view.total.length;
  const { left, gains } = scratch;
  const learn = withMissing && context.missing === "learn";
  if (count === 1 && !learn) return undefined;
  // What the cuts share out: everything, or known rows only.
  let total = view.total;
  let missing: Float64Array | undefined;
  if (withMissing) {
    const all = left.slice((count - 1) * channels, count * channels);
    if (!learn) total = all;
    else missing = view.total.map((value, k) => value - all[k]);
  }
  const best = { gain: -Infinity, group: -1, missing: -1 };
  if (ordered && learn) {
    return orderedWithMissing(view, feature, context, count, known);
  }
  // Missing right; the last cut parts known from missing.
  const cuts = learn ? count : count - 1;
  if (ordered) criterion.orderedGains!(view, scratch, count - 1, gains);
  else criterion.gains(left, cuts, total, gains);
  maskGains(left, cuts, total, source, limits, gains);
  takeBest(column, context, gains, cuts, count, learn ? 1 : -1, best);
  if (missing !== undefined) {
    let at = 0;
    for (let i = 0; i < count - 1; i++, at += channels) {
      for (let k = 0; k < channels; k++) left[at + k] += missing[k];
    }
    criterion.gains(left, count - 1, total, gains);
    maskGains(left, count - 1, total, source, limits, gains);
    takeBest(column, context, gains, count - 1, count, 0, best);
  }
  return best.group < 0 ? undefined : splitAt(column, feature, context, best, count);
};

/** The split after group `best.group`. */
function splitAt(
  column: FrameFeature,
  feature: number,
  context: SplitContext,
  best: { readonly gain: number; readonly group: number; readonly missing: number },
  count: number,
): Split {
  const low = context.scratch.groupCode[best.group];
  // The last cut sends all known values left and missing ones right.
  const { code, threshold } = best.group === count - 1
    ? { code: column.numCodes - 1, threshold: Infinity }
    : cutCodes(
      column.values,
      low,
      context.scratch.groupCode[best.group + 1],
      context.limits.cut,
    );
  return {
    feature,
    kind: "threshold",
    code,
    threshold,
    categories: undefined,
    numBranches: 2,
    missing: best.missing,
    gain: best.gain,
    score: best.gain,
  };
}

/** Keeps the first largest gain whose neighbours are far enough apart. */
function takeBest(
  column: FrameFeature,
  context: SplitContext,
  gains: Float64Array,
  cuts: number,
  count: number,
  missing: number,
  best: { gain: number; group: number; missing: number },
): void {
  const { groupCode } = context.scratch;
  const { minGap } = context.limits;
  for (let i = 0; i < cuts; i++) {
    if (!(gains[i] > best.gain)) continue;
    if (minGap > 0 && i < count - 1) {
      const gap = column.values[groupCode[i + 1]] - column.values[groupCode[i]];
      if (!(gap > minGap)) continue;
    }
    best.gain = gains[i];
    best.group = i;
    best.missing = missing;
  }
}

/**
 * Ordered criteria with missing values to learn: the sweep runs over all rows, once with the missing
 * group last and once with it first.
 */
function orderedWithMissing(
  view: NodeView,
  feature: number,
  context: SplitContext,
  count: number,
  known: number,
): Split | undefined {
  const { frame, source, criterion, scratch, limits } = context;
  const column = frame.features[feature];
  const n = view.to - view.from;
  const { left, gains, order, groupEnd } = scratch;
  const best = { gain: -Infinity, group: -1, missing: -1 };
  // One more group at the end: the missing rows.
  const end = groupEnd.slice(0, count + 1);
  end[count] = n;
  criterion.orderedGains!(view, { order, groupEnd: end }, count, gains);
  maskGains(left, count, view.total, source, limits, gains);
  takeBest(column, context, gains, count, count, 1, best);
  // The missing rows first: every group moves up by their number.
  const lacking = n - known;
  const turned = new Int32Array(n);
  turned.set(order.subarray(known, n), 0);
  turned.set(order.subarray(0, known), lacking);
  const shifted = new Int32Array(count + 1);
  shifted[0] = lacking;
  for (let i = 0; i < count; i++) shifted[i + 1] = end[i] + lacking;
  const all = new Float64Array(count + 1);
  criterion.orderedGains!(view, { order: turned, groupEnd: shifted }, count, all);
  const channels = view.total.length;
  const rows = view.total[channels - 1];
  for (let i = 0; i < count - 1; i++) {
    const leftRows = shifted[i + 1];
    const fits = leftRows >= limits.minRowsLeaf && rows - leftRows >= limits.minRowsLeaf;
    gains[i] = fits ? all[i + 1] : -Infinity;
  }
  takeBest(column, context, gains, count - 1, count, 0, best);
  return best.group < 0 ? undefined : splitAt(column, feature, context, best, count);
}
