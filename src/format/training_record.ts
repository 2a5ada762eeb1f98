/**
 * What every trainer leaves in its model: a self-test and statistics of the training rows. Both are
 * made when the model is written, so that a model which only scores does not pay for them.
 *
 * @module
 */
import { lengthOf } from "../data/dataset/check.ts";
import { selectRows } from "../data/dataset/dataset.ts";
import type { Column, Dataset } from "../data/types.ts";
import type { Attachments, Model } from "../model/model.ts";
import { selfTestOf } from "./self_test.ts";
import { knownRows, statRows, statsSectionOf } from "./training_stats.ts";

/** Rows of the self-test: a loader scores them all. */
const TEST_ROWS = 4;
/** Multiples of it spread evenly over the unit interval (its fractional part is the golden ratio's). */
const GOLDEN = 0.6180339887498949;

/**
 * Remembers rows for the sections TEST and STAT of the model that is trained on them.
 *
 * Statistics are of rows at even distances. A value of a self-test row is one of training, and its
 * neighbours are from other rows: no row of the data is in the file. Data of bins leave both where
 * the values of {@linkcode recordedRows} were kept beside the bins, else neither.
 *
 * @param before The model that the training began with.
 */
export function trainingRecord(data: Dataset, before?: Model): (model: Model) => Attachments {
  const { numRows, features } = data;
  const rows = statRows(numRows, features.length);
  const sample = exactRows(features, () => rows);
  const mixed = exactRows(features, (f) => mixedRows(numRows, f));
  if (sample === undefined || mixed === undefined) return () => new Map();
  const known = before && knownRows(before); // now: models that follow each other hold no rows
  const { offset } = data;
  // Scores of the statistics are those that serving will have.
  const starts = offset && pickOffset(offset, rows, offset.length / numRows);
  const stated = starts === undefined ? sample : { ...sample, offset: starts };
  return (model) =>
    new Map([["TEST", selfTestOf(model, mixed)], ["STAT", statsSectionOf(model, stated, known)]]);
}

function pickOffset(offset: Float64Array, rows: Int32Array, width: number): Float64Array {
  return Float64Array.from(
    { length: rows.length * width },
    (_, i) => offset[rows[Math.floor(i / width)] * width + i % width],
  );
}

/** Rows of which {@linkcode trainingRecord} needs the value of feature `f`, ascending. */
export function recordedRows(numRows: number, numFeatures: number, f: number): Int32Array {
  const rows = [...statRows(numRows, numFeatures), ...mixedRows(numRows, f)];
  return Int32Array.from(new Set(rows)).sort();
}

/** From which rows feature `f` takes its values. */
function mixedRows(numRows: number, f: number): Int32Array {
  return Int32Array.from({ length: TEST_ROWS }, (_, i) => {
    const place = (i / TEST_ROWS + f * GOLDEN) % 1;
    return Math.floor(place * numRows);
  });
}

/** Some rows of each feature; undefined where a value was not kept. */
function exactRows(
  features: readonly Column[],
  rowsOf: (f: number) => Int32Array,
): Dataset | undefined {
  const columns: Column[] = [];
  let numRows = 0;
  for (let f = 0; f < features.length; f++) {
    const column = features[f];
    const rows = rowsOf(f);
    numRows = rows.length;
    if (column.kind === "categorical" || column.binned === undefined) {
      columns.push(selectRows({ numRows: lengthOf(column), features: [column] }, rows).features[0]);
      continue;
    }
    const values = new Float64Array(numRows);
    for (let i = 0; i < numRows; i++) {
      const value = column.binned.exact(rows[i]);
      if (value === undefined) return undefined;
      values[i] = value;
    }
    columns.push({ kind: "numeric", name: column.name, values });
  }
  return { numRows, features: columns };
}
