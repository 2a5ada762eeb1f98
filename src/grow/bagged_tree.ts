/**
 * One tree of a bagged ensemble: draw a bag, grow, and say where the rows outside the bag end.
 * All that it needs is plain data, so that a worker can do it, and all randomness comes from the
 * seed and the number of the tree, so that it does not matter which worker does.
 *
 * @module
 */
import { NodeKind, type Trees } from "../model/types.ts";
import { forkRng, type Rng, shuffle } from "../util/rng.ts";
import { createAnswers } from "./tree/answers.ts";
import { shiftLeaves } from "./plan/centre.ts";
import type { Frame } from "./rows/frame.ts";
import { endsOf, growPacked } from "./counted/pack.ts";
import { drawRows } from "./rows/draw_rows.ts";
import type { GrowContext } from "./plan/context.ts";
import { growTree } from "./grower.ts";
import { packGrown, packOrder } from "./tree/pack.ts";
import { contextOf, type TreePlan } from "./plan/plan.ts";
import { weightedRows } from "./rows/source.ts";
import type { StatSource } from "./rows/stats.ts";
import { type GrownTree, leafOfRow, leafOfRowWith } from "./tree/tree.ts";

/** What all trees of a run share. */
export interface BagJob {
  readonly frame: Frame;
  readonly source: StatSource;
  /** What was subtracted from the labels of `source`; leaves add it again. */
  readonly centre?: number;
  readonly plan: TreePlan;
  readonly seed: number;
  /** Draws in a bag over number of rows; 0 takes every row once. */
  readonly sampleShare: number;
  /** Draw with replacement. */
  readonly replace: boolean;
  /** Features drawn for each tree; all when absent. */
  readonly featuresPerTree?: number;
  /** How often each row is in each tree's bag, instead of random bags. */
  readonly inbag?: readonly ArrayLike<number>[];
  /** Report where rows outside the bag end. */
  readonly outOfBag: boolean;
  /** Measure the loss of accuracy when a feature is shuffled among the rows outside the bag. */
  readonly permutation: boolean;
  /** Inner nodes hold values too. */
  readonly innerValues: boolean;
}

/** What a tree's bag tells of it. */
export interface BagNotes {
  /** Impurity decrease over total weight, by feature. */
  readonly impurity: Float64Array;
  /** Rows outside the bag and the packed node where each ends. */
  readonly oobRows?: Int32Array;
  readonly oobNodes?: Int32Array;
  /** Answer to each of them, row-major, where a missing value may end in several nodes. */
  readonly oobValues?: Float64Array;
  /** Rise of the error of the rows outside the bag, by feature. */
  readonly permutation?: Float64Array;
}

/** One grown tree. */
export interface BaggedTree extends BagNotes {
  readonly trees: Trees;
}

/** Streams of a tree's random numbers. */
const STREAM = { bag: 0, features: 1, growth: 2, permutation: 3 } as const;

/** Grows tree `index`. */
export function growBagged(job: BagJob, index: number): BaggedTree {
  const { frame, source } = job;
  const counts = job.inbag !== undefined
    ? Float64Array.from(job.inbag[index])
    : drawWeighted(job, index);
  const weight = counts === undefined ? source.weight : weigh(counts, source.weight);
  const bagged: StatSource = weight === undefined ? source : { ...source, weight };
  const features = drawFeatures(job, index);
  const all = contextOf(job.plan, frame, bagged);
  const context = features === undefined ? all : { ...all, features };
  const rows = weightedRows(frame.numRows, weight);
  const outside = counts !== undefined && (job.outOfBag || job.permutation)
    ? outsideRows(counts, source.weight)
    : undefined;
  const rng = forkRng(job.seed, index, STREAM.growth);
  const packed = job.permutation ? undefined : growPacked(context, rows, rng, {
    innerValues: job.innerValues,
    codes: outside !== undefined,
  });
  if (packed === undefined) return growWithRows(job, index, context, rows, rng, outside);
  shortenGains(packed.trees);
  return {
    trees: packed.trees,
    impurity: impurityOf(job, packed.trees),
    ...(outside !== undefined && { oobRows: outside, oobNodes: endsOf(packed, context, outside) }),
  };
}

/** A tree that keeps its rows and statistics, for learners and measures that look at them. */
function growWithRows(
  job: BagJob,
  index: number,
  context: GrowContext,
  rows: Int32Array,
  rng: Rng,
  outside: Int32Array | undefined,
): BaggedTree {
  const tree = growTree(context, rows, rng);
  const centred = packGrown(tree, { innerValues: job.innerValues });
  const trees = shiftLeaves(centred, job.centre ?? 0);
  shortenGains(trees);
  const impurity = impurityOf(job, trees);
  if (outside === undefined) return { trees, impurity };
  if (job.plan.missing === "fractional") {
    return {
      trees,
      impurity,
      ...(job.outOfBag && { oobRows: outside, oobValues: answersTo(tree, outside) }),
      ...(job.permutation && {
        permutation: permuteFeatures(job, tree, index, outside, sharedErrors(tree)),
      }),
    };
  }
  const ends = outside.map((row) => leafOfRow(tree, row));
  return {
    trees,
    impurity,
    ...(job.outOfBag && { oobRows: outside, oobNodes: packedPlaces(tree, ends) }),
    ...(job.permutation &&
      { permutation: permuteFeatures(job, tree, index, outside, leafErrors(tree)) }),
  };
}

/** Gains only feed importances: in float32 they take half the space in the file. */
function shortenGains({ gain }: Trees): void {
  for (let node = 0; node < gain.length; node++) {
    const short = Math.fround(gain[node]);
    if (Number.isFinite(short)) gain[node] = short;
  }
}

function impurityOf(job: BagJob, { feature, gain, cover, kind }: Trees): Float64Array {
  const sums = new Float64Array(job.frame.features.length);
  for (let node = 0; node < kind.length; node++) {
    if (kind[node] !== NodeKind.leaf) sums[feature[node]] += gain[node];
  }
  return sums.map((sum) => sum / cover[0]);
}

/** Bags without any weight that are drawn before a row with some is put into one. */
const MOST_DRAWS = 100;

/** A bag of which a row weighs something: few may, and a tree needs one. */
function drawWeighted(job: BagJob, index: number): Float64Array | undefined {
  const { weight } = job.source;
  const counts = drawBag(job, forkRng(job.seed, index, STREAM.bag));
  if (weight === undefined || counts === undefined) return counts;
  const weighs = (bag: Float64Array) => bag.some((count, row) => count > 0 && weight[row] > 0);
  if (weighs(counts)) return counts;
  for (let draw = 1; draw < MOST_DRAWS; draw++) {
    const again = drawBag(job, forkRng(job.seed, index, STREAM.bag, draw))!;
    if (weighs(again)) return again;
  }
  const rows = weightedRows(weight.length, weight);
  counts[rows[forkRng(job.seed, index, STREAM.bag, MOST_DRAWS).nextInt(rows.length)]]++;
  return counts;
}

/** How often each row is drawn; undefined for every row once. */
function drawBag(job: BagJob, rng: Rng): Float64Array | undefined {
  const { numRows } = job.frame;
  const draws = Math.max(1, Math.round(job.sampleShare * numRows));
  if (job.sampleShare === 0 || !job.replace && draws >= numRows) return undefined;
  if (job.replace) return drawRows(rng, draws, numRows);
  const counts = new Float64Array(numRows);
  const rows = Int32Array.from({ length: numRows }, (_, row) => row);
  for (let i = 0; i < draws; i++) {
    const other = i + rng.nextInt(numRows - i);
    counts[rows[other]] = 1;
    rows[other] = rows[i];
  }
  return counts;
}

function weigh(counts: Float64Array, weight: Float64Array | undefined): Float64Array {
  if (weight === undefined) return counts;
  return counts.map((count, row) => count * weight[row]);
}

function drawFeatures(job: BagJob, index: number): Int32Array | undefined {
  const numFeatures = job.frame.features.length;
  const { featuresPerTree } = job;
  if (featuresPerTree === undefined || featuresPerTree >= numFeatures) return undefined;
  const all = Int32Array.from({ length: numFeatures }, (_, i) => i);
  return shuffle(all, forkRng(job.seed, index, STREAM.features)).slice(0, featuresPerTree).sort();
}

function outsideRows(counts: Float64Array, weight: Float64Array | undefined): Int32Array {
  const rows: number[] = [];
  for (let row = 0; row < counts.length; row++) {
    if (counts[row] === 0 && (weight === undefined || weight[row] > 0)) rows.push(row);
  }
  return Int32Array.from(rows);
}

function packedPlaces(tree: GrownTree, nodes: Int32Array): Int32Array {
  const place = new Int32Array(tree.numNodes);
  packOrder(tree).order.forEach((node, at) => place[node] = at);
  return nodes.map((node) => place[node]);
}

/** Answers to rows, row-major. */
function answersTo(tree: GrownTree, rows: Int32Array): Float64Array {
  const { leafWidth } = tree.criterion;
  const answer = createAnswers(tree);
  const values = new Float64Array(rows.length * leafWidth);
  for (let i = 0; i < rows.length; i++) {
    answer(rows[i], -1, rows[i], values.subarray(i * leafWidth, (i + 1) * leafWidth));
  }
  return values;
}

/** Error at `row` with the value that row `other` has in `feature` (−1: its own). */
type ErrorOf = (row: number, feature: number, other: number) => number;

/**
 * Breiman's permutation importance of one tree: error of the rows outside the bag with one feature
 * shuffled among them, less their error as they are.
 *
 * Breiman, "Random Forests", Machine Learning 45 (2001), section 10.
 */
function permuteFeatures(
  job: BagJob,
  tree: GrownTree,
  index: number,
  outside: Int32Array,
  errorOf: ErrorOf,
): Float64Array {
  const numFeatures = job.frame.features.length;
  const rise = new Float64Array(numFeatures);
  if (outside.length === 0) return rise;
  let base = 0;
  for (const row of outside) base += errorOf(row, -1, row);
  const used = new Set(tree.feature.filter((feature) => feature >= 0));
  for (let feature = 0; feature < numFeatures; feature++) {
    if (!used.has(feature)) continue;
    const other = shuffle(
      Int32Array.from(outside),
      forkRng(job.seed, index, STREAM.permutation, feature),
    );
    let error = 0;
    for (let i = 0; i < outside.length; i++) error += errorOf(outside[i], feature, other[i]);
    rise[feature] = (error - base) / outside.length;
  }
  return rise;
}

/** 0 or 1 for classes, the squared error for numbers, of a row's one leaf. */
function leafErrors(tree: GrownTree): ErrorOf {
  const { source, criterion } = tree;
  const value = new Float64Array(criterion.leafWidth);
  const answers = new Float64Array(tree.numNodes).fill(NaN);
  const answer = (node: number): number => {
    if (answers[node] === answers[node]) return answers[node];
    criterion.leafValue(tree.stats, node * tree.channels, value);
    return answers[node] = source.kind === "class" ? largest(value) : value[0];
  };
  return (row, feature, other) => {
    const found = answer(leafOfRowWith(tree, row, feature, other));
    return source.kind === "class"
      ? found === source.codes[row] ? 0 : 1
      : (source.values[row] - found) ** 2;
  };
}

/** The same where a row may end in several leaves; such trees know classes only. */
function sharedErrors(tree: GrownTree): ErrorOf {
  const { source, criterion } = tree;
  const value = new Float64Array(criterion.leafWidth);
  const answer = createAnswers(tree);
  return (row, feature, other) => {
    answer(row, feature, other, value);
    return source.kind === "class" && largest(value) === source.codes[row] ? 0 : 1;
  };
}

/** Place of the largest number, the first of equal ones. */
function largest(values: Float64Array): number {
  let best = 0;
  for (let k = 1; k < values.length; k++) if (values[k] > values[best]) best = k;
  return best;
}
