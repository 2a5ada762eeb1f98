/**
 * The leaf of each row in each tree by several threads, a stripe of rows at a time. A row's leaves
 * depend on nothing but the row.
 *
 * @module
 */
import type { Column, Dataset, FloatArray } from "../../data/types.ts";
import type { Model } from "../../model/model.ts";
import { numCores } from "../../runtime/env.ts";
import { createScorerPool } from "./pool.ts";
import { threadsOf } from "../tasks.ts";
import { SHARED } from "../rows/team_tasks.ts";

/** Rows × trees from which threads pay: about 0.4 s on one. */
const LEAST_WORK = 1e7;
/** Rows that are sent at a time; fewer in all are not sent. */
const STRIPE = 8192;

/**
 * Node of each row in each tree, row-major `numRows × numTrees`, as `predictLeaf` numbers them.
 *
 * @param threads All cores where there is work enough, when it is not given.
 */
export async function leavesOnThreads(
  model: Model,
  data: Dataset,
  threads?: number,
): Promise<Int32Array> {
  const { numRows, features } = data;
  const isSmall = numRows * model.numTrees < LEAST_WORK;
  const wanted = threadsOf(threads, isSmall ? 1 : numCores());
  const alone = wanted === 1 || numRows <= STRIPE ||
    features.some((column) => column.kind === "numeric" && column.binned !== undefined);
  if (alone) return model.predictLeaf(data).data;
  // Threads that fit new leaves see it too.
  const leaves = SHARED.ints(numRows * model.numTrees);
  using pool = createScorerPool(model, { threads: wanted });
  const scoreFrom = async (from: number) => {
    const part = stripeOf(data, from, Math.min(numRows, from + STRIPE));
    leaves.set(await pool.table("predictLeaf", part) as Int32Array, from * model.numTrees);
  };
  try {
    // Two stripes a thread at a time: each is a copy.
    let next = 0;
    const lane = async () => {
      for (let from = next; from < numRows; from = next) {
        next += STRIPE;
        await scoreFrom(from);
      }
    };
    await Promise.all(Array.from({ length: 2 * wanted }, lane));
    return leaves;
  } catch {
    // One thread meets the same error, and at its own row.
    return model.predictLeaf(data).data;
  }
}

/** Some rows: copies, since a message carries the whole buffer of an array, but for shared memory. */
function stripeOf({ features }: Dataset, from: number, to: number): Dataset {
  const part = <T extends FloatArray | Int32Array>(values: T): T =>
    (values.buffer instanceof ArrayBuffer
      ? values.slice(from, to)
      : values.subarray(from, to)) as T;
  return {
    numRows: to - from,
    features: features.map((column): Column =>
      column.kind === "numeric"
        ? { ...column, values: part(column.values) }
        : { ...column, codes: part(column.codes) }
    ),
  };
}
