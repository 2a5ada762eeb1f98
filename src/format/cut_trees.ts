/**
 * Smaller ensembles that score nearly the same: leaves rounded to few levels, subtrees whose leaves are
 * nearly equal made one leaf, trees of one leaf added to the base score. What a raw score can change by
 * at most is proved from the leaves themselves, tree by tree.
 *
 * @module
 */
import type { Schema } from "../data/types.ts";
import { createTreeBuilder, numChildren, packTrees, type TreeBuilder } from "../model/trees.ts";
import { type Ensemble, MissingBranch, NodeKind, type Surrogates } from "../model/types.ts";

/** How leaves change. */
export interface Cut {
  /** Levels that leaves are rounded to; undefined leaves them exact. */
  readonly levels?: number;
  /** Subtrees whose leaf values span no more than this become one leaf; less than 0: none does. */
  readonly span: number;
}

/** An ensemble made ready for cutting. */
export interface Cuttable {
  /** The largest span of a tree: from there on every tree is one leaf. */
  readonly largestSpan: number;
  /** Changes leaves; no raw score then changes by more than `bound`. */
  cut(cut: Cut): { readonly ensemble: Ensemble; readonly bound: number };
}

/** Whether trees can be cut: every row ends between the values of the leaves, and sums are what they are. */
export function canCut({ linear }: Ensemble): boolean {
  return linear === undefined;
}

/** Least and largest values that a row can get below each node, `node × leafWidth`. */
interface Ranges {
  readonly least: Float64Array;
  readonly most: Float64Array;
}

/**
 * Makes an ensemble ready.
 *
 * @param fold Trees of one leaf are added to the base score. Averages become sums of weighed leaves, and
 * the ensemble one round, since its trees are no longer those of training rounds.
 */
export function makeCuttable(given: Ensemble, schema: Schema, fold: boolean): Cuttable {
  const folds = fold && (given.aggregate === "sum" || given.aggregate === "average");
  const ensemble = folds && given.aggregate === "average" ? asSum(given) : given;
  const { trees, leafWidth, treeOutput, treeWeight } = ensemble;
  const ranges = rangesOf(ensemble, schema);
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
        if (folds && tree.numNodes === 1) {
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
          baseScore[k] = Math.fround(base);
          sum.move(k, baseScore[k] - base);
        });
      }
      const packed = packTrees(builders, leafWidth);
      const old = Int32Array.from(packed.cover);
      const smaller: Ensemble = {
        ...ensemble,
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
  for (let t = 0; t < treeWeight.length; t++) {
    const total = totals[leafWidth === 1 ? treeOutput[t] : 0];
    const factor = total > 0 ? treeWeight[t] / total : treeWeight[t];
    const end = trees.treeStart[t + 1] * leafWidth;
    for (let i = trees.treeStart[t] * leafWidth; i < end; i++) leaf[i] *= factor;
  }
  return {
    ...ensemble,
    trees: { ...trees, leaf },
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
function rangesOf({ trees, leafWidth }: Ensemble, schema: Schema): Ranges {
  const least = new Float64Array(trees.leaf.length).fill(Infinity);
  const most = new Float64Array(trees.leaf.length).fill(-Infinity);
  for (let node = trees.kind.length - 1; node >= 0; node--) {
    const isLeaf = trees.kind[node] === NodeKind.leaf;
    const stops = isLeaf || maybeStops(trees, schema, node);
    const end = isLeaf ? 0 : trees.firstChild[node] + childrenOf(trees, schema, node);
    for (let k = 0; k < leafWidth; k++) {
      const at = node * leafWidth + k;
      if (stops && Number.isFinite(trees.leaf[at])) least[at] = most[at] = trees.leaf[at];
      for (let child = isLeaf ? 0 : trees.firstChild[node]; child < end; child++) {
        least[at] = Math.min(least[at], least[child * leafWidth + k]);
        most[at] = Math.max(most[at], most[child * leafWidth + k]);
      }
    }
  }
  return { least, most };
}

/** Whether rows may end at an inner node. */
export function maybeStops(trees: Ensemble["trees"], schema: Schema, node: number): boolean {
  const feature = schema.features[trees.feature[node]];
  return trees.missing[node] === MissingBranch.stop || trees.kind[node] === NodeKind.multiway ||
    feature.kind === "categorical" && feature.unknown === "node";
}

/** Number of children of an inner node. */
export function childrenOf(trees: Ensemble["trees"], schema: Schema, node: number): number {
  const feature = schema.features[trees.feature[node]];
  return numChildren(trees, node, feature.kind === "categorical" ? feature.categories.length : 0);
}

/** What a tree changed, for each entry of its leaves: the worst change, and the largest value either way. */
interface Changes {
  readonly worst: Float64Array;
  readonly largest: Float64Array;
}

/** Copies a tree, and leaves the number of the old node in each node's cover. */
function copyTree(
  { trees, leafWidth }: Ensemble,
  schema: Schema,
  { least, most }: Ranges,
  cut: Cut,
  round: (value: number) => number,
  tree: TreeBuilder,
  root: number,
): Changes {
  const worst = new Float64Array(leafWidth);
  const largest = new Float64Array(leafWidth);
  const stack = [0, root];
  while (stack.length > 0) {
    const from = stack.pop()!;
    const place = stack.pop()!;
    const begin = from * leafWidth;
    const isLeaf = trees.kind[from] === NodeKind.leaf;
    let flat = true;
    for (let at = begin; at < begin + leafWidth; at++) {
      if (!isLeaf && !(most[at] - least[at] <= cut.span)) flat = false;
    }
    tree.setStats(place, from, flat ? 0 : trees.gain[from]);
    const value = new Float64Array(leafWidth);
    // Where rows may stop at an inner node its value is rounded as leaves are.
    const ends = flat || maybeStops(trees, schema, from);
    for (let k = 0; k < leafWidth; k++) {
      const at = begin + k;
      const low = flat ? least[at] : trees.leaf[at];
      const high = flat ? most[at] : trees.leaf[at];
      const exact = low === high ? low : low / 2 + high / 2;
      value[k] = ends && Number.isFinite(exact) ? round(exact) : exact;
      if (!ends || !Number.isFinite(exact)) continue;
      worst[k] = Math.max(worst[k], Math.abs(value[k] - low), Math.abs(value[k] - high));
      largest[k] = Math.max(largest[k], Math.abs(value[k]), Math.abs(low), Math.abs(high));
    }
    tree.setValue(place, value);
    if (!flat) {
      const first = copySplit(trees, schema, tree, place, from);
      for (let i = childrenOf(trees, schema, from) - 1; i >= 0; i--) {
        stack.push(first + i, trees.firstChild[from] + i);
      }
    }
  }
  return { worst, largest };
}

/** Splits a new node as an old one is; gives the first of its children. */
export function copySplit(
  trees: Ensemble["trees"],
  schema: Schema,
  tree: TreeBuilder,
  place: number,
  from: number,
): number {
  const f = trees.feature[from];
  const at = trees.categoryAt[from];
  const missing = trees.missing[from];
  const feature = schema.features[f];
  const numCategories = feature.kind === "categorical" ? feature.categories.length : 0;
  switch (trees.kind[from]) {
    case NodeKind.threshold:
      return tree.splitThreshold(place, f, trees.threshold[from], missing);
    case NodeKind.equal:
      return tree.splitEqual(place, f, trees.threshold[from], missing);
    case NodeKind.subset: {
      const words = trees.categoryPool.slice(at, at + (numCategories >>> 5) + 1);
      return tree.splitSubset(place, f, words, missing);
    }
    default: {
      const branches = trees.categoryPool.slice(at, at + numCategories + 1);
      const count = childrenOf(trees, schema, from);
      return tree.splitMultiway(place, f, branches, count, missing);
    }
  }
}

/** Adds up, for each output, the worst that trees do to it. */
function createBound(ensemble: Ensemble, given: Ensemble) {
  const { leafWidth, numOutputs, treeOutput, treeWeight, aggregate, baseScore, profile } = ensemble;
  const bounds = new Float64Array(numOutputs);
  const sizes = new Float64Array(numOutputs);
  const totals = weightsOf(ensemble);
  const adds = aggregate === "sum" || aggregate === "average";
  return {
    add(tree: number, { worst, largest }: Changes): void {
      for (let k = 0; k < leafWidth; k++) {
        const output = leafWidth === 1 ? treeOutput[tree] : k;
        const weight = adds ? Math.abs(treeWeight[tree]) : 1;
        // A median, least or largest value moves no farther than what it is taken of.
        bounds[output] = adds
          ? bounds[output] + weight * worst[k]
          : Math.max(bounds[output], worst[k]);
        sizes[output] = adds
          ? sizes[output] + weight * largest[k]
          : Math.max(sizes[output], largest[k]);
      }
    },
    move(output: number, by: number): void {
      bounds[output] += Math.abs(by);
    },
    bound(): number {
      // Both sums round at every tree: by at most half a unit of the largest they can be.
      const unit = profile.sum === "f32" ? 2 ** -24 : 2 ** -53;
      const steps = 4 * (given.treeWeight.length + 2);
      let bound = 0;
      for (let k = 0; k < numOutputs; k++) {
        const rounding = steps * unit * (sizes[k] + Math.abs(baseScore[k]));
        const divisor = aggregate === "average" && totals[k] > 0 ? totals[k] : 1;
        bound = Math.max(bound, (bounds[k] + rounding) / divisor);
      }
      return bound;
    },
  };
}

/** Surrogates of the inner nodes that are left; `old` is what each node was. */
export function keepSurrogates(
  given: Surrogates,
  schema: Schema,
  old: Int32Array,
  kind: Uint8Array,
): Surrogates {
  const start = new Int32Array(old.length + 1);
  const places: number[] = [];
  old.forEach((node, i) => {
    const end = kind[i] === NodeKind.leaf ? 0 : given.start[node + 1];
    for (let s = given.start[node]; s < end; s++) places.push(s);
    start[i + 1] = places.length;
  });
  const pool: number[] = [];
  const categoryAt = Int32Array.from(places, (s) => {
    const feature = schema.features[given.feature[s]];
    if (feature.kind === "numeric") return -1;
    const at = given.categoryAt[s];
    pool.push(...given.pool.subarray(at, at + feature.categories.length + 1));
    return pool.length - feature.categories.length - 1;
  });
  return {
    start,
    feature: Int32Array.from(places, (s) => given.feature[s]),
    threshold: Float64Array.from(places, (s) => given.threshold[s]),
    below: Uint8Array.from(places, (s) => given.below[s]),
    categoryAt,
    pool: Uint8Array.from(pool),
  };
}

/** Rounds to an even grid over all leaf values, in float32. */
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
  if (!(step > 0)) return Math.fround;
  return (value) => Math.fround(low + Math.round((value - low) / step) * step);
}
