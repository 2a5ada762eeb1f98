/**
 * The rows a model accepts and what it answers, as TypeScript.
 *
 * @module
 */
import type { InputFeature, Schema } from "../../data/types.ts";
import type { Model } from "../../model/model.ts";
import { rowSchema } from "../../model/offset_column.ts";
import { givesProbabilities } from "../../server/answer/predict.ts";

/** Up to this many categories are spelled out. */
const SPELLED = 40;

/**
 * Source of three types: one row, what is predicted of it, and both as `createClient` takes them.
 * The row is no interface, which TypeScript would not take for a row by name.
 */
export function rowTypeSource(name: string, model: Model): string {
  const type = typeName(name);
  const schema = rowSchema(model);
  const { classes, target } = schema;
  const fields = schema.features.map((feature) => `  ${fieldSource(schema, feature)}\n`);
  const labels = classes.map((label) => JSON.stringify(label)).join(" | ");
  const answer = labels || (model.numOutputs === 1 ? "number" : "readonly number[]");
  return `/** One row as model ${JSON.stringify(name)} expects it (schema ${model.schemaHash}). */
export type ${type}Row = {
${fields.join("")}};

/** What the model predicts${target === undefined ? "" : `: ${comment(target.name)}`}. */
export type ${type}Prediction = ${answer};

/** The model for \`createClient\`: its rows, and what the server answers for each. */
export type ${type}Model = {
  readonly row: ${type}Row;
  readonly prediction: ${answerType(model, `${type}Prediction`)};
};
`;
}

/** The default answer; a number that is not finite is sent as null. */
function answerType(model: Model, prediction: string): string {
  if (model.schema.classes.length === 0) {
    return model.numOutputs === 1 ? "number | null" : "readonly (number | null)[]";
  }
  const probabilities = `readonly probabilities: Readonly<Record<${prediction}, number | null>>; `;
  return `{ readonly class: ${prediction}; ${givesProbabilities(model) ? probabilities : ""}}`;
}

function fieldSource(schema: Schema, feature: InputFeature): string {
  const optional = schema.absentColumns === "missing" && feature.missing === "learnt" ? "?" : "";
  const missing = feature.missing === "error" ? "" : " | null";
  return `readonly ${JSON.stringify(feature.name)}${optional}: ${valueType(feature)}${missing};`;
}

function valueType(feature: InputFeature): string {
  if (feature.kind === "numeric") return "number";
  if (feature.coded === true) return "number";
  if (feature.categories.length > SPELLED) return "string";
  const spelled = feature.categories.map((category) => JSON.stringify(category)).join(" | ");
  // Unknown values are allowed unless they are refused; the list still helps an editor.
  if (feature.unknown === "error") return spelled || "never";
  return spelled === "" ? "string" : `${spelled} | (string & Record<never, never>)`;
}

/** `adult-income v2` → `AdultIncomeV2`. */
function typeName(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const joined = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
  return /^\p{L}/u.test(joined) ? joined : `Model${joined}`;
}

function comment(text: string): string {
  return JSON.stringify(text).replaceAll("*/", "*\\/");
}
