/**
 * Entry of a worker thread.
 *
 * @module
 */
import { type Start, workerLoop } from "./worker_loop.ts";

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
  scope.postMessage("ready");
  workerLoop(data, losses?.lossGradients);
  scope.close();
};
