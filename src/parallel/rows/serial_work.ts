/**
 * What the methods that repeat another library's arithmetic tell the threads that help them.
 *
 * @module
 */
import type { Labels } from "../../data/types.ts";
import type { Loss } from "../../loss/types.ts";
import type { Metric } from "../../metric/types.ts";
import type { SerialSet } from "./serial_sets.ts";

/** A run, and how it is carried out. */
export interface SerialWork {
  readonly numRows: number;
  /** Trees that will grow, at most. */
  readonly trees: number;
  /** What is minimised, and the labels as the method sees them. */
  readonly loss: Loss;
  readonly labels: Labels;
  /** The validation sets. */
  readonly valid: readonly SerialSet[];
  /** Labels that metrics of the training rows see, where these are asked for. */
  readonly judged?: Labels | undefined;
  readonly metrics: readonly Metric[];
  /** Scores and values of features are float32. */
  readonly single: boolean;
  /** Leaves may be linear. */
  readonly linear: boolean;
  /** @default all cores where there is work enough */
  readonly threads?: number | undefined;
  /** Once it aborts threads that start are not waited for. */
  readonly signal?: AbortSignal | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Told on how many threads trees grow. */
  readonly onDetail?: ((message: string) => void) | undefined;
}
