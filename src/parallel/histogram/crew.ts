/**
 * A crew of worker threads on shared memory. Between operations workers spin for a moment and then
 * sleep on a control word; the calling thread takes part in every operation and waits for the last.
 * It does not wait for workers to start: each takes part from the operation on that finds it there.
 *
 * @module
 */
import { Control, FAILURE_BYTES, SEATS } from "../../grow/histogram/workspace/control.ts";
import { soloCrew } from "../../grow/histogram/operations/solo.ts";
import type { Crew } from "../../grow/histogram/workspace/team.ts";
import { Op, type OpNumber } from "../../grow/histogram/workspace/op.ts";
import { createContext, type ThreadState } from "../../grow/histogram/workspace/context.ts";
import { runOp } from "../../grow/histogram/operations/ops.ts";
import { createMemory, type Memory } from "../../kernels/memory.ts";
import { twinKernels } from "../../kernels/twin/twin.ts";
import type { Kernels } from "../../kernels/types.ts";
import { hasWasm, kernelModule, wasmKernels } from "../../kernels/wasm.ts";
import { countsUntouchedMemory } from "../../runtime/env.ts";
import { failureSlot, throwNoted } from "../failures.ts";
import { addLinear, fitLinear } from "./linear_leaves.ts";
import { lossGradients } from "./loss_gradients.ts";
import { measure } from "./measure_sets.ts";
import { refitLeaves } from "./refit_leaves.ts";
import { growMembersAlone, growTreesAlone } from "./whole_trees.ts";
import { inTime, spinsOf, started, startProblem, whyNoThreads } from "../start.ts";
import { allOps, type Start } from "./worker_loop.ts";

/** How to make a crew. */
export interface CrewOptions {
  readonly threads: number;
  /** The TypeScript twins instead of wasm, for tests. @default "wasm" */
  readonly kernels?: Kernels["name"];
  /** Told once where threads or wasm are wanted and not to be had. */
  readonly onWarning?: (message: string) => void;
  /** Told which kernels run on how many threads. */
  readonly onDetail?: (message: string) => void;
  /** Threads grow whole trees by themselves too. @default true */
  readonly alone?: boolean;
  /** Threads compute gradients and leaves of losses without a kernel too. @default false */
  readonly losses?: boolean;
  /** Threads compute metrics too. @default false */
  readonly metrics?: boolean;
  /** Threads see to linear leaves too. @default false */
  readonly linear?: boolean;
  /**
   * Pages that shared memory has from the start and for good, where the system allows it: kernels are a
   * twentieth faster than where it grows. @default 1, and it grows
   */
  readonly pages?: number;
  /** Why no more threads are asked for, for `onDetail`. */
  readonly why?: string;
  /** Once it aborts nobody waits for threads any more. */
  readonly signal?: AbortSignal;
}

const KERNEL_NAMES = { wasm: "WebAssembly SIMD", twin: "TypeScript" } as const;

/**
 * Starts threads and does not wait for them ({@linkcode Crew.settle} does); falls back to the calling
 * thread, and says so, where there are none.
 */
export function openCrew(options: CrewOptions): Crew {
  const mayShare = options.threads > 1 && whyNoThreads() === undefined;
  const wasm = (mayShare && hasWasm({ shared: true, pages: pagesOf(options) })) || hasWasm();
  if (!wasm) options.onWarning?.("WebAssembly SIMD is missing: training in TypeScript, slower");
  const name = wasm ? options.kernels ?? "wasm" : "twin";
  if (options.threads > 1) {
    const reason = wasm ? whyNoThreads() : "WebAssembly is missing";
    if (reason === undefined) {
      try {
        return openWorkers(options, name);
      } catch (error) {
        options.onWarning?.(startProblem(error));
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

/** Pages of shared memory; 1 where it grows as it is needed. */
function pagesOf({ pages = 1 }: CrewOptions): number {
  return countsUntouchedMemory() ? 1 : pages;
}

/** Starts a worker with no more code than it will be asked for. */
function openWorker({ kernels, alone, losses, metrics, linear }: Start): Worker {
  const options = { type: "module" } as const;
  if (kernels === "twin" || losses || metrics || linear) {
    return new Worker(new URL("./worker_more.ts", import.meta.url), options);
  }
  return alone
    ? new Worker(new URL("./worker_alone.ts", import.meta.url), options)
    : new Worker(new URL("./worker.ts", import.meta.url), options);
}

function openWorkers(options: CrewOptions, name: Kernels["name"]): Crew {
  const { threads, alone = true, losses = false, metrics = false, linear = false } = options;
  const memory = createMemory({ shared: true, pages: pagesOf(options) });
  const module = kernelModule(memory);
  const kernels = kernelsOf(name, memory);
  const workers: Worker[] = [];
  const ready: Promise<void>[] = [];
  try {
    for (let thread = 1; thread < threads; thread++) {
      const start: Start = {
        memory: memory.wasm!,
        pages: memory.pages,
        module,
        kernels: name,
        thread,
        spins: spinsOf(threads),
        alone,
        losses,
        metrics,
        linear,
      };
      const worker = openWorker(start);
      workers.push(worker);
      ready.push(started(worker));
      worker.postMessage(start);
    }
  } catch (error) {
    for (const worker of workers) worker.terminate();
    throw error;
  }
  // Whoever closes the crew before it has settled does not hear of threads that failed to start.
  const all = Promise.all(ready);
  all.catch(() => {});
  return joinWorkers(workers, all, { memory, kernels, name, options });
}

const OPS = allOps({
  growTreesAlone,
  growMembersAlone,
  lossGradients,
  refitLeaves,
  measure,
  addLinear,
  fitLinear,
});

/** What the calling thread of a crew works with. */
interface Own {
  readonly memory: Memory;
  readonly kernels: Kernels;
  readonly name: Kernels["name"];
  readonly options: CrewOptions;
}

function joinWorkers(
  workers: readonly Worker[],
  ready: Promise<unknown>,
  { memory, kernels, name, options }: Own,
): Crew {
  const state: ThreadState = { memory, kernels, thread: 0, context: undefined };
  const mostSpins = spinsOf(workers.length + 1);
  let numThreads = workers.length + 1;
  /** Workers that take part in the operation. */
  let numHere = 0;
  /** An operation that the others are at without the calling thread. */
  let begun: OpNumber | undefined;
  /** Whether the calling thread is within an operation: another one would wait for it for ever. */
  let within = false;
  let closed = false;

  /** Wakes the workers that are there for an operation. */
  function release(op: OpNumber): void {
    const { i32 } = memory;
    numHere = numThreads === 1 ? 0 : Atomics.load(i32, Control.present >>> 2);
    i32[Control.counter >>> 2] = 0;
    i32[Control.op >>> 2] = op;
    i32[Control.memoryPages >>> 2] = memory.u8.length / 65536;
    Atomics.store(i32, Control.arrived >>> 2, 0);
    // One word says both: a worker that comes just now must not be half of two operations.
    const last = Atomics.load(i32, Control.sequence >>> 2);
    Atomics.store(i32, Control.sequence >>> 2, ((last & -SEATS) + SEATS) | numHere);
    Atomics.notify(i32, Control.sequence >>> 2);
  }

  /** Waits until all workers that take part have finished. */
  function join(): void {
    const { i32 } = memory;
    const at = Control.arrived >>> 2;
    for (;;) {
      const arrived = Atomics.load(i32, at);
      if (arrived === numHere) break;
      const now = kernels.lookWhile(Control.arrived, arrived, mostSpins);
      if (now === arrived) Atomics.wait(i32, at, arrived);
    }
    throwNoted(failureSlot(i32.buffer, Control.failure, FAILURE_BYTES));
  }

  function begin(op: OpNumber): void {
    if (within) throw new Error("threads cannot begin an operation within another one");
    if (begun !== undefined) join();
    release(op);
    begun = op;
  }

  function run(op: OpNumber, meanwhile?: () => void): void {
    if (begun !== op) begin(op);
    begun = undefined;
    within = true;
    try {
      meanwhile?.();
      runOp(op, state, OPS);
    } finally {
      within = false;
      join();
    }
  }

  return {
    memory,
    kernels,
    get numThreads() {
      return numThreads;
    },
    run,
    async settle() {
      try {
        // Most are there by now, and hearing it from them would take a turn of the event loop.
        if (Atomics.load(memory.i32, Control.present >>> 2) < workers.length) {
          await inTime(ready, options.signal);
        }
        options.onDetail?.(
          `Training with ${KERNEL_NAMES[name]} on ${numThreads} threads, shared memory`,
        );
      } catch (error) {
        for (const worker of workers) worker.terminate();
        numThreads = 1;
        if (options.signal?.aborted === true) return; // whoever boosts stops before the first round
        options.onWarning?.(startProblem(error));
        options.onDetail?.(`Training with ${KERNEL_NAMES[name]} on one thread`);
      }
    },
    configure(layout, place) {
      const bytes = new TextEncoder().encode(JSON.stringify(layout));
      const at = place(bytes.length);
      memory.u8.set(bytes, at);
      memory.u32[Control.layoutAt >>> 2] = at;
      memory.u32[Control.layoutBytes >>> 2] = bytes.length;
      // Nobody waits for the others to read it until there is something else to do.
      begin(Op.configure);
      const context = state.context = createContext(memory, kernels, layout, 0);
      return { context, begin, run };
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
