/**
 * Where everything of a training run is in its memory. Plain data, known to all threads.
 *
 * Rows are dealt with in blocks whose size depends on the data only, so that sums that are not
 * exact (gradient statistics) are the same on any number of threads.
 *
 * @module
 */
import type { BinLayout, BinnedRows } from "../../../binning/binned.ts";
import type { Memory } from "../../../kernels/memory.ts";
import { PLAN_BYTES } from "../../../kernels/items/evaluate.ts";
import { CELLS8, EVALUATE_WORK_BYTES } from "../../../kernels/types.ts";
import type { ScoreParams } from "../split/score.ts";

/** Rows of a validation set. */
export interface SetRows {
  readonly rows: BinnedRows;
  /** Address of raw scores, output-major. */
  readonly raw: number;
  /** Address of the leaf of each row, `leafBytes` each. */
  readonly leafOf: number;
  readonly blockRows: number;
  readonly numBlocks: number;
}

/** Features of one byte that are categories, or that share their cells. */
export interface LevelTable {
  /** Where they are listed, slot by slot. */
  readonly at: number;
  /** Number of the first of each slot, and of all. */
  readonly first: readonly number[];
  /** Whether others are left besides numbers with cells of their own: categories of two bytes. */
  readonly others: boolean;
}

/** A set whose metrics threads compute; addresses, 0 where absent. */
export interface MeasuredRows {
  readonly numRows: number;
  readonly label: number;
  readonly weight: number;
  readonly group: number;
  /** Scores and responses, output-major. */
  readonly raw: number;
  readonly response: number;
  /** Where the metrics have their own numbers. */
  readonly place: number;
  /** A link and metrics, as they are told to threads. */
  readonly told: unknown;
}

/** Addresses of what a thread needs to go through a member's round by itself. */
export interface MemberSpace {
  readonly gradient: number;
  readonly hessian: number;
  readonly factor: number;
  readonly mask: number;
  readonly stats: number;
}

/** Addresses of what a thread needs to grow trees by itself. */
export interface AloneSpace {
  readonly args: number;
  readonly counter: number;
  readonly lists: readonly [number, number];
  readonly packed: number;
  readonly leafOf: number;
  readonly segments: number;
  readonly outside: number;
  readonly blockSums: number;
  readonly leafSums: number;
  readonly items: number;
  readonly allowed: number;
  readonly groups: number;
  readonly found: number;
  readonly pool: number;
  readonly tables: number;
  readonly routeAt: number;
  readonly valuesAt: number;
  readonly growing?: GrowingLayout;
  /** What changes from member to member; absent where there is no committee. */
  readonly member?: MemberSpace;
}

/** Where kernels grow trees level by level: addresses and sizes. */
export interface GrowingLayout {
  readonly plan: number;
  /** Room for nodes, and of how many. */
  readonly nodes: number;
  readonly capacity: number;
  /** Room for the tables of a tree's splits. */
  readonly tables: number;
  readonly tableBytes: number;
  /** What is known of features, and the number of the first of `LevelTable` in each slot. */
  readonly features: number;
  readonly levelFirst: number;
}

/** Where threads grow trees by themselves; plain data. */
export interface AloneLayout {
  /** One of each thread. */
  readonly spaces: readonly AloneSpace[];
  readonly maxLeaves: number;
  readonly poolBytes: number;
  readonly tableBytes: number;
  /** Where the trees go, and bytes of each. */
  readonly trees: number;
  /** Where each stands, i32. */
  readonly stages: number;
  readonly treeBytes: number;
  /** Bytes of each thread's {@linkcode MemberSpace}; absent where there is none. */
  readonly memberBytes?: number;
}

/** Addresses of GOSS. */
export interface GossLayout {
  /** How many rows have each digit, u32, of each thread. */
  readonly counts: number;
  /** Rows at the threshold, u32 of each block. */
  readonly ties: number;
}

/** Addresses and sizes for roots of several outputs. */
export interface RootsLayout {
  /** Packed gradients, output after output. */
  readonly packed: number;
  /** What each output is quantised with: `TASK` float64 of `grow/histogram/operations/roots.ts`. */
  readonly tasks: number;
  /** Cells of each thread, all outputs of a cell beside each other. */
  readonly cells: number;
  readonly cellBytes: number;
  readonly copies: number;
  /** Sums of the whole numbers of each output, two float64, and those of a piece, of each thread. */
  readonly sums: number;
  /** Working space of each thread. */
  readonly values: number;
}

/** Addresses (0 where absent) and counts. */
export interface HistLayout {
  readonly numThreads: number;
  readonly numOutputs: number;
  readonly bins: BinLayout;
  readonly params: ScoreParams;
  /**
   * Whose rows are counted beside the sums of gradients: of all features, of categorical ones, of
   * none. Where no limit on rows is set, a bin is empty when its sums are 0.
   */
  readonly counted: "all" | "categories" | "none";
  /** The training rows first, then the validation sets. */
  readonly sets: readonly SetRows[];
  /** Bytes of a leaf number: 1 where no tree has more than 256 leaves, else 4. */
  readonly leafBytes: 1 | 4;
  readonly lossKernel: "squared" | "logistic" | "softmax" | undefined;
  /** What second derivatives are of p (1 − p): of softmax as its kernel is told, of logistic loss 1. */
  readonly curvatureFactor: number;
  /**
   * A loss without a kernel whose gradients threads compute: its recipe, weights that the loss itself
   * looks at, and the query of each row (0 where there are none).
   */
  readonly loss?: { readonly recipe: unknown; readonly weight: number; readonly group: number };
  /**
   * Values of the features of each set, in `bytes` each (0: categories); absent where no leaf is
   * linear, or the calling thread alone has them.
   */
  readonly linear?: readonly (readonly { readonly at: number; readonly bytes: number }[])[];
  /**
   * Training scores before the round, output-major, where losses set the leaves of parallel trees (of
   * which each starts from these, as their gradients do); 0 where it is the scores themselves.
   */
  readonly before: number;
  /** Sets whose metrics threads compute. */
  readonly measured?: readonly MeasuredRows[];
  /** Arguments of operations, float64; the counter that items are taken from, i32. */
  readonly args: number;
  readonly counter: number;

  /** Float64 of each row; labels are 0 where signed derivatives of one output hold them. */
  readonly label: number;
  readonly weight: number;
  /** Factor of each row by sampling, and a byte that is 0 for rows left out. */
  readonly factor: number;
  /** Drawn rows count unlike (bootstrap, GOSS), in leaves that losses set too. */
  readonly unlike: boolean;
  readonly mask: number;
  /** Where rows are drawn by their gradients; absent where they never are. */
  readonly goss?: GossLayout;
  /** Float64, output-major. */
  readonly gradient: number;
  readonly hessian: number;
  /** Where one number a row and output stands for both derivatives; absent where it never does. */
  readonly signed?: SignedLayout;
  /** Two buffers of listed rows, between which partition goes to and fro; gradients as packed. */
  readonly lists: readonly [number, number];
  readonly packed: number;
  /** `u32 start, u32 count` of each entry (an open node) and block. */
  readonly segments: number;
  /** The same of rows that are left out, which go down the tree too; 0 where none are. */
  readonly outside: number;
  /** First cell of each two-byte feature, u32. */
  readonly starts16: number;
  /**
   * `u32 first cell, u32 cell after the last` that are used, of each slot of one byte and then of each
   * two-byte feature.
   */
  readonly ranges: number;
  /** For `scanFeatures`: the numeric feature that has each slot alone, and each two-byte feature. */
  readonly scanned: number;
  /** Gradient statistics: four float64 of each piece of each block, output by output. */
  readonly stats: number;
  readonly piecesPerBlock: number;
  /** Rows are drawn before a kernel computes the gradients, which are multiplied by the factors at once. */
  readonly weighsAtOnce: boolean;
  /** Statistics are taken with the gradients: nothing changes them in between. */
  readonly statsAtOnce: boolean;
  /** Two float64 of each block: sums of the whole numbers in g and h. */
  readonly blockSums: number;
  /** (g, h) of each leaf, of each thread's even and odd rows. */
  readonly leafSums: number;
  readonly leafSumsStride: number;
  /** How eight rows part, see `kernels/patterns.ts`. */
  readonly patterns: number;
  /** Items of an operation. */
  readonly items: number;
  /** A byte for each feature of each item's two nodes: may it be split on? */
  readonly allowed: number;
  /** `u32 first item, u32 count` of each group of evaluate items. */
  readonly groups: number;
  /** Item of each job that is filled by stripes of rows, u32; at most `mostStriped`. */
  readonly stripes: number;
  readonly mostStriped: number;
  /** Histograms of the threads but the first: of each striped job one of each thread. */
  readonly copies: number;
  readonly copyBytes: number;
  /** {@linkcode EVALUATE_BYTES} of each thread: plan and working space of evaluations. */
  readonly evaluate: number;
  /** For `scanLevels`. */
  readonly levels: LevelTable;
  /** LEVEL_WORK_BYTES of each thread for it; 0 where there is nothing to scan. */
  readonly levelWork: number;
  /** {@linkcode APART_BYTES} of each thread: cells, then counts, of a feature taken out of its bundle. */
  readonly apart: number;
  /** What an item found: see `grow/histogram/evaluate/found.ts`. */
  readonly found: number;
  /** Members of a committee: address of the scores of each, and of the part of each row, a byte. */
  readonly members?: { readonly raw: readonly number[]; readonly partOf: number };
  /** Where the roots of several outputs' trees are built at once; absent where they never are. */
  readonly roots?: RootsLayout;
  /** Where kernels grow trees level by level; absent where trees need more than they know. */
  readonly growing?: GrowingLayout;
  /** Where threads grow trees by themselves; absent where they never do. */
  readonly alone?: AloneLayout;
}

/** First derivatives of softmax or logistic loss in float32, which the second ones follow from. */
export interface SignedLayout {
  /** Float32, output-major. */
  readonly at: number;
  /** Working space of each thread, and its size. */
  readonly work: number;
  readonly workBytes: number;
  /**
   * Where trees leave their leaf numbers and values for the next round's gradients to add to the training
   * scores: a number of `leafBytes` for each row of each output, and `valuesBytes` of float64 for each
   * output. Absent where scores must be right at once.
   */
  readonly late?: {
    readonly leafOf: number;
    readonly values: number;
    readonly valuesBytes: number;
  };
}

/** Leaf numbers of the training rows that a tree of an output writes. */
export function leafPlace(
  { signed, sets: [train], leafBytes }: HistLayout,
  output: number,
): number {
  if (signed?.late === undefined) return train.leafOf;
  return signed.late.leafOf + output * leafBytes * train.rows.numRows;
}

/** What a thread evaluates nodes with. */
export const EVALUATE_BYTES = PLAN_BYTES + EVALUATE_WORK_BYTES;

/** Cells of 16 bytes and counts of 4. */
export const APART_BYTES = CELLS8 * 20;

/** Rows of a piece, whose gradients the nearest cache holds. */
export const PIECE_ROWS = 2048;

/** How the rows of a set are laid out: bundles are only known to hold in the training rows. */
export function binsOf(layout: HistLayout, set: number): BinLayout {
  return set === 0 ? layout.bins : layout.bins.apart ?? layout.bins;
}

/** Leaf numbers of the rows of a set. */
export function leavesOf(
  { u8, i32 }: Memory,
  { sets, leafBytes }: HistLayout,
  set: number,
): Uint8Array | Int32Array {
  const { leafOf, rows: { numRows } } = sets[set];
  const first = leafOf / leafBytes;
  return (leafBytes === 1 ? u8 : i32).subarray(first, first + numRows);
}

/** Up to so many rows in a block, as their numbers take two bytes. */
const MOST_ROWS = 65536;
/** What the codes of a block take at most: the second cache of a core has room for them. */
const MOST_CODES = 2 ** 21;

/**
 * Size of a block of rows. The histogram of a node comes into the nearest cache once for each block, so
 * that large blocks are better; two at least for each thread, for threads are not equally fast, and as many
 * for each. Whole pieces from 65,537 rows on, so that statistics of gradients are summed in the same order on
 * any number of threads; of fewer rows only the largest gradients count, in any order (`chooseQuanta`).
 *
 * @param rowBytes Bytes of the one-byte codes of a row.
 */
export function blockSize(numRows: number, numThreads: number, rowBytes: number): number {
  if (numRows <= MOST_ROWS) {
    // One thread has no use for small blocks, but for what the caches hold.
    if (numThreads === 1) return 16384;
    return Math.max(PIECE_ROWS, Math.ceil(numRows / 16 / 1024) * 1024);
  }
  const most = Math.max(PIECE_ROWS, Math.min(MOST_ROWS, MOST_CODES / Math.max(1, rowBytes)));
  const least = numThreads === 1 ? 1 : 2 * numThreads;
  const numBlocks = numThreads * Math.ceil(Math.max(least, numRows / most) / numThreads);
  return PIECE_ROWS * Math.ceil(numRows / numBlocks / PIECE_ROWS);
}
