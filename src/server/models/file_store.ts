/**
 * Models from files, folders and addresses, and their replacement while the server runs.
 *
 * A folder holds `name.tlm`, or `name/` with one `.tlm` a version and perhaps `aliases.json`:
 * `{"current": "2", "shadow": "3", "aliases": {"champion": "1"}}`. A file that changes is loaded
 * first and takes over when it is ready; a damaged one leaves the old model in place, and so does one that
 * cannot be read, which is tried again each time. An address that was read is asked for its ETag or date.
 *
 * @module
 */
import { SourceError, UsageError } from "../../errors.ts";
import { loadNamed } from "../../files/load_named.ts";
import { addressTag } from "../../runtime/address_tag.ts";
import { fileStamp, type FolderEntry, isFolder, listFolder } from "../../runtime/folder.ts";
import { once } from "../../util/once.ts";
import { createRegistry } from "./registry.ts";
import type { ModelEntry, ModelRegistry, ModelSource, ModelVersions } from "./types.ts";
import type { Limits } from "../admission/limits.ts";
import type { ModelStore } from "./types.ts";

const loadAliases = once(() => import("./aliases_file.ts"));

interface Found {
  readonly entry: ModelEntry;
  readonly stamp: string;
  /** Files by label where there are versions, the sources of `entry`. */
  readonly files?: ReadonlyMap<string, FolderEntry>;
  /** How many of these could not be read and are tried again. @default 0 */
  readonly unread?: number;
  /** What is wrong with its aliases.json. */
  readonly problem?: Error;
}

/** `openModelStore` (store.ts), for whoever opens one at once. */
export async function openFileStore(
  sources: readonly string[],
  limits: Limits,
): Promise<ModelStore> {
  const addresses = new Map<string, Followed>();
  const find = () => findModels(sources, addresses);
  let known = await find();
  for (const { problem } of known.values()) if (problem !== undefined) throw problem;
  /** What was said last of each model, or of all of them (""), that could not be read. */
  const problems = new Map<string, string>();
  const registry = createRegistry([...known].map(([name, { entry }]) => [name, entry]), limits);
  return {
    registry,
    async refresh() {
      const did: string[] = [];
      /** What is tried again each time is said once. */
      const complain = (name: string, problem: string) => {
        if (problems.get(name) !== problem) did.push(problem);
        problems.set(name, problem);
      };
      let found: Map<string, Found>;
      try {
        found = await find();
        problems.delete("");
      } catch (error) {
        complain("", `kept all models: ${(error as Error).message}`);
        return did;
      }
      for (const key of problems.keys()) if (!found.has(key.split("\n")[0])) problems.delete(key);
      const next = new Map(found);
      for (const [name, now] of found) {
        const before = known.get(name);
        if (now.problem !== undefined) {
          complain(name, `kept ${name}: ${now.problem.message}`);
          if (before === undefined) next.delete(name);
          else next.set(name, before);
          continue;
        }
        const isSame = before?.stamp === now.stamp;
        if (isSame && before.unread === undefined) continue;
        const verb = registry.names().includes(name) ? "replaced" : "added";
        const { entry, unread } = await withLoaded(registry, name, now, before);
        for (const [label, error] of unread) {
          const problem = `kept ${name}@${label}: ${error.message}`;
          if (!(error instanceof SourceError)) did.push(problem);
          else complain(`${name}\n${label}`, problem);
        }
        const again = [...unread].filter(([, error]) => error instanceof SourceError);
        if (again.length > 0) {
          const old = again.map(([label]) => [label, before!.files!.get(label)!] as const);
          next.set(name, { ...now, files: new Map([...now.files!, ...old]), unread: again.length });
          if (isSame && again.length === before.unread) continue;
        }
        try {
          const { version } = await registry.replace(name, entry);
          did.push(`${verb} ${name}: ${version}`);
          problems.delete(name);
          for (const label of now.files?.keys() ?? []) {
            if (!unread.has(label)) problems.delete(`${name}\n${label}`);
          }
        } catch (error) {
          const { message, cause } = error as Error;
          const problem = `kept ${name}: ${cause instanceof Error ? cause.message : message}`;
          if (!(cause instanceof SourceError)) {
            did.push(problem);
            continue;
          }
          // It may be read the next time, though the file will be the same.
          complain(name, problem);
          if (before === undefined) next.delete(name);
          else next.set(name, before);
        }
      }
      for (const name of known.keys()) {
        if (!found.has(name) && registry.delete(name)) did.push(`removed ${name}`);
      }
      known = next;
      return did;
    },
  };
}

/**
 * The versions of a folder, with the models that are loaded in the place of files that have not changed,
 * and of those that cannot be read: somebody asks for each by its label, whichever is the current one.
 *
 * @returns Besides, what is wrong with files of versions that are loaded, by label.
 */
async function withLoaded(
  registry: ModelRegistry,
  name: string,
  { entry, files }: Found,
  before: Found | undefined,
): Promise<{ readonly entry: ModelEntry; readonly unread: ReadonlyMap<string, Error> }> {
  const unread = new Map<string, Error>();
  if (files === undefined) return { entry, unread };
  const versions = new Map<string, ModelSource>();
  for (const [label, { path, stamp }] of files) {
    const known = before?.files?.get(label);
    const loaded = registry.loaded().find((one) => one.name === name && one.label === label);
    let model = known && loaded?.model;
    if (model !== undefined && known?.stamp !== stamp) {
      try {
        model = await loadNamed(path);
      } catch (error) {
        unread.set(label, error as Error);
      }
    }
    versions.set(label, model ?? loader(path));
  }
  return { entry: { ...entry as ModelVersions, versions }, unread };
}

/** An address of a model. */
interface Followed {
  readonly load: ModelSource;
  /** Differs once something else is there than was read; nothing is asked before. */
  stamp(): Promise<string>;
}

function follow(address: string): Followed {
  let tag = "";
  let changes = 0;
  return {
    async load() {
      // Before the content: a change between the two is seen the next time.
      tag = await addressTag(address);
      return await loadNamed(address);
    },
    async stamp() {
      // A failure is told by who then loads it.
      if (tag !== "" && await addressTag(address, tag).catch(() => "") !== tag) changes++;
      return String(changes);
    },
  };
}

/** @param addresses Those that are followed, by their sources; new ones are added. */
async function findModels(
  sources: readonly string[],
  addresses: Map<string, Followed>,
): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  const add = (given: string, value: Found) => {
    const name = given.normalize();
    if (found.has(name)) {
      throw new UsageError("E_USAGE", `Cannot serve two models as "${name}": use NAME=PATH`);
    }
    found.set(name, value);
  };
  for (const source of sources) {
    const named = /^([^/=:]+)=(.+)$/.exec(source);
    const path = named?.[2] ?? source;
    if (/^https?:/i.test(path)) {
      const followed = addresses.get(source) ?? follow(path);
      addresses.set(source, followed);
      add(named?.[1] ?? nameOf(path), { entry: followed.load, stamp: await followed.stamp() });
    } else if (await isFolder(path)) {
      for (const [name, value] of await findInFolder(path)) add(name, value);
    } else {
      const stamp = await fileStamp(path);
      if (stamp === "") {
        throw new SourceError("E_IO_NOT_FOUND", `Cannot find "${path}": there is no such file`, {
          details: { source: path },
        });
      }
      add(named?.[1] ?? nameOf(path), { entry: loader(path), stamp });
    }
  }
  return found;
}

async function findInFolder(folder: string): Promise<[string, Found][]> {
  const models: [string, Found][] = [];
  for (const item of await listFolder(folder)) {
    if (item.isFolder) {
      const versions = await findVersions(item.path);
      if (versions !== undefined) models.push([item.name, versions]);
    } else if (isModelFile(item.name)) {
      models.push([nameOf(item.name), { entry: loader(item.path), stamp: item.stamp }]);
    }
  }
  return models;
}

/** The versions in `name/`, oldest first: labels are compared as numbers where they are numbers. */
async function findVersions(folder: string): Promise<Found | undefined> {
  const items = await listFolder(folder);
  const files = items.filter((item) => !item.isFolder && isModelFile(item.name));
  if (files.length === 0) return undefined;
  const collator = new Intl.Collator("en", { numeric: true });
  files.sort((a, b) => collator.compare(nameOf(a.name), nameOf(b.name)));
  const byLabel = new Map<string, FolderEntry>();
  for (const file of files) {
    const label = nameOf(file.name);
    if (byLabel.has(label)) {
      throw new UsageError("E_USAGE", `Cannot serve two versions "${label}" of "${folder}"`);
    }
    byLabel.set(label, file);
  }
  const versions = new Map([...byLabel].map(([label, { path }]) => [label, loader(path)]));
  const notes = items.find((item) => item.name === "aliases.json");
  let said = {};
  let problem: Error | undefined;
  try {
    if (notes !== undefined) said = await (await loadAliases()).readAliases(notes.path, byLabel);
  } catch (error) {
    problem = error as Error; // of this name alone
  }
  return {
    entry: { versions, ...said },
    files: byLabel,
    ...(problem === undefined ? {} : { problem }),
    stamp: [...files, ...(notes === undefined ? [] : [notes])]
      .map((item) => `${item.name}:${item.stamp}`).join(","),
  };
}

const loader = (path: string) => () => loadNamed(path);

function isModelFile(name: string): boolean {
  return /\.tlm$/i.test(name);
}

/** `a/b/adult.tlm?x` → `adult`. */
function nameOf(path: string): string {
  return path.replace(/[?#].*$/, "").replace(/^.*[\\/]/, "").replace(/\.tlm$/i, "").normalize();
}
