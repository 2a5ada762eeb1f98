/**
 * The seam between growing trees and threads: whoever grows asks a team to perform an operation and
 * goes on when all of it is done.
 *
 * @module
 */
import type { Memory } from "../../../kernels/memory.ts";
import type { Kernels } from "../../../kernels/types.ts";
import type { HistContext } from "./context.ts";
import type { HistLayout } from "./layout.ts";
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
  /** Lets other threads begin an operation that is run next; absent where there are none. */
  begin?(op: OpNumber): void;
  run(op: OpNumber, meanwhile?: () => void): void;
}
