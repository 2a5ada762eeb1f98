/**
 * The operations that all threads perform together. Each takes items from a common counter until
 * none is left; which thread takes which does not matter, since items write to places of their own
 * and every shared sum is exact.
 *
 * @module
 */
import { Control } from "./control.ts";
import {
  codeJob,
  JOB_BYTES,
  mapJob,
  quantileJob,
  rowsJob,
  widenJob,
} from "../../binning/bin_job.ts";
import type { Memory } from "../../kernels/memory.ts";
import { type Kernels, MAP_TABLE_BYTES } from "../../kernels/types.ts";
import { evaluateGroup } from "./evaluate.ts";
import { fillStripes } from "./fill.ts";
import { binsOf, type HistLayout, PIECE_ROWS } from "./layout.ts";
import { Op, type OpNumber, QuantiseArgs, SPLIT_BYTES, SplitField, SplitMode } from "./op.ts";
import { goss } from "./goss.ts";
import { fillRoots } from "./roots.ts";
import { createScratch, type Scratch } from "./scratch.ts";

/** What a thread works with. */
export interface HistContext {
  readonly memory: Memory;
  readonly kernels: Kernels;
  readonly layout: HistLayout;
  readonly thread: number;
  readonly scratch: Scratch;
}

/** Makes a thread's context. */
export function createContext(
  memory: Memory,
  kernels: Kernels,
  layout: HistLayout,
  thread: number,
): HistContext {
  return { memory, kernels, layout, thread, scratch: createScratch(layout) };
}

/** A thread: its kernels, and its context once the layout is known. */
export interface ThreadState {
  readonly memory: Memory;
  readonly kernels: Kernels;
  readonly thread: number;
  context: HistContext | undefined;
}

/** Performs an operation together with the other threads. */
export function runOp(op: OpNumber, state: ThreadState): void {
  const { memory, kernels } = state;
  memory.refresh();
  const args = Control.args >>> 3;
  const [first, second, third, fourth] = memory.f64.subarray(args, args + 4);
  switch (op) {
    case Op.stop:
      return;
    case Op.configure:
      state.context = readLayout(state);
      return;
    case Op.widenColumns:
      return forItems(memory, second * third, (i) => {
        widenJob(memory, kernels, first + Math.floor(i / third) * JOB_BYTES, i % third);
      });
    case Op.closeBins:
      return forItems(memory, second, (i) => quantileJob(memory, kernels, first + i * JOB_BYTES));
    case Op.codeColumns:
      return forItems(memory, second, (i) => {
        codeJob(memory, kernels, first + i * JOB_BYTES, third + state.thread * fourth);
      });
    case Op.mapColumns: {
      const tables = fourth + state.thread * MAP_TABLE_BYTES;
      return forItems(memory, second * third, (i) => {
        mapJob(memory, kernels, first + Math.floor(i / third) * JOB_BYTES, i % third, tables);
      });
    }
    case Op.toRows:
      return forItems(memory, second, (stretch) => rowsJob(memory, kernels, first, stretch));
    default:
      return runHistOp(op, state.context!);
  }
}

/** Reads the layout that the main thread has written. */
function readLayout({ memory, kernels, thread }: ThreadState): HistContext {
  const { u8, u32 } = memory;
  const at = u32[Control.layoutAt >>> 2];
  const bytes = u8.slice(at, at + u32[Control.layoutBytes >>> 2]);
  return createContext(memory, kernels, JSON.parse(new TextDecoder().decode(bytes)), thread);
}

/** Performs an operation on the layout's own places. */
export function runHistOp(op: OpNumber, context: HistContext): void {
  const { memory, layout, kernels } = context;
  const train = layout.sets[0];
  const { f64 } = memory;
  const args = layout.args >>> 3;
  switch (op) {
    case Op.gradients:
      return forBlocks(context, 0, (from, n, block) => {
        forPieces(context, from, n, block, (at, count, piece) => {
          if (layout.signed !== undefined) return signedGradients(context, at, count, piece);
          gradients(context, at, count);
          if (layout.weighsAtOnce) weighRows(context, at, count);
          if (!layout.statsAtOnce) return;
          for (let k = 0; k < layout.numOutputs; k++) stats(context, k, at, count, piece);
        });
      });
    case Op.sample:
      return forBlocks(context, 0, (from, n) => weighRows(context, from, n));
    case Op.goss:
      return goss(context);
    case Op.stats:
      return forBlocks(context, 0, (from, n, block) => {
        forPieces(context, from, n, block, (at, count, piece) => {
          stats(context, f64[args], at, count, piece);
        });
      });
    case Op.quantise:
      return quantise(context);
    case Op.listRows:
      return listRows(context);
    case Op.roots:
      return fillRoots(context);
    case Op.spread: {
      const at = f64[args] * train.rows.numRows;
      return forBlocks(context, 0, (from, n) => {
        const signed = layout.signed!.at + 4 * (at + from);
        const g = layout.gradient + 8 * (at + from);
        const h = layout.hessian + 8 * (at + from);
        kernels.spreadSigned(signed, g, h, n, layout.curvatureFactor);
      });
    }
    case Op.partition:
      return partition(context);
    case Op.evaluate:
      return forItems(memory, f64[args], (item) => evaluateGroup(context, item), layout.counter);
    case Op.fillStripes:
      return fillStripes(context, (numItems) => {
        const item = Atomics.add(memory.i32, layout.counter >>> 2, 1);
        return item < numItems ? item : -1;
      });
    case Op.leafSums: {
      const at = f64[args] * train.rows.numRows;
      const leaves = f64[args + 5];
      const out = layout.leafSums + context.thread * layout.leafSumsStride;
      memory.f64.fill(0, out >>> 3, (out >>> 3) + 2 * f64[args + 1]);
      return forBlocks(context, 0, (from, n) => {
        if (f64[args + 4] === 1) {
          return kernels.leafSumsSigned(
            leaves + layout.leafBytes * from,
            layout.leafBytes,
            layout.signed!.at + 4 * (at + from),
            n,
            layout.curvatureFactor,
            f64[args + 2],
            f64[args + 3],
            out,
          );
        }
        kernels.leafSums(
          leaves + layout.leafBytes * from,
          layout.leafBytes,
          layout.gradient + 8 * (at + from),
          layout.hessian + 8 * (at + from),
          n,
          f64[args + 2],
          f64[args + 3],
          out,
        );
      });
    }
    case Op.addLeaves: {
      const set = layout.sets[f64[args]];
      const raw = set.raw + 8 * f64[args + 1] * set.rows.numRows;
      const values = f64[args + 2];
      return forBlocks(context, f64[args], (from, n) => {
        const { leafBytes } = layout;
        kernels.addLeaves(raw + 8 * from, set.leafOf + leafBytes * from, leafBytes, values, n);
      });
    }
    case Op.route: {
      const set = layout.sets[f64[args]];
      const { stride8, stride16 } = binsOf(layout, f64[args]);
      const nodes = f64[args + 1];
      return forBlocks(context, f64[args], (from, n) => {
        kernels.route(
          set.rows.rows8 + from * stride8,
          stride8,
          set.rows.rows16 + from * stride16,
          stride16,
          n,
          nodes,
          set.leafOf + layout.leafBytes * from,
          layout.leafBytes,
        );
      });
    }
  }
}

/** Takes items until none is left. */
export function forItems(
  memory: Memory,
  numItems: number,
  work: (item: number) => void,
  counter: number = Control.counter,
): void {
  for (;;) {
    const item = Atomics.add(memory.i32, counter >>> 2, 1);
    if (item >= numItems) return;
    work(item);
  }
}

/** Takes blocks of a set's rows until none is left. */
export function forBlocks(
  context: HistContext,
  set: number,
  work: (from: number, n: number, block: number) => void,
): void {
  const { numBlocks, blockRows, rows } = context.layout.sets[set];
  forItems(context.memory, numBlocks, (block) => {
    const from = block * blockRows;
    work(from, Math.min(blockRows, rows.numRows - from), block);
  }, context.layout.counter);
}

/** Takes the pieces of a block one after the other. */
export function forPieces(
  { layout }: HistContext,
  from: number,
  n: number,
  block: number,
  work: (from: number, n: number, piece: number) => void,
): void {
  for (let i = 0; i * PIECE_ROWS < n; i++) {
    const at = i * PIECE_ROWS;
    work(from + at, Math.min(PIECE_ROWS, n - at), block * layout.piecesPerBlock + i);
  }
}

/** Multiplies the gradients of all outputs by the factors of rows. */
function weighRows({ layout, kernels }: HistContext, from: number, n: number): void {
  for (let k = 0; k < layout.numOutputs; k++) {
    const at = 8 * (k * layout.sets[0].rows.numRows + from);
    kernels.weigh(layout.gradient + at, layout.hessian + at, layout.factor + 8 * from, n);
  }
}

/** Statistics of the gradients of one output in a piece. */
function stats(
  { layout, kernels }: HistContext,
  output: number,
  from: number,
  n: number,
  piece: number,
): void {
  const { rows, numBlocks } = layout.sets[0];
  const at = 8 * (output * rows.numRows + from);
  const out = layout.stats + 32 * (output * numBlocks * layout.piecesPerBlock + piece);
  kernels.gradientStats(layout.gradient + at, layout.hessian + at, n, out);
}

function gradients(context: HistContext, from: number, n: number): void {
  const { layout, kernels } = context;
  const { rows, raw } = layout.sets[0];
  const at = 8 * from;
  const stride = 8 * rows.numRows;
  const g = layout.gradient + at;
  const h = layout.hessian + at;
  if (layout.lossKernel === "softmax") {
    const { numOutputs, curvatureFactor } = layout;
    kernels.softmax(raw + at, layout.label + at, g, h, n, numOutputs, stride, curvatureFactor);
  } else if (layout.lossKernel === "logistic") {
    kernels.logistic(raw + at, layout.label + at, g, h, n);
  } else {
    kernels.squared(raw + at, layout.label + at, g, h, n);
  }
  if (layout.weight === 0) return;
  for (let k = 0; k < layout.numOutputs; k++) {
    kernels.weigh(g + k * stride, h + k * stride, layout.weight + at, n);
  }
}

/** Signed derivatives of a piece, and their statistics; scores with the leaves of the round before. */
function signedGradients(
  { layout, kernels, thread }: HistContext,
  from: number,
  n: number,
  piece: number,
): void {
  const { rows, raw, numBlocks } = layout.sets[0];
  const at = 8 * from;
  const { at: signed, work, workBytes, late } = layout.signed!;
  const { leafBytes } = layout;
  if (layout.lossKernel === "logistic") {
    const leaves = late === undefined ? 0 : late.leafOf + leafBytes * from;
    return kernels.logisticSigned(
      raw + at,
      signed + 4 * from,
      n,
      layout.stats + 32 * piece,
      leaves,
      leafBytes,
      late?.values ?? 0,
    );
  }
  kernels.softmaxSigned(
    raw + at,
    layout.label + at,
    signed + 4 * from,
    n,
    layout.numOutputs,
    8 * rows.numRows,
    layout.curvatureFactor,
    work + thread * workBytes,
    layout.stats + 32 * piece,
    32 * numBlocks * layout.piecesPerBlock,
    late === undefined ? 0 : late.leafOf + leafBytes * from,
    leafBytes,
    leafBytes * rows.numRows,
    late?.values ?? 0,
    late?.valuesBytes ?? 0,
  );
}

function quantise(context: HistContext): void {
  const { memory: { f64 }, kernels, layout } = context;
  const { numRows } = layout.sets[0].rows;
  const a = layout.args >>> 3;
  const at = 8 * f64[a] * numRows;
  if (f64[a + QuantiseArgs.signed] === 1) return quantiseSigned(context);
  forBlocks(context, 0, (from, n, block) => {
    const count = kernels.quantise(
      layout.gradient + at + 8 * from,
      layout.hessian + at + 8 * from,
      n,
      from,
      layout.mask === 0 ? 0 : layout.mask + from,
      layout.lists[0] + 2 * from,
      layout.packed + 4 * from,
      f64[a + QuantiseArgs.fixG],
      f64[a + QuantiseArgs.fixH],
      f64[a + QuantiseArgs.packG],
      f64[a + QuantiseArgs.packH],
      f64[a + QuantiseArgs.seed],
      layout.blockSums + 16 * block,
    );
    writeSegment(context, block, from, n, count);
  });
}

/** The same of signed derivatives; no row is left out. */
function quantiseSigned(context: HistContext): void {
  const { memory: { f64 }, kernels, layout } = context;
  const { numRows } = layout.sets[0].rows;
  const a = layout.args >>> 3;
  const at = layout.signed!.at + 4 * f64[a] * numRows;
  forBlocks(context, 0, (from, n, block) => {
    kernels.quantiseSigned(
      at + 4 * from,
      n,
      from,
      layout.curvatureFactor,
      layout.packed + 4 * from,
      f64[a + QuantiseArgs.packG],
      f64[a + QuantiseArgs.packH],
      f64[a + QuantiseArgs.seed],
      layout.blockSums + 16 * block,
    );
    writeSegment(context, block, from, n, kernels.listRows(n, 0, layout.lists[0] + 2 * from));
  });
}

/** Lists the rows of a tree whose gradients are packed already. */
function listRows(context: HistContext): void {
  const { kernels, layout: { lists, mask } } = context;
  forBlocks(context, 0, (from, n, block) => {
    const count = kernels.listRows(n, mask === 0 ? 0 : mask + from, lists[0] + 2 * from);
    writeSegment(context, block, from, n, count);
  });
}

/** Says where the root's rows of a block are listed, and after them those that are left out. */
function writeSegment(
  { memory: { u32 }, layout: { segments, outside } }: HistContext,
  block: number,
  from: number,
  n: number,
  count: number,
): void {
  u32[(segments >>> 2) + 2 * block] = from;
  u32[(segments >>> 2) + 2 * block + 1] = count;
  if (outside === 0) return;
  u32[(outside >>> 2) + 2 * block] = from + count;
  u32[(outside >>> 2) + 2 * block + 1] = n - count;
}

function partition(context: HistContext): void {
  const { memory, layout } = context;
  const { numBlocks, blockRows } = layout.sets[0];
  const [numSplits, leaves] = memory.f64.subarray(layout.args >>> 3, (layout.args >>> 3) + 2);
  forItems(memory, numBlocks, (block) => {
    const leafOf = leaves + layout.leafBytes * block * blockRows;
    for (let i = 0; i < numSplits; i++) {
      const item = (layout.items + i * SPLIT_BYTES) >>> 2;
      splitSegment(context, item, layout.segments, block, leafOf);
      if (layout.outside !== 0) splitSegment(context, item, layout.outside, block, leafOf);
    }
  }, layout.counter);
}

/** Performs a split item on the rows that a node has in a block, by one of the tables of segments. */
function splitSegment(
  { memory: { i32, u32 }, kernels, layout }: HistContext,
  item: number,
  segments: number,
  block: number,
  leafOf: number,
): void {
  const { leafBytes, sets: [{ numBlocks, blockRows }] } = layout;
  const from = block * blockRows;
  const placeOf = (entry: number) => (segments >>> 2) + 2 * (entry * numBlocks + block);
  const segment = placeOf(u32[item + SplitField.entry]);
  const start = u32[segment];
  const count = u32[segment + 1];
  const buffer = u32[item + SplitField.buffer];
  const list = layout.lists[buffer] + 2 * start;
  const mode = u32[item + SplitField.mode];
  const left = u32[item + SplitField.left];
  if (mode === SplitMode.fillLeaf) return kernels.fillLeaf(list, count, leafOf, leafBytes, left);
  const wide = u32[item + SplitField.wide] === 1;
  const column = u32[item + SplitField.column] + from * (wide ? 2 : 1);
  const table = u32[item + SplitField.table];
  if (mode === SplitMode.splitLeaf) {
    const write = wide ? kernels.splitLeaf16 : kernels.splitLeaf8;
    const right = u32[item + SplitField.right];
    return write(list, count, column, table, leafOf, leafBytes, left, right);
  }
  const out = layout.lists[1 - buffer] + 2 * start;
  const numLeft = count === 0 ? 0 : mode === SplitMode.partitionAll
    ? kernels.partitionAll8(
      count,
      out,
      column,
      table,
      i32[item + SplitField.last],
      u32[item + SplitField.other],
    )
    : wide
    ? kernels.partition16(list, count, out, column, table)
    : kernels.partition8(list, count, out, column, table);
  const other = placeOf(u32[item + SplitField.rightEntry]);
  u32[segment + 1] = numLeft;
  u32[other] = start + numLeft;
  u32[other + 1] = count - numLeft;
}
