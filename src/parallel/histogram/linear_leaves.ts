/**
 * What threads need for linear leaves.
 *
 * @module
 */
export { addLinear } from "../../grow/histogram/linear_rows.ts";
export { fitLinear } from "./fit_linear.ts";
