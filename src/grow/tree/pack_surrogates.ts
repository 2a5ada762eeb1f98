/**
 * Surrogate splits of a grown tree as the model stores them.
 *
 * @module
 */
import type { Surrogates } from "../../model/types.ts";
import { packOrder } from "./pack.ts";
import type { GrownTree } from "./tree.ts";

/** Packs the surrogates of every node, in the order of `packGrown`. */
export function packSurrogates(tree: GrownTree): Surrogates {
  const { order } = packOrder(tree);
  const start = new Int32Array(order.length + 1);
  const all = order.map((node) => tree.surrogates[node] ?? []);
  all.forEach((list, i) => start[i + 1] = start[i] + list.length);
  const flat = all.flat();
  const pool: number[] = [];
  const categoryAt = flat.map((surrogate) => {
    if (surrogate.branches === undefined) return -1;
    const at = pool.length;
    for (const branch of surrogate.branches) pool.push(branch < 0 ? 255 : branch);
    return at;
  });
  return {
    start,
    feature: Int32Array.from(flat, ({ feature }) => feature),
    threshold: Float64Array.from(flat, ({ threshold }) => threshold),
    below: Uint8Array.from(flat, ({ below }) => below),
    categoryAt: Int32Array.from(categoryAt),
    pool: Uint8Array.from(pool),
  };
}
