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
  /** Column name, as rows call it. */
  readonly name: string;
  /** Numbers, or categories. */
  readonly kind: "numeric" | "categorical";
  /** What a missing value does: `learnt`, `heavier` or `error`. */
  readonly missing: string;
  /**
   * What a value outside the vocabulary does: `heavier`, `missing`, `node` or `error`; categorical
   * only.
   */
  readonly unknown?: string;
  /** The vocabulary in order of code; categorical only. */
  readonly categories?: readonly string[];
}

/** A model as the API shows it. */
export interface ModelCard {
  /** Name in the address. */
  readonly name: string;
  /** Hash of the model, the same for the same model everywhere. */
  readonly version: string;
  /** Hash of the input contract that positional rows are checked against. */
  readonly schemaHash: string;
  /** `regression`, `classification` or `ranking`. */
  readonly task: string;
  /** Name of the predicted column, where the model knows it. */
  readonly target?: string;
  /** Labels in the order of probabilities; empty unless classification. */
  readonly classes: readonly string[];
  /** Input columns in the order of positional rows. */
  readonly features: readonly FeatureCard[];
  /** What columns do that the model does not know: `ignore` or `error`. */
  readonly extraColumns: string;
  /** What absent columns do: `missing` or `error`. */
  readonly absentColumns: string;
  /** Number of trees. */
  readonly trees: number;
  /** Number of rounds, in which prefixes are counted. */
  readonly rounds: number;
  /** How the model came to be: algorithm, parameters, seed, origin. */
  readonly info: object;
  /** KServe's and TensorFlow Serving's word for it. */
  readonly ready: true;
  /** TensorFlow Serving's form of the same: label and state of the version. */
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
