/**
 * Models as they are given, served and kept by name.
 *
 * @module
 */
import type { Model } from "../../model/model.ts";
import type { Limits } from "../admission/limits.ts";
import type { ClassTexts } from "../answer/json_text.ts";
import type { AnswerWriter } from "../answer/lazy_writer.ts";
import type { RowScorer } from "../answer/row_scorer.ts";
import type { Scores } from "../answer/scores.ts";
import type { Encoder } from "../body/encoder.ts";
import type { ModelMeter } from "../observe/metrics.ts";

/**
 * A model, or a function that loads it at the first request. If the function fails, it is called again
 * by a request some seconds later.
 */
export type ModelSource = Model | (() => Model | Promise<Model>);

/** Several versions of a model under one name. */
export interface ModelVersions {
  /** Versions by label: `"1"`, `"2024-06"`, … */
  readonly versions: { readonly [label: string]: ModelSource } | ReadonlyMap<string, ModelSource>;
  /** Label of the version that answers requests which name none. @default the last label */
  readonly current?: string;
  /** Other names of labels: `{ champion: "1" }`. */
  readonly aliases?: { readonly [alias: string]: string } | ReadonlyMap<string, string>;
  /** Label of a version that also scores the rows of each request; `/metrics` compares the scores. */
  readonly shadow?: string;
}

/** A model of one version, or of several. */
export type ModelEntry = ModelSource | ModelVersions;

/** A version of a model that is loaded. */
export interface Served {
  /** Name of the model in URLs. */
  readonly name: string;
  /** Label of the version. */
  readonly label: string;
  /** Hash of the model. The same model has the same hash on every server. */
  readonly version: string;
  /** The model itself. */
  readonly model: Model;
  /**
   * Reads its rows.
   *
   * @internal
   */
  readonly encoder: Encoder;
  /**
   * Counts what it scored.
   *
   * @internal
   */
  readonly meter: ModelMeter;
  /**
   * `{"model":…,"version":…` : how every answer begins.
   *
   * @internal
   */
  readonly head: string;
  /**
   * Its classes as JSON.
   *
   * @internal
   */
  readonly classTexts: ClassTexts;
  /**
   * Writes the answer of one row in which there is nothing to notice, where that is two probabilities.
   *
   * @internal
   */
  readonly rowText: ((scores: Scores) => string) | undefined;
  /**
   * Writes answers of many rows.
   *
   * @internal
   */
  readonly writer: AnswerWriter;
  /**
   * Scores of requests of one row, when no shadow keeps them.
   *
   * @internal
   */
  readonly single: Scores;
  /**
   * Scores its encoded rows.
   *
   * @internal
   */
  readonly scorer: RowScorer;
}

/**
 * Models by name, which may change while a server runs. Names, labels and aliases are compared in
 * Unicode NFC.
 */
export interface ModelRegistry {
  /** Tells a registry from an object of models. */
  readonly kind: "registry";
  /** Limits of requests. */
  readonly limits: Limits;
  /** A number that changes whenever models are added, replaced or removed. */
  readonly revision: number;
  /** Names of the models in the order in which they were added. */
  names(): string[];
  /** Labels and aliases of the versions of a model. */
  versions(name: string): {
    labels: string[];
    aliases: [string, string][];
    current: string;
    shadow: string | undefined;
  };
  /** All versions that are loaded. */
  loaded(): Served[];
  /** A model, if it is loaded. `version` is a label, an alias or the hash of a version. */
  peek(name: string, version?: string): Served | undefined;
  /**
   * A model, which is loaded if necessary.
   *
   * @throws {RequestError} `E_HTTP_ROUTE` if there is no such model or version.
   */
  get(name: string, version?: string): Promise<Served>;
  /** The version that shadows a model, if there is one. */
  shadow(name: string): Promise<Served> | undefined;
  /** Adds or replaces a model. Running requests finish with the model they started with. */
  set(name: string, entry: ModelEntry): void;
  /**
   * As `set`, but loads the current version first. The old model answers until it is ready. If a
   * later call changes the same name in the meantime, the later call prevails.
   */
  replace(name: string, entry: ModelEntry): Promise<Served>;
  /** Removes a model. Returns whether there was one. */
  delete(name: string): boolean;
}

/** A registry of models from files, which can follow changes of the files. */
export interface ModelStore {
  /** The models; pass it to `createApp`. */
  readonly registry: ModelRegistry;
  /** Looks for changed, new and removed files. Returns one line for each change. */
  refresh(): Promise<string[]>;
}
