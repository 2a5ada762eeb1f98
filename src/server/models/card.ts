// deno-lint-ignore-file camelcase -- TensorFlow Serving's names
/**
 * What `GET /v1/models` tells about all models, and `GET /v1/models/:name` about one.
 *
 * @module
 */
import type { InputFeature } from "../../data/types.ts";
import type { ModelRegistry, Served } from "./types.ts";

/** An input column, as `GET /v1/models/:name` shows it. */
export interface FeatureCard {
  /** Name of the column in rows. */
  readonly name: string;
  /** Whether values are numbers or categories. */
  readonly kind: "numeric" | "categorical";
  /** How a missing value is scored: `learnt`, `heavier` or `error`; see `MissingRule`. */
  readonly missing: string;
  /**
   * Categorical only: how a value is scored that is not one of `categories`: `heavier`, `missing`,
   * `node` or `error`; see `UnknownRule`.
   */
  readonly unknown?: string;
  /** Categorical only: the categories in the order of their codes. */
  readonly categories?: readonly string[];
}

/** A model, as `GET /v1/models/:name` shows it. */
export interface ModelCard {
  /** Name of the model in URLs. */
  readonly name: string;
  /** Hash of the model. The same model has the same hash on every server. */
  readonly version: string;
  /** Hash of the schema, which requests with positional rows must send. */
  readonly schemaHash: string;
  /** `regression`, `classification` or `ranking`. */
  readonly task: string;
  /** Name of the target, if the model knows it. */
  readonly target?: string;
  /** Labels in the order of probabilities; empty unless classification. */
  readonly classes: readonly string[];
  /** Input columns, in the order of positional rows. */
  readonly features: readonly FeatureCard[];
  /** What happens with columns that the model does not know: `ignore` or `error`. */
  readonly extraColumns: string;
  /** What happens if a column of the model is absent: `missing` or `error`. */
  readonly absentColumns: string;
  /** Number of trees. */
  readonly trees: number;
  /** Number of boosting rounds, or of trees in a forest. */
  readonly rounds: number;
  /** How the model was made: algorithm, parameters, seed, origin. */
  readonly info: object;
  /** Always true: the state of the model, as KServe's clients expect it. */
  readonly ready: true;
  /** Label and state of the version, as TensorFlow Serving's clients expect them. */
  readonly model_version_status: readonly object[];
}

/** Names and versions; models that nobody asked for yet are not loaded for it. */
export function modelList(registry: ModelRegistry): object[] {
  return registry.names().map((name) => {
    const served = registry.peek(name);
    const schema = served?.encoder.schema;
    return {
      name,
      ...registry.versions(name),
      loaded: served !== undefined,
      ...(served === undefined ? {} : {
        version: served.version,
        task: schema!.task,
        features: schema!.features.length,
      }),
    };
  });
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
