/**
 * Models that follow their files, for callers: file_store.ts, which reads them, is loaded by whoever opens some.
 *
 * @module
 */
import { checkArgument } from "../../door.ts";
import type { Limits } from "../admission/limits.ts";
import type { ModelStore } from "./types.ts";

/**
 * Opens model files, folders of them, and URLs. A model is loaded at its first request.
 *
 * @param sources Paths of files or folders, or URLs; `name=path` gives the model another name.
 * @param limits Limits of requests, as {@linkcode DEFAULT_LIMITS}.
 * @throws {UsageError} `E_USAGE` if two models, or two versions of one, have the same name.
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ` for a path that cannot be read.
 * @throws {ModelError} `E_MODEL_CORRUPT` for an `aliases.json` that is not as docs/http.md says.
 */
export async function openModelStore(
  sources: readonly string[],
  limits: Limits,
): Promise<ModelStore> {
  checkArgument("openModelStore", "sources", sources, "texts");
  const { openFileStore } = await import("./file_store.ts");
  return await openFileStore(sources, limits);
}
