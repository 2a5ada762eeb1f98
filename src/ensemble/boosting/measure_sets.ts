/**
 * What is told of each round: metrics of the watched sets, on the threads of the run where these have
 * nothing else to do meanwhile.
 *
 * @module
 */
import { predictionsOf } from "../../metric/response.ts";
import { measuredSet } from "../../parallel/histogram/measure_sets.ts";
import type { Engine } from "../engine/engine.ts";
import { metricsOfSet, type Watched } from "../engine/watched.ts";
import type { BoostPlan } from "../plan.ts";
import type { RoundReport } from "../types.ts";
import type { Committee } from "./committee.ts";

/**
 * Metrics of all watched sets.
 *
 * @returns Measures the scores as they are now, at any time before those of validation sets change;
 * where threads take part (`Engine.measured`), at once.
 */
export function measureSets(
  engine: Engine,
  plan: BoostPlan,
  watched: readonly Watched[],
  committee: Committee | undefined,
): () => RoundReport["metrics"] {
  const { loss } = plan;
  const measures = watched.map((one, i) => {
    const { name, labels, set, outOfFold } = one;
    const metrics = metricsOfSet(plan, one);
    if (metrics.length === 0) return { name, values: () => ({}) };
    const number = engine.measured[i];
    const shared = number === undefined ? undefined : measuredSet(engine.team, number);
    const raw = outOfFold === true
      ? committee!.outOfFold(shared?.raw)
      : set === 0
      ? committee?.average(shared?.raw) ?? engine.raw(0)
      : engine.raw(set);
    if (shared !== undefined) return { name, values: () => shared.values(metrics) };
    return {
      name,
      values: () => {
        const found = predictionsOf(raw, labels.values.length, loss.numOutputs, loss.postprocess);
        return Object.fromEntries(metrics.map((m) => [m.name, m.value(labels, found)]));
      },
    };
  });
  return () => Object.fromEntries(measures.map(({ name, values }) => [name, values()]));
}
