/**
 * Histograms of a pair of siblings and their best splits, for a range of features: builds the
 * smaller child from its rows (or adds up what stripes of rows gave), subtracts it from the parent,
 * scans both.
 *
 * @module
 */
import { type FeaturePlace, hasLevels, isNumericAlone } from "../../binning/binned.ts";
import { LEVEL_ENTRY_BYTES, LEVEL_WORK_BYTES, SplitKind } from "../../kernels/types.ts";
import { cellsOf } from "./cells.ts";
import {
  addBlock,
  addCopies,
  type Build,
  cellBytes,
  clear,
  combine,
  EvaluateArgs,
  ITEM_BYTES,
  ItemField,
  type Range,
  readBuild,
  takeRoot,
} from "./fill.ts";
import { beats, copySplit, FOUND_BYTES, isBetter, readBest, writeFound } from "./found.ts";
import { SCAN_BYTES, SCAN_PARAM_BYTES } from "./layout.ts";
import type { HistContext } from "./context.ts";
import { type BinSums, createJudge, type FeatureSplit, noSplit, scanNumeric } from "./scan.ts";
import { scanCategories } from "./category.ts";
import { isPlain, nodeScore, type NodeSums } from "./score.ts";

/** Float64 fields of each node of an evaluate item, after its words. */
export const NodeField = {
  gradient: 0,
  hessian: 1,
  count: 2,
  lower: 3,
  upper: 4,
  value: 5,
} as const;

/**
 * Performs the items of a group. Their histograms are filled block by block of rows, so that the
 * rows of a block are in the cache for all of them.
 */
export function evaluateGroup(context: HistContext, group: number): void {
  const { memory, layout } = context;
  const at = (layout.groups >>> 2) + 2 * group;
  const first = memory.u32[at];
  const count = memory.u32[at + 1];
  const wide = memory.f64[(layout.args >>> 3) + EvaluateArgs.wide] === 1;
  const builds: Build[] = [];
  const whole: Build[] = [];
  for (let i = 0; i < count; i++) {
    const build = readBuild(context, first + i);
    builds.push(build);
    if (build.copies !== 0 || build.root !== 0) continue;
    whole.push(build);
    clear(context, build, wide);
  }
  for (let block = 0; whole.length > 0 && block < layout.sets[0].numBlocks; block++) {
    for (let i = 0; i < whole.length; i++) addBlock(context, whole[i], block, wide);
  }
  for (let i = 0; i < count; i++) finish(context, first + i, builds[i], wide);
}

/** Subtracts the built node from its parent and scans both children. */
function finish(context: HistContext, item: number, build: Build, wide: boolean): void {
  const { memory, layout } = context;
  const { f64, u32 } = memory;
  const at = (layout.items + item * ITEM_BYTES) >>> 2;
  const field = (name: number) => u32[at + name];
  const { built, range } = build;
  if (build.copies !== 0) addCopies(context, build, wide);
  if (build.root !== 0) takeRoot(context, build);
  const sibling = field(ItemField.sibling);
  if (sibling !== 0) combine(context, -1, sibling, built, range, wide);
  const node = (which: number): NodeSums => {
    const n = ((layout.items + item * ITEM_BYTES + 64) >>> 3) + 8 * which;
    return {
      gradient: f64[n + NodeField.gradient],
      hessian: f64[n + NodeField.hessian],
      count: f64[n + NodeField.count],
      lower: f64[n + NodeField.lower],
      upper: f64[n + NodeField.upper],
      value: f64[n + NodeField.value],
    };
  };
  const found = layout.found + item * 2 * FOUND_BYTES;
  if (field(ItemField.scansBuilt) === 1) {
    scanNode(context, range, built, wide, node(0), field(ItemField.allowedBuilt), found);
  }
  if (sibling !== 0) {
    const allowed = field(ItemField.allowedSibling);
    scanNode(context, range, sibling, wide, node(1), allowed, found + FOUND_BYTES);
  }
}

/** Reads one feature's cells as float64. */
export function readFeature(
  context: HistContext,
  histogram: number,
  wide: boolean,
  feature: number,
  node: NodeSums,
  sums: BinSums,
): void {
  const { layout, memory } = context;
  const { f64, i32, u32 } = memory;
  const place = layout.bins.places[feature];
  const n = place.numBins + 1;
  const { gradient, hessian, count } = sums;
  const { cells, counts } = cellsOf(context, histogram, wide, feature, node);
  if (wide) {
    let at = cells >>> 3;
    for (let bin = 0; bin < n; bin++, at += 2) {
      gradient[bin] = f64[at];
      hessian[bin] = f64[at + 1];
    }
  } else {
    let at = cells >>> 2;
    for (let bin = 0; bin < n; bin++, at += 2) {
      hessian[bin] = u32[at];
      gradient[bin] = i32[at + 1];
    }
  }
  sums.counted = layout.counted === "all" || (place.categorical && layout.counted !== "none");
  if (sums.counted) {
    for (let bin = 0; bin < n; bin++) count[bin] = u32[(counts >>> 2) + bin];
  } else if (place.categorical) {
    // One row stands for however many: whoever asks only wants to know whether there are any.
    for (let bin = 0; bin < n; bin++) {
      count[bin] = hessian[bin] !== 0 || gradient[bin] !== 0 ? 1 : 0;
    }
  }
}

/** Scans the features of a range and writes the best split. */
function scanNode(
  context: HistContext,
  range: Range,
  histogram: number,
  wide: boolean,
  node: NodeSums,
  allowed: number,
  found: number,
): void {
  const { layout, memory, scratch } = context;
  const { f64, u8 } = memory;
  const { params } = layout;
  const { sums } = scratch;
  const args = layout.args >>> 3;
  sums.unitG = f64[args + EvaluateArgs.unitG];
  sums.unitH = f64[args + EvaluateArgs.unitH];
  const real = {
    ...node,
    gradient: node.gradient * sums.unitG,
    hessian: node.hessian * sums.unitH,
  };
  const parentScore = nodeScore(real, params);
  const plain = isPlain(params);
  const best = noSplit();
  if (plain) {
    writeScanParams(context, node, parentScore);
    scanPlain(context, range, histogram, wide, allowed, found, best);
    if (layout.bins.numericAlone) return;
    scanLevels(context, range, histogram, wide, allowed, found);
    if (!layout.levels.others) return;
    readBest(f64, found, best);
  }
  const one = noSplit();
  const scan = (feature: number) => {
    const place = layout.bins.places[feature];
    if ((plain && isScanned(place)) || (allowed !== 0 && u8[allowed + feature] === 0)) return;
    if (plain && !place.categorical) {
      const { cells, counts } = cellsOf(context, histogram, wide, feature, node);
      scanThresholds(context, cells, counts, wide, place.numBins, feature, one);
    } else {
      readFeature(context, histogram, wide, feature, node, sums);
      const direction = params.monotone?.[feature] ?? 0;
      const { categorical, numBins } = place;
      const lambda = params.lambda +
        (categorical && numBins - 1 > params.maxCategoriesOneHot ? params.catL2 : 0);
      const judge = createJudge(sums, node, real, parentScore, lambda, direction, params);
      if (categorical) scanCategories(sums, numBins, node, judge, params, one);
      else scanNumeric(sums, numBins, judge, one);
      one.feature = feature;
    }
    if (isBetter(one, best)) copySplit(one, best);
  };
  const { slots8, order16 } = layout.bins;
  for (let p = range.from8; p < Math.min(range.to8, slots8.length); p++) {
    for (const feature of slots8[p].features) scan(feature);
  }
  for (let p = range.from16; p < range.to16; p++) scan(order16[p]);
  writeFound(f64, found, best);
}

/** Where a thread's parameters of scans are, what a scan finds, and what `scanFeatures` works with. */
const SCAN_FOUND = SCAN_PARAM_BYTES;

function scanPlace({ layout, thread }: HistContext): number {
  return layout.scan + SCAN_BYTES * thread;
}

/** Writes what scans of a node need to know. */
function writeScanParams(context: HistContext, node: NodeSums, parentScore: number): void {
  const { layout: { params, args }, memory: { f64 } } = context;
  const at = scanPlace(context) >>> 3;
  f64[at] = node.gradient;
  f64[at + 1] = node.hessian;
  f64[at + 2] = f64[(args >>> 3) + EvaluateArgs.unitG];
  f64[at + 3] = f64[(args >>> 3) + EvaluateArgs.unitH];
  f64[at + 4] = params.lambda;
  f64[at + 5] = params.alpha;
  f64[at + 6] = params.minChildWeight * (1 - 1e-9);
  f64[at + 7] = parentScore;
  f64[at + 8] = params.minRowsPerLeaf;
  f64[at + 9] = node.count;
  f64[at + 10] = params.maxCategoriesOneHot;
  f64[at + 11] = params.maxCategoriesPerSplit;
  f64[at + 12] = params.catSmooth;
  f64[at + 13] = Math.max(1, params.minRowsPerCategory);
  f64[at + 14] = params.catL2;
}

/** Scans numeric features that have cells of their own; the best goes to `found` and `best`. */
function scanPlain(
  context: HistContext,
  { from8, to8, from16, to16 }: Range,
  histogram: number,
  wide: boolean,
  allowed: number,
  found: number,
  best: FeatureSplit,
): void {
  const { layout, memory: { f64 }, kernels } = context;
  const { features8, numCells, numericAlone } = layout.bins;
  const counts = layout.counted === "all" ? histogram + numCells * cellBytes(wide) : 0;
  const params = scanPlace(context);
  const scan = (from: number, to: number) => {
    kernels.scanFeatures(
      layout.scanned + 16 * from,
      to - from,
      allowed,
      histogram,
      counts,
      wide ? 1 : 0,
      params,
      params + SCAN_FOUND,
      found,
    );
  };
  scan(from8, to8);
  if (to16 === from16 && numericAlone) return;
  readBest(f64, found, best);
  if (to16 === from16) return;
  scan(features8 + from16, features8 + to16);
  const at = found >>> 3;
  if (beats(f64[at], f64[at + 1], best.gain, best.feature)) readBest(f64, found, best);
  else writeFound(f64, found, best);
}

/** Scans categories and features that share a byte; the best goes to `found` where it beats that there. */
function scanLevels(
  context: HistContext,
  { from8, to8 }: Range,
  histogram: number,
  wide: boolean,
  allowed: number,
  found: number,
): void {
  const { layout, kernels, thread } = context;
  const { bins, levels, counted, levelWork } = layout;
  const first = levels.first[from8];
  const count = levels.first[to8] - first;
  if (count === 0) return;
  kernels.scanLevels(
    levels.at + LEVEL_ENTRY_BYTES * first,
    count,
    allowed,
    histogram,
    counted === "none" ? 0 : histogram + bins.numCells * cellBytes(wide),
    counted === "all" ? 1 : 0,
    wide ? 1 : 0,
    scanPlace(context),
    levelWork + LEVEL_WORK_BYTES * thread,
    found,
  );
}

/** Whether a kernel scans a feature where scores are plain. */
function isScanned(place: FeaturePlace): boolean {
  return isNumericAlone(place) || hasLevels(place);
}

/** Scans one numeric feature by the kernel. */
function scanThresholds(
  context: HistContext,
  cells: number,
  counts: number,
  wide: boolean,
  numBins: number,
  feature: number,
  out: FeatureSplit,
): void {
  const { layout, memory: { f64 }, kernels } = context;
  const params = scanPlace(context);
  const rows = layout.counted === "all" ? counts : 0;
  kernels.scanThresholds(cells, rows, wide ? 1 : 0, numBins, params, params + SCAN_FOUND);
  const at = (params + SCAN_FOUND) >>> 3;
  out.gain = f64[at];
  out.feature = feature;
  out.bin = f64[at + 1];
  out.kind = SplitKind.threshold;
  out.missingLeft = f64[at + 2] === 1;
  out.gradient = f64[at + 3];
  out.hessian = f64[at + 4];
  out.count = f64[at + 5];
}

/** Whether a numeric feature has no missing rows in a node. */
export function isEmptyMissing(
  context: HistContext,
  histogram: number,
  wide: boolean,
  feature: number,
  node: NodeSums,
): boolean {
  const { layout, memory: { f64, u32 } } = context;
  const { numBins } = layout.bins.places[feature];
  const { cells, counts } = cellsOf(context, histogram, wide, feature, node);
  const [words, size] = wide ? [f64, 8] : [u32, 4];
  const at = cells / size + 2 * numBins;
  return words[at] === 0 && words[at + 1] === 0 &&
    (layout.counted !== "all" || u32[(counts >>> 2) + numBins] === 0);
}
