/**
 * Why a row got its score: contributions of every feature, or the few that weigh most.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import "../../format/explain.ts"; // models that ./predict read can give their covers, too
import { createShapExplainer, type ShapValues } from "../../explain/tree_shap.ts";
import type { Model } from "../../model/model.ts";
import type { Batch } from "../body/batch.ts";
import { numberText } from "./json_text.ts";
import { timeSpent } from "./predict.ts";
import type { Scores } from "./scores.ts";

/** Rows that one request may have explained: each costs as much as some hundred scores. */
const MAX_EXPLAINED = 100;

/** One feature's part in one raw score. */
export interface Contribution {
  readonly feature: string;
  readonly contribution: number;
}

/** Contributions that one answer may hold: rows × outputs × features. */
const MAX_CONTRIBUTIONS = 2_000_000;

/**
 * Refuses too many rows, before any work is done on them.
 *
 * @throws {DataError} `E_DATA_LIMIT` for more than {@linkcode MAX_EXPLAINED} rows, and for more than two
 * million contributions.
 */
export function checkExplained(batch: Batch, { numOutputs, schema }: Model): void {
  if (batch.rows > MAX_EXPLAINED) {
    throw new DataError(
      "E_DATA_LIMIT",
      `Cannot explain ${batch.rows} rows in one request: expected at most ${MAX_EXPLAINED}`,
      { details: { limit: "maxExplained", value: MAX_EXPLAINED, found: batch.rows } },
    );
  }
  const found = batch.rows * numOutputs * schema.features.length;
  if (found > MAX_CONTRIBUTIONS) {
    throw new DataError(
      "E_DATA_LIMIT",
      `Cannot find ${found} contributions: expected at most ${MAX_CONTRIBUTIONS}; send fewer rows at once`,
      { details: { limit: "maxContributions", value: MAX_CONTRIBUTIONS, found } },
    );
  }
}

/**
 * Refuses a model whose scores cannot be explained, before a body is read and its rows are counted.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT`.
 */
export function checkExplainable(model: Model): void {
  explainerOf(model);
}

/**
 * Contributions of a batch.
 *
 * @param maxMillis Milliseconds that it may take.
 * @param rounds Of the first rounds. @default all
 * @throws {RequestError} `E_HTTP_BUSY` when they are over; the clock is read before each tree, and within
 * those that take longer than some milliseconds.
 */
export function explainBatch(
  model: Model,
  batch: Batch,
  maxMillis: number,
  rounds?: number,
): ShapValues {
  const until = performance.now() + maxMillis;
  const explain = rounds === undefined
    ? explainerOf(model)
    : createShapExplainer(model, { rounds });
  return explain(batch.input, {
    onTree: (rows) => {
      if (performance.now() > until) throw timeSpent("explain", batch.rows, rows, maxMillis);
    },
  });
}

/**
 * One for each model that was asked: what they are made of is half a megabyte for 250 trees, which was
 * most of the garbage of a mixed load when every request made its own.
 */
const explainers = new WeakMap<Model, ReturnType<typeof createShapExplainer>>();

function explainerOf(model: Model): ReturnType<typeof createShapExplainer> {
  const known = explainers.get(model);
  if (known !== undefined) return known;
  const explain = createShapExplainer(model);
  explainers.set(model, explain);
  return explain;
}

/** Contributions to one output of one row, the largest first. */
export function contributionsOf(shap: ShapValues, row: number, output: number): Contribution[] {
  const from = (row * shap.numOutputs + output) * shap.numFeatures;
  return shap.features
    .map((feature, f) => ({ feature, contribution: shap.values[from + f] }))
    .sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
}

/** Output that a row's prediction rests on: the predicted class's, or the only one. */
export function explainedOutput(scores: Scores, row: number): number {
  return scores.numOutputs > 1 && scores.labels.length > 0 ? scores.labels[row] : 0;
}

/** `[{"feature":…,"contribution":…}, …]` of each row: the reasons that moved its score. */
export function reasonsText(shap: ShapValues, scores: Scores, count: number): string[] {
  return Array.from({ length: scores.rows }, (_, row) => {
    const top = contributionsOf(shap, row, explainedOutput(scores, row)).slice(0, count);
    return `[${
      top.filter(({ contribution }) => contribution !== 0).map(({ feature, contribution }) =>
        `{"feature":${JSON.stringify(feature)},"contribution":${numberText(contribution)}}`
      ).join(",")
    }]`;
  });
}

/** Everything: for each row `{"bias":…,"contributions":{…}}`, or one such by class. */
export function explanationsText(model: Model, shap: ShapValues): string {
  const { numOutputs, numFeatures, features, bias, values } = shap;
  const names = features.map((name) => JSON.stringify(name));
  const { classes } = model.schema;
  const one = (row: number, output: number) => {
    const from = (row * numOutputs + output) * numFeatures;
    const parts = names.map((name, f) => `${name}:${numberText(values[from + f])}`);
    const label = numOutputs > 1 && classes.length === numOutputs
      ? `"class":${JSON.stringify(classes[output])},`
      : "";
    return `{${label}"bias":${numberText(bias[output])},"contributions":{${parts.join(",")}}}`;
  };
  return arrayText(
    shap.rows,
    (row) => numOutputs === 1 ? one(row, 0) : arrayText(numOutputs, (output) => one(row, output)),
  );
}

function arrayText(count: number, textAt: (index: number) => string): string {
  return `[${Array.from({ length: count }, (_, i) => textAt(i)).join(",")}]`;
}
