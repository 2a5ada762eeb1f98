/**
 * Best splits of many nodes: a kernel builds their histograms, and scans them where scores depend on
 * sums alone. Where bounds or smoothing have a say, and categories of two bytes, are scanned here.
 *
 * @module
 */
import {
  EvaluateArgs,
  FOUND_BYTES,
  ITEM_BYTES,
  ITEM_NODES,
  ItemField,
  NODE_BYTES,
  NodeField,
} from "../../../kernels/items/evaluate.ts";
import { cellsOf } from "./cells.ts";
import { copySplit, isBetter, readBest, writeFound } from "./found.ts";
import { EVALUATE_BYTES } from "../workspace/layout.ts";
import { forItems, type HistContext } from "../workspace/context.ts";
import { type BinSums, createJudge, noSplit, scanNumeric } from "../split/scan.ts";
import { scanCategories } from "../split/category.ts";
import { isPlain, nodeScore, type NodeSums } from "../split/score.ts";

/** Writes what the kernel is told; returns where. */
function writePlan({ memory, layout, thread, plan }: HistContext): number {
  const at = layout.evaluate + EVALUATE_BYTES * thread;
  memory.u8.set(plan, at);
  return at;
}

/** The operation: groups of nodes, until none is left. */
export function evaluate(context: HistContext): void {
  const { layout, memory, kernels } = context;
  const plan = writePlan(context);
  // Where only sums decide, kernels scan all but categories of two bytes.
  if (isPlain(layout.params) && !layout.levels.others) return kernels.evaluateGroups(plan);
  const numGroups = memory.f64[(layout.args >>> 3) + EvaluateArgs.numGroups];
  forItems(memory, numGroups, (group) => {
    kernels.evaluateGroup(plan, group);
    scanGroup(context, group);
  }, layout.counter);
}

/** The operation: copies of the histograms of large nodes. */
export function fillStripes(context: HistContext): void {
  context.kernels.fillStripes(writePlan(context));
}

/** Scans what the kernel has not scanned of the nodes of a group. */
function scanGroup(context: HistContext, group: number): void {
  const { layout, memory: { f64, u32 } } = context;
  const first = u32[(layout.groups >>> 2) + 2 * group];
  const end = first + u32[(layout.groups >>> 2) + 2 * group + 1];
  for (let item = first; item < end; item++) {
    const at = layout.items + item * ITEM_BYTES;
    const nodeAt = (which: number): NodeSums => {
      const n = (at + ITEM_NODES + which * NODE_BYTES) >>> 3;
      return {
        gradient: f64[n + NodeField.gradient],
        hessian: f64[n + NodeField.hessian],
        count: f64[n + NodeField.count],
        lower: f64[n + NodeField.lower],
        upper: f64[n + NodeField.upper],
        value: f64[n + NodeField.value],
      };
    };
    const words = u32.subarray(at >>> 2, (at + ITEM_NODES) >>> 2);
    const found = layout.found + item * 2 * FOUND_BYTES;
    const { built, sibling, allowedBuilt, allowedSibling } = ItemField;
    if (words[ItemField.scansBuilt] === 1) {
      scanNode(context, words, words[built], nodeAt(0), words[allowedBuilt], found);
    }
    if (words[sibling] === 0) continue;
    const place = found + FOUND_BYTES;
    scanNode(context, words, words[sibling], nodeAt(1), words[allowedSibling], place);
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

/** Scans the features of an item that the kernel has not scanned; writes the best split of all. */
function scanNode(
  context: HistContext,
  words: Uint32Array,
  histogram: number,
  node: NodeSums,
  allowed: number,
  found: number,
): void {
  const { layout, memory, scratch } = context;
  const { f64, u8 } = memory;
  const { params } = layout;
  const { sums } = scratch;
  const args = layout.args >>> 3;
  const wide = f64[args + EvaluateArgs.wide] === 1;
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
  if (plain) readBest(f64, found, best);
  const one = noSplit();
  const scan = (feature: number) => {
    if (allowed !== 0 && u8[allowed + feature] === 0) return;
    const { categorical, numBins } = layout.bins.places[feature];
    readFeature(context, histogram, wide, feature, node, sums);
    const direction = params.monotone?.[feature] ?? 0;
    const lambda = params.lambda +
      (categorical && numBins - 1 > params.maxCategoriesOneHot ? params.catL2 : 0);
    const judge = createJudge(sums, node, real, parentScore, lambda, direction, params);
    if (categorical) scanCategories(sums, numBins, node, judge, params, one);
    else scanNumeric(sums, numBins, judge, one);
    one.feature = feature;
    if (isBetter(one, best)) copySplit(one, best);
  };
  const { slots8, order16, places } = layout.bins;
  const to8 = plain ? 0 : Math.min(words[ItemField.to8], slots8.length);
  for (let p = words[ItemField.from8]; p < to8; p++) {
    for (const feature of slots8[p].features) scan(feature);
  }
  for (let p = words[ItemField.from16]; p < words[ItemField.to16]; p++) {
    if (!plain || places[order16[p]].categorical) scan(order16[p]);
  }
  writeFound(f64, found, best);
}
