/**
 * Working memory of the splitters, made once a tree and sized by the rows of its root.
 *
 * @module
 */

/** Buffers that grow to the largest request. */
export interface Scratch {
  /** Places of a node's rows in the order of a feature. */
  order: Int32Array;
  /** Code of each row by place. */
  code: Int32Array;
  /** Second buffer of the radix sort. */
  spare: Int32Array;
  /** Packed code and place. */
  keys: Uint32Array;
  /** Code of each group. */
  groupCode: Int32Array;
  /** Exclusive end of each group in `order`. */
  groupEnd: Int32Array;
  /** Channels left of the end of each group. */
  left: Float64Array;
  /** Gain of each cut. */
  gains: Float64Array;
  /** Channels by code. */
  table: Float64Array;
  /** Counts of the radix sort. */
  counts: Int32Array;
}

/** Scratch for nodes of up to `numRows` rows and features of up to `maxCodes` codes. */
export function createScratch(numRows: number, maxCodes: number, channels: number): Scratch {
  const groups = Math.min(numRows, maxCodes + 1) + 1;
  return {
    order: new Int32Array(numRows),
    code: new Int32Array(numRows),
    spare: new Int32Array(numRows),
    keys: new Uint32Array(1024),
    groupCode: new Int32Array(groups),
    groupEnd: new Int32Array(groups),
    left: new Float64Array(groups * channels),
    gains: new Float64Array(groups),
    table: new Float64Array(Math.min(maxCodes + 1, 2 * numRows + 2) * channels),
    counts: new Int32Array(2048),
  };
}
