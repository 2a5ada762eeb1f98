/**
 * A crew of worker threads on shared memory. Between operations workers spin for a moment and then
 * sleep on a control word; the calling thread takes part in every operation and waits for the last.
 *
 * @module
 */
import { TrainingError } from "../errors.ts";
import { Control } from "../grow/histogram/control.ts";
import { type Crew, soloCrew } from "../grow/histogram/team.ts";
import { Op, type OpNumber } from "../grow/histogram/op.ts";
import { createContext, type ThreadState } from "../grow/histogram/ops.ts";
import { createMemory, type Memory } from "../kernels/memory.ts";
import { twinKernels } from "../kernels/twin.ts";
import type { Kernels } from "../kernels/types.ts";
import { hasWasm, kernelModule, wasmKernels } from "../kernels/wasm.ts";
import { countsUntouchedMemory } from "../runtime/env.ts";
import { lossGradients } from "./loss_gradients.ts";
import { performAny, spinsOf, type Start } from "./worker_loop.ts";

/** How to make a crew. */
export interface CrewOptions {
  readonly threads: number;
  /** The TypeScript twins instead of wasm, for tests. @default "wasm" */
  readonly kernels?: Kernels["name"];
  /** Told once where threads or wasm are wanted and not to be had. */
  readonly onWarning?: (message: string) => void;
  /** Told which kernels run on how many threads. */
  readonly onDetail?: (message: string) => void;
  /** Threads compute gradients of losses without a kernel too. @default false */
  readonly losses?: boolean;
  /**
   * Shared memory has its full size from the start, where the system allows it: kernels are a twentieth
   * faster, but so large a memory makes the engine collect garbage, about 5 ms. @default false
   */
  readonly whole?: boolean;
  /** Why no more threads are asked for, for `onDetail`. */
  readonly why?: string;
}

const START_SECONDS = 20;

const KERNEL_NAMES = { wasm: "WebAssembly SIMD", twin: "TypeScript" } as const;

/** Starts threads; falls back to the calling thread, and says so, where there are none. */
export async function openCrew(options: CrewOptions): Promise<Crew> {
  const wasm = hasWasm();
  if (!wasm) options.onWarning?.("WebAssembly SIMD is missing: training in TypeScript, slower");
  const name = wasm ? options.kernels ?? "wasm" : "twin";
  if (options.threads > 1) {
    const reason = wasm ? whyNoThreads() : "WebAssembly is missing";
    if (reason === undefined) {
      try {
        const crew = await openWorkers(options, name);
        options.onDetail?.(
          `Training with ${KERNEL_NAMES[name]} on ${crew.numThreads} threads, shared memory`,
        );
        return crew;
      } catch (error) {
        options.onWarning?.(`Threads do not start (${messageOf(error)}): training on one`);
      }
    } else {
      options.onWarning?.(`${reason}: training on one thread`);
    }
  }
  const why = options.why === undefined ? "" : `: ${options.why}`;
  options.onDetail?.(`Training with ${KERNEL_NAMES[name]} on one thread${why}`);
  const memory = createMemory({ plain: !wasm });
  return soloCrew(memory, kernelsOf(name, memory));
}

function kernelsOf(name: Kernels["name"], memory: Memory): Kernels {
  return name === "wasm" ? wasmKernels(memory) : twinKernels(memory);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Why threads on shared memory are not to be had here; undefined where they are. */
export function whyNoThreads(): string | undefined {
  if (typeof Worker === "undefined") return "Workers are missing";
  if (typeof SharedArrayBuffer === "undefined") return "Shared memory is not allowed here";
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1); // not equal: returns at once
  } catch {
    return "This thread may not wait for others";
  }
  return undefined;
}

async function openWorkers(
  { threads, losses = false, whole = false }: CrewOptions,
  name: Kernels["name"],
): Promise<Crew> {
  const memory = createMemory({ shared: true, grows: !whole || countsUntouchedMemory() });
  const module = kernelModule(memory);
  const kernels = kernelsOf(name, memory);
  const workers: Worker[] = [];
  try {
    const ready: Promise<void>[] = [];
    for (let thread = 1; thread < threads; thread++) {
      const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
      workers.push(worker);
      const start: Start = {
        memory: memory.wasm!,
        module,
        kernels: name,
        thread,
        spins: spinsOf(threads),
        losses,
      };
      ready.push(started(worker));
      worker.postMessage(start);
    }
    await Promise.all(ready);
  } catch (error) {
    for (const worker of workers) worker.terminate();
    throw error;
  }
  return joinWorkers(workers, memory, kernels);
}

/** Resolves when a worker says that it is there. */
export function started(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`no answer in ${START_SECONDS} s`)),
      START_SECONDS * 1000,
    );
    worker.onmessage = () => {
      clearTimeout(timer);
      resolve();
    };
    worker.onerror = (event) => {
      clearTimeout(timer);
      event.preventDefault();
      reject(new Error(event.message));
    };
  });
}

function joinWorkers(workers: readonly Worker[], memory: Memory, kernels: Kernels): Crew {
  const state: ThreadState = { memory, kernels, thread: 0, context: undefined };
  const numWorkers = workers.length;
  const mostSpins = spinsOf(numWorkers + 1);
  let closed = false;

  /** Wakes the workers for an operation. */
  function release(op: OpNumber): void {
    const { i32 } = memory;
    i32[Control.counter >>> 2] = 0;
    i32[Control.op >>> 2] = op;
    i32[Control.memoryPages >>> 2] = memory.u8.length / 65536;
    Atomics.store(i32, Control.arrived >>> 2, 0);
    Atomics.add(i32, Control.sequence >>> 2, 1);
    Atomics.notify(i32, Control.sequence >>> 2);
  }

  /** Waits until all workers have finished. */
  function join(): void {
    const { i32 } = memory;
    const at = Control.arrived >>> 2;
    for (let spins = 0;; spins++) {
      const arrived = Atomics.load(i32, at);
      if (arrived === numWorkers) break;
      if (spins >= mostSpins) Atomics.wait(i32, at, arrived);
    }
    if (Atomics.load(i32, Control.failed >>> 2) !== 0) {
      throw new TrainingError("E_TRAIN_NUMERIC", "Cannot go on: a training thread has failed");
    }
  }

  function run(op: OpNumber, meanwhile?: () => void): void {
    release(op);
    try {
      meanwhile?.();
      performAny(op, state, lossGradients);
    } finally {
      join();
    }
  }

  return {
    memory,
    kernels,
    numThreads: numWorkers + 1,
    run,
    configure(layout, place) {
      const bytes = new TextEncoder().encode(JSON.stringify(layout));
      const at = place(bytes.length);
      memory.u8.set(bytes, at);
      memory.u32[Control.layoutAt >>> 2] = at;
      memory.u32[Control.layoutBytes >>> 2] = bytes.length;
      run(Op.configure);
      const context = state.context = createContext(memory, kernels, layout, 0);
      return { context, run };
    },
    close() {
      if (closed) return;
      closed = true;
      // A worker that hears of it closes itself; terminating it as well costs nothing.
      release(Op.stop);
      for (const worker of workers) worker.terminate();
    },
  };
}
