/**
 * Filling histograms with a node's rows: whole, a range of features, or a stripe of the rows in a
 * copy of a thread's own. Sums are of whole numbers, so that copies add up to the same bytes in any
 * order.
 *
 * @module
 */
import type { BinLayout } from "../../binning/binned.ts";
import { STRIDE8 } from "../../kernels/types.ts";
import type { HistLayout } from "./layout.ts";
import type { HistContext } from "./context.ts";

/** Bytes of an evaluate item: 16 words, then 2 × 8 float64. */
export const ITEM_BYTES = 192;

/** 32-bit fields of an evaluate item. */
export const ItemField = {
  /** Entry and record buffer of the node that is built. */
  entry: 0,
  buffer: 1,
  /** Address of its histogram; and of the parent's, which becomes the sibling's (0: none). */
  built: 2,
  sibling: 3,
  /** Range of features, by position. */
  from8: 4,
  to8: 5,
  from16: 6,
  to16: 7,
  /** Address of the bytes that allow features, for the built node and the sibling (0: all). */
  allowedBuilt: 8,
  allowedSibling: 9,
  /** Address of the other threads' copies, where stripes of rows have filled them (else 0). */
  copies: 10,
  /** 1 where the built node's best split is asked for; a sibling's always is. */
  scansBuilt: 11,
  /** 1 + place of the built node among roots that are there (else 0); see `roots.ts`. */
  root: 12,
} as const;

/** Places of the arguments of the evaluate operation, as float64. */
export const EvaluateArgs = {
  numGroups: 0,
  output: 1,
  wide: 2,
  unitG: 3,
  unitH: 4,
  /** How many of the first jobs are filled by stripes of rows. */
  numStriped: 5,
  /** Address of the packed gradients. */
  packed: 6,
} as const;

/** Bytes of a histogram cell, and where counts begin. */
export function cellBytes(wide: boolean): number {
  return wide ? 16 : 8;
}

/** Bytes of a whole histogram. */
export function histogramBytes(bins: BinLayout, wide: boolean, counted: boolean): number {
  return bins.numCells * (cellBytes(wide) + (counted ? 4 : 0));
}

/** What the builders of an item need again and again. */
export interface Build {
  readonly range: Range;
  readonly built: number;
  /** See {@linkcode ItemField}. */
  readonly copies: number;
  readonly root: number;
  readonly entry: number;
  readonly buffer: number;
}

/** Reads an item. */
export function readBuild(context: HistContext, item: number): Build {
  const { u32 } = context.memory;
  const at = (context.layout.items + item * ITEM_BYTES) >>> 2;
  return {
    range: {
      from8: u32[at + ItemField.from8],
      to8: u32[at + ItemField.to8],
      from16: u32[at + ItemField.from16],
      to16: u32[at + ItemField.to16],
    },
    built: u32[at + ItemField.built],
    copies: u32[at + ItemField.copies],
    root: u32[at + ItemField.root],
    entry: u32[at + ItemField.entry],
    buffer: u32[at + ItemField.buffer],
  };
}

/** A range of features, by position. */
export interface Range {
  readonly from8: number;
  readonly to8: number;
  readonly from16: number;
  readonly to16: number;
}

/** Does something with the entries of the layout's `ranges` that belong to a range of features. */
function forRanges(
  { bins, ranges }: HistLayout,
  { from8, to8, from16, to16 }: Range,
  work: (ranges: number, n: number) => void,
): void {
  if (to8 > from8) work(ranges + 8 * from8, to8 - from8);
  if (to16 > from16) work(ranges + 8 * (bins.features8 + from16), to16 - from16);
}

/** The part of a range whose rows are counted, where any are. */
function countedPart({ counted, bins }: HistLayout, range: Range): Range {
  if (counted === "all") return range;
  const { from8, from16, to8, to16 } = range;
  return { from8, to8: Math.max(from8, Math.min(to8, bins.counted8)), from16, to16 };
}

/** Empties the cells of a range. */
export function clear(context: HistContext, { range, built }: Build, wide: boolean): void {
  const { layout, kernels } = context;
  const bytes = cellBytes(wide);
  forRanges(layout, range, (ranges, n) => kernels.clearCells(ranges, n, built, bytes));
  if (layout.counted === "none") return;
  const counts = built + layout.bins.numCells * bytes;
  forRanges(layout, countedPart(layout, range), (ranges, n) => {
    kernels.clearCells(ranges, n, counts, 4);
  });
}

/** target += or −= source, for the cells and counts of a range. */
export function combine(
  context: HistContext,
  sign: 1 | -1,
  target: number,
  source: number,
  range: Range,
  wide: boolean,
): void {
  const { kernels, layout } = context;
  const work = sign > 0 ? kernels.addCells : kernels.subtractCells;
  const bytes = cellBytes(wide);
  forRanges(layout, range, (ranges, n) => work(ranges, n, target, source, bytes));
  if (layout.counted === "none") return;
  const counts = layout.bins.numCells * bytes;
  forRanges(layout, countedPart(layout, range), (ranges, n) => {
    work(ranges, n, target + counts, source + counts, 4);
  });
}

/** Adds the copies of all threads. */
export function addCopies(context: HistContext, build: Build, wide: boolean): void {
  const { layout } = context;
  const { built, copies, range } = build;
  for (let t = 1; t < layout.numThreads; t++) {
    combine(context, 1, built, copies + (t - 1) * layout.copyBytes, range, wide);
  }
}

/** Takes the cells of a root that is there already. */
export function takeRoot(
  { layout, kernels }: HistContext,
  { root, range, built }: Build,
): void {
  const { cells, copies, cellBytes: bytes } = layout.roots!;
  forRanges(layout, range, (ranges, n) => {
    kernels.takeRoots(ranges, n, cells, copies, bytes, root - 1, built);
  });
}

/** Parts of a block that threads take one by one. */
const STRIPES = 2;

/** Stripes in which the rows of a job are filled. */
function numStripes(layout: HistLayout): number {
  return STRIPES * layout.sets[0].numBlocks;
}

/**
 * Fills the striped jobs: each thread its own copy of their histograms, from the stripes of rows that
 * it takes.
 *
 * @param take The next stripe of a job, or −1 when none is left.
 */
export function fillStripes(context: HistContext, take: (numItems: number) => number): void {
  const { memory, layout, thread } = context;
  const args = layout.args >>> 3;
  const wide = memory.f64[args + EvaluateArgs.wide] === 1;
  const numJobs = memory.f64[args + EvaluateArgs.numStriped];
  const builds = Array.from({ length: numJobs }, (_, i) => {
    const build = readBuild(context, memory.u32[(layout.stripes >>> 2) + i]);
    const { order16 } = layout.bins;
    return {
      ...build,
      range: { from8: 0, to8: layout.bins.features8, from16: 0, to16: order16.length },
      built: thread === 0 ? build.built : build.copies + (thread - 1) * layout.copyBytes,
    };
  });
  for (const build of builds) clear(context, build, wide);
  // Jobs of one stripe of rows come together: its rows are then in the cache for all of them.
  const numItems = numJobs * numStripes(layout);
  for (let item = take(numItems); item >= 0; item = take(numItems)) {
    const stripe = Math.floor(item / numJobs);
    const block = Math.floor(stripe / STRIPES);
    addBlock(context, builds[item % numJobs], block, wide, stripe % STRIPES, STRIPES);
  }
}

/** Adds the rows that a node has in a block, or one of equal parts of them. */
export function addBlock(
  context: HistContext,
  { range, built: out, entry, buffer }: Build,
  block: number,
  wide: boolean,
  part = 0,
  numParts = 1,
): void {
  const { memory, kernels, layout } = context;
  const { u32 } = memory;
  const { slots8, stride8, stride16, numCells } = layout.bins;
  const train = layout.sets[0];
  const segment = (layout.segments >>> 2) + 2 * (entry * train.numBlocks + block);
  const from = Math.floor((u32[segment + 1] * part) / numParts);
  const n = Math.floor((u32[segment + 1] * (part + 1)) / numParts) - from;
  if (n === 0) return;
  const first = block * train.blockRows;
  const list = layout.lists[buffer] + 2 * (u32[segment] + from);
  const bytes = cellBytes(wide);
  const counts = out + numCells * bytes;
  const output = memory.f64[(layout.args >>> 3) + EvaluateArgs.output];
  const at = 8 * (output * train.rows.numRows + first);
  const gradient = layout.gradient + at;
  const hessian = layout.hessian + at;
  const packed = memory.f64[(layout.args >>> 3) + EvaluateArgs.packed] + 4 * first;
  const num8 = range.to8 - range.from8;
  const even8 = Math.min(range.to8, (slots8.length + 1) & ~1);
  const num16 = range.to16 - range.from16;
  if (num8 > 0) {
    const rows8 = train.rows.rows8 + first * stride8 + range.from8;
    const out8 = out + range.from8 * STRIDE8 * bytes;
    if (wide) kernels.wide8(list, n, rows8, stride8, num8, gradient, hessian, out8);
    else kernels.packed8(list, n, rows8, stride8, even8 - range.from8, packed, out8);
    const counted = layout.counted === "none" ? 0 : countedPart(layout, range).to8 - range.from8;
    if (counted > 0) {
      kernels.count8(list, n, rows8, stride8, counted, counts + 4 * range.from8 * STRIDE8);
    }
  }
  if (num16 > 0) {
    const rows16 = train.rows.rows16 + first * stride16 + 2 * range.from16;
    const starts = layout.starts16 + 4 * range.from16;
    if (wide) kernels.wide16(list, n, rows16, stride16, num16, starts, gradient, hessian, out);
    else kernels.packed16(list, n, rows16, stride16, num16, starts, packed, out);
    if (layout.counted !== "none") {
      kernels.count16(list, n, rows16, stride16, num16, starts, counts);
    }
  }
}
