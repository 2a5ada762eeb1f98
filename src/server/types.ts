/**
 * What the server's owner may set: bounds, and what answers hold.
 *
 * @module
 */

/** Bounds on one request; each answers 413 when passed. */
export interface Limits {
  /** Rows in one request (NDJSON streams are not bounded by it). @default 10000 */
  readonly maxRows: number;
  /** Bytes of a request body. @default 8388608 */
  readonly maxBytes: number;
  /**
   * Distinct unknown column names in one request; a JSON body may hold a few times as many names.
   * @default 4096
   */
  readonly maxColumns: number;
  /** Characters of one text value. @default 4096 */
  readonly maxString: number;
  /** Arrays and objects within each other in a JSON body. @default 32 */
  readonly maxDepth: number;
}

/** Limits where the owner says nothing. */
export const DEFAULT_LIMITS: Limits = {
  maxRows: 10_000,
  maxBytes: 8 << 20,
  maxColumns: 4096,
  maxString: 4096,
  maxDepth: 32,
};

/**
 * What an answer of SageMaker's protocol may hold, as the container's SAGEMAKER_INFERENCE_OUTPUT
 * names it.
 */
export const SAGEMAKER_OUTPUTS = [
  "predicted_label",
  "labels",
  "probability",
  "probabilities",
  "raw_score",
  "raw_scores",
  "predicted_score",
] as const;

/** One of {@linkcode SAGEMAKER_OUTPUTS}. */
export type SagemakerOutput = typeof SAGEMAKER_OUTPUTS[number];
