/**
 * The working place of a boosting run: bins, memory, threads.
 *
 * @module
 */
import type { BinLayout, BinnedRows } from "../binning/binned.ts";
import type { FeatureBins } from "../binning/bins.ts";
import type { Dataset, Labels } from "../data/types.ts";
import { type Arena, createArena } from "../kernels/memory.ts";
import type { Kernels } from "../kernels/types.ts";
import { numCores } from "../runtime/env.ts";
import { CELLS8, LEVEL_WORK_BYTES } from "../kernels/types.ts";
import { FOUND_BYTES } from "../grow/histogram/evaluate.ts";
import { histogramBytes, ITEM_BYTES } from "../grow/histogram/fill.ts";
import { createGrowSpace, type GrowSpace } from "../grow/histogram/grow_space.ts";
import { maxItems } from "../grow/histogram/evaluator.ts";
import {
  APART_BYTES,
  blockSize,
  type HistLayout,
  leavesOf,
  PIECE_ROWS,
  SCAN_BYTES,
  type SetRows,
} from "../grow/histogram/layout.ts";
import { Control } from "../grow/histogram/control.ts";
import { SPLIT_BYTES } from "../grow/histogram/op.ts";
import {
  createPool,
  createTableSpace,
  type Pool,
  type TableSpace,
} from "../grow/histogram/pool.ts";
import type { ScoreParams } from "../grow/histogram/score.ts";
import { drawOf } from "../grow/histogram/row_draw.ts";
import type { Team } from "../grow/histogram/team.ts";
import { ROUTE_BYTES } from "../grow/histogram/tree.ts";
import { openCrew } from "../parallel/crew.ts";
import { layOutAlone } from "./alone_space.ts";
import type { LinearColumns } from "../grow/linear_leaves.ts";
import { binTraining, binValidation } from "./bin_data.ts";
import { columnsOf } from "./linear_leaves.ts";
import { layOutLevels, layOutRanges, layOutScanned } from "./feature_tables.ts";
import { isShared, layOutWatched, type Watched } from "./measure_sets.ts";
import type { BoostPlan } from "./plan.ts";
import { layOutRoots } from "./roots_space.ts";
import { layOutSigned } from "./signed_space.ts";
import { isLittle, isLong, sharesLoss } from "./thread_choice.ts";
import type { TrialOptions } from "./types.ts";

/** Histograms may take this much, or room for 64 of them where they are large. */
const POOL_BYTES = 24 * 2 ** 20;
/** Threads' own copies of large nodes' histograms may take this much together. */
const COPY_BYTES = 16 * 2 ** 20;
const MOST_LEAVES = 131072;
const MOST_THREADS = 64;

/** Everything a boosting loop needs from the machine. */
export interface Engine {
  readonly team: Team;
  readonly bins: readonly FeatureBins[];
  readonly pool: { readonly packed: Pool; readonly wide: Pool };
  readonly tables: TableSpace;
  readonly space: GrowSpace;
  /** Where trees are written for the `route` kernel. */
  readonly routeAt: number;
  /** Where leaf values are written. */
  readonly valuesAt: number;
  readonly maxLeaves: number;
  /** Values of the features of each set, where leaves are linear. */
  readonly columns?: readonly LinearColumns[] | undefined;
  /** Number among the layout's measured sets of each watched one; undefined where one thread does it. */
  readonly measured: readonly (number | undefined)[];
  /** Float64 of all outputs of a set, output-major. */
  raw(set: number): Float64Array;
  /** Training scores of a member of the committee. */
  memberRaw(member: number): Float64Array;
  gradient(): Float64Array;
  hessian(): Float64Array;
  leafOf(): Uint8Array | Int32Array;
  close(): void;
}

/** Largest number of leaves that a tree of the plan can have. */
function leafLimit(plan: BoostPlan, numRows: number): number {
  const { maxDepth = 6, maxLeaves = 0 } = plan;
  const byDepth = maxDepth === 0 || maxDepth > 17 ? MOST_LEAVES : 2 ** maxDepth;
  return Math.max(
    1,
    Math.min(byDepth, maxLeaves === 0 ? MOST_LEAVES : maxLeaves, numRows, MOST_LEAVES),
  );
}

/** Fields of a plan that splits depend on, with their defaults. */
export function scoreParams(plan: BoostPlan): ScoreParams {
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

/** Which kernels to use; tests compare the two. */
export interface EngineOptions extends TrialOptions {
  readonly kernels?: Kernels["name"];
  /** Whether features that exclude each other share their cells; tests compare. @default true */
  readonly bundles?: boolean;
  /** Whether roots of several outputs are built at once where it pays; tests compare. @default true */
  readonly roots?: boolean;
  /** Whether one number stands for both derivatives where it can; tests compare. @default true */
  readonly signed?: boolean;
  /** Room for histograms: as little as there may be, or as much as pays; tests compare. */
  readonly pool?: "least" | "usual";
}

/** Starts threads, bins the data meanwhile and lays out the memory. */
export async function openEngine(
  data: Dataset,
  labels: Labels,
  valid: readonly Dataset[],
  plan: BoostPlan,
  options: EngineOptions,
  watched: readonly Watched[] = [],
): Promise<Engine> {
  const { numRows, features } = data;
  const wanted = options.threads ?? numCores();
  const isSmall = options.threads === undefined && isLittle(data, plan);
  const crew = openCrew({
    ...options,
    threads: isSmall ? 1 : Math.min(wanted, MOST_THREADS),
    losses: sharesLoss(plan, numRows),
    metrics: watched.some(({ labels }) => isShared(labels, plan.loss.numOutputs)),
    whole: isLong(data, plan),
    ...(isSmall && { why: "more cost more than they gain on data this small" }),
  });
  try {
    const { memory } = crew;
    const arena = createArena(memory);
    // One of the bins is for missing values.
    const maxBins = Math.max(2, Math.min(plan.maxBins ?? 256, 65535) - 1);
    const binned = binTraining(crew, arena, data, {
      maxBins,
      bundle: options.bundles ?? true,
      share: options.share,
    });
    const { bins } = binned;
    const names = features.map(({ name }) => name);
    const sets = [
      binned.rows,
      ...valid.map((set) => binValidation(crew, arena, set, names, bins, binned.layout)),
    ];
    await crew.settle();
    const common = layOut(arena, binned.layout, sets, labels, plan, crew.numThreads);
    const maxLeaves = leafLimit(plan, numRows);
    const { pool, at: poolAt, byteLength: poolBytes } = openPools(
      arena,
      common,
      options.pool === "least" ? 0 : maxLeaves + 2,
    );
    const routeAt = arena.alloc(maxLeaves * ROUTE_BYTES);
    const valuesAt = arena.alloc(maxLeaves * 8);
    // A loss that sets leaves by itself is known to the calling thread only, as are values of features.
    const isApart = plan.loss.refitLeaf !== undefined || plan.linear !== undefined;
    const alone = isApart ? undefined : layOutAlone(arena, common, {
      maxLeaves,
      pool: poolAt,
      poolBytes,
      routeAt,
      valuesAt,
      members: growsMembersAlone(plan),
    });
    const roots = options.roots === false ? undefined : layOutRoots(arena, common);
    const signed = options.signed === false ? undefined : layOutSigned(arena, common, plan, {
      labels,
      maxLeaves,
      isWatched: watched.some(({ set }) => set === 0),
    });
    // Where two classes are told by signs, nobody reads them elsewhere.
    const isTold = signed !== undefined && common.lossKernel === "logistic";
    const unmeasured = {
      ...common,
      label: isTold ? 0 : copyOf(arena, labels.values),
      ...(alone && { alone }),
      ...(roots && { roots }),
      ...(signed && { signed }),
    };
    const measured = layOutWatched(arena, unmeasured, watched, plan);
    const layout = { ...unmeasured, measured: measured.filter((rows) => rows !== undefined) };
    const numbers = measured.map((rows) => rows && layout.measured.indexOf(rows));
    const team = crew.configure(layout, (byteLength) => arena.alloc(byteLength));
    const floats = (at: number, count: number) => memory.f64.subarray(at >>> 3, (at >>> 3) + count);
    const size = numRows * plan.loss.numOutputs;
    return {
      team,
      bins,
      pool,
      tables: createTableSpace(arena),
      columns: plan.linear && [data, ...valid].map((set) => columnsOf(set, names)),
      space: createGrowSpace(maxLeaves),
      routeAt,
      valuesAt,
      maxLeaves,
      measured: numbers,
      raw: (set) => {
        const { raw, rows } = layout.sets[set];
        return floats(raw, rows.numRows * plan.loss.numOutputs);
      },
      memberRaw: (member) => floats(layout.members!.raw[member], size),
      gradient: () => floats(layout.gradient, size),
      hessian: () => floats(layout.hessian, size),
      leafOf: () => leavesOf(memory, layout, 0),
      close: () => crew.close(),
    };
  } catch (error) {
    crew.close();
    throw error;
  }
}

/** Whether the plan leaves rows out. */
export function drawsRows(plan: BoostPlan): boolean {
  return (plan.subsample ?? 1) < 1 || (plan.sampling ?? "uniform") !== "uniform" ||
    plan.committee !== undefined;
}

/** Whether a thread can go through a member's round by itself: it knows kernels, not losses. */
function growsMembersAlone(plan: BoostPlan): boolean {
  const { committee, loss, parallelTrees = 1, sampling } = plan;
  return committee !== undefined && loss.kernel !== undefined && parallelTrees === 1 &&
    sampling !== "goss";
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

function layOut(
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
    args: Control.args,
    counter: Control.counter,
    label: 0,
    weight: weight === undefined ? 0 : copy(weight),
    factor: drawn ? arena.alloc(8 * numRows) : 0,
    mask: drawn ? arena.alloc(numRows) : 0,
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
    leafSums: arena.alloc(leafSumsStride * numThreads),
    leafSumsStride,
    items: arena.alloc(Math.max(2 * maxLeaves * SPLIT_BYTES, items * ITEM_BYTES)),
    allowed: arena.alloc(2 * items * bins.places.length),
    groups: arena.alloc(8 * items),
    stripes: arena.alloc(4 * mostStriped),
    mostStriped,
    copies: arena.alloc(mostStriped * (numThreads - 1) * copyBytes),
    copyBytes,
    scan: arena.alloc(SCAN_BYTES * numThreads),
    levels,
    levelWork: levels.first[bins.features8] === 0 ? 0 : arena.alloc(LEVEL_WORK_BYTES * numThreads),
    apart: arena.alloc(bins.apart === undefined ? 0 : APART_BYTES * numThreads),
    found: arena.alloc(2 * items * FOUND_BYTES),
    ...(members && { members }),
  };
}

/** Writes numbers as float64; returns where. */
function copyOf(arena: Arena, values: ArrayLike<number>): number {
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

/** One region for histograms, in places of two sizes; a tree uses one of the two. */
function openPools(
  arena: Arena,
  layout: HistLayout,
  wanted: number,
): { readonly pool: Engine["pool"]; readonly at: number; readonly byteLength: number } {
  const most = Math.min(wanted, 4096);
  const counted = layout.counted !== "none";
  const packed = histogramBytes(layout.bins, false, counted) + 64;
  const wide = histogramBytes(layout.bins, true, counted) + 64;
  const isSmall = layout.sets[0].rows.numRows <= 65536;
  const byteLength = Math.max(
    4 * wide,
    Math.min((isSmall ? wide : packed) * most, Math.max(POOL_BYTES, 64 * packed)),
  );
  const start = arena.alloc(byteLength + CELLS8);
  return {
    at: start,
    byteLength,
    pool: {
      packed: createPool(start, byteLength, packed),
      wide: createPool(start, byteLength, wide),
    },
  };
}
