/**
 * A whole file or address in memory, in every runtime that has one or the other: Deno, Node, Bun,
 * browsers and workers. Smaller than runtime/open.ts, for the `./predict` entry point.
 *
 * @module
 */
import { SourceError } from "../errors.ts";
import { unusable } from "../small_door.ts";

/** What is used of Node and Bun, where they have it. */
interface Node {
  process?: { getBuiltinModule?: (name: string) => Pick<typeof Deno, "readFile"> };
}

/**
 * Reads a path or a URL.
 *
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`.
 */
export async function readBytes(source: string | URL): Promise<Uint8Array> {
  const name = (source as URL)?.href ?? source;
  if (!name?.trim) throw unusable("source", source, "a path or URL");
  let status;
  try {
    const files = typeof Deno !== "undefined"
      ? Deno
      : (globalThis as unknown as Node).process?.getBuiltinModule?.("node:fs/promises");
    if (files && !/^(https?|data|blob):/i.test(name)) {
      return await files.readFile(/^file:/i.test(name) ? new URL(name) : source);
    }
    // In a browser a path is relative to the page.
    const response = await fetch(source);
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    await response.body?.cancel();
    status = response.status;
  } catch (cause) {
    const { code, message } = cause as { code?: string; message?: string };
    const missing = code === "ENOENT";
    const reason = missing ? "there is no such file" : message!;
    throw failure(name, missing, reason, cause);
  }
  throw failure(name, status === 404 || status === 410, `the server answered ${status}`);
}

function failure(
  name: string,
  missing: boolean,
  reason: string,
  cause?: unknown,
): SourceError {
  return new SourceError(
    missing ? "E_IO_NOT_FOUND" : "E_IO_READ",
    `Cannot read "${name}": ${reason}`,
    {
      details: { source: name },
      cause,
    },
  );
}
