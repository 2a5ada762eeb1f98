/**
 * The working place of a boosting run: bins, memory, threads.
 *
 * @module
 */
import type { FeatureBins } from "../../binning/bins.ts";
import type { Dataset, Labels } from "../../data/types.ts";
import {
  ALL_PAGES,
  type Arena,
  createArena,
  FEW_PAGES,
  MemoryFull,
  PAGE,
} from "../../kernels/memory.ts";
import { CELLS8, type Kernels } from "../../kernels/types.ts";
import { histogramBytes } from "../../grow/histogram/workspace/histogram_bytes.ts";
import { createGrowSpace, type GrowSpace } from "../../grow/histogram/tree/grow_space.ts";
import { type HistLayout, leavesOf } from "../../grow/histogram/workspace/layout.ts";
import {
  createPool,
  createTableSpace,
  type Pool,
  type TableSpace,
} from "../../grow/histogram/workspace/pool.ts";
import type { Team } from "../../grow/histogram/workspace/team.ts";
import { ROUTE_BYTES } from "../../grow/histogram/tree/tree.ts";
import { openCrew } from "../../parallel/histogram/crew.ts";
import { threadsOf } from "../../parallel/tasks.ts";
import { layOutAlone } from "./alone_space.ts";
import type { LinearColumns } from "../../grow/linear_leaves.ts";
import { binTraining, binValidation } from "./bin_data.ts";
import { countLabels } from "./count_labels.ts";
import { isGrownByLevels, layOutGrowing } from "./growing_space.ts";
import { copyOf, layOut, leafLimit } from "./lay_out.ts";
import { leastSpreads } from "../../grow/leaf_ridge.ts";
import { columnsOf } from "../linear_leaves.ts";
import { layOutLinear } from "./linear_space.ts";
import { mostBytes, tableSpaceBytes } from "./memory_bound.ts";
import { isShared, layOutWatched, type Watched } from "./watched.ts";
import type { BoostPlan } from "../plan.ts";
import { layOutRoots } from "./roots_space.ts";
import { layOutSigned } from "./signed_space.ts";
import { isLittle, isLong, sharesLoss } from "./thread_choice.ts";
import type { TrialOptions } from "../types.ts";

/** Histograms may take this much, or room for 64 of them where they are large. */
const POOL_BYTES = 24 * 2 ** 20;
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
  /** How many training rows have each label, where they are numbers of classes. */
  readonly counts: Uint32Array | undefined;
  /** Values of the features of each set, where leaves are linear. */
  readonly columns?: readonly LinearColumns[] | undefined;
  /** Variance of each of the training rows' up to which it says nothing in a leaf. */
  readonly leastSpread?: Float64Array | undefined;
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

/** Which kernels to use; tests compare the two. */
export interface EngineOptions extends TrialOptions {
  readonly kernels?: Kernels["name"];
  /** Whether features that exclude each other share their cells; tests compare. @default true */
  readonly bundles?: boolean;
  /** Whether roots of several outputs are built at once where it pays; tests compare. @default true */
  readonly roots?: boolean;
  /** Whether one number stands for both derivatives where it can; tests compare. @default true */
  readonly signed?: boolean;
  /** Whether kernels grow trees level by level where they can; tests compare. @default true */
  readonly levels?: boolean;
  /** Room for histograms: as little as there may be, or as much as pays; tests compare. */
  readonly pool?: "least" | "usual";
  /** Pages that shared memory has at first, instead of as many as surely are enough; tests. */
  readonly pages?: number;
}

/**
 * Starts threads, bins the data meanwhile and lays out the memory.
 *
 * V8 counts a shared memory in each thread, and collects a thread's garbage, for 1 to 8 ms, once what it
 * counts comes to about 1 GB: much in a run of a fifth of a second. So memory that has its size for good
 * is no larger than surely is enough. What a run takes is worked out beforehand ({@linkcode mostBytes});
 * should that be wrong, all begins again with as much as there may be, before any round: the model is
 * the same, since nothing depends on addresses.
 */
export async function openEngine(
  data: Dataset,
  labels: Labels,
  valid: readonly Dataset[],
  plan: BoostPlan,
  options: EngineOptions,
  watched: readonly Watched[] = [],
): Promise<Engine> {
  const wanted = Math.min(threadsOf(options.threads), MOST_THREADS);
  const told = new Set<string>();
  const telling = (tell?: (message: string) => void) => (message: string) => {
    if (!told.has(message)) tell?.(message);
    told.add(message);
  };
  const open = (pages: number) =>
    openWith(data, labels, valid, plan, {
      ...options,
      onWarning: telling(options.onWarning),
      onDetail: telling(options.onDetail),
      pages,
    }, watched);
  const pages = options.pages ?? pagesFor(data, valid, plan, wanted);
  try {
    return await open(pages);
  } catch (error) {
    if (!(error instanceof MemoryFull)) throw error;
    return await open(ALL_PAGES);
  }
}

/** Pages of shared memory; 1 where it grows, since there is too little to do for any other to pay. */
function pagesFor(
  data: Dataset,
  valid: readonly Dataset[],
  plan: BoostPlan,
  threads: number,
): number {
  if (!isLong(data, plan)) return 1;
  return mostBytes(data, valid, plan, threads) <= FEW_PAGES * PAGE ? FEW_PAGES : ALL_PAGES;
}

/** Does so in shared memory of so many pages. */
async function openWith(
  data: Dataset,
  labels: Labels,
  valid: readonly Dataset[],
  plan: BoostPlan,
  options: EngineOptions & { readonly pages: number },
  watched: readonly Watched[],
): Promise<Engine> {
  const { numRows, features } = data;
  const wanted = threadsOf(options.threads);
  const isSmall = options.threads === undefined && isLittle(data, plan);
  // A thread by itself knows neither losses that set leaves nor values of features.
  const isApart = plan.loss.refitLeaf !== undefined || plan.linear !== undefined;
  const members = growsMembersAlone(plan);
  const crew = openCrew({
    ...options,
    threads: isSmall ? 1 : Math.min(wanted, MOST_THREADS),
    alone: !isApart && (members || plan.loss.numOutputs > 1),
    losses: sharesLoss(plan, numRows),
    metrics: watched.some(({ labels }) => isShared(labels, plan.loss.numOutputs)),
    linear: plan.linear !== undefined,
    ...(isSmall && { why: "more cost more than they gain on data this small" }),
  });
  try {
    const { memory } = crew;
    const arena = createArena(memory);
    const space = { arena, kernels: crew.kernels };
    const counts = countLabels(space, labels, plan.loss);
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
    const maxLeaves = leafLimit(plan, numRows);
    const laidOut = layOut(arena, binned.layout, sets, labels, plan, crew.numThreads);
    const mayGrow = crew.kernels.name === "wasm" && options.levels !== false;
    const growing = mayGrow && isGrownByLevels(plan)
      ? layOutGrowing(arena, laidOut, maxLeaves)
      : undefined;
    const common = { ...laidOut, ...(growing && { growing }) };
    const { pool, at: poolAt, byteLength: poolBytes } = openPools(
      arena,
      common,
      options.pool === "least" ? 0 : maxLeaves + 2,
    );
    const routeAt = arena.alloc(maxLeaves * ROUTE_BYTES);
    const valuesAt = arena.alloc(maxLeaves * 8);
    const alone = isApart ? undefined : layOutAlone(arena, common, {
      maxLeaves,
      pool: poolAt,
      poolBytes,
      routeAt,
      valuesAt,
      members,
    });
    const roots = options.roots === false ? undefined : layOutRoots(arena, common);
    const signed = options.signed === false ? undefined : layOutSigned(space, common, plan, {
      labels: { ...labels, counts },
      maxLeaves,
      isWatched: watched.some(({ set }) => set === 0),
    });
    // Where two classes are told by signs, nobody reads them elsewhere.
    const isTold = signed !== undefined && common.lossKernel === "logistic";
    const columns = plan.linear && [data, ...valid].map((set) => columnsOf(set, names));
    const linear = layOutLinear(arena, columns, crew.numThreads);
    const unmeasured = {
      ...common,
      label: isTold ? 0 : copyOf(arena, labels.values),
      ...(alone && { alone }),
      ...(roots && { roots }),
      ...(signed && { signed }),
      ...(linear && { linear }),
    };
    const measured = layOutWatched(arena, unmeasured, watched, plan);
    const layout = { ...unmeasured, measured: measured.filter((rows) => rows !== undefined) };
    const numbers = measured.map((rows) => rows && layout.measured.indexOf(rows));
    const team = crew.configure(layout, (byteLength) => arena.alloc(byteLength));
    if (memory.pages > 1 && memory.pages < ALL_PAGES) {
      // Nothing else is asked for once the rounds have begun: there is room for it, or all begins again.
      const mark = arena.mark();
      const mostBins = bins.reduce((most, { numBins }) => Math.max(most, numBins), 0);
      arena.alloc(tableSpaceBytes(maxLeaves, mostBins));
      arena.release(mark);
    }
    const floats = (at: number, count: number) => memory.f64.subarray(at >>> 3, (at >>> 3) + count);
    const size = numRows * plan.loss.numOutputs;
    return {
      team,
      bins,
      pool,
      tables: createTableSpace(arena),
      columns,
      leastSpread: columns && leastSpreads(columns[0], labels.weight),
      space: createGrowSpace(maxLeaves),
      routeAt,
      valuesAt,
      maxLeaves,
      counts,
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

/** Whether a thread can go through a member's round by itself: it knows kernels, not losses. */
function growsMembersAlone(plan: BoostPlan): boolean {
  const { committee, loss, parallelTrees = 1, sampling } = plan;
  return committee !== undefined && loss.kernel !== undefined && parallelTrees === 1 &&
    sampling !== "goss";
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
