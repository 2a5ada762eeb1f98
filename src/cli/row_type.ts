/**
 * The rows a model accepts, as TypeScript.
 *
 * @module
 */
import type { InputFeature, Schema } from "../data/types.ts";

/** Up to this many categories are spelled out. */
const SPELLED = 40;

/** Source of an interface for one row, and of the type of the answer. */
export function rowTypeSource(name: string, schema: Schema, schemaHash: string): string {
  const type = typeName(name);
  const fields = schema.features.map((feature) => `  ${fieldSource(schema, feature)}\n`);
  const classes = schema.classes.map((label) => JSON.stringify(label)).join(" | ");
  const answer = schema.classes.length === 0 ? "number" : classes;
  return `/** One row as model ${JSON.stringify(name)} expects it (schema ${schemaHash}). */
export interface ${type}Row {
${fields.join("")}}

/** What the model predicts${
    schema.target === undefined ? "" : `: ${comment(schema.target.name)}`
  }. */
export type ${type}Prediction = ${answer};
`;
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
