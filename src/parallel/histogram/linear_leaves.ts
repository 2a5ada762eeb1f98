/**
 * Linear leaves of all threads: one module, which workers load where a run wants them.
 *
 * @module
 */
export { addLinear } from "../../grow/histogram/linear_rows.ts";
export { fitLinear } from "./fit_linear.ts";
