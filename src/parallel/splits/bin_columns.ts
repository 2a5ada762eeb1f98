/**
 * Binning and ranking columns on a worker, before it helps to grow trees (`column_orders.ts`).
 *
 * @module
 */
import { leafwiseColumn } from "../../binning/leafwise_bins.ts";
import { createRanker, type Ranker } from "../../binning/rank.ts";
import type { Column } from "../../data/types.ts";
import { rankColumn } from "../../grow/rows/frame.ts";
import { shareFeature } from "../../grow/split_team.ts";
import type { BinnedAnswer, BinOrder, RankedAnswer, RankOrder } from "./column_orders.ts";

let ranker: Ranker | undefined;

function rankerOf(column: Column): Ranker {
  return ranker ??= createRanker(
    column.kind === "numeric" ? column.values.length : column.codes.length,
  );
}

/** Bins a column; its codes are in shared memory, where trees will need them. */
export function binColumn({ bin: { column, feature, limits } }: BinOrder): BinnedAnswer {
  const found = leafwiseColumn(column, feature, limits, rankerOf(column));
  const codes = new Uint16Array(new SharedArrayBuffer(found.codes.byteLength));
  codes.set(found.codes);
  return { feature, found: { ...found, codes } };
}

/** Ranks a column into shared memory. */
export function rankColumns({ rank: { column, feature } }: RankOrder): RankedAnswer {
  return { feature, found: shareFeature(rankColumn(rankerOf(column), column)) };
}

/** Gives the memory back that columns were worked on in. */
export function endColumns(): void {
  ranker = undefined;
}
