/**
 * Queries of ranking data: runs of adjacent rows with the same number.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { createSum } from "../../util/sum.ts";
import type { Labels } from "../types.ts";

const KNOWN = new WeakMap<Int32Array, Int32Array>();

/** Has the queries of an array found anew: its owner may have written other ones into it. */
export function forgetQueries(group: Int32Array): void {
  KNOWN.delete(group);
}

/** Row where each query begins, and the number of rows at the end: length queries + 1. */
export function queryStarts(group: Int32Array): Int32Array {
  const known = KNOWN.get(group);
  if (known !== undefined) return known;
  const starts: number[] = [];
  for (let row = 0; row < group.length; row++) {
    if (row === 0 || group[row] !== group[row - 1]) starts.push(row);
  }
  starts.push(group.length);
  const found = Int32Array.from(starts);
  KNOWN.set(group, found);
  return found;
}

/**
 * Queries of labels.
 *
 * @throws {DataError} `E_DATA_SHAPE` where rows have no queries.
 */
export function queriesOf(what: string, labels: Labels): Int32Array {
  if (labels.group !== undefined) return queryStarts(labels.group);
  throw new DataError(
    "E_DATA_SHAPE",
    `Cannot use ${what}: the data has no query column; name the one whose equal values make a ` +
      `query (group: …, --group)`,
  );
}

/** Weight of a query: the mean of its rows' weights. */
export function queryWeight(labels: Labels, from: number, to: number): number {
  if (labels.weight === undefined) return 1;
  let total = 0;
  for (let row = from; row < to; row++) total += labels.weight[row];
  return total / (to - from);
}

/** Mean weight of the queries. */
export function meanQueryWeight({ group, weight }: Labels): number {
  if (group === undefined || weight === undefined) return 1;
  const starts = queryStarts(group);
  const total = createSum();
  for (let q = 0; q + 1 < starts.length; q++) {
    total.add(queryWeight({ values: weight, weight }, starts[q], starts[q + 1]));
  }
  return total.value() / (starts.length - 1);
}

/** Rows of a query from the best score to the worst; equal scores keep row order. */
export function rankRows(scores: Float64Array, from: number, to: number): Int32Array {
  const order = Int32Array.from({ length: to - from }, (_, i) => from + i);
  return order.sort((a, b) => scores[b] - scores[a] || a - b);
}
