/**
 * The loop of a worker thread of a crew: wait for the next operation, take part in it, say that it is
 * done.
 *
 * @module
 */
import { Control, FAILURE_BYTES, SEATS } from "../../grow/histogram/workspace/control.ts";
import { Op, type OpNumber } from "../../grow/histogram/workspace/op.ts";
import type { HistContext, ThreadState } from "../../grow/histogram/workspace/context.ts";
import { type Ops, opsWith, runOp } from "../../grow/histogram/operations/ops.ts";
import { instantiate } from "../../kernels/instance.ts";
import { type Memory, wasmMemory } from "../../kernels/memory.ts";
import type { Kernels } from "../../kernels/types.ts";
import { failureSlot, noteFailure } from "../failures.ts";

/** What a worker is told at the start. */
export interface Start {
  readonly memory: WebAssembly.Memory;
  /** Pages that it has for good; 1 where it grows. */
  readonly pages: number;
  readonly module: WebAssembly.Module;
  readonly kernels: Kernels["name"];
  /** From 1; 0 is the thread that started it. */
  readonly thread: number;
  /** Looks at the control word before going to sleep. */
  readonly spins: number;
  /** Whole trees will be asked for. */
  readonly alone: boolean;
  /** Losses without a kernel will be asked for. */
  readonly losses: boolean;
  /** Metrics will be asked for. */
  readonly metrics: boolean;
  /** Leaves are linear. */
  readonly linear: boolean;
}

/** What a thread does where an operation is not a part of common work; there where it was asked for. */
export interface OtherOps {
  readonly growTreesAlone?: (context: HistContext) => void;
  readonly growMembersAlone?: (context: HistContext) => void;
  readonly lossGradients?: (context: HistContext) => void;
  readonly refitLeaves?: (context: HistContext) => void;
  readonly addLinear?: (context: HistContext) => void;
  readonly fitLinear?: (context: HistContext) => void;
  readonly measure?: (context: HistContext) => void;
}

/** Which operation each of them is. */
const OTHERS = {
  growTreesAlone: Op.growTrees,
  growMembersAlone: Op.growMembers,
  lossGradients: Op.lossGradients,
  refitLeaves: Op.refitLeaves,
  addLinear: Op.addLinear,
  fitLinear: Op.fitLinear,
  measure: Op.measure,
} as const;

/** All operations of a thread. */
export function allOps(others: OtherOps): Ops {
  const names = Object.keys(OTHERS) as (keyof OtherOps)[];
  const there = names.filter((name) => others[name] !== undefined);
  return opsWith(Object.fromEntries(there.map((name) => [OTHERS[name], others[name]!])));
}

/**
 * Sits down among the threads: from one of the next operations on the crew reckons with this one.
 *
 * @param twinKernels Makes the kernels where they are not those of the module.
 * @returns Works until told to stop.
 */
export function joinCrew(
  start: Start,
  others: OtherOps,
  twinKernels?: (memory: Memory) => Kernels,
): () => void {
  const memory = wasmMemory(start.memory, { shared: true, pages: start.pages });
  const kernels = twinKernels?.(memory) ?? instantiate(memory, start.module);
  const state: ThreadState = { memory, kernels, thread: start.thread, context: undefined };
  const sequence = new Int32Array(start.memory.buffer, Control.sequence, 1);
  const seat = Atomics.add(memory.i32, Control.present >>> 2, 1) + 1;
  const ops = allOps(others);
  return () => work(start, state, sequence, seat, ops);
}

/**
 * Takes part in the operations that reckon with its seat. The loop is short and calls the rest: V8 would
 * compile a long one twice, beside the first rounds.
 */
function work(
  start: Start,
  state: ThreadState,
  sequence: Int32Array,
  seat: number,
  ops: Ops,
): void {
  const { i32 } = state.memory;
  for (let seen = 0;;) {
    seen = awaitNext(sequence, seen, state.kernels, start.spins);
    const isLast = Atomics.load(i32, Control.op >>> 2) === Op.stop;
    if ((seen & (SEATS - 1)) >= seat) takePart(start, state, ops);
    // The run may have ended before this thread had a part in it.
    if (isLast) return;
  }
}

/** Waits until another operation is there than that seen last. */
function awaitNext(
  sequence: Int32Array,
  seen: number,
  kernels: Kernels,
  spins: number,
): number {
  for (;;) {
    const now = Atomics.load(sequence, 0);
    if (now !== seen) return now;
    if (kernels.lookWhile(Control.sequence, seen, spins) === seen) Atomics.wait(sequence, 0, seen);
  }
}

/** Takes part in an operation, and says that it is done. */
function takePart({ memory: wasm }: Start, state: ThreadState, ops: Ops): void {
  const { i32 } = state.memory;
  // Growing is told to other threads late; asking for no more pages makes this one look.
  while (wasm.buffer.byteLength / 65536 < i32[Control.memoryPages >>> 2]) wasm.grow(0);
  try {
    runOp(i32[Control.op >>> 2] as OpNumber, state, ops);
  } catch (error) {
    noteFailure(failureSlot(wasm.buffer, Control.failure, FAILURE_BYTES), error);
  }
  Atomics.add(i32, Control.arrived >>> 2, 1);
  Atomics.notify(i32, Control.arrived >>> 2);
}
