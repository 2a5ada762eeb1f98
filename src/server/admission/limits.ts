/**
 * How large a request may be.
 *
 * @module
 */

/** Limits of a request. The answer to a larger one has status 413. */
export interface Limits {
  /** Number of rows; streams of NDJSON are not limited by it. @default 10000 */
  readonly maxRows: number;
  /** Size of the body in bytes. @default 8388608 */
  readonly maxBytes: number;
  /**
   * Number of distinct column names that the model does not know. A JSON body may have a few times as
   * many names. @default 4096
   */
  readonly maxColumns: number;
  /** Length of a text value in characters. @default 4096 */
  readonly maxString: number;
  /** Depth of nested arrays and objects in a JSON body. @default 32 */
  readonly maxDepth: number;
}

/** The default limits. */
export const DEFAULT_LIMITS: Limits = {
  maxRows: 10_000,
  maxBytes: 8 << 20,
  maxColumns: 4096,
  maxString: 4096,
  maxDepth: 32,
};
