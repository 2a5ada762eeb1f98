/**
 * The working place of a boosting run: bins, memory, threads.
 *
 * @module
 */
import { binDataset, type BinLayout, type BinnedRows, layoutBins } from "../binning/binned.ts";
import { chooseBins, type FeatureBins } from "../binning/bins.ts";
import type { Dataset, Labels } from "../data/types.ts";
import { type Arena, createArena, createMemory } from "../kernels/memory.ts";
import { twinKernels } from "../kernels/twin.ts";
import { CELLS8 } from "../kernels/types.ts";
import { FOUND_BYTES, histogramBytes, ITEM_BYTES } from "../grow/hist_evaluate.ts";
import { maxItems } from "../grow/hist_evaluator.ts";
import { blockSize, type HistLayout, type SetRows } from "../grow/hist_layout.ts";
import { createContext, SPLIT_BYTES } from "../grow/hist_ops.ts";
import { createPool, createTableSpace, type Pool, type TableSpace } from "../grow/hist_pool.ts";
import type { ScoreParams } from "../grow/hist_score.ts";
import { soloTeam, type Team } from "../grow/hist_team.ts";
import { ROUTE_BYTES } from "../grow/hist_tree.ts";
import type { BoostPlan } from "./plan.ts";
import type { TrainOptions } from "./types.ts";

/** Histograms may take this much, or room for 64 of them where they are large. */
const POOL_BYTES = 64 * 2 ** 20;
const MOST_LEAVES = 131072;

/** Everything a boosting loop needs from the machine. */
export interface Engine {
  readonly team: Team;
  readonly bins: readonly FeatureBins[];
  readonly pool: { readonly packed: Pool; readonly wide: Pool };
  readonly tables: TableSpace;
  /** Where trees are written for the `route` kernel. */
  readonly routeAt: number;
  /** Where leaf values are written. */
  readonly valuesAt: number;
  readonly maxLeaves: number;
  /** Float64 of all outputs of a set, output-major. */
  raw(set: number): Float64Array;
  gradient(): Float64Array;
  hessian(): Float64Array;
  leafOf(): Int32Array;
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

/** Bins the data and lays out the memory. */
export function openEngine(
  data: Dataset,
  labels: Labels,
  valid: readonly Dataset[],
  plan: BoostPlan,
  _options: TrainOptions,
): Engine {
  const numThreads = 1;
  const memory = createMemory();
  const arena = createArena(memory);
  // One of the bins is for missing values.
  const maxBins = Math.max(2, Math.min(plan.maxBins ?? 256, 65535) - 1);
  const bins = data.features.map((column) => chooseBins(column, maxBins, data.sampleWeight));
  const layout8 = layoutBins(bins);
  const names = data.features.map(({ name }) => name);
  const bin = (set: Dataset, columns: boolean) =>
    binDataset(set, names, bins, layout8, arena, columns);
  const sets = [bin(data, true), ...valid.map((set) => bin(set, false))];
  const layout = layOut(arena, layout8, sets, labels, plan, numThreads);
  const { numRows } = data;
  const maxLeaves = leafLimit(plan, numRows);
  const pool = openPools(arena, layout, maxLeaves);
  const team = soloTeam(createContext(memory, twinKernels(memory), layout, 0));
  const floats = (at: number, count: number) => memory.f64.subarray(at >>> 3, (at >>> 3) + count);
  const size = numRows * plan.loss.numOutputs;
  const routeAt = arena.alloc(maxLeaves * ROUTE_BYTES);
  const valuesAt = arena.alloc(maxLeaves * 8);
  return {
    team,
    bins,
    pool,
    tables: createTableSpace(arena),
    routeAt,
    valuesAt,
    maxLeaves,
    raw: (set) => {
      const { raw, rows } = layout.sets[set];
      return floats(raw, rows.numRows * plan.loss.numOutputs);
    },
    gradient: () => floats(layout.gradient, size),
    hessian: () => floats(layout.hessian, size),
    leafOf: () => {
      const at = layout.sets[0].leafOf >>> 2;
      return memory.i32.subarray(at, at + numRows);
    },
    close() {},
  };
}

/** Whether the plan leaves rows out. */
export function drawsRows(plan: BoostPlan): boolean {
  return (plan.subsample ?? 1) < 1 || (plan.sampling ?? "uniform") !== "uniform";
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
  const { numRows } = sets[0];
  const params = scoreParams(plan);
  const maxLeaves = leafLimit(plan, numRows);
  const setRows = sets.map((rows): SetRows => {
    const blockRows = blockSize(rows.numRows);
    return {
      rows,
      raw: arena.alloc(8 * rows.numRows * numOutputs),
      leafOf: arena.alloc(4 * rows.numRows),
      blockRows,
      numBlocks: Math.ceil(rows.numRows / blockRows),
    };
  });
  const { numBlocks } = setRows[0];
  const copy = (values: ArrayLike<number>) => {
    const at = arena.alloc(8 * values.length);
    memory.f64.set(values, at >>> 3);
    return at;
  };
  const starts16 = arena.alloc(4 * bins.order16.length);
  bins.order16.forEach((feature, i) => {
    memory.u32[(starts16 >>> 2) + i] = bins.places[feature].cell;
  });
  const weight = plan.loss.weighted === true ? undefined : labels.weight;
  const drawn = drawsRows(plan);
  const leafSumsStride = Math.ceil(maxLeaves * 16 / 64) * 64;
  const items = maxItems(numThreads);
  return {
    numThreads,
    numOutputs,
    bins,
    params,
    countAll: params.minRowsPerLeaf > 1 || params.pathSmooth > 0,
    sets: setRows,
    lossKernel: kernel,
    label: copy(labels.values),
    weight: weight === undefined ? 0 : copy(weight),
    factor: drawn ? arena.alloc(8 * numRows) : 0,
    mask: drawn ? arena.alloc(numRows) : 0,
    gradient: arena.alloc(8 * numRows * numOutputs),
    hessian: arena.alloc(8 * numRows * numOutputs),
    records: [arena.alloc(8 * numRows), arena.alloc(8 * numRows)],
    segments: arena.alloc(8 * numBlocks * maxLeaves),
    starts16,
    blockStats: arena.alloc(32 * numBlocks),
    blockSums: arena.alloc(32 * numBlocks),
    leafSums: arena.alloc(leafSumsStride * numThreads),
    leafSumsStride,
    args: arena.alloc(256),
    counter: arena.alloc(64),
    items: arena.alloc(Math.max(2 * maxLeaves * SPLIT_BYTES, items * ITEM_BYTES)),
    allowed: arena.alloc(2 * items * bins.places.length),
    found: arena.alloc(2 * items * FOUND_BYTES),
  };
}

/** One region for histograms, in places of two sizes; a tree uses one of the two. */
function openPools(arena: Arena, layout: HistLayout, maxLeaves: number): Engine["pool"] {
  const most = Math.min(maxLeaves + 2, 4096);
  const packed = histogramBytes(layout, false) + 64;
  const wide = histogramBytes(layout, true) + 64;
  const isSmall = layout.sets[0].rows.numRows <= 65536;
  const byteLength = Math.max(
    4 * wide,
    Math.min((isSmall ? wide : packed) * most, Math.max(POOL_BYTES, 64 * packed)),
  );
  const start = arena.alloc(byteLength + CELLS8);
  return {
    packed: createPool(start, byteLength, packed),
    wide: createPool(start, byteLength, wide),
  };
}
