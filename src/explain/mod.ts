/**
 * Why a model gives a score, and which columns matter to it.
 *
 * @module
 */
import "../format/explain.ts"; // models that ./predict read can give their covers, too
export {
  createShapExplainer,
  explainShap,
  type ShapOptions,
  type ShapValues,
} from "./tree_shap.ts";
export { createShapPool, type ShapPool, type ShapPoolOptions } from "./shap_pool.ts";
export { type FeatureImportance, featureImportance } from "./importance.ts";
export {
  type PermutationImportance,
  permutationImportance,
  type PermutationOptions,
} from "./permutation.ts";
export {
  type PartialDependence,
  partialDependence,
  type PartialDependenceOptions,
} from "./partial_dependence.ts";

// What its functions take.
export type * from "../model/public.ts";
