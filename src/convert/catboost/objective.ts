/**
 * CatBoost's losses and classes as far as a finished model needs them.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import type { Schema } from "../../data/types.ts";
import type { Postprocess } from "../../model/types.ts";
import { asFields, fieldError, type Fields, optional, textAt } from "../common/document.ts";
import { checkLevel } from "../common/imported.ts";
import { parseTolerantJson } from "../wire/tolerant_json.ts";

/** The loss, first where `sum_models` writes it, as JSON in a text: its files have no parameters. */
export function lossOf(info: Fields): string | undefined {
  const summed = optional(info, "loss_function");
  const params = optional(info, "params");
  const loss = typeof summed === "string"
    ? parseTolerantJson(summed, "model_info.loss_function")
    : params === undefined
    ? undefined
    : optional(asFields(params, "params"), "loss_function");
  return loss === undefined ? undefined : textAt(asFields(loss, "loss_function"), "type");
}

/** Of `set_probability_threshold`: the library's labels go by it, its probabilities do not. */
export function thresholdWarning(info: Fields): readonly string[] {
  const threshold = optional(info, "binclass_probability_threshold");
  if (threshold === undefined || Number(threshold) === 0.5) return [];
  return [
    `CatBoost answers the second class of this model where its probability is above ${threshold}, here the ` +
    "likelier class is the answer: compare the probability with that number",
  ];
}

/** Labels of the outputs: classes that training had no rows of have a name but no output. */
export function classesOf(info: Fields): readonly string[] | undefined {
  const params = optional(info, "class_params");
  if (params === undefined) return undefined;
  const fields = asFields(params, "class_params");
  const list = (key: string): readonly unknown[] => {
    const value = optional(fields, key);
    if (!Array.isArray(value)) return [];
    for (const label of value) checkLevel(label, `the class labels of "${key}"`);
    return value;
  };
  const [names, labels] = [list("class_names"), list("class_to_label")];
  if (labels.length === 0) return names.length === 0 ? undefined : names.map(String);
  if (names.length === 0) return labels.map(String);
  return labels.map((label) => {
    if (typeof label === "number" && names[label] !== undefined) return String(names[label]);
    throw fieldError("class_to_label", label, `an index below ${names.length}`);
  });
}

const LINKS: { readonly [loss: string]: [Schema["task"], Postprocess["name"]] } = {
  Logloss: ["classification", "sigmoid"],
  CrossEntropy: ["regression", "sigmoid"],
  MultiClass: ["classification", "softmax"],
  MultiClassOneVsAll: ["classification", "oneVsAll"],
  Poisson: ["regression", "exp"],
  Tweedie: ["regression", "exp"],
  ...Object.fromEntries(
    [
      "RMSE",
      "MAE",
      "Quantile",
      "MAPE",
      "Lq",
      "Huber",
      "Expectile",
      "LogCosh",
      "MultiRMSE",
      "MultiQuantile",
    ]
      .map((name) => [name, ["regression", "identity"]]),
  ),
  ...Object.fromEntries(
    [
      "YetiRank",
      "YetiRankPairwise",
      "PairLogit",
      "PairLogitPairwise",
      "QueryRMSE",
      "QuerySoftMax",
      "StochasticRank",
      "LambdaMart",
    ]
      .map((name) => [name, ["ranking", "identity"]]),
  ),
};

/**
 * What a loss means for scoring.
 *
 * @throws {ConversionError} `E_CONVERT_UNSUPPORTED` for a loss that is not known.
 */
export function meaning(
  loss: string,
  dimension: number,
): { task: Schema["task"]; postprocess: Postprocess } {
  const link = Object.hasOwn(LINKS, loss) ? LINKS[loss] : undefined;
  if (link === undefined) {
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot import a model with the loss "${loss.slice(0, 60)}": expected one of ${
        Object.keys(LINKS).join(", ")
      }`,
      { details: { loss: loss.slice(0, 60) } },
    );
  }
  const [task, name] = link;
  return {
    task: task === "classification" || dimension === 1 ? task : "regression",
    postprocess: { name },
  };
}
