/**
 * Where everything of a boosting run is in its memory.
 *
 * @module
 */
import type { BinLayout, BinnedRows } from "../../binning/binned.ts";
import type { Labels } from "../../data/types.ts";
import { Control } from "../../grow/histogram/workspace/control.ts";
import { maxItems } from "../../grow/histogram/evaluate/evaluator.ts";
import { histogramBytes } from "../../grow/histogram/workspace/histogram_bytes.ts";
import {
  APART_BYTES,
  blockSize,
  EVALUATE_BYTES,
  type HistLayout,
  PIECE_ROWS,
  type SetRows,
} from "../../grow/histogram/workspace/layout.ts";
import { layOutGoss } from "../../grow/histogram/gradients/goss.ts";
import { drawOf } from "../../grow/histogram/gradients/row_draw.ts";
import type { ScoreParams } from "../../grow/histogram/split/score.ts";
import { FOUND_BYTES, ITEM_BYTES } from "../../kernels/items/evaluate.ts";
import { SPLIT_BYTES } from "../../kernels/items/split.ts";
import type { Arena } from "../../kernels/memory.ts";
import { PATTERN_BYTES, writePatterns } from "../../kernels/patterns.ts";
import { LEVEL_WORK_BYTES } from "../../kernels/types.ts";
import { layOutLevels, layOutRanges, layOutScanned } from "./feature_tables.ts";
import type { BoostPlan } from "../plan.ts";
import { sharesLoss } from "./thread_choice.ts";

/** Threads' own copies of large nodes' histograms may take this much together. */
const COPY_BYTES = 16 * 2 ** 20;
const MOST_LEAVES = 131072;

/** Largest number of leaves that a tree of the plan can have. */
export function leafLimit(plan: BoostPlan, numRows: number): number {
  const { maxDepth = 6, maxLeaves = 0 } = plan;
  const byDepth = maxDepth === 0 || maxDepth > 17 ? MOST_LEAVES : 2 ** maxDepth;
  return Math.max(
    1,
    Math.min(byDepth, maxLeaves === 0 ? MOST_LEAVES : maxLeaves, numRows, MOST_LEAVES),
  );
}

/** Fields of a plan that splits depend on, with their defaults. */
function scoreParams(plan: BoostPlan): ScoreParams {
  const monotone = plan.monotone === undefined ? undefined : Array.from(plan.monotone);
  return {
    lambda: plan.lambda ?? 1,
    alpha: plan.alpha ?? 0,
    maxDeltaStep: plan.maxDeltaStep ?? 0,
    pathSmooth: plan.pathSmooth ?? 0,
    minChildWeight: plan.minChildWeight ?? 1,
    minRowsPerLeaf: plan.minRowsPerLeaf ?? 1,
    maxCategoriesOneHot: plan.maxCategoriesOneHot ?? 4,
    maxCategoriesPerSplit: plan.maxCategoriesPerSplit ?? 64,
    catSmooth: plan.catSmooth ?? 10,
    catL2: plan.catL2 ?? 0,
    minRowsPerCategory: plan.minRowsPerCategory ?? 1,
    ...(monotone?.some((direction) => direction !== 0) === true ? { monotone } : {}),
  };
}

/** Whether the plan leaves rows out. */
function drawsRows(plan: BoostPlan): boolean {
  return (plan.subsample ?? 1) < 1 || (plan.sampling ?? "uniform") !== "uniform" ||
    plan.committee !== undefined;
}

/** Whether every row that a tree learns from has a second derivative of 1. */
function hasUnitHessian({ loss, sampling = "uniform" }: BoostPlan, weight: unknown): boolean {
  return loss.kernel === "squared" && weight === undefined && sampling === "uniform";
}

/** Whether rows must be counted beside the sums of gradients; unit hessians count them already. */
function countRows(
  params: ScoreParams,
  unitHessian: boolean,
): Pick<HistLayout, "params" | "counted"> {
  const { minRowsPerLeaf, minChildWeight, minRowsPerCategory, pathSmooth } = params;
  const counted = minRowsPerCategory > 1 ? "categories" : "none";
  if (!unitHessian || pathSmooth > 0) {
    return { params, counted: minRowsPerLeaf > 1 || pathSmooth > 0 ? "all" : counted };
  }
  // Between two whole numbers, so that no rounding decides.
  const least = Math.max(minChildWeight, minRowsPerLeaf - 0.5);
  return { params: { ...params, minChildWeight: least }, counted };
}

/** Lays out what every run has; labels, and what only some have, come after it. */
export function layOut(
  arena: Arena,
  bins: BinLayout,
  sets: readonly BinnedRows[],
  labels: Labels,
  plan: BoostPlan,
  numThreads: number,
): HistLayout {
  const { memory } = arena;
  const { numOutputs, kernel } = plan.loss;
  const curvatureFactor = kernel === "logistic" ? 1 : plan.loss.curvatureFactor ?? 2;
  const { numRows } = sets[0];
  const weight = plan.loss.weighted === true ? undefined : labels.weight;
  const { params, counted } = countRows(scoreParams(plan), hasUnitHessian(plan, weight));
  const maxLeaves = leafLimit(plan, numRows);
  const leafBytes = maxLeaves <= 256 ? 1 : 4;
  const setRows = sets.map((rows): SetRows => {
    const blockRows = blockSize(rows.numRows, numThreads, bins.stride8);
    return {
      rows,
      raw: arena.alloc(8 * rows.numRows * numOutputs),
      leafOf: arena.alloc(leafBytes * rows.numRows),
      blockRows,
      numBlocks: Math.ceil(rows.numRows / blockRows),
    };
  });
  const { numBlocks, blockRows } = setRows[0];
  const piecesPerBlock = Math.ceil(blockRows / PIECE_ROWS);
  const stats = arena.alloc(32 * numOutputs * numBlocks * piecesPerBlock);
  memory.u8.fill(0, stats, stats + 32 * numOutputs * numBlocks * piecesPerBlock);
  const copy = (values: ArrayLike<number>) => copyOf(arena, values);
  const starts16 = arena.alloc(4 * bins.order16.length);
  bins.order16.forEach((feature, i) => {
    memory.u32[(starts16 >>> 2) + i] = bins.places[feature].cell;
  });
  const drawn = drawsRows(plan);
  const weighsAtOnce = drawn && kernel !== undefined && drawOf(plan) !== undefined &&
    (plan.parallelTrees ?? 1) === 1;
  const members = plan.committee && layOutMembers(arena, plan.committee, 8 * numRows * numOutputs);
  const leafSumsStride = Math.ceil(maxLeaves * 16 / 64) * 64;
  const items = maxItems(numThreads);
  const copyInts = (values: Int32Array) => {
    const at = arena.alloc(4 * values.length);
    memory.i32.set(values, at >>> 2);
    return at;
  };
  const { group } = labels;
  const loss = numThreads > 1 && sharesLoss(plan, numRows) && {
    recipe: plan.loss.recipe,
    weight: weight === undefined && labels.weight !== undefined ? copy(labels.weight) : 0,
    group: group === undefined ? 0 : copyInts(group),
  };
  const levels = layOutLevels(arena, bins);
  const patterns = arena.alloc(PATTERN_BYTES);
  writePatterns(memory, patterns);
  const copyBytes = Math.ceil(histogramBytes(bins, true, counted !== "none") / 64) * 64;
  const mostStriped = numThreads === 1
    ? 0
    : Math.min(2 * numThreads, Math.floor(COPY_BYTES / ((numThreads - 1) * copyBytes)));
  return {
    numThreads,
    numOutputs,
    bins,
    params,
    counted,
    sets: setRows,
    leafBytes,
    lossKernel: kernel,
    curvatureFactor,
    ...(loss && { loss }),
    before: plan.loss.refitLeaf !== undefined && (plan.parallelTrees ?? 1) > 1
      ? arena.alloc(8 * numRows * numOutputs)
      : 0,
    args: Control.args,
    counter: Control.counter,
    label: 0,
    weight: weight === undefined ? 0 : copy(weight),
    factor: drawn ? arena.alloc(8 * numRows) : 0,
    unlike: drawn && (plan.sampling ?? "uniform") !== "uniform",
    mask: drawn ? arena.alloc(numRows) : 0,
    ...(plan.sampling === "goss" && { goss: layOutGoss(arena, numThreads, numBlocks) }),
    gradient: arena.alloc(8 * numRows * numOutputs),
    hessian: arena.alloc(8 * numRows * numOutputs),
    lists: [arena.alloc(2 * numRows), arena.alloc(2 * numRows)],
    packed: arena.alloc(4 * numRows),
    segments: arena.alloc(8 * numBlocks * maxLeaves),
    outside: drawn ? arena.alloc(8 * numBlocks * maxLeaves) : 0,
    starts16,
    ranges: layOutRanges(arena, bins),
    scanned: layOutScanned(arena, bins),
    stats,
    piecesPerBlock,
    weighsAtOnce,
    statsAtOnce: kernel !== undefined && (!drawn || weighsAtOnce),
    blockSums: arena.alloc(16 * numBlocks),
    leafSums: arena.alloc(2 * leafSumsStride * numThreads),
    leafSumsStride,
    patterns,
    items: arena.alloc(Math.max(2 * maxLeaves * SPLIT_BYTES, items * ITEM_BYTES)),
    allowed: arena.alloc(2 * items * bins.places.length),
    groups: arena.alloc(8 * items),
    stripes: arena.alloc(4 * mostStriped),
    mostStriped,
    copies: arena.alloc(mostStriped * (numThreads - 1) * copyBytes),
    copyBytes,
    evaluate: arena.alloc(EVALUATE_BYTES * numThreads),
    levels,
    levelWork: levels.first[bins.features8] === 0 ? 0 : arena.alloc(LEVEL_WORK_BYTES * numThreads),
    apart: arena.alloc(bins.apart === undefined ? 0 : APART_BYTES * numThreads),
    found: arena.alloc(2 * items * FOUND_BYTES),
    ...(members && { members }),
  };
}

/** Writes numbers as float64; returns where. */
export function copyOf(arena: Arena, values: ArrayLike<number>): number {
  const at = arena.alloc(8 * values.length);
  arena.memory.f64.set(values, at >>> 3);
  return at;
}

function layOutMembers(
  arena: Arena,
  { members, partOf }: NonNullable<BoostPlan["committee"]>,
  rawBytes: number,
): NonNullable<HistLayout["members"]> {
  const raw = Array.from({ length: members }, () => arena.alloc(rawBytes));
  const at = arena.alloc(partOf.length);
  arena.memory.u8.set(partOf, at);
  return { raw, partOf: at };
}
