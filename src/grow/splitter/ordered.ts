/**
 * Rows in the order of one feature, for criteria that need more than sums.
 *
 * @module
 */
import type { OrderedRows } from "../criterion/criterion.ts";
import type { SplitContext } from "./split.ts";

/**
 * Rows of the groups in another order.
 *
 * @param order Groups.
 * @param ends How many of them each set has, with those before.
 */
export function orderedBySets(
  { scratch }: SplitContext,
  { order, ends }: { readonly order: Int32Array; readonly ends: readonly number[] },
): OrderedRows {
  const turned = new Int32Array(scratch.groupEnd[order.length - 1]);
  const groupEnd = new Int32Array(ends.length);
  let at = 0;
  let set = 0;
  for (let i = 0; i < order.length; i++) {
    const begin = order[i] > 0 ? scratch.groupEnd[order[i] - 1] : 0;
    turned.set(scratch.order.subarray(begin, scratch.groupEnd[order[i]]), at);
    at += scratch.groupEnd[order[i]] - begin;
    if (i + 1 === ends[set]) groupEnd[set++] = at;
  }
  return { order: turned, groupEnd };
}

/**
 * Ordered rows with those whose value is missing on one side of every cut.
 *
 * @param known Those whose value is known, in order.
 * @param cuts How many of them are left of each cut.
 * @param missing Those whose value is missing.
 */
export function missingBeside(
  known: Int32Array,
  cuts: ArrayLike<number>,
  missing: Int32Array,
  side: "left" | "right",
): OrderedRows {
  const isLeft = side === "left";
  const order = new Int32Array(known.length + missing.length);
  order.set(missing, isLeft ? 0 : known.length);
  order.set(known, isLeft ? missing.length : 0);
  const groupEnd = new Int32Array(cuts.length + 1);
  for (let i = 0; i < cuts.length; i++) groupEnd[i] = cuts[i] + (isLeft ? missing.length : 0);
  groupEnd[cuts.length] = order.length;
  return { order, groupEnd };
}
