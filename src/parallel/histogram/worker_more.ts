/**
 * Entry of a worker thread that is asked for more than common work.
 *
 * @module
 */
import { serveCrew } from "./worker_scope.ts";

serveCrew(async (start) => {
  // Threads start without the code they are not asked for.
  const alone = start.alone ? await import("./whole_trees.ts") : {};
  const losses = start.losses ? await import("./loss_gradients.ts") : {};
  const leaves = start.losses ? await import("./refit_leaves.ts") : {};
  const metrics = start.metrics ? await import("./measure_sets.ts") : {};
  const linear = start.linear ? await import("./linear_leaves.ts") : {};
  const twin = start.kernels === "twin" ? await import("../../kernels/twin/twin.ts") : undefined;
  return {
    others: { ...alone, ...losses, ...leaves, ...metrics, ...linear },
    twinKernels: twin?.twinKernels,
  };
});
