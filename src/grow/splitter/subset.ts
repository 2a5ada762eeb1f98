/**
 * Categories joined into two super-categories.
 *
 * Two classes and regression: ordering the levels by mean label and scanning is optimal (Fisher
 * 1958; Breiman et al. 1984, theorem 4.5). More classes: all sets for few levels, else the order
 * along the first principal component of the class shares (Coppersmith, Hong and Hosking,
 * "Partitioning Nominal Attributes in Decision Trees", 1999).
 *
 * @module
 */
import { type NodeView, type StatSource, weightOf } from "../rows/stats.ts";
import { groupByCode } from "./groups.ts";
import { maskGains } from "./mask.ts";
import { missingBeside, orderedBySets } from "./ordered.ts";
import { principalScores } from "./principal.ts";
import type { FindSplit, Split, SplitContext } from "./split.ts";

/** Best set of levels; levels that the node has not seen follow the heavier child. */
export const findSubsetSplit: FindSplit = (view, feature, context) => {
  const { frame, source, criterion, scratch } = context;
  const column = frame.features[feature];
  const ordered = criterion.orderedGains !== undefined;
  const { count, known } = groupByCode(view, column, source, scratch, ordered);
  const withMissing = known < view.to - view.from;
  const learn = withMissing && context.missing === "learn";
  if (count === 0 || count === 1 && !learn) return undefined;
  const channels = view.total.length;
  // Channels of each level on its own.
  const levels = scratch.left.slice(0, count * channels);
  for (let at = levels.length - 1; at >= channels; at--) levels[at] -= levels[at - channels];
  const sums = scratch.left.slice((count - 1) * channels, count * channels);
  const missing = view.total.map((value, k) => value - sums[k]);
  const total = withMissing && !learn ? sums : view.total;
  const exhaustive = source.kind === "class" && source.numClasses > 2 &&
    count <= context.maxExhaustive;
  const sets = exhaustive
    ? allSets(levels, count, channels)
    : prefixSets(levels, count, channels, source);
  const best = { gain: -Infinity, set: -1, missing: -1 };
  const gains = new Float64Array(sets.count);
  const judge = (side: "left" | "right") => {
    if (ordered) orderedSets(view, context, sets, learn ? side : undefined, gains);
    else criterion.gains(sets.left, sets.count, total, gains);
    // The last set is all levels: it parts known from missing.
    if (!learn || side === "left") gains[sets.count - 1] = -Infinity;
    maskGains(sets.left, sets.count, total, source, context.limits, gains);
  };
  judge("right");
  take(gains, sets.count, learn ? 1 : -1, best);
  if (learn) {
    let at = 0;
    for (let i = 0; i < sets.count; i++) {
      for (let k = 0; k < channels; k++) sets.left[at++] += missing[k];
    }
    judge("left");
    take(gains, sets.count, 0, best);
  }
  if (best.set < 0) return undefined;
  return subsetSplit(feature, context, levels, sets.members(best.set), count, best);
};

/** Candidate sets of levels: channels of each, and its members as level places. */
interface Sets {
  readonly count: number;
  readonly left: Float64Array;
  /** Levels by ascending score; the identity when all sets are tried. */
  readonly order: Int32Array;
  members(set: number): readonly number[];
}

function take(
  gains: Float64Array,
  count: number,
  missing: number,
  best: { gain: number; set: number; missing: number },
): void {
  for (let i = 0; i < count; i++) {
    if (gains[i] > best.gain) {
      best.gain = gains[i];
      best.set = i;
      best.missing = missing;
    }
  }
}

/** Prefixes of the levels by score. */
function prefixSets(
  levels: Float64Array,
  count: number,
  channels: number,
  source: StatSource,
): Sets {
  const scores = source.kind === "moment"
    ? Float64Array.from({ length: count }, (_, i) => levels[i * 4 + 1] / levels[i * 4])
    : source.numClasses <= 2
    ? Float64Array.from({ length: count }, (_, i) => {
      const at = i * channels;
      return levels[at + 1] / (levels[at] + levels[at + 1]);
    })
    : principalScores(levels, count, source.numClasses);
  const order = Int32Array.from({ length: count }, (_, i) => i);
  order.sort((a, b) => scores[a] - scores[b] || a - b);
  const left = new Float64Array(count * channels);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < channels; k++) {
      left[i * channels + k] = (i > 0 ? left[(i - 1) * channels + k] : 0) +
        levels[order[i] * channels + k];
    }
  }
  return { count, left, order, members: (set) => Array.from(order.subarray(0, set + 1)) };
}

/** All sets that hold the first level, in binary order; the last one holds all levels. */
function allSets(levels: Float64Array, count: number, channels: number): Sets {
  const number = 2 ** (count - 1);
  const left = new Float64Array(number * channels);
  left.set(levels.subarray(0, channels));
  for (let set = 1; set < number; set++) {
    const bit = 31 - Math.clz32(set & -set);
    const rest = (set & (set - 1)) * channels;
    for (let k = 0; k < channels; k++) {
      left[set * channels + k] = left[rest + k] + levels[(bit + 1) * channels + k];
    }
  }
  return {
    count: number,
    left,
    order: Int32Array.from({ length: count }, (_, i) => i),
    members: (set) => {
      const members = [0];
      for (let bit = 0; bit < count - 1; bit++) if (set >>> bit & 1) members.push(bit + 1);
      return members;
    },
  };
}

/**
 * Gains of criteria that need the rows: the groups are put in the order of the sets, the rows whose
 * value is missing on a side of them.
 */
function orderedSets(
  view: NodeView,
  context: SplitContext,
  { count, order }: Sets,
  side: "left" | "right" | undefined,
  gains: Float64Array,
): void {
  const ends = Array.from({ length: count }, (_, i) => i + 1);
  const known = orderedBySets(context, { order, ends });
  if (side === undefined) return context.criterion.orderedGains!(view, known, count - 1, gains);
  const missing = context.scratch.order.subarray(known.order.length, view.to - view.from);
  const rows = missingBeside(known.order, known.groupEnd, missing, side);
  context.criterion.orderedGains!(view, rows, count, gains);
}

/**
 * The split of a set of levels, whose heavier side takes those that the node has not seen.
 *
 * @param levels Channels of each level.
 * @param members Places of the levels on the left.
 */
export function subsetSplit(
  feature: number,
  context: SplitContext,
  levels: Float64Array,
  members: readonly number[],
  count: number,
  best: { readonly gain: number; readonly missing: number },
): Split {
  const { frame, scratch, source } = context;
  const { numCodes } = frame.features[feature];
  const channels = levels.length / count;
  const words = new Uint32Array((numCodes + 31) >>> 5);
  const isLeft = new Uint8Array(count);
  for (const member of members) isLeft[member] = 1;
  let balance = 0;
  const seen = new Uint8Array(numCodes);
  for (let i = 0; i < count; i++) {
    const code = scratch.groupCode[i];
    seen[code] = 1;
    balance += weightOf(source, levels, i * channels) * (isLeft[i] ? 1 : -1);
    if (isLeft[i]) words[code >>> 5] |= 1 << (code & 31);
  }
  if (balance >= 0) {
    for (let code = 0; code < numCodes; code++) {
      if (!seen[code]) words[code >>> 5] |= 1 << (code & 31);
    }
  }
  return {
    feature,
    kind: "subset",
    code: -1,
    threshold: 0,
    categories: words,
    numBranches: 2,
    missing: best.missing,
    gain: best.gain,
    score: best.gain,
  };
}
