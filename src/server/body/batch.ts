/**
 * Rows of one request on their way from a body to the scorer.
 *
 * @module
 */
import type { InputReport, Schema } from "../../data/types.ts";
import { createTally, type Tally } from "../../model/contract.ts";
import type { EncodedInput } from "../../model/encode.ts";

/** Rows of one request as the scorer reads them, and what was noticed while they were filled. */
export interface Batch {
  readonly rows: number;
  /** Row-major, one number a feature: the value, or the category's code; NaN is missing. */
  readonly x: Float64Array;
  readonly tally: Tally;
  /** Cells sent, by feature. */
  readonly sent: Float64Array;
  /** 1 where the request names the feature at all. */
  readonly named: Uint8Array;
  /** Names that the model does not use. */
  ignored: Set<string>;
  /** True where it is known that every value was sent and known, and nothing else. */
  plain: boolean;
  /** The batch as predict methods take it. */
  readonly input: EncodedInput;
}

/** An empty batch: every value missing. */
export function createBatch(schema: Schema, rows: number, starts = false): Batch {
  const { length } = schema.features;
  const x = new Float64Array(rows * length).fill(NaN);
  return {
    rows,
    x,
    tally: createTally(length),
    sent: new Float64Array(length),
    named: new Uint8Array(length),
    ignored: new Set(),
    plain: false,
    input: inputOf(rows, x, starts),
  };
}

/** Rows as predict methods take them; `starts`: the last number of each is what it starts from. */
export function inputOf(rows: number, x: Float64Array, starts: boolean): EncodedInput {
  if (starts) return inputWithOffset(rows, x);
  const width = x.length / rows;
  return {
    rows,
    fill: (from, to, out) => out.set(x.subarray(from * width, to * width)),
    finish: () => EMPTY_REPORT,
  };
}

/** Rows whose last number is the raw score that they start from. */
function inputWithOffset(rows: number, x: Float64Array): EncodedInput {
  const width = x.length / rows;
  return {
    rows,
    get offset() {
      return Float64Array.from({ length: rows }, (_, row) => x[row * width + width - 1]);
    },
    fill(from, to, out) {
      for (let row = from; row < to; row++) {
        const at = row * width;
        out.set(x.subarray(at, at + width - 1), (row - from) * (width - 1));
      }
    },
    finish: () => EMPTY_REPORT,
  };
}

/** The report of a request is made by `reportBatch`, before anything is scored. */
export const EMPTY_REPORT: InputReport = {
  rows: 0,
  missing: new Map(),
  unknown: new Map(),
  absent: [],
  ignored: [],
};
