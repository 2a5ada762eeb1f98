/**
 * What a worker does that bins columns before it grows trees.
 *
 * @module
 */
import { leafwiseColumn } from "../binning/leafwise_bins.ts";
import { createRanker, type Ranker } from "../binning/rank.ts";
import type { BinnedAnswer, BinOrder } from "./split_worker.ts";

let ranker: Ranker | undefined;

/** Bins a column; its codes are in shared memory, where trees will need them. */
export function binColumn({ bin: { column, feature, limits } }: BinOrder): BinnedAnswer {
  const numRows = column.kind === "numeric" ? column.values.length : column.codes.length;
  ranker ??= createRanker(numRows);
  const found = leafwiseColumn(column, feature, limits, ranker);
  const codes = new Uint16Array(new SharedArrayBuffer(found.codes.byteLength));
  codes.set(found.codes);
  return { ...found, codes };
}

/** Gives the memory back that binning works in. */
export function endBinning(): void {
  ranker = undefined;
}
