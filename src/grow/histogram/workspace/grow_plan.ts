/**
 * What the kernels that grow trees by levels are told of where everything is: the same for all trees of a
 * place.
 *
 * @module
 */
import { GROW_PLAN_BYTES, GROW_WORDS, GrowField, GrowNumber } from "../../../kernels/items/grow.ts";
import { LEVEL_WORK_BYTES } from "../../../kernels/types.ts";
import { EVALUATE_BYTES, type HistLayout } from "./layout.ts";

/** The plan of a thread, as bytes: what is the same for all trees. */
export function growPlanOf(layout: HistLayout, thread: number): Uint8Array | undefined {
  const { growing, bins, params, sets: [{ numBlocks }] } = layout;
  if (growing === undefined) return undefined;
  const words: { readonly [field: number]: number } = {
    [GrowField.nodes]: growing.nodes,
    [GrowField.capacity]: growing.capacity,
    [GrowField.tables]: growing.tables,
    [GrowField.features]: growing.features,
    [GrowField.levelFirst]: growing.levelFirst,
    [GrowField.items]: layout.items,
    [GrowField.groups]: layout.groups,
    [GrowField.stripes]: layout.stripes,
    [GrowField.args]: layout.args,
    [GrowField.found]: layout.found,
    [GrowField.segments]: layout.segments,
    [GrowField.numBlocks]: numBlocks,
    [GrowField.features8]: bins.features8,
    [GrowField.features16]: bins.order16.length,
    [GrowField.numCells]: bins.numCells,
    [GrowField.numThreads]: layout.numThreads,
    [GrowField.mostStriped]: layout.mostStriped,
    [GrowField.copies]: layout.copies,
    [GrowField.copyBytes]: layout.copyBytes,
    [GrowField.params]: layout.evaluate + EVALUATE_BYTES * thread,
    [GrowField.levelWork]: layout.levelWork + LEVEL_WORK_BYTES * thread,
    [GrowField.counted]: layout.counted === "none" ? 0 : 1,
    [GrowField.allRows]: layout.mask === 0 ? 1 : 0,
  };
  const plan = new Uint8Array(GROW_PLAN_BYTES);
  const numbers = new Float64Array(plan.buffer, 0, GROW_WORDS >>> 3);
  numbers[GrowNumber.leastHessian] = 2 * params.minChildWeight * (1 - 1e-9);
  numbers[GrowNumber.leastRows] = Math.max(2, 2 * params.minRowsPerLeaf);
  const fields = new Uint32Array(plan.buffer, GROW_WORDS);
  for (const [field, value] of Object.entries(words)) fields[Number(field)] = value;
  return plan;
}
