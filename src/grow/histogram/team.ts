/**
 * The seam between growing trees and threads: whoever grows asks a team to perform an operation and
 * goes on when all of it is done.
 *
 * @module
 */
import type { Memory } from "../../kernels/memory.ts";
import type { Kernels } from "../../kernels/types.ts";
import { Control } from "./control.ts";
import type { HistLayout } from "./layout.ts";
import { createContext, type HistContext, type ThreadState } from "./context.ts";
import { opsWith, runHistOp, runOp } from "./ops.ts";
import type { OpNumber } from "./op.ts";

/** Threads, the calling one among them, that have a memory but no layout yet. */
export interface Crew {
  readonly memory: Memory;
  readonly kernels: Kernels;
  /** As many as were asked for; 1 where {@linkcode Crew.settle} has found that others do not start. */
  readonly numThreads: number;
  /** Waits for threads that are still starting; {@linkcode Crew.configure} needs all of them. */
  settle(): Promise<void>;
  /**
   * Performs an operation and returns when all threads have finished it.
   *
   * @param meanwhile What the calling thread does first, while the others have begun.
   */
  run(op: OpNumber, meanwhile?: () => void): void;
  /** Tells all threads the layout. `place` is where it may be written. */
  configure(layout: HistLayout, place: (byteLength: number) => number): Team;
  close(): void;
}

/** Threads that know the layout. */
export interface Team {
  /** The calling thread's context. */
  readonly context: HistContext;
  run(op: OpNumber, meanwhile?: () => void): void;
}

/** A crew of the calling thread alone. */
export function soloCrew(memory: Memory, kernels: Kernels): Crew {
  const state: ThreadState = { memory, kernels, thread: 0, context: undefined };
  const ops = opsWith({});
  const run = (op: OpNumber, meanwhile?: () => void) => {
    meanwhile?.();
    memory.i32[Control.counter >>> 2] = 0;
    runOp(op, state, ops);
  };
  return {
    memory,
    kernels,
    numThreads: 1,
    settle: () => Promise.resolve(),
    run,
    configure(layout) {
      return teamOfOne(state.context = createContext(memory, kernels, layout, 0));
    },
    close() {},
  };
}

/** A team of the calling thread alone. */
export function teamOfOne(context: HistContext): Team {
  const { layout, memory } = context;
  return {
    context,
    run(op, meanwhile) {
      meanwhile?.();
      memory.i32[layout.counter >>> 2] = 0;
      runHistOp(op, context);
    },
  };
}
