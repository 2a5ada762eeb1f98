/**
 * Sets of rows that are watched while a model grows, and where threads put their metrics.
 *
 * @module
 */
import type { Labels } from "../../data/types.ts";
import type { Metric } from "../../metric/types.ts";
import type { HistLayout, MeasuredRows } from "../../grow/histogram/workspace/layout.ts";
import type { Arena } from "../../kernels/memory.ts";
import { LEAST_MEASURED } from "../../parallel/rows/measure.ts";
import { layOutMeasured } from "../../parallel/histogram/measure_sets.ts";
import { membersAlone } from "./alone_choice.ts";
import type { BoostPlan } from "../plan.ts";

/** A set of rows whose scores follow the trees. */
export interface Watched {
  readonly name: string;
  readonly labels: Labels;
  /** Its number in the engine: 0 is the training set. */
  readonly set: number;
  /** Rows are judged by members of the committee that have not seen them. */
  readonly outOfFold?: true;
}

/** Metrics of a watched set; out-of-fold, where every row counts, only the one that decides. */
export function metricsOfSet(
  { metrics = [], earlyStopping }: BoostPlan,
  { outOfFold }: Pick<Watched, "outOfFold">,
): readonly Metric[] {
  if (outOfFold !== true) return metrics;
  return metrics.filter((one, i) =>
    earlyStopping === undefined ? i === 0 : one === earlyStopping.metric
  );
}

/** Whether a set has rows enough for several threads. */
export function isShared({ values }: Labels, numOutputs: number): boolean {
  return values.length * numOutputs >= LEAST_MEASURED;
}

/** Places for the metrics of watched sets, where threads compute them. */
export function layOutWatched(
  arena: Arena,
  layout: HistLayout,
  watched: readonly Watched[],
  plan: BoostPlan,
): readonly (MeasuredRows | undefined)[] {
  // Where members grow by themselves, the calling thread computes metrics meanwhile.
  if (layout.numThreads === 1 || membersAlone(layout, plan) > 0) return [];
  const { numOutputs, postprocess } = plan.loss;
  return watched.map((one) =>
    layOutMeasured(arena, {
      labels: one.labels,
      // Scores of a committee are put together first.
      raw: plan.committee !== undefined && one.set === 0 ? undefined : layout.sets[one.set].raw,
      numOutputs,
      postprocess,
      metrics: metricsOfSet(plan, one),
    })
  );
}
