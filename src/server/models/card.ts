// deno-lint-ignore-file camelcase -- TensorFlow Serving's names
/**
 * What `GET /v1/models/:name` tells about a model.
 *
 * @module
 */
import type { InputFeature } from "../../data/types.ts";
import type { Served } from "./registry.ts";

/** One input column as the API shows it. */
export interface FeatureCard {
  readonly name: string;
  readonly kind: "numeric" | "categorical";
  readonly missing: string;
  readonly unknown?: string;
  readonly categories?: readonly string[];
}

/** A model as the API shows it. */
export interface ModelCard {
  readonly name: string;
  readonly version: string;
  readonly schemaHash: string;
  readonly task: string;
  readonly target?: string;
  readonly classes: readonly string[];
  readonly features: readonly FeatureCard[];
  readonly extraColumns: string;
  readonly absentColumns: string;
  readonly trees: number;
  readonly rounds: number;
  readonly info: object;
  /** KServe's and TensorFlow Serving's word for it. */
  readonly ready: true;
  readonly model_version_status: readonly object[];
}

/** The card of a loaded model. */
export function modelCard(served: Served): ModelCard {
  const { name, version, model } = served;
  const { schema } = model;
  return {
    name,
    version,
    schemaHash: model.schemaHash,
    task: schema.task,
    ...(schema.target === undefined ? {} : { target: schema.target.name }),
    classes: schema.classes,
    features: schema.features.map(featureCard),
    extraColumns: schema.extraColumns,
    absentColumns: schema.absentColumns,
    trees: model.numTrees,
    rounds: model.numRounds,
    info: model.info,
    ready: true,
    model_version_status: [{
      version: served.label,
      state: "AVAILABLE",
      status: { error_code: "OK", error_message: "" },
    }],
  };
}

function featureCard(feature: InputFeature): FeatureCard {
  const { name, kind, missing } = feature;
  if (feature.kind === "numeric") return { name, kind, missing };
  return { name, kind, missing, unknown: feature.unknown, categories: feature.categories };
}
