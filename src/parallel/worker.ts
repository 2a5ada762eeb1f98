/**
 * Entry of a worker thread.
 *
 * @module
 */
import { joinCrew, type Start } from "./worker_loop.ts";

/** The part of a worker's global scope that is used here. */
interface Scope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

const scope = globalThis as unknown as Scope;

scope.onmessage = async ({ data }: MessageEvent<Start>) => {
  // Most losses have kernels: their threads start without the others' code.
  const losses = data.losses ? await import("./loss_gradients.ts") : undefined;
  const work = joinCrew(data, losses?.lossGradients);
  scope.postMessage("ready");
  work();
  scope.close();
};
