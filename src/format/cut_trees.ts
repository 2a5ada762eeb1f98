/**
 * Smaller ensembles that score nearly the same: leaves rounded to few levels, subtrees whose leaves are
 * nearly equal made one leaf, trees of one leaf added to the base score. What a raw score can change by
 * at most is proved from the leaves themselves, tree by tree.
 *
 * @module
 */
import type { Schema } from "../data/types.ts";
import { createTreeBuilder, packTrees, type TreeBuilder } from "../model/trees.ts";
import { type Ensemble, NodeKind } from "../model/types.ts";
import { childrenOf, copySplit, keepSurrogates, maybeStops } from "./copy_nodes.ts";
import {
  type FeatureRanges,
  hasTerms,
  keepTerms,
  linearEnds,
  meansOf,
  sharesOf,
} from "./cut_linear.ts";

/** How leaves change. */
export interface Cut {
  /** Levels that leaves are rounded to; undefined leaves them exact. */
  readonly levels?: number;
  /** Subtrees whose leaf values span no more than this become one leaf; less than 0: none does. */
  readonly span: number;
  /** Linear leaves become constants, whatever they span. */
  readonly dropTerms?: boolean;
  /** With linear leaves: spans count by the share of the training rows that they are for. */
  readonly weighed?: boolean;
}

/** An ensemble made ready for cutting. */
export interface Cuttable {
  /** The largest span of a tree: from there on every tree is one leaf. */
  readonly largestSpan: number;
  /** What subtrees (and linear leaves) span, ascending and distinct. */
  spans(weighed?: boolean): Float64Array;
  /** Changes leaves; no raw score then changes by more than `bound`. */
  cut(cut: Cut): { readonly ensemble: Ensemble; readonly bound: number };
}

/** Least and largest values that a row can get below each node, `node × leafWidth`. */
interface Ranges {
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** With linear leaves: what stands for a subtree, the largest sizes of kept ones, what those round. */
  readonly linear?: {
    readonly centre: Float64Array;
    readonly size: Float64Array;
    readonly slack: Float64Array;
    /** Share of a tree's training rows at each node; 1 where covers are not known. */
    readonly share: Float64Array;
  };
}

/**
 * Makes an ensemble ready.
 *
 * @param fold Trees of one leaf are added to the base score. Averages become sums of weighed leaves, and
 * the ensemble one round, since its trees are no longer those of training rounds.
 * @param within With linear leaves: where features lie. Bounds hold there alone.
 */
export function makeCuttable(
  given: Ensemble,
  schema: Schema,
  fold: boolean,
  within?: FeatureRanges,
): Cuttable {
  const folds = fold && (given.aggregate === "sum" || given.aggregate === "average");
  const ensemble = folds && given.aggregate === "average" ? asSum(given) : given;
  const { trees, leafWidth, treeOutput, treeWeight } = ensemble;
  const ranges = rangesOf(ensemble, schema, within);
  const numTrees = treeWeight.length;
  let largestSpan = 0;
  for (let t = 0; t < numTrees; t++) {
    for (let k = 0; k < leafWidth; k++) {
      const at = trees.treeStart[t] * leafWidth + k;
      largestSpan = Math.max(largestSpan, ranges.most[at] - ranges.least[at]);
    }
  }
  return {
    largestSpan,
    spans: (weighed = false) => spansOf(ensemble, ranges, weighed),
    cut(cut) {
      const round = createRounding(ranges, trees.kind, leafWidth, cut.levels);
      const sum = createBound(ensemble, given);
      const baseScore = ensemble.baseScore.slice();
      const kept: number[] = [];
      const builders: TreeBuilder[] = [];
      for (let t = 0; t < numTrees; t++) {
        const tree = createTreeBuilder(leafWidth);
        const changes = copyTree(ensemble, schema, ranges, cut, round, tree, trees.treeStart[t]);
        sum.add(t, changes);
        if (folds && isFlat(ensemble, ranges, cut, trees.treeStart[t])) {
          for (let k = 0; k < leafWidth; k++) {
            baseScore[leafWidth === 1 ? treeOutput[t] : k] += treeWeight[t] * tree.value[0][k];
          }
        } else {
          kept.push(t);
          builders.push(tree);
        }
      }
      if (ensemble.profile.sum === "f32" && kept.length < numTrees) {
        baseScore.forEach((base, k) => {
          baseScore[k] = narrow(base);
          sum.move(k, baseScore[k] - base);
        });
      }
      const packed = packTrees(builders, leafWidth);
      const old = Int32Array.from(packed.cover);
      const { linear: terms, ...others } = ensemble;
      const linear = terms && keepTerms(
        terms,
        packed,
        old,
        (node) => hasTerms(ensemble, node) && !isFlat(ensemble, ranges, cut, node),
      );
      const smaller: Ensemble = {
        ...others,
        ...(linear && { linear }),
        trees: { ...packed, cover: Float64Array.from(old, (node) => trees.cover[node]) },
        baseScore,
        treeOutput: Int32Array.from(kept, (t) => treeOutput[t]),
        treeWeight: Float64Array.from(kept, (t) => treeWeight[t]),
        ...(folds && { treesPerRound: Math.max(1, kept.length) }),
        ...(ensemble.surrogates &&
          { surrogates: keepSurrogates(ensemble.surrogates, schema, old, packed.kind) }),
      };
      return { ensemble: smaller, bound: sum.bound() };
    },
  };
}

/** The same ensemble with each leaf weighed and divided beforehand. */
function asSum(ensemble: Ensemble): Ensemble {
  const { trees, leafWidth, treeOutput, treeWeight } = ensemble;
  const totals = weightsOf(ensemble);
  const leaf = trees.leaf.slice();
  const constant = ensemble.linear?.constant.slice();
  const termCoefficient = ensemble.linear?.termCoefficient.slice();
  for (let t = 0; t < treeWeight.length; t++) {
    const total = totals[leafWidth === 1 ? treeOutput[t] : 0];
    const factor = total > 0 ? treeWeight[t] / total : treeWeight[t];
    const end = trees.treeStart[t + 1] * leafWidth;
    for (let i = trees.treeStart[t] * leafWidth; i < end; i++) leaf[i] *= factor;
    if (ensemble.linear === undefined) continue;
    const [from, to] = [trees.treeStart[t], trees.treeStart[t + 1]];
    for (let node = from; node < to; node++) constant![node] *= factor;
    const { termStart } = ensemble.linear;
    for (let i = termStart[from]; i < termStart[to]; i++) termCoefficient![i] *= factor;
  }
  return {
    ...ensemble,
    trees: { ...trees, leaf },
    ...(ensemble.linear && {
      linear: { ...ensemble.linear, constant: constant!, termCoefficient: termCoefficient! },
    }),
    aggregate: "sum",
    treeWeight: new Float64Array(treeWeight.length).fill(1),
  };
}

/** Sum of the weights of the trees of each output. */
function weightsOf({ leafWidth, numOutputs, treeOutput, treeWeight }: Ensemble): Float64Array {
  const totals = new Float64Array(numOutputs);
  for (let t = 0; t < treeWeight.length; t++) {
    for (let k = 0; k < leafWidth; k++) {
      totals[leafWidth === 1 ? treeOutput[t] : k] += treeWeight[t];
    }
  }
  return totals;
}

/** Children come after their parents, and a row may also stop at a node whose branch it cannot tell. */
function rangesOf(ensemble: Ensemble, schema: Schema, within?: FeatureRanges): Ranges {
  const { trees, leafWidth } = ensemble;
  const ends = within && linearEnds(ensemble, within);
  const least = new Float64Array(trees.leaf.length).fill(Infinity);
  const most = new Float64Array(trees.leaf.length).fill(-Infinity);
  for (let node = trees.kind.length - 1; node >= 0; node--) {
    const isLeaf = trees.kind[node] === NodeKind.leaf;
    const stops = isLeaf || maybeStops(trees, schema, node);
    const end = isLeaf ? 0 : trees.firstChild[node] + childrenOf(trees, schema, node);
    for (let k = 0; k < leafWidth; k++) {
      const at = node * leafWidth + k;
      if (stops && hasTerms(ensemble, node)) {
        least[at] = ends!.least[node];
        most[at] = ends!.most[node];
      } else if (stops && Number.isFinite(trees.leaf[at])) least[at] = most[at] = trees.leaf[at];
      for (let child = isLeaf ? 0 : trees.firstChild[node]; child < end; child++) {
        least[at] = Math.min(least[at], least[child * leafWidth + k]);
        most[at] = Math.max(most[at], most[child * leafWidth + k]);
      }
    }
  }
  return {
    least,
    most,
    ...(ends && {
      linear: {
        centre: meansOf(trees, (node) => childrenOf(trees, schema, node)),
        size: ends.size,
        slack: ends.slack,
        share: sharesOf(trees),
      },
    }),
  };
}

/** Spans of all nodes that can become one constant. */
function spansOf(ensemble: Ensemble, ranges: Ranges, weighed: boolean): Float64Array {
  const { kind } = ensemble.trees;
  const spans = new Set<number>();
  for (let node = 0; node < kind.length; node++) {
    if (kind[node] === NodeKind.leaf && !hasTerms(ensemble, node)) continue;
    spans.add(spanOf(ensemble, ranges, weighed, node));
  }
  return Float64Array.from(spans).sort();
}

/** What a subtree spans, of its entries the most. */
function spanOf(
  { leafWidth }: Ensemble,
  { least, most, linear }: Ranges,
  weighed: boolean,
  node: number,
): number {
  let span = -Infinity;
  for (let at = node * leafWidth; at < (node + 1) * leafWidth; at++) {
    span = Math.max(span, most[at] - least[at]);
  }
  return weighed && span > 0 ? span * linear!.share[node] : span;
}

/** Whether a node becomes a constant leaf, or is one. */
function isFlat(ensemble: Ensemble, ranges: Ranges, cut: Cut, node: number): boolean {
  const isLeaf = ensemble.trees.kind[node] === NodeKind.leaf;
  if (isLeaf && (cut.dropTerms || !hasTerms(ensemble, node))) return true;
  return spanOf(ensemble, ranges, cut.weighed ?? false, node) <= cut.span;
}

/**
 * What a tree changed, for each entry of its leaves: the worst change, and the largest value either
 * way.
 */
interface Changes {
  readonly worst: Float64Array;
  readonly largest: Float64Array;
}

/** Copies a tree, and leaves the number of the old node in each node's cover. */
function copyTree(
  ensemble: Ensemble,
  schema: Schema,
  ranges: Ranges,
  cut: Cut,
  round: (value: number) => number,
  tree: TreeBuilder,
  root: number,
): Changes {
  const { trees, leafWidth } = ensemble;
  const { least, most, linear } = ranges;
  const worst = new Float64Array(leafWidth);
  const largest = new Float64Array(leafWidth);
  const stack = [0, root];
  while (stack.length > 0) {
    const from = stack.pop()!;
    const place = stack.pop()!;
    const begin = from * leafWidth;
    const flat = isFlat(ensemble, ranges, cut, from);
    tree.setStats(place, from, flat ? 0 : trees.gain[from]);
    const value = new Float64Array(leafWidth);
    if (!flat && hasTerms(ensemble, from)) {
      worst[0] = Math.max(worst[0], linear!.slack[from]);
      largest[0] = Math.max(largest[0], linear!.size[from]);
    }
    // Where rows may stop at an inner node its value is rounded as leaves are.
    const isLeaf = trees.kind[from] === NodeKind.leaf;
    const ends = flat || !isLeaf && maybeStops(trees, schema, from);
    for (let k = 0; k < leafWidth; k++) {
      const at = begin + k;
      const low = flat ? least[at] : trees.leaf[at];
      const high = flat ? most[at] : trees.leaf[at];
      const middle = linear ? linear.centre[from] : low / 2 + high / 2;
      const exact = low === high ? low : middle;
      value[k] = ends && Number.isFinite(exact) ? round(exact) : exact;
      if (!ends || !Number.isFinite(exact)) continue;
      worst[k] = Math.max(worst[k], Math.abs(value[k] - low), Math.abs(value[k] - high));
      largest[k] = Math.max(largest[k], Math.abs(value[k]), Math.abs(low), Math.abs(high));
    }
    tree.setValue(place, value);
    if (!flat && !isLeaf) {
      const first = copySplit(trees, schema, tree, place, from);
      for (let i = childrenOf(trees, schema, from) - 1; i >= 0; i--) {
        stack.push(first + i, trees.firstChild[from] + i);
      }
    }
  }
  return { worst, largest };
}

/** Adds up, for each output, the worst that trees do to it. */
function createBound(ensemble: Ensemble, given: Ensemble) {
  const { leafWidth, numOutputs, treeOutput, treeWeight, aggregate, baseScore, profile } = ensemble;
  const bounds = new Float64Array(numOutputs);
  const sizes = new Float64Array(numOutputs);
  const totals = weightsOf(ensemble);
  const undivided = weightsOf(given);
  const adds = aggregate === "sum" || aggregate === "average";
  return {
    add(tree: number, { worst, largest }: Changes): void {
      for (let k = 0; k < leafWidth; k++) {
        const output = leafWidth === 1 ? treeOutput[tree] : k;
        // Weights of a median count values; those of all else scale them.
        const weight = aggregate === "median" ? 1 : Math.abs(treeWeight[tree]);
        // A median, least or largest value moves no farther than what it is taken of.
        bounds[output] = adds
          ? bounds[output] + weight * worst[k]
          : Math.max(bounds[output], weight * worst[k]);
        sizes[output] = adds
          ? sizes[output] + weight * largest[k]
          : Math.max(sizes[output], weight * largest[k]);
      }
    },
    move(output: number, by: number): void {
      bounds[output] += Math.abs(by);
    },
    bound(): number {
      // Both sums round at every tree: by at most half a unit of the largest they can be.
      const [unit, most] = profile.sum === "f32" ? [2 ** -24, 2 ** 127] : [2 ** -53, 2 ** 1023];
      const steps = 4 * (given.treeWeight.length + 2);
      let bound = 0;
      for (let k = 0; k < numOutputs; k++) {
        const size = sizes[k] + Math.abs(baseScore[k]);
        // A sum that overflows, before or after, may change by any amount; that of an average is undivided.
        const whole = given.aggregate !== aggregate ? size * Math.max(1, undivided[k]) : size;
        if (!(whole < most)) return Infinity;
        const rounding = steps * unit * size;
        const divisor = aggregate === "average" && totals[k] > 0 ? totals[k] : 1;
        bound = Math.max(bound, (bounds[k] + rounding) / divisor);
      }
      return bound === bound ? bound : Infinity;
    },
  };
}

/** A float32 near a number, or the number itself where float32 has only infinity. */
function narrow(value: number): number {
  const near = Math.fround(value);
  return Number.isFinite(near) ? near : value;
}

/** Rounds to an even grid over all leaf values, in float32 where that holds them. */
function createRounding(
  { least, most }: Ranges,
  kind: Uint8Array,
  leafWidth: number,
  levels: number | undefined,
): (value: number) => number {
  if (levels === undefined) return (value) => value;
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < least.length; i++) {
    if (kind[Math.floor(i / leafWidth)] !== NodeKind.leaf) continue;
    low = Math.min(low, least[i]);
    high = Math.max(high, most[i]);
  }
  const step = (high - low) / (levels - 1);
  if (!(step > 0 && step < Infinity)) return narrow;
  return (value) => narrow(low + Math.round((value - low) / step) * step);
}
