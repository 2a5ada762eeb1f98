/**
 * Schemas that every part of the OpenAPI document uses.
 *
 * @module
 */

/** A JSON Schema, draft 2020-12. */
export type SchemaObject = { readonly [keyword: string]: unknown };

/** A reference to a schema of the document. */
export function ref(name: string): SchemaObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** What a prediction may be. */
export const KINDS = ["default", "value", "class", "proba", "raw", "leaf"];

const NAMES: SchemaObject = { type: "array", items: { type: "string" } };

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
    details: { type: "object" },
    requestId: { type: "string" },
  },
  required: ["type", "title", "status", "detail", "code"],
};
