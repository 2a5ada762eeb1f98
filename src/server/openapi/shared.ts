/**
 * Schemas that every part of the OpenAPI document uses.
 *
 * @module
 */
import type { PredictionKind } from "../answer/predict.ts";

/** A JSON Schema, draft 2020-12. */
export type SchemaObject = { readonly [keyword: string]: unknown };

/** A reference to a schema of the document. */
export function ref(name: string): SchemaObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** What a prediction may be. */
export const KINDS: readonly PredictionKind[] = [
  "default",
  "value",
  "class",
  "proba",
  "raw",
  "leaf",
];

/** A list of such values. */
export function listOf(items: SchemaObject): SchemaObject {
  return { type: "array", items };
}

/** A score; `null` where it is not finite. */
export const NUMBER: SchemaObject = { type: ["number", "null"] };

const NAMES = listOf({ type: "string" });

/** How every native answer begins and ends. */
export const REPORT: SchemaObject = {
  type: "object",
  properties: {
    model: { type: "string" },
    version: { type: "string", pattern: "^[0-9a-f]{16}$" },
    missing: NAMES,
    unknown: NAMES,
    absent: NAMES,
    ignored: NAMES,
  },
  required: ["model", "version", "missing", "unknown", "absent", "ignored"],
};

/** RFC 9457. */
export const PROBLEM: SchemaObject = {
  type: "object",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: { type: "string", pattern: "^E_[A-Z_]+$" },
    details: { type: "object", additionalProperties: true },
    requestId: { type: "string" },
  },
  required: ["type", "title", "status", "detail", "code"],
};

/** What moved a score. */
export const REASON: SchemaObject = {
  type: "object",
  properties: { feature: { type: "string" }, contribution: NUMBER },
  required: ["feature", "contribution"],
};

/** A row that was left out; rows count from 1. */
export const ROW_ERROR: SchemaObject = {
  type: "object",
  properties: {
    row: { type: "integer" },
    code: { type: "string" },
    message: { type: "string" },
    column: { type: "string" },
  },
  required: ["row", "code", "message"],
};

/** Bias and contributions of one raw score; its class where there are several. */
export const EXPLANATION: SchemaObject = {
  type: "object",
  properties: {
    class: { type: "string" },
    bias: NUMBER,
    contributions: { type: "object", additionalProperties: NUMBER },
  },
  required: ["bias", "contributions"],
};
