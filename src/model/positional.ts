/**
 * Scoring by position, for callers that hold numbers in the model's order already and prove it by
 * the schema's hash. Nothing is allocated for a row.
 *
 * @module
 */
import type { FloatArray, Schema } from "../data/types.ts";
import { createTally, settle } from "./contract.ts";
import { numbersAlone, type Rules } from "./packed.ts";
import { demand } from "../small_door.ts";
import type { Scorer } from "./score/scorer.ts";

/**
 * Scores numbers in the order of `schema.features`: values of numeric features, and codes (positions
 * in `categories`) of categorical features, which lose their fraction; any other number is then an
 * unknown category. `NaN` is missing.
 */
export interface PositionalScorer {
  /** Writes the raw scores of one row to `out`, length `numOutputs`. */
  rawInto(row: FloatArray, out: Float64Array): void;
  /** Writes the responses of one row to `out`, length `numOutputs`. */
  valueInto(row: FloatArray, out: Float64Array): void;
  /** Writes the raw scores of row-major rows to `out`, row-major `rows × numOutputs`. */
  rawRowsInto(rows: FloatArray, out: Float64Array): void;
  /** Writes the raw scores of columns of equal length to `out`, row-major `rows × numOutputs`. */
  rawColumnsInto(columns: readonly FloatArray[], out: Float64Array): void;
}

/** What positional scoring needs of a model. */
export interface PositionalSource {
  readonly schema: Schema;
  readonly rules: Rules;
}

const BLOCK = 1024;

/**
 * Makes the positional scorer of a model.
 *
 * @param respond Raw scores → responses, in place.
 */
export function createPositional(
  { schema, rules }: PositionalSource,
  scorer: Scorer,
  respond: (values: Float64Array) => void,
): PositionalScorer {
  const { features } = schema;
  const { numOutputs } = rules;
  const numTrees = rules.treeWeight.length;
  const f32 = rules.profile.input === "f32";
  const numFeatures = features.length;
  let x = new Float64Array(numFeatures);
  // Features whose numbers are more than rounded.
  const special = numbersAlone.has(features) && !schema.missingCells
    ? []
    : features.flatMap((feature, f) =>
      feature.kind === "categorical" || schema.missingCells || feature.zeroIsMissing ||
        feature.missing === "error"
        ? [f]
        : []
    );

  // Nobody reads the counts here; the rules are those of rows by name.
  const tally = createTally(numFeatures);

  /** @param round Whether the numbers may be no float32. */
  function settleRows(rows: number, firstRow: number, round: boolean): void {
    for (const f of special) {
      for (let r = 0; r < rows; r++) {
        const at = r * numFeatures + f;
        x[at] = settle(schema, f, x[at], firstRow + r, tally);
      }
    }
    if (round) { for (let i = 0; i < rows * numFeatures; i++) x[i] = Math.fround(x[i]); }
  }

  const isRound = (values: FloatArray) => !f32 || values instanceof Float32Array;

  function one(row: FloatArray, out: Float64Array): void {
    demand(row.length, numFeatures, "numbers of a row");
    demand(out.length, numOutputs, "places for raw scores");
    for (let f = 0; f < numFeatures; f++) x[f] = row[f];
    settleRows(1, 1, !isRound(row));
    scorer.score(x, 1, numTrees, out);
  }

  function blocks(
    rows: number,
    out: Float64Array,
    round: boolean,
    fill: (from: number, to: number) => void,
  ): void {
    demand(out.length, rows * numOutputs, "places for raw scores");
    const room = Math.min(BLOCK, rows) * numFeatures;
    if (x.length < room) x = new Float64Array(room);
    for (let from = 0; from < rows; from += BLOCK) {
      const to = Math.min(rows, from + BLOCK);
      fill(from, to);
      settleRows(to - from, from + 1, round);
      scorer.score(x, to - from, numTrees, out.subarray(from * numOutputs, to * numOutputs));
    }
  }

  return {
    rawInto: one,
    valueInto(row, out) {
      one(row, out);
      respond(out);
    },
    rawRowsInto(rows, out) {
      const count = numFeatures === 0 ? out.length / numOutputs : rows.length / numFeatures;
      demand(rows.length, Math.floor(count) * numFeatures, "numbers of whole rows");
      blocks(count, out, !isRound(rows), (from, to) => {
        x.set(rows.subarray(from * numFeatures, to * numFeatures));
      });
    },
    rawColumnsInto(columns, out) {
      demand(columns.length, numFeatures, "columns");
      const count = numFeatures === 0 ? out.length / numOutputs : columns[0].length;
      for (const column of columns) demand(column.length, count, "numbers of a column");
      blocks(count, out, !columns.every(isRound), (from, to) => {
        for (let f = 0; f < numFeatures; f++) {
          const column = columns[f];
          for (let r = from; r < to; r++) x[(r - from) * numFeatures + f] = column[r];
        }
      });
    },
  };
}
