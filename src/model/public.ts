/**
 * Types of models and of their input, which every door names.
 *
 * @module
 */
export type * from "../data/types.ts";
export type { ColumnOptions, EncodedInput, PredictInput } from "./encode.ts";
export type { Attachments, LeafMatrix, Model, PredictOptions } from "./model.ts";
export type { Rules } from "./packed.ts";
export type { PositionalScorer } from "./positional.ts";
export type * from "./types.ts";
