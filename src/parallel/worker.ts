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
  // Threads start without the code they are not asked for.
  const alone = data.alone ? await import("./whole_trees.ts") : {};
  const losses = data.losses ? await import("./loss_gradients.ts") : {};
  const leaves = data.losses ? await import("./refit_leaves.ts") : {};
  const metrics = data.metrics ? await import("./measure_sets.ts") : {};
  const linear = data.linear ? await import("./linear_leaves.ts") : {};
  const twin = data.kernels === "twin" ? await import("../kernels/twin.ts") : undefined;
  const others = { ...alone, ...losses, ...leaves, ...metrics, ...linear };
  const work = joinCrew(data, others, twin?.twinKernels);
  scope.postMessage("ready");
  work();
  scope.close();
};
