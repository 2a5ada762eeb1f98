/**
 * What the server asks of a model and what its owner may set.
 *
 * @module
 */
import type { Dataset, Matrix, Schema } from "../data/types.ts";
import type { Ensemble, ModelInfo } from "../model/types.ts";

/** What the server needs of a model; every `Model` has it. */
export interface ServableModel {
  readonly schema: Schema;
  readonly info: ModelInfo;
  readonly ensemble: Ensemble;
  /** Hash of the input contract, hexadecimal. */
  readonly schemaHash: string;
  readonly numTrees: number;
  readonly numRounds: number;
  readonly numOutputs: number;
  /** Raw scores, rows × outputs. */
  predictRaw(input: Dataset): Matrix;
  /** Responses, row-major rows × outputs. */
  predictValue(input: Dataset): Float64Array;
  /** Probabilities, rows × classes. */
  predictProba(input: Dataset): Matrix;
  /** Labels, one a row. */
  predictClass(input: Dataset): string[];
  /** Leaf of each tree, rows × trees. */
  predictLeaf(
    input: Dataset,
  ): { readonly data: Int32Array; readonly rows: number; readonly cols: number };
}

/** Bounds on one request; each answers 413 when passed. */
export interface Limits {
  /** Rows in one request (NDJSON streams are not bounded by it). @default 10000 */
  readonly maxRows: number;
  /** Bytes of a request body. @default 8388608 */
  readonly maxBytes: number;
  /** Distinct column names in one request. @default 4096 */
  readonly maxColumns: number;
  /** Characters of one text value. @default 4096 */
  readonly maxString: number;
}

/** Limits where the owner says nothing. */
export const DEFAULT_LIMITS: Limits = {
  maxRows: 10_000,
  maxBytes: 8 << 20,
  maxColumns: 4096,
  maxString: 4096,
};
