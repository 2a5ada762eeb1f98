/**
 * Patience on one metric of one set. Ties keep the earlier round. A metric that is not defined on
 * the set from the first round is refused; one that becomes NaN later does not improve.
 *
 * @module
 */
import { ParameterError, TrainingError } from "../errors.ts";
import type { EarlyStoppingPlan, TrainedEnsemble } from "./plan.ts";
import type { RoundReport } from "./types.ts";

/** The judge of a training run. */
export interface Judge {
  /** Reads a round's report; true when training should stop. */
  stopsAfter(report: RoundReport): boolean;
  /** Best round so far; undefined before the first. */
  readonly best: TrainedEnsemble["best"];
  /** Rounds to keep of those that there are; undefined before the first. */
  kept(numRounds: number): number | undefined;
}

/**
 * Makes a judge, or undefined where the plan has no early stopping.
 *
 * @param sets Names of the sets that reports carry.
 * @throws {ParameterError} `E_PARAM_CONFLICT` when the deciding set is not among them.
 */
export function createJudge(
  rule: EarlyStoppingPlan | undefined,
  sets: readonly string[],
): Judge | undefined {
  if (rule === undefined) return undefined;
  const { metric, set, rounds, minDelta = 0, stretch = 1 } = rule;
  if (!sets.includes(set)) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot stop early on set "${set}": ${
        sets.length === 0 ? "there is no validation set" : `expected one of ${sets.join(", ")}`
      }`,
      { details: { param: "earlyStoppingSet", value: set } },
    );
  }
  let best: TrainedEnsemble["best"];
  return {
    get best() {
      return best;
    },
    kept(numRounds) {
      return best === undefined ? undefined : Math.min(numRounds, Math.round(stretch * best.round));
    },
    stopsAfter(report) {
      const value = report.metrics[set][metric.name];
      if (best === undefined && Number.isNaN(value)) {
        throw new TrainingError(
          "E_TRAIN_NUMERIC",
          `Cannot stop early by ${metric.name} on set "${set}": it is not defined there (one ` +
            `class only, no relevant item, or all weights 0); expected another metric or set`,
          { details: { metric: metric.name, set, round: report.round } },
        );
      }
      const gain = best === undefined
        ? Infinity
        : metric.higherIsBetter
        ? value - best.value
        : best.value - value;
      // A value that is no longer a number is no improvement.
      if (gain > minDelta) {
        best = { metric: metric.name, set, value, round: report.round };
      }
      const at = best?.round ?? 0;
      return rounds > 0 && report.round - at >= Math.max(rounds, (stretch - 1) * at);
    },
  };
}
