/**
 * Messages between a pool of scorers and its workers.
 *
 * @module
 */
import type { Dataset, InputReport } from "../../data/types.ts";
import type { Failure } from "../failures.ts";
import type { Share } from "./shares.ts";

/** Name of the workers, by which they know what they are. */
export const SCORE_WORKER = "treeline-score";

/** The methods of {@linkcode Model} by which a pool scores tables. */
export type TableScore =
  | "predictRaw"
  | "predictValue"
  | "predictProba"
  | "predictClass"
  | "predictLeaf";

/** All of them. */
export const TABLE_SCORES: readonly TableScore[] = [
  "predictRaw",
  "predictValue",
  "predictProba",
  "predictClass",
  "predictLeaf",
];

/** What a worker is asked: its share of rows by position, or a table. */
export type ScoreJob =
  & { readonly id: number }
  & (
    | { readonly share: Share }
    | {
      readonly table: Dataset;
      readonly score: TableScore;
      readonly options: { readonly rounds?: number; readonly columns?: "strict" | "lenient" };
    }
  );

/** Scores of a table, row-major: numbers, nodes or classes. */
export type Scores = Float64Array | Int32Array | string[];

/** Answer of a worker. */
export interface ScoreAnswer {
  readonly id: number;
  /** Whether the worker has scored a table and is free for the next one. */
  readonly wasTable: boolean;
  readonly scores?: Scores;
  readonly report?: InputReport;
  readonly failure?: Failure;
}
