/**
 * What a thread works with, and how threads share an operation: each takes items from a common counter
 * until none is left; which thread takes which does not matter, since items write to places of their own
 * and every shared sum is exact.
 *
 * @module
 */
import type { Memory } from "../../../kernels/memory.ts";
import type { Kernels } from "../../../kernels/types.ts";
import { Control } from "./control.ts";
import { planOf } from "./evaluate_plan.ts";
import { growPlanOf } from "./grow_plan.ts";
import { type HistLayout, PIECE_ROWS } from "./layout.ts";
import { createScratch, type Scratch } from "./scratch.ts";

/** What a thread works with. */
export interface HistContext {
  readonly memory: Memory;
  readonly kernels: Kernels;
  readonly layout: HistLayout;
  readonly thread: number;
  readonly scratch: Scratch;
  /** See `evaluate_plan.ts`. */
  readonly plan: Uint8Array;
  /** See `grow_plan.ts`; undefined where trees do not grow by levels. */
  readonly growPlan: Uint8Array | undefined;
}

/** Makes a thread's context. */
export function createContext(
  memory: Memory,
  kernels: Kernels,
  layout: HistLayout,
  thread: number,
): HistContext {
  return {
    memory,
    kernels,
    layout,
    thread,
    scratch: createScratch(layout),
    plan: planOf(layout, thread),
    growPlan: growPlanOf(layout, thread),
  };
}

/** A thread: its kernels, and its context once the layout is known. */
export interface ThreadState {
  readonly memory: Memory;
  readonly kernels: Kernels;
  readonly thread: number;
  context: HistContext | undefined;
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

/** Pieces that a thread takes at a time: several are ready sooner than a thread that comes late. */
const TAKEN_PIECES = 4;

/** Takes pieces of the blocks of the training rows until none is left. */
export function forPieces(
  { memory, layout }: HistContext,
  work: (from: number, n: number, piece: number) => void,
): void {
  const { piecesPerBlock, counter, sets: [{ numBlocks, blockRows, rows: { numRows } }] } = layout;
  const perBlock = Math.ceil(piecesPerBlock / TAKEN_PIECES);
  forItems(memory, numBlocks * perBlock, (item) => {
    const block = Math.floor(item / perBlock);
    const end = Math.min(numRows, blockRows * (block + 1));
    const first = TAKEN_PIECES * (item % perBlock);
    for (let i = first; i < first + TAKEN_PIECES; i++) {
      const from = block * blockRows + i * PIECE_ROWS;
      if (from >= end) return;
      work(from, Math.min(PIECE_ROWS, end - from), block * piecesPerBlock + i);
    }
  }, counter);
}
