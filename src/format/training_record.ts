/**
 * What every trainer leaves in its model: a self-test and statistics of the training rows. Both are
 * made when the model is written, so that a model which only scores does not pay for them.
 *
 * @module
 */
import { selectRows } from "../data/dataset.ts";
import type { Dataset } from "../data/types.ts";
import type { Attachments, Model } from "../model/model.ts";
import { selfTestOf } from "./self_test.ts";
import { statsSectionOf } from "./training_stats.ts";

/** Rows of the self-test: a loader scores them all. */
const TEST_ROWS = 4;
/** Most rows that statistics are taken of, and most numbers in them. */
const STAT_ROWS = 4096;
const STAT_CELLS = 1 << 20;
/** Multiples of it spread evenly over the unit interval (its fractional part is the golden ratio's). */
const GOLDEN = 0.6180339887498949;

/**
 * Remembers rows for the sections TEST and STAT of the model that is trained on them.
 *
 * Statistics are of rows at even distances. A value of a self-test row is one of training, and its
 * neighbours are from other rows: no row of the data is in the file. Data of bins leave neither.
 */
export function trainingRecord(data: Dataset): (model: Model) => Attachments {
  const { numRows, features } = data;
  if (features.some((column) => column.kind === "numeric" && column.binned !== undefined)) {
    return () => new Map();
  }
  const plain: Dataset = { numRows, features };
  const count = Math.max(
    1,
    Math.min(numRows, STAT_ROWS, Math.floor(STAT_CELLS / Math.max(1, features.length))),
  );
  const sample = selectRows(
    plain,
    Int32Array.from({ length: count }, (_, i) => Math.floor(i * numRows / count)),
  );
  const mixed: Dataset = {
    numRows: TEST_ROWS,
    features: features.map((_, f) =>
      selectRows({ numRows, features: [features[f]] }, mixedRows(numRows, f)).features[0]
    ),
  };
  return (model) =>
    new Map([["TEST", selfTestOf(model, mixed)], ["STAT", statsSectionOf(model, sample)]]);
}

/** From which rows feature `f` takes its values. */
function mixedRows(numRows: number, f: number): Int32Array {
  return Int32Array.from({ length: TEST_ROWS }, (_, i) => {
    const place = (i / TEST_ROWS + f * GOLDEN) % 1;
    return Math.floor(place * numRows);
  });
}
