/**
 * The column of raw scores that rows start from, for readers of rows by name: a number that every
 * row needs, beside the features.
 *
 * @module
 */
import type { Dataset, Schema } from "../data/types.ts";
import { ModelError } from "../errors.ts";
import type { Model } from "./model.ts";

/**
 * What rows of a model look like: its schema, with the offset column last where it has one.
 *
 * @throws {ModelError} `E_MODEL_CORRUPT` where its name is none, or that of a feature.
 */
export function rowSchema({ schema, info: { offset } }: Pick<Model, "schema" | "info">): Schema {
  if (offset === undefined) return schema;
  if (typeof offset !== "string" || schema.features.some(({ name }) => name === offset)) {
    throw new ModelError(
      "E_MODEL_CORRUPT",
      `Cannot read this model: its offset column is ${
        JSON.stringify(offset)
      }, expected a name of its own`,
    );
  }
  return {
    ...schema,
    features: [...schema.features, { kind: "numeric", name: offset, missing: "error" }],
  };
}

/**
 * Data that were read by {@linkcode rowSchema}, with the offset where it belongs.
 *
 * @throws {ModelError} `E_MODEL_SCHEMA` where the column is not there.
 */
export function takeOffset({ info: { offset } }: Pick<Model, "info">, data: Dataset): Dataset {
  if (offset === undefined) return data;
  const column = data.features.find(({ name }) => name === offset);
  if (column?.kind !== "numeric") throw lacksOffset(offset);
  return {
    ...data,
    features: data.features.filter((one) => one !== column),
    offset: Float64Array.from(column.values),
    offsetName: offset,
  };
}

/** The error of rows that have no offset where their model needs one. */
export function lacksOffset(offset: string): ModelError {
  return new ModelError(
    "E_MODEL_SCHEMA",
    `Cannot score without column ${JSON.stringify(offset)}: rows start from it`,
    { details: { columns: [offset] } },
  );
}
