/**
 * What reads, scores and writes many rows faster, and few rows in the long run: kernels and their
 * tables. Every one of them gives what is given without it. Loaded by body/for_many.ts.
 *
 * @module
 */
import "../model/score/rows/rows.ts"; // registers itself

export { createMasks } from "../model/score/masks.ts";
export { createWriter } from "./answer/writer.ts";
export { createRowReader } from "./body/row_reader.ts";
