/**
 * The seam between growing trees and threads: whoever grows asks a team to perform an operation and
 * goes on when all of it is done.
 *
 * @module
 */
import { type HistContext, type OpNumber, runOp } from "./hist_ops.ts";

/** Threads (at least the calling one) that perform operations together. */
export interface Team {
  /** The calling thread's context. */
  readonly context: HistContext;
  /** Performs an operation and returns when all threads have finished it. */
  run(op: OpNumber): void;
}

/** A team of the calling thread alone. */
export function soloTeam(context: HistContext): Team {
  return {
    context,
    run(op) {
      context.memory.i32[context.layout.counter >>> 2] = 0;
      runOp(op, context);
    },
  };
}
