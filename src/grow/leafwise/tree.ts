/**
 * One tree grown leaf by leaf (the largest gain first) on LightGBM's bins, with the arithmetic of
 * its serial learner: float32 derivatives, float64 sums in order of rows, the larger child's
 * histogram by subtraction, and the fullest bin as what the others leave. Threads take every step
 * together (`space.ts`).
 *
 * Ke et al., "LightGBM", NeurIPS 2017; `serial_tree_learner.cpp` of release 4.6.0.
 *
 * @module
 */
import { TrainingError } from "../../errors.ts";
import { createTreeBuilder, type TreeBuilder } from "../../model/trees.ts";
import { histogramBuilder } from "./histogram.ts";
import { EPSILON, leafValue, type LeafwiseOptions, type LeafwiseSums } from "./math.ts";
import { monotoneTree } from "./monotone.ts";
import {
  failMeeting,
  isBetter,
  type LeafwisePlan,
  type LeafwiseSpace,
  leafwiseSpace,
} from "./space.ts";
import { findLeafwiseSplit, type LeafwiseSplit } from "./split.ts";

/** A grown tree and the node in which each row ended. */
export interface LeafwiseTree {
  readonly tree: TreeBuilder;
  readonly leafOf: Int32Array;
}

/** A leaf that may still be split: `rows[from … from + count − 1]` are its own. */
interface OpenLeaf {
  readonly node: number;
  readonly depth: number;
  readonly from: number;
  readonly sums: LeafwiseSums;
  histogram: Float64Array | undefined;
  /** Features that may split it. */
  splittable: Uint8Array;
  best: LeafwiseSplit | undefined;
}

/** Grows a tree from the derivatives that are in the plan, together with the plan's other threads. */
export function growLeafwise(space: LeafwiseSpace): LeafwiseTree {
  const { features, options, rows } = space.plan;
  const numRows = rows.length;
  const tree = createTreeBuilder(1);
  space.begin();
  const histograms = histogramBuilder(space);
  const root = openRoot(space);
  const leaves: OpenLeaf[] = [root];
  tree.setStats(0, root.sums.hessian, 0);
  tree.setValue(0, [root.sums.value * options.learningRate]);
  const constraints = options.monotone && monotoneTree(features, options.monotone);
  /** Finds the best split of the leaf at a place among the thread's own features. */
  const evaluate = (place: number, sums: LeafwiseSums) => {
    const leaf = leaves[place];
    const splittable = new Uint8Array(features.length);
    leaf.best = undefined;
    features.forEach((feature, f) => {
      if (leaf.splittable[f] === 0) return;
      const histogram = { sums: leaf.histogram!, at: histograms.start[f] };
      const found = findLeafwiseSplit(
        histogram,
        feature,
        sums,
        options,
        constraints?.bounds(place, f),
      );
      splittable[f] = found.splittable ? 1 : 0;
      if (found.split === undefined) return;
      const best = constraints?.penalised(place, found.split) ?? found.split;
      if (isBetter(best, leaf.best)) leaf.best = best;
    });
    leaf.splittable = splittable;
  };
  /** Leaves take the best splits that all threads have found. */
  const agree = (...places: number[]) => {
    space.agree(places.map((place) => leaves[place].best))
      .forEach((best, i) => leaves[places[i]].best = best);
  };
  /** Finds the best split of a leaf again whose bounds have changed. */
  const evaluateAgain = (place: number) => {
    const { best } = leaves[place];
    if (best === undefined) return;
    evaluate(place, sumsOfBoth(best, options));
    agree(place);
  };
  if (maySplit(root, root, options)) {
    root.histogram = histograms.build(0, root.sums, root.splittable);
    evaluate(0, root.sums);
    agree(0);
  }
  while (leaves.length < options.maxLeaves) {
    const place = bestLeaf(leaves);
    const leaf = leaves[place];
    if (leaf.best === undefined || !(leaf.best.gain > 0)) break;
    const [left, right] = split(tree, leaf, space);
    leaves[place] = left;
    leaves.push(right);
    constraints?.split(place, leaf.best, (other) => leaves[other].best !== undefined)
      .forEach(evaluateAgain);
    if (!maySplit(left, right, options)) continue;
    const [small, large] = left.sums.count < right.sums.count ? [left, right] : [right, left];
    small.histogram = histograms.build(small.from, small.sums, small.splittable);
    large.histogram = histograms.subtract(leaf.histogram!, small.histogram, leaf.splittable);
    evaluate(leaves.indexOf(small), small.sums);
    evaluate(leaves.indexOf(large), large.sums);
    agree(leaves.indexOf(small), leaves.indexOf(large));
  }
  const leafOf = new Int32Array(numRows);
  for (const { node, from, sums } of leaves) {
    for (let i = from; i < from + sums.count; i++) leafOf[rows[i]] = node;
  }
  return { tree, leafOf };
}

function openRoot({ plan: { gradient, hessian, options }, own }: LeafwiseSpace): OpenLeaf {
  let g = 0;
  let h = 0;
  for (let row = 0; row < gradient.length; row++) {
    g += gradient[row];
    h += hessian[row];
  }
  const count = gradient.length;
  const value = leafValue(g, h, count, 0, options.lambda, { ...options, pathSmooth: 0 });
  return {
    node: 0,
    depth: 0,
    from: 0,
    sums: { gradient: g, hessian: h, count, value },
    histogram: undefined,
    splittable: own,
    best: undefined,
  };
}

/**
 * Sums of a leaf whose split is sought again: LightGBM adds up those of the children it found, which
 * may be off by rounding and count rows by second derivatives.
 */
function sumsOfBoth({ left, right }: LeafwiseSplit, options: LeafwiseOptions): LeafwiseSums {
  const gradient = left.gradient + right.gradient;
  const hessian = left.hessian + right.hessian;
  const count = left.count + right.count;
  const free = { ...options, pathSmooth: 0 };
  const value = options.pathSmooth > EPSILON
    ? leafValue(gradient, hessian, count, 0, options.lambda, free)
    : 0;
  return { gradient, hessian, count, value };
}

/** Whether siblings are looked at: not too deep, and one of them with rows for two leaves. */
function maySplit(left: OpenLeaf, right: OpenLeaf, options: LeafwiseOptions): boolean {
  if (options.maxDepth > 0 && left.depth >= options.maxDepth) return false;
  const rows = Math.max(left.sums.count, right.sums.count);
  return options.maxLeaves > 1 && rows >= 2 * options.minRowsPerLeaf;
}

function bestLeaf(leaves: readonly OpenLeaf[]): number {
  let place = 0;
  for (let i = 1; i < leaves.length; i++) {
    const { best } = leaves[i];
    if (best !== undefined && isBetter(best, leaves[place].best)) place = i;
  }
  return place;
}

/** Splits a leaf: two nodes, and its rows in two stable parts. */
function split(
  tree: TreeBuilder,
  leaf: OpenLeaf,
  space: LeafwiseSpace,
): readonly [OpenLeaf, OpenLeaf] {
  const best = leaf.best!;
  const rate = space.plan.options.learningRate;
  const first = splitNode(tree, leaf.node, best);
  tree.setStats(leaf.node, leaf.sums.hessian, best.gain);
  const { from, sums: { count } } = leaf;
  const numLeft = space.part(from, count, best.feature.codes, leftBins(best));
  if (numLeft === 0 || numLeft === count) throw emptyChild(best);
  const child = (node: number, start: number, numRows: number, sums: LeafwiseSums): OpenLeaf => {
    tree.setStats(node, sums.hessian, 0);
    tree.setValue(node, [(best.middle ?? sums.value) * rate]);
    return {
      node,
      depth: leaf.depth + 1,
      from: start,
      sums: { ...sums, count: numRows },
      histogram: undefined,
      splittable: leaf.splittable,
      best: undefined,
    };
  };
  return [
    child(first, from, numLeft, best.left),
    child(first + 1, from + numLeft, count - numLeft, best.right),
  ];
}

/** LightGBM estimates rows by second derivatives, and stops in the same way where it is so wrong. */
function emptyChild({ feature, left, right }: LeafwiseSplit): TrainingError {
  return new TrainingError(
    "E_TRAIN_NUMERIC",
    `Cannot train as LightGBM does: it counts ${left.count} and ${right.count} rows on the sides of ` +
      `a split on feature ${feature.feature + 1}, and one side has none (LightGBM itself stops ` +
      `here); expected treeMethod "hist", or a larger minRowsPerLeaf`,
    { details: { feature: feature.feature } },
  );
}

function splitNode(tree: TreeBuilder, node: number, best: LeafwiseSplit): number {
  const { feature, bin, bins, missingLeft } = best;
  if (feature.kind === "numeric") {
    const threshold = feature.upper[bin] ?? Infinity;
    return tree.splitThreshold(node, feature.feature, threshold, missingLeft ? 0 : 1);
  }
  const words = new Uint32Array((feature.numCategories + 1 + 31) >>> 5);
  for (const chosen of bins) {
    const category = feature.categories[chosen];
    words[category >>> 5] |= 1 << (category & 31);
  }
  return tree.splitSubset(node, feature.feature, words, 1);
}

/** 1 for each bin that goes left. */
function leftBins({ feature, bin, bins, missingLeft }: LeafwiseSplit): Uint8Array {
  const left = new Uint8Array(feature.numBins);
  if (feature.kind === "categorical") { for (const chosen of bins) left[chosen] = 1; }
  else {
    left.fill(1, 0, bin + 1);
    if (feature.missingBin >= 0) left[feature.missingBin] = missingLeft ? 1 : 0;
  }
  return left;
}

/** What a helper does for a tree: the same as the thread that keeps it. */
export function leafwiseHelper(plan: LeafwisePlan, thread: number): () => void {
  const space = leafwiseSpace(plan, thread);
  return () => {
    try {
      growLeafwise(space);
    } catch (error) {
      failMeeting(plan);
      throw error;
    }
  };
}
