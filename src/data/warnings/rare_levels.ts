/**
 * Columns with very many values: those that no vocabulary of two bytes can name, and those that
 * are identifiers rather than categories.
 *
 * @module
 */
import { isDoubtful } from "./doubtful_columns.ts";
import type { CategoricalColumn, Column, Dataset } from "../types.ts";
import { rowsOfWeight } from "../dataset/weightless.ts";

/** Most values of a categorical column that training tells apart. */
const MAX_LEVELS = 65534;

/** Below so many rows, a value for nearly every row is nothing to wonder at. */
const MANY_ROWS = 100;

/**
 * Keeps the most frequent values of columns that have more than `maxLevels` (ties by order of the
 * vocabulary); the others count as values outside the vocabulary, in training and when scoring.
 * Says so, and says where a column has nearly as many values as rows. Rows of weight 0 do not count.
 */
export function limitLevels(
  data: Dataset,
  onWarning?: (message: string) => void,
  maxLevels = MAX_LEVELS,
): Dataset {
  const rows = rowsOfWeight(data, data.group !== undefined);
  const numRows = rows?.length ?? data.numRows;
  const features = data.features.map((column): Column => {
    if (column.kind === "numeric") return column;
    const { name, categories } = column;
    if (numRows >= MANY_ROWS && 2 * categories.length > numRows && !isDoubtful(column)) {
      onWarning?.(
        `Column "${name}" has ${categories.length} values in ${numRows} rows and looks like ` +
          `an identifier: drop it (drop, --drop), or read it as a number where its order matters`,
      );
    }
    if (categories.length <= maxLevels) return column;
    onWarning?.(
      `Column "${name}" has ${categories.length} values: the ${maxLevels} most frequent are ` +
        `learnt, the others count as unknown`,
    );
    return mostFrequent(column, maxLevels, rows);
  });
  const same = features.every((column, at) => column === data.features[at]);
  return same ? data : { ...data, features };
}

function mostFrequent(
  column: CategoricalColumn,
  maxLevels: number,
  rows: Int32Array | undefined,
): CategoricalColumn {
  const { codes, categories } = column;
  const counts = new Int32Array(categories.length);
  for (const code of rows?.map((row) => codes[row]) ?? codes) {
    if (code >= 0 && code < counts.length) counts[code]++;
  }
  const order = Int32Array.from(counts, (_, code) => code)
    .sort((a, b) => counts[b] - counts[a] || a - b);
  const kept = order.slice(0, maxLevels).sort();
  const place = new Int32Array(categories.length).fill(maxLevels);
  kept.forEach((code, at) => place[code] = at);
  return {
    ...column,
    codes: codes.map((code) => code < 0 ? code : place[code] ?? maxLevels),
    categories: Array.from(kept, (code) => categories[code]),
  };
}
