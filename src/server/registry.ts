/**
 * Models by name: given at once or loaded at first use, replaced while requests run.
 *
 * A request holds the `Served` it began with, so replacing a model never drops one.
 *
 * @module
 */
import { RequestError } from "../errors.ts";
import { createEncoder, type Encoder, quote } from "./encoder.ts";
import type { Model } from "../model/model.ts";
import type { Limits } from "./types.ts";

/** A model, or how to get it; a loader is called once, at first use. */
export type ModelSource = Model | (() => Model | Promise<Model>);

/** One version of a model, ready to score. */
export interface Served {
  readonly name: string;
  /** Hash of the model, the same for the same model everywhere. */
  readonly version: string;
  readonly model: Model;
  readonly encoder: Encoder;
  /** `{"model":…,"version":…` : how every answer begins. */
  readonly head: string;
}

/** Models by name. */
export interface ModelRegistry {
  readonly kind: "registry";
  readonly limits: Limits;
  /** Names in the order they were added. */
  names(): string[];
  /** The model if it is loaded. */
  peek(name: string): Served | undefined;
  /**
   * The model, loaded if need be.
   *
   * @throws {RequestError} `E_HTTP_ROUTE` when there is none of that name.
   */
  get(name: string): Promise<Served>;
  /** Adds or replaces a model; requests under way finish with the one they began with. */
  set(name: string, source: ModelSource): void;
  /** Removes a model. */
  delete(name: string): boolean;
}

interface Slot {
  readonly source: ModelSource;
  served?: Served;
  loading?: Promise<Served>;
}

/** Makes a registry. */
export function createRegistry(
  models: Iterable<readonly [string, ModelSource]>,
  limits: Limits,
): ModelRegistry {
  const slots = new Map<string, Slot>();
  const load = async (name: string, slot: Slot): Promise<Served> => {
    try {
      const { source } = slot;
      const model = typeof source === "function" ? await source() : source;
      const version = await versionOf(model);
      return slot.served = {
        name,
        version,
        model,
        encoder: createEncoder(model.schema, limits),
        head: `{"model":${JSON.stringify(name)},"version":${JSON.stringify(version)}`,
      };
    } finally {
      delete slot.loading; // a failed load is tried again by the next request
    }
  };
  const registry: ModelRegistry = {
    kind: "registry",
    limits,
    names: () => [...slots.keys()],
    peek: (name) => slots.get(name)?.served,
    async get(name) {
      const slot = slots.get(name);
      if (slot === undefined) {
        throw new RequestError("E_HTTP_ROUTE", `Cannot find model ${quote(name)}`, {
          details: { model: name.slice(0, 200) },
        });
      }
      return slot.served ?? await (slot.loading ??= load(name, slot));
    },
    set: (name, source) => void slots.set(name, { source }),
    delete: (name) => slots.delete(name),
  };
  for (const [name, source] of models) registry.set(name, source);
  return registry;
}

/** First 16 hexadecimal digits of the SHA-256 of what the model scores with. */
async function versionOf(model: Model): Promise<string> {
  const { trees, baseScore, treeWeight, treeOutput } = model.ensemble;
  const story = JSON.stringify([model.schema, model.ensemble.postprocess, model.ensemble.profile]);
  const parts = [
    new TextEncoder().encode(story),
    ...[trees.treeStart, trees.kind, trees.feature, trees.threshold, trees.firstChild],
    ...[trees.missing, trees.categoryPool, trees.leaf, baseScore, treeWeight, treeOutput],
  ];
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of parts) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
