/**
 * What XGBoost's exact method and LightGBM's do their own way, where a run repeats their arithmetic.
 *
 * @module
 */
import type { LinearColumns } from "../../grow/linear_leaves.ts";
import type { Ensemble } from "../../model/types.ts";
import type { SharedGradients } from "../../parallel/rows/serial_loss.ts";
import type { SharedSets } from "../../parallel/rows/serial_sets.ts";
import type { SerialTree } from "../linear_leaves.ts";

/** A tree with the node in which each row ended (−1: the row took no part). */
export interface GrownSerial extends SerialTree {
  readonly leafOf: Int32Array;
}

/** What a method does its own way. */
export interface SerialMethod {
  /** Rounds scores, leaf values and feature values to the library's precision: `Math.fround`, or not. */
  readonly round: (value: number) => number;
  /** A derivative times its row's weight; the result is stored as float32. */
  readonly weigh: (derivative: number, weight: number) => number;
  readonly missingLearnt: readonly boolean[];
  /** Values that linear leaves are fitted to, where there are such leaves. */
  readonly columns?: LinearColumns | undefined;
  readonly profile: Ensemble["profile"];
  /** Arrays and threads that share the gradients; absent: this thread computes them. */
  readonly gradients?: SharedGradients | undefined;
  /** Sets whose scores and metrics threads share; absent: this thread sees to them. */
  readonly sets?: SharedSets | undefined;
  /** A round without any split is dropped and ends training. */
  readonly endsWithoutSplit: boolean;
  /** `round` is from 1, those of an earlier run counted too. */
  readonly grow: (gradient: Float32Array, hessian: Float32Array, round: number) => GrownSerial;
}
