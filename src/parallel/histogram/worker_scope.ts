/**
 * The life of a worker thread of a crew: it is told what to work with, takes part, and closes.
 *
 * @module
 */
import type { Memory } from "../../kernels/memory.ts";
import type { Kernels } from "../../kernels/types.ts";
import { joinCrew, type OtherOps, type Start } from "./worker_loop.ts";

/** What a thread has besides the code of common work. */
export interface MoreCode {
  readonly others: OtherOps;
  readonly twinKernels?: ((memory: Memory) => Kernels) | undefined;
}

/** The part of a worker's global scope that is used here. */
interface Scope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

/** Waits for the message that starts it; `load` gives what code it asks for. */
export function serveCrew(load: (start: Start) => Promise<MoreCode>): void {
  const scope = globalThis as unknown as Scope;
  scope.onmessage = async ({ data }: MessageEvent<Start>) => {
    const { others, twinKernels } = await load(data);
    const work = joinCrew(data, others, twinKernels);
    scope.postMessage("ready");
    work();
    scope.close();
  };
}
