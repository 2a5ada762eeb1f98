/**
 * The task of threads that explain: a block of encoded rows → its contributions.
 *
 * @module
 */
import { createRowExplainer, type ShapPlan } from "./tree_shap.ts";

/** Name of the workers, by which they know what they are. */
export const SHAP_WORKER = "treeline-shap";

/** Contributions of row-major `rows × numFeatures`: `rows × numOutputs × numFeatures`. */
export function explainBlocks(plan: ShapPlan): (x: Float64Array) => Float64Array {
  const explain = createRowExplainer(plan);
  return (x) => {
    const out = new Float64Array(x.length * plan.ensemble.numOutputs);
    explain(x, out);
    return out;
  };
}
