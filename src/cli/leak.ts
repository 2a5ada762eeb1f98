/**
 * Figures that are too good: where hardly an error is left on rows that did not teach, a column often
 * tells the answer (what is only known after it, or a copy of it).
 *
 * @module
 */
import type { Dataset } from "../data/types.ts";
import type { Model } from "../model/model.ts";
import { log } from "../util/math.ts";
import { sum } from "../util/sum.ts";

/** Share of the error of the best constant below which hardly any is left. */
const HARDLY_ANY = 0.01;
/** Share of the gain from which on a column is named. */
const MOST_GAIN = 0.5;

/**
 * Whether a model leaves less than a hundredth of the error of the best constant: of its log loss, or
 * of the standard deviation.
 *
 * @param train Training rows, whose constant is compared with.
 * @param figures Metrics of rows that did not teach the model; others than `logLoss` and `rmse` do not count.
 */
export function doubtAboutSuccess(
  train: Dataset,
  figures: readonly { readonly [metric: string]: number }[],
): boolean {
  const name = train.target?.kind === "classification" ? "logLoss" : "rmse";
  const values = figures.flatMap((metrics) => metrics[name] ?? []);
  return values.length > 0 && Math.max(...values) < HARDLY_ANY * constantError(train);
}

/** Log loss of the classes' shares, or the standard deviation; 0 without a target. */
function constantError({ numRows, target, sampleWeight }: Dataset): number {
  if (target === undefined) return 0;
  const weigh = (row: number) => sampleWeight?.[row] ?? 1;
  const weights = Float64Array.from({ length: numRows }, (_, row) => weigh(row));
  const total = sum(weights);
  if (target.kind === "classification") {
    const shares = new Float64Array(target.classes.length);
    target.codes.forEach((code, row) => shares[code] += weigh(row) / total);
    return -sum(shares.map((share) => share > 0 ? share * log(share) : 0));
  }
  const mean = sum(weights.map((weight, row) => weight * target.values[row])) / total;
  return Math.sqrt(
    sum(weights.map((weight, row) => weight * (target.values[row] - mean) ** 2)) / total,
  );
}

/** What to look at, with the column that makes most of the gain. */
export async function leakText(model: Model): Promise<string> {
  const { featureImportance } = await import("../explain/importance.ts");
  const gains = featureImportance(model);
  const total = gains.reduce((all, { gain }) => all + gain, 0);
  const first = gains.find(({ gain }) => gain > MOST_GAIN * total);
  const column = first === undefined
    ? ""
    : `; ${JSON.stringify(first.feature)} makes ${
      Math.round(100 * first.gain / total)
    } % of the gain`;
  return `hardly an error is left: make sure that no column tells the answer${column}`;
}
