/**
 * Models that follow their files, for callers: file_store.ts, which reads them, is loaded by whoever opens some.
 *
 * @module
 */
import { checkArgument } from "../../door.ts";
import type { Limits } from "../types.ts";
import type { ModelRegistry } from "./registry.ts";

/** A registry that follows its files. */
export interface ModelStore {
  /** What the files stand for at present; pass it to `createApp`. */
  readonly registry: ModelRegistry;
  /** Looks for changed, new and removed files; says what it did, one line each. */
  refresh(): Promise<string[]>;
}

/**
 * Opens models; nothing is read before the first request asks for it.
 *
 * @param sources Paths of files or folders, or addresses; `name=path` gives another name.
 * @throws {UsageError} `E_USAGE` where two sources have one name; {@linkcode SourceError}.
 */
export async function openModelStore(
  sources: readonly string[],
  limits: Limits,
): Promise<ModelStore> {
  checkArgument("openModelStore", "sources", sources, "texts");
  const { openFileStore } = await import("./file_store.ts");
  return await openFileStore(sources, limits);
}
