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

export { type ErrorCode, type ErrorDetails, TreelineError } from "./errors.ts";
export type {
  Cell,
  Column,
  Dataset,
  InputFeature,
  InputReport,
  Matrix,
  Row,
  Schema,
  Target,
} from "./data/types.ts";
export { decodeModel, type DecodeOptions } from "./format/decode.ts";
export { loadModel } from "./files/load_model.ts";
export type { LeafMatrix, Model, PredictOptions } from "./model/model.ts";
export type { ColumnOptions, PredictInput } from "./model/encode.ts";
export type { ModelInfo } from "./model/types.ts";
export type { PositionalScorer } from "./model/positional.ts";
