/**
 * What a worker thread does: wait for the next operation, take part in it, say that it is done.
 *
 * @module
 */
import { Control, FAILURE_BYTES, SEATS } from "../grow/histogram/control.ts";
import { Op, type OpNumber } from "../grow/histogram/op.ts";
import type { HistContext, ThreadState } from "../grow/histogram/ops.ts";
import { perform } from "../grow/perform.ts";
import { wasmMemory } from "../kernels/memory.ts";
import { twinKernels } from "../kernels/twin.ts";
import type { Kernels } from "../kernels/types.ts";
import { numCores } from "../runtime/env.ts";
import { wasmKernels } from "../kernels/wasm.ts";
import { failureSlot, noteFailure } from "./failures.ts";

/** What a worker is told at the start. */
export interface Start {
  readonly memory: WebAssembly.Memory;
  readonly module: WebAssembly.Module;
  readonly kernels: Kernels["name"];
  /** From 1; 0 is the thread that started it. */
  readonly thread: number;
  /** Looks at the control word before going to sleep. */
  readonly spins: number;
  /** Losses without a kernel will be asked for. */
  readonly losses: boolean;
  /** Metrics will be asked for. */
  readonly metrics: boolean;
}

/** What a thread does where an operation is not one of growing; there where it was asked for. */
export interface OtherOps {
  readonly lossGradients?: (context: HistContext) => void;
  readonly refitLeaves?: (context: HistContext) => void;
  readonly measure?: (context: HistContext) => void;
}

/** Which of them an operation is. */
const OTHERS: { readonly [op: number]: keyof OtherOps } = {
  [Op.lossGradients]: "lossGradients",
  [Op.refitLeaves]: "refitLeaves",
  [Op.measure]: "measure",
};

/** Performs an operation. */
export function performAny(op: OpNumber, state: ThreadState, others: OtherOps): void {
  const other = OTHERS[op];
  if (other === undefined) return perform(op, state);
  state.memory.refresh();
  others[other]!(state.context!);
}

// Up to 200 µs: between operations of a tree the calling thread is busy for about 75, and a sleep and
// a wake-up cost 100 to 200 on a virtual machine.
const SPINS = 20000;

/** How long threads look before they sleep: not at all when there are more of them than cores. */
export function spinsOf(threads: number): number {
  return threads > numCores() ? 0 : SPINS;
}

/**
 * Sits down among the threads: from one of the next operations on the crew reckons with this one.
 *
 * @returns Works until told to stop.
 */
export function joinCrew(start: Start, others: OtherOps): () => void {
  const memory = wasmMemory(start.memory, true);
  const kernels = start.kernels === "wasm"
    ? wasmKernels(memory, start.module)
    : twinKernels(memory);
  const state: ThreadState = { memory, kernels, thread: start.thread, context: undefined };
  const sequence = new Int32Array(start.memory.buffer, Control.sequence, 1);
  const seat = Atomics.add(memory.i32, Control.present >>> 2, 1) + 1;
  return () => work(start, state, sequence, seat, others);
}

/** Takes part in the operations that reckon with its seat. */
function work(
  start: Start,
  state: ThreadState,
  sequence: Int32Array,
  seat: number,
  others: OtherOps,
): void {
  const { memory } = state;
  let seen = 0;
  for (;;) {
    for (let spins = 0; Atomics.load(sequence, 0) === seen; spins++) {
      if (spins >= start.spins) Atomics.wait(sequence, 0, seen);
    }
    seen = Atomics.load(sequence, 0);
    if ((seen & (SEATS - 1)) < seat) {
      // The run may have ended before this thread had a part in it.
      if (Atomics.load(memory.i32, Control.op >>> 2) === Op.stop) return;
      continue;
    }
    // Growing is told to other threads late; asking for no more pages makes this one look.
    while (start.memory.buffer.byteLength / 65536 < memory.i32[Control.memoryPages >>> 2]) {
      start.memory.grow(0);
    }
    const op = memory.i32[Control.op >>> 2] as OpNumber;
    try {
      performAny(op, state, others);
    } catch (error) {
      noteFailure(failureSlot(start.memory.buffer, Control.failure, FAILURE_BYTES), error);
    }
    Atomics.add(memory.i32, Control.arrived >>> 2, 1);
    Atomics.notify(memory.i32, Control.arrived >>> 2);
    if (op === Op.stop) return;
  }
}
