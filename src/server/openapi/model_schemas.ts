/**
 * JSON Schemas of one model: of its rows and its predictions.
 *
 * @module
 */
import type { InputFeature, Schema } from "../../data/types.ts";
import type { Model } from "../../model/model.ts";
import { givesProbabilities } from "../answer/predict.ts";
import { listOf, NUMBER, ref, type SchemaObject } from "./shared.ts";

/** One row by column name. */
export function rowSchema(schema: Schema): SchemaObject {
  const { features, extraColumns, absentColumns } = schema;
  const required = features.filter((f) => absentColumns === "error" || f.missing !== "learnt");
  return {
    type: "object",
    properties: Object.fromEntries(features.map((f) => [f.name, cellSchema(f)])),
    ...(required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
    additionalProperties: extraColumns === "ignore",
  };
}

/** Rows as one list a column. */
export function columnsSchema(schema: Schema): SchemaObject {
  const row = rowSchema(schema);
  const entries = schema.features.map((f) =>
    [f.name, { type: "array", items: cellSchema(f) }] as const
  );
  return { ...row, properties: Object.fromEntries(entries) };
}

function cellSchema(feature: InputFeature): SchemaObject {
  const none = feature.missing === "error" ? [] : ["null"];
  if (feature.kind === "numeric" || feature.coded === true) {
    return { type: ["number", ...none] };
  }
  const { categories, unknown } = feature;
  if (unknown === "error") {
    return { enum: feature.missing === "error" ? categories : [...categories, null] };
  }
  return {
    type: ["string", ...none],
    description: `Other values are allowed and reported; they ${
      unknown === "missing" ? "count as missing" : "take the model's route for unknown values"
    }.`,
    ...(categories.length > 0 ? { examples: categories.slice(0, 50) } : {}),
  };
}

/** One default prediction. */
export function predictionSchema(model: Model): SchemaObject {
  const { classes } = model.schema;
  if (classes.length === 0) return model.numOutputs === 1 ? NUMBER : listOf(NUMBER);
  const label = { class: { enum: classes } };
  if (!givesProbabilities(model)) return { type: "object", properties: label, required: ["class"] };
  const probabilities = {
    type: "object",
    properties: Object.fromEntries(classes.map((label) => [label, NUMBER])),
    required: classes,
    additionalProperties: false,
  };
  return {
    type: "object",
    properties: { ...label, probabilities },
    required: ["class", "probabilities"],
  };
}

/** What any `kind` of prediction may be, and `null` of a row that was left out. */
export function anyPrediction({ schema }: Model, key: string): SchemaObject {
  const labels = schema.classes.length === 0 ? [] : [{ enum: schema.classes }];
  return { anyOf: [ref(`${key}Prediction`), NUMBER, listOf(NUMBER), ...labels] };
}

/** One where the model has one output, else a list. */
export function perOutput({ numOutputs }: Model, one: SchemaObject): SchemaObject {
  return numOutputs === 1 ? one : listOf(one);
}
