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

export { TreelineError } from "./errors.ts";
export type { Cell, Dataset, InputReport, Matrix, Row, Schema } from "./data/types.ts";
export { decodeModel, type DecodeOptions } from "./format/decode.ts";
export { loadModel } from "./files/load_model.ts";
export type { LeafMatrix, Model, PredictOptions } from "./model/model.ts";
export type { PredictInput } from "./model/encode.ts";
export type { PositionalScorer } from "./model/positional.ts";
