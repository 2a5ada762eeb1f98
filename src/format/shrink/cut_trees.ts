/**
 * Smaller ensembles that score nearly the same: leaves rounded to few levels, subtrees that tell least
 * (cut_order.ts) made one leaf, the mean of what they gave, trees of one leaf added to the base score.
 * What a raw score can change by at most is proved from the leaves themselves, tree by tree
 * (cut_bound.ts).
 *
 * @module
 */
import type { Schema } from "../../data/types.ts";
import { type Ensemble, NodeKind } from "../../model/types.ts";
import { countChildren, keepNodes, keepSurrogates, maybeStops } from "./copy_nodes.ts";
import { createBound, type TreeChange } from "./cut_bound.ts";
import { hasTerms, keepTerms, linearEnds } from "./cut_linear.ts";
import {
  inOrder,
  splitSpreads,
  type Subtrees,
  sumsOf,
  weakestFirst,
  weighSubtrees,
} from "./cut_order.ts";
import type { FeatureRanges } from "./ranges.ts";
import { asSum, scalesOf } from "./tree_scales.ts";
import type { Cut, Cuttable, Smaller } from "./types.ts";

/** Least and largest values that a row can get below each node, `node × leafWidth`. */
interface Ranges {
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** With linear leaves: the largest sizes of kept ones, and what those round. */
  readonly linear?: { readonly size: Float64Array; readonly slack: Float64Array };
}

/** An ensemble with what stands for its subtrees. */
interface Prepared {
  readonly ensemble: Ensemble;
  readonly ranges: Ranges;
  /** The least and the largest value of all leaves. */
  readonly ends: readonly [low: number, high: number];
  readonly subtrees: Subtrees;
}

/**
 * Makes an ensemble ready.
 *
 * Where a tree becomes one leaf, it and all others of one leaf are added to the base score. Averages
 * then become sums of weighed leaves, and the ensemble one round, since its trees are no longer those
 * of training rounds.
 *
 * @param linear With linear leaves: where features lie, as bounds hold there alone, and whether what a
 * node spans there counts by its share of the training rows. What spans least goes first.
 */
export function makeCuttable(
  given: Ensemble,
  schema: Schema,
  linear?: { readonly within: FeatureRanges; readonly weighed: boolean },
): Cuttable {
  const { leafWidth, treeOutput, treeWeight } = given;
  const children = countChildren(given.trees, schema);
  const prepare = (ensemble: Ensemble): Prepared => {
    const ranges = rangesOf(ensemble, schema, children, linear?.within);
    return {
      ensemble,
      ranges,
      ends: endsOf(ranges, ensemble.trees.kind, leafWidth),
      subtrees: weighSubtrees(ensemble.trees, leafWidth, children),
    };
  };
  const plain = prepare(given);
  let weighed: Prepared | undefined;
  const asSums = () => weighed ??= given.aggregate === "average" ? prepare(asSum(given)) : plain;
  const { scales, unit } = scalesOf(given);
  const spreads = splitSpreads(given.trees, leafWidth, children, plain.subtrees, scales);
  const order = linear
    ? spanOrder(plain, linear.weighed)
    : weakestFirst(given.trees, children, spreads);
  /** When each node becomes a constant; leaves are. */
  const turn = new Int32Array(children.length).fill(-1);
  order.forEach((node, i) => turn[node] = i);
  const spreadOf = sumsOf(order, spreads);
  const roots = given.trees.treeStart.subarray(0, treeWeight.length);
  const adds = given.aggregate === "sum" || given.aggregate === "average";
  const cut = ({ levels, steps, dropTerms }: Cut, folds: boolean): Smaller => {
    const prepared = folds ? asSums() : plain;
    const { ensemble, ends } = prepared;
    const { trees } = ensemble;
    const isFlat = (node: number) =>
      turn[node] < steps || dropTerms === true && children[node] === 0;
    const round = createRounding(ends, levels);
    const sum = createBound(ensemble, given);
    const baseScore = ensemble.baseScore.slice();
    const kept: number[] = [];
    const old: number[] = [];
    const treeStart = [0];
    const place = new Int32Array(children.length).fill(-1);
    const values = new Float64Array(trees.leaf.length);
    let spread = spreadOf[steps];
    roots.forEach((root, t) => {
      const from = old.length;
      place[root] = from;
      for (let node = root; node < trees.treeStart[t + 1]; node++) {
        if (place[node] < 0) continue;
        place[node] = old.length;
        old.push(node);
        if (isFlat(node)) continue;
        const first = trees.firstChild[node];
        place.fill(0, first, first + children[node]);
      }
      const factor = prepared === plain ? scales[t] : ensemble.treeWeight[t] / unit;
      const changes = changeValues(
        prepared,
        schema,
        old,
        from,
        isFlat,
        // What goes into the base score needs no rounding.
        folds && isFlat(root) ? (value) => value : round,
        factor,
        values,
      );
      sum.add(t, changes);
      spread += changes.spread;
      if (folds && isFlat(root)) {
        for (let k = 0; k < leafWidth; k++) {
          const value = values[from * leafWidth + k];
          baseScore[leafWidth === 1 ? treeOutput[t] : k] += ensemble.treeWeight[t] * value;
        }
        old.length = from;
        return;
      }
      kept.push(t);
      treeStart.push(old.length);
    });
    if (ensemble.profile.sum === "f32" && folds) {
      baseScore.forEach((base, k) => {
        baseScore[k] = narrow(base);
        sum.move(k, baseScore[k] - base);
      });
    }
    const leaf = values.slice(0, old.length * leafWidth);
    const left = keepNodes(trees, schema, { old, place, treeStart }, isFlat, leaf);
    const { linear: terms, surrogates, ...others } = ensemble;
    const keepsTerms = (node: number) => hasTerms(ensemble, node) && !isFlat(node);
    const linear = terms && keepTerms(terms, left, old, keepsTerms);
    const smaller: Ensemble = {
      ...others,
      ...(linear && { linear }),
      trees: left,
      baseScore,
      treeOutput: Int32Array.from(kept, (t) => treeOutput[t]),
      treeWeight: Float64Array.from(kept, (t) => ensemble.treeWeight[t]),
      ...(folds && { treesPerRound: Math.max(1, kept.length) }),
      ...(surrogates && { surrogates: keepSurrogates(surrogates, schema, old, left.kind) }),
    };
    return { ensemble: smaller, bound: sum.bound(), spread };
  };
  return {
    steps: order.length,
    cut(wanted) {
      const isNew = (root: number) => turn[root] >= 0 && turn[root] < wanted.steps;
      const folded = adds && roots.some(isNew) ? cut(wanted, true) : undefined;
      // Leaves may be so large that their sum is infinite.
      return folded?.ensemble.baseScore.every(Number.isFinite) ? folded : cut(wanted, false);
    },
  };
}

/** Children come after their parents, and a row may also stop at a node whose branch it cannot tell. */
function rangesOf(
  ensemble: Ensemble,
  schema: Schema,
  children: Uint32Array,
  within?: FeatureRanges,
): Ranges {
  const { trees, leafWidth } = ensemble;
  const ends = within && linearEnds(ensemble, within);
  const least = new Float64Array(trees.leaf.length).fill(Infinity);
  const most = new Float64Array(trees.leaf.length).fill(-Infinity);
  for (let node = trees.kind.length - 1; node >= 0; node--) {
    const stops = children[node] === 0 || maybeStops(trees, schema, node);
    const first = trees.firstChild[node];
    const end = first + children[node];
    for (let k = 0; k < leafWidth; k++) {
      const at = node * leafWidth + k;
      if (stops && hasTerms(ensemble, node)) {
        least[at] = ends!.least[node];
        most[at] = ends!.most[node];
      } else if (stops && Number.isFinite(trees.leaf[at])) least[at] = most[at] = trees.leaf[at];
      for (let child = first; child < end; child++) {
        least[at] = Math.min(least[at], least[child * leafWidth + k]);
        most[at] = Math.max(most[at], most[child * leafWidth + k]);
      }
    }
  }
  return { least, most, ...(ends && { linear: { size: ends.size, slack: ends.slack } }) };
}

/** Inner nodes and linear leaves: what spans least first. */
function spanOrder({ ensemble, ranges, subtrees }: Prepared, weighed: boolean): Int32Array {
  const { least, most } = ranges;
  const spans = most.map((high, node) =>
    (high - least[node]) * (weighed ? subtrees.share[node] : 1)
  );
  const isLeaf = (node: number) => ensemble.trees.kind[node] === NodeKind.leaf;
  return inOrder(spans, (node) => !isLeaf(node) || hasTerms(ensemble, node));
}

/** What a tree changed, and how its leaves were rounded. */
interface Changes extends TreeChange {
  /** Mean square of the rounding of its leaves. */
  readonly spread: number;
}

/** Values of the nodes that are left of a tree, `old` from `from` on. */
function changeValues(
  { ensemble, ranges, subtrees }: Prepared,
  schema: Schema,
  old: readonly number[],
  from: number,
  isFlat: (node: number) => boolean,
  round: (value: number) => number,
  factor: number,
  values: Float64Array,
): Changes {
  const { trees, leafWidth } = ensemble;
  const { least, most, linear } = ranges;
  const worst = new Float64Array(leafWidth);
  const largest = new Float64Array(leafWidth);
  let spread = 0;
  for (let i = from; i < old.length; i++) {
    const node = old[i];
    const flat = isFlat(node);
    if (!flat && hasTerms(ensemble, node)) {
      worst[0] = Math.max(worst[0], linear!.slack[node]);
      largest[0] = Math.max(largest[0], linear!.size[node]);
    }
    // Where rows may stop at an inner node its value is rounded as leaves are.
    const isLeaf = trees.kind[node] === NodeKind.leaf;
    const ends = flat || !isLeaf && maybeStops(trees, schema, node);
    for (let k = 0; k < leafWidth; k++) {
      const at = node * leafWidth + k;
      const low = flat ? least[at] : trees.leaf[at];
      const high = flat ? most[at] : trees.leaf[at];
      const exact = !flat || low === high ? low : subtrees.mean[at];
      const value = ends && Number.isFinite(exact) ? round(exact) : exact;
      values[i * leafWidth + k] = value;
      if (!ends || !Number.isFinite(exact)) continue;
      if (flat) spread += subtrees.share[node] * (value * factor - exact * factor) ** 2;
      worst[k] = Math.max(worst[k], Math.abs(value - low), Math.abs(value - high));
      largest[k] = Math.max(largest[k], Math.abs(value), Math.abs(low), Math.abs(high));
    }
  }
  return { worst, largest, spread };
}

/** A float32 near a number, or the number itself where float32 has only infinity. */
function narrow(value: number): number {
  const near = Math.fround(value);
  return Number.isFinite(near) ? near : value;
}

function endsOf({ least, most }: Ranges, kind: Uint8Array, leafWidth: number): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < least.length; i++) {
    if (kind[Math.floor(i / leafWidth)] !== NodeKind.leaf) continue;
    low = Math.min(low, least[i]);
    high = Math.max(high, most[i]);
  }
  return [low, high];
}

/** Rounds to an even grid over all leaf values, in float32 where that holds them. */
function createRounding(
  [low, high]: readonly [number, number],
  levels: number | undefined,
): (value: number) => number {
  if (levels === undefined) return (value) => value;
  const step = (high - low) / (levels - 1);
  if (!(step > 0 && step < Infinity)) return narrow;
  return (value) => narrow(low + Math.round((value - low) / step) * step);
}
