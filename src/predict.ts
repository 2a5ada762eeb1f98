/**
 * Load a model and score rows: no training code, no dependencies, for browsers, edge servers, Node
 * and Deno.
 *
 * @module
 */
// First, so that the kernel's text begins the bundle: gzip makes 260 bytes less of it than amid code.
import "./model/score/wasm_bytes.ts";
// gzip looks back half of the bundle: with the scorers next, and what reads files after them, it finds
// 130 bytes more.
import "./model/score/tiers.ts";
import "./model/score/general.ts";
import "./format/packed.ts";

export { type ErrorCode, type ErrorDetails, type ErrorOptions, TreelineError } from "./errors.ts";
export { decodeModel, type DecodeOptions } from "./format/decode.ts";
export { loadModel } from "./files/load_model.ts";
export type { Limits } from "./format/sections.ts";
export type * from "./model/public.ts";
