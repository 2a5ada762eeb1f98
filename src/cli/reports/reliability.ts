/**
 * The reliability table for people: whether a probability of 0.8 came true in 80 % of the rows.
 *
 * @module
 */
import type { Evaluation } from "../../evaluate/evaluate.ts";
import { metricText } from "./metrics.ts";
import { columns } from "../output/output.ts";

/**
 * A line for each bin that has rows.
 *
 * @param classes Of the model: of two, the second one's probability counts; of several the largest.
 */
export function reliabilityText(
  { bins }: NonNullable<Evaluation["calibration"]>,
  classes: readonly string[],
  weighted: boolean,
): string {
  const what = classes.length === 2
    ? `probability of ${JSON.stringify(classes[1])}`
    : "largest probability";
  return columns([
    [what, "mean", "came true", weighted ? "weight" : "rows"],
    ...bins.map(({ from, to, confidence, observed, weight }) => [
      `${from.toFixed(1)} to ${to.toFixed(1)}`,
      metricText(confidence),
      metricText(observed),
      weighted ? metricText(weight) : String(weight),
    ]),
  ]);
}
