/**
 * Models by name and version: given at once or loaded at first use, replaced while requests run.
 *
 * A request holds the `Served` it began with, so replacing a model never drops one.
 *
 * @module
 */
import { ParameterError, RequestError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import { rowSchema } from "../../model/offset_column.ts";
import { classTexts, pairText } from "../answer/json_text.ts";
import { lazyWriter } from "../answer/lazy_writer.ts";
import { createDriftMeter } from "../observe/drift.ts";
import { createEncoder, quote } from "../body/encoder.ts";
import { createModelMeter, type ModelMeter } from "../observe/metrics.ts";
import { createScores, givesProbabilities, scorerOf } from "../answer/predict.ts";
import type { Limits } from "../admission/limits.ts";
import type { ModelEntry, ModelRegistry, ModelSource, Served } from "./types.ts";
import { versionOf } from "./version.ts";

interface Slot {
  readonly label: string;
  readonly source: ModelSource;
  /** All of the name, this one among them. */
  readonly slots: ReadonlyMap<string, Slot>;
  served?: Served;
  loading?: Promise<Served>;
  /** Its hash, once it was read; the model itself is kept where it is asked for. */
  version?: string;
  learning?: Promise<Model>;
  /** Why it could not be loaded, and until when it is not tried again. */
  failed?: { readonly error: unknown; readonly until: number };
}

interface Shelf {
  readonly slots: ReadonlyMap<string, Slot>;
  readonly aliases: ReadonlyMap<string, string>;
  readonly current: string;
  readonly shadow: string | undefined;
}

/**
 * Milliseconds after which a version that could not be loaded is tried again at the earliest, how many
 * times as long as the attempt took, and at the latest: an address that does not answer takes minutes,
 * and may be back at once. A file that is replaced meanwhile has a slot of its own.
 */
const RETRY_MILLIS = 5000;
const RETRY_SHARE = 20;
const RETRY_MOST = 60_000;

/** What `versionOf` makes. */
const HASH = /^[0-9a-f]{16}$/;

/**
 * Makes a registry.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` for two models, or versions of one, that are equal in NFC, and
 * for an alias that is the label of another version.
 */
export function createRegistry(
  models: Iterable<readonly [string, ModelEntry]>,
  limits: Limits,
): ModelRegistry {
  const shelves = new Map<string, Shelf>();
  let revision = 0;
  /** Calls that change a name are numbered as they are made; of each name, the last one that did. */
  let calls = 0;
  const lastCalls = new Map<string, number>();
  let replacing = 0;

  function slotOf(name: string, version: string | undefined): Slot | undefined {
    const shelf = shelves.get(name);
    if (shelf === undefined) return undefined;
    if (version === undefined) return shelf.slots.get(shelf.current);
    const label = version.normalize();
    const slot = shelf.slots.get(shelf.aliases.get(label) ?? label);
    if (slot !== undefined) return slot;
    for (const other of shelf.slots.values()) if (other.served?.version === version) return other;
    return undefined;
  }

  /**
   * The slot of a version hash among those that are not loaded yet. Each is read once to learn its
   * hash, however many hashes are asked for, and one that is not meant is not kept.
   */
  async function slotOfHash(name: string, version: string): Promise<Slot | undefined> {
    if (!HASH.test(version)) return undefined;
    for (const slot of shelves.get(name)?.slots.values() ?? []) {
      if (slot.version === undefined && !hasJustFailed(slot)) {
        const begun = performance.now();
        await learn(name, slot, version).catch((error) => noteFailure(slot, error, begun));
      }
      if (slot.version === version) return slot;
    }
    return undefined;
  }

  async function learn(name: string, slot: Slot, wanted: string): Promise<void> {
    const model = await (slot.learning ??= readModel(name, slot).then(async (read) => {
      slot.version = await versionOf(read);
      return read;
    }).finally(() => delete slot.learning));
    // It need not be read again.
    if (slot.version === wanted) await loadOnce(name, slot, model);
  }

  async function get(given: string, version?: string): Promise<Served> {
    const name = given.normalize();
    const slot = slotOf(name, version);
    if (slot !== undefined) return await loadOnce(name, slot);
    const hashed = version === undefined ? undefined : await slotOfHash(name, version);
    const served = hashed && await loadOnce(name, hashed);
    // What was read then may be another model by now.
    if (served !== undefined && served.version === version) return served;
    const what = version === undefined ? "" : ` in version ${quote(version)}`;
    throw new RequestError("E_HTTP_ROUTE", `Cannot find model ${quote(name)}${what}`, {
      details: { model: name.slice(0, 200) },
    });
  }

  /** A failed load is tried again after a while: each request would read a damaged file anew. */
  async function loadOnce(name: string, slot: Slot, model?: Model): Promise<Served> {
    if (slot.served !== undefined) return slot.served;
    if (hasJustFailed(slot)) throw slot.failed!.error;
    const begun = performance.now();
    slot.loading ??= load(name, slot, limits, model).catch((error) => {
      noteFailure(slot, error, begun);
      throw error;
    }).finally(() => {
      delete slot.loading;
      revision++;
    });
    return await slot.loading;
  }

  /** Puts what a call has loaded in the place of a name, unless a later call has changed it. */
  function put(name: string, shelf: Shelf, call: number): void {
    if (call < (lastCalls.get(name) ?? 0)) return;
    lastCalls.set(name, call);
    shelves.set(name, shelf);
    revision++;
  }

  const registry: ModelRegistry = {
    kind: "registry",
    limits,
    get revision() {
      return revision;
    },
    names: () => [...shelves.keys()],
    versions(name) {
      const shelf = shelves.get(name.normalize());
      return {
        labels: [...shelf?.slots.keys() ?? []],
        aliases: [...shelf?.aliases ?? []],
        current: shelf?.current ?? "",
        shadow: shelf?.shadow,
      };
    },
    loaded: () =>
      [...shelves.values()].flatMap(({ slots }) =>
        [...slots.values()].flatMap(({ served }) => served ?? [])
      ),
    peek: (name, version) => slotOf(name.normalize(), version)?.served,
    get,
    shadow(name) {
      const label = shelves.get(name.normalize())?.shadow;
      return label === undefined ? undefined : get(name, label);
    },
    set(given, entry) {
      const name = given.normalize();
      put(name, shelfOf(entry, shelves.get(name)), ++calls);
    },
    async replace(given, entry) {
      const name = given.normalize();
      const shelf = shelfOf(entry, shelves.get(name));
      const slot = shelf.slots.get(shelf.current);
      if (slot === undefined) throw new RequestError("E_HTTP_ROUTE", "Cannot find that version");
      const call = ++calls;
      replacing++;
      try {
        const served = slot.served ?? await load(name, slot, limits);
        put(name, shelf, call);
        return served;
      } finally {
        replacing--;
      }
    },
    delete(given) {
      const name = given.normalize();
      revision++;
      // Names that are gone are remembered no longer than somebody could bring them back.
      if (replacing > 0) lastCalls.set(name, ++calls);
      else lastCalls.delete(name);
      return shelves.delete(name);
    },
  };
  for (const [name, entry] of models) {
    if (shelves.has(name.normalize())) throw twiceError("model", name);
    registry.set(name, entry);
  }
  return registry;
}

function hasJustFailed({ failed }: Slot): boolean {
  return failed !== undefined && performance.now() < failed.until;
}

/** Reading a large file that is damaged takes long, too: it may take a small share of the time. */
function noteFailure(slot: Slot, error: unknown, begun: number): void {
  const now = performance.now();
  const share = Math.max(RETRY_MILLIS, RETRY_SHARE * (now - begun));
  slot.failed = { error, until: now + Math.min(share, RETRY_MOST) };
}

/** @param before What has the name: a model that stays under its label goes on, with what it counted. */
function shelfOf(entry: ModelEntry, before?: Shelf): Shelf {
  const slots = new Map<string, Slot>();
  const add = (label: string, source: ModelSource) => {
    const known = before?.slots.get(label);
    const slot = known?.served?.model === source ? known : {};
    slots.set(label, { ...slot, label, source, slots });
  };
  if (typeof entry === "function" || !("versions" in entry)) {
    add("1", entry);
    return { slots, aliases: new Map(), current: "1", shadow: undefined };
  }
  for (const [given, source] of entriesOf(entry.versions)) {
    const label = given.normalize();
    if (slots.has(label)) throw twiceError("version", given);
    add(label, source);
  }
  const aliases = new Map(
    [...entriesOf(entry.aliases ?? {})].map(([alias, label]) =>
      [alias.normalize(), label.normalize()] as const
    ),
  );
  for (const [alias, label] of aliases) {
    if (alias !== label && slots.has(alias)) throw aliasError(alias, label);
  }
  const current = entry.current?.normalize() ?? [...slots.keys()].at(-1) ?? "";
  const shadow = entry.shadow?.normalize();
  return { slots, aliases, current: aliases.get(current) ?? current, shadow };
}

/** Who asks for the version would get another one. */
function aliasError(alias: string, label: string): ParameterError {
  return new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot use alias ${quote(alias)} for version ${quote(label)}: another version has that label`,
  );
}

/** One of two would never be asked. */
function twiceError(what: string, name: string): ParameterError {
  return new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot serve ${what} ${quote(name)}: it occurs twice`,
  );
}

function entriesOf<T>(
  named: { readonly [name: string]: T } | ReadonlyMap<string, T>,
): Iterable<readonly [string, T]> {
  return named instanceof Map ? named : Object.entries(named);
}

async function readModel(name: string, { source }: Slot): Promise<Model> {
  try {
    return typeof source === "function" ? await source() : source;
  } catch (cause) {
    // Whatever went wrong is not the caller's fault.
    throw new Error(`Cannot load model ${quote(name)}`, { cause });
  }
}

/** @param read The model, where it has been read. */
async function load(name: string, slot: Slot, limits: Limits, read?: Model): Promise<Served> {
  const { label, slots } = slot;
  const model = read ?? await readModel(name, slot);
  if (model.info.offset !== undefined && model.numOutputs > 1) {
    throw new Error(
      `Cannot serve model ${quote(name)}: its rows start from ${model.numOutputs} offsets each, ` +
        `requests can hold one`,
    );
  }
  const version = slot.version = await versionOf(model);
  const schema = rowSchema(model);
  const texts = classTexts(model.schema.classes);
  const single = createScores(model, 1);
  const head = `{"model":${JSON.stringify(name)},"version":${JSON.stringify(version)}`;
  return slot.served = {
    name,
    label,
    version,
    model,
    encoder: createEncoder(schema, limits, model.info.offset !== undefined),
    meter: meterOf(slots, version) ?? createModelMeter(
      schema.features.length,
      givesProbabilities(model),
      createDriftMeter(),
    ),
    classTexts: texts,
    rowText: pairText(head, texts, single),
    writer: lazyWriter(texts),
    single,
    scorer: scorerOf(model),
    head,
  };
}

/** The meter of another label of the same model: metrics are told by version, and each once. */
function meterOf(slots: ReadonlyMap<string, Slot>, version: string): ModelMeter | undefined {
  for (const { served } of slots.values()) if (served?.version === version) return served.meter;
  return undefined;
}
