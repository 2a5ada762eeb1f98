/**
 * Best threshold of a numeric feature: every cut between neighbouring values is judged.
 *
 * Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, section 2.4.
 *
 * @module
 */
import type { OrderedRows } from "../criterion/criterion.ts";
import type { FrameFeature } from "../rows/frame.ts";
import { cutCodes } from "./cut.ts";
import { groupByCode } from "./groups.ts";
import { maskGains } from "./mask.ts";
import { missingBeside } from "./ordered.ts";
import type { Scratch } from "./scratch.ts";
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
  const judge = (cuts: number, side: "left" | "right") => {
    if (ordered) {
      const rows = learn ? rowsWithMissing(scratch, cuts, known, n, side) : scratch;
      criterion.orderedGains!(view, rows, cuts, gains);
    } else criterion.gains(left, cuts, total, gains);
    maskGains(left, cuts, total, source, limits, gains);
  };
  // Missing right; the last cut parts known from missing.
  const cuts = learn ? count : count - 1;
  judge(cuts, "right");
  takeBest(column, context, gains, cuts, count, learn ? 1 : -1, best);
  if (missing !== undefined) {
    let at = 0;
    for (let i = 0; i < count - 1; i++, at += channels) {
      for (let k = 0; k < channels; k++) left[at + k] += missing[k];
    }
    judge(count - 1, "left");
    takeBest(column, context, gains, count - 1, count, 0, best);
  }
  return best.group < 0 ? undefined : splitAt(column, feature, context, best, count);
};

/** All rows in the order of the first cuts, those whose value is missing on one side of them. */
function rowsWithMissing(
  { order, groupEnd }: Scratch,
  cuts: number,
  known: number,
  numRows: number,
  side: "left" | "right",
): OrderedRows {
  const missing = order.subarray(known, numRows);
  return missingBeside(order.subarray(0, known), groupEnd.subarray(0, cuts), missing, side);
}

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
