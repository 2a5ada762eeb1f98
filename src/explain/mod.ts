/**
 * Why a model gives a score.
 *
 * @module
 */
export { explainShap, type ShapOptions, type ShapValues } from "./tree_shap.ts";
