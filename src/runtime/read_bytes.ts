/**
 * A whole file or address in memory, in every runtime that has one or the other: Deno, Node, Bun,
 * browsers and workers. Smaller than runtime/open.ts, for the `./predict` entry point.
 *
 * @module
 */
import { SourceError } from "../errors.ts";

interface NodeFiles {
  readFile(path: string | URL): Promise<Uint8Array>;
}

/**
 * Reads a path or a URL.
 *
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`.
 */
export async function readBytes(source: string | URL): Promise<Uint8Array> {
  const name = String(source);
  try {
    const files = fileReader();
    const address = /^(https?|data|blob):/i.test(name);
    if (!address && files !== undefined) {
      return await files.readFile(/^file:/i.test(name) ? new URL(name) : source);
    }
    // In a browser a path is relative to the page.
    const response = await fetch(source);
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    await response.body?.cancel();
    const missing = response.status === 404 || response.status === 410;
    throw failure(
      name,
      missing ? "E_IO_NOT_FOUND" : "E_IO_READ",
      `the server answered ${response.status}`,
    );
  } catch (cause) {
    if (cause instanceof SourceError) throw cause;
    const { code, name: kind, message } = cause as {
      code?: string;
      name?: string;
      message?: string;
    };
    const missing = kind === "NotFound" || code === "ENOENT";
    throw failure(
      name,
      missing ? "E_IO_NOT_FOUND" : "E_IO_READ",
      missing ? "there is no such file" : message ?? String(cause),
      cause,
    );
  }
}

function fileReader(): NodeFiles | undefined {
  if (typeof Deno !== "undefined") return Deno;
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => unknown };
  };
  return process?.getBuiltinModule?.("node:fs/promises") as NodeFiles | undefined;
}

function failure(
  name: string,
  code: "E_IO_NOT_FOUND" | "E_IO_READ",
  reason: string,
  cause?: unknown,
): SourceError {
  return new SourceError(code, `Cannot read "${name}": ${reason}`, {
    details: { source: name },
    cause,
  });
}
