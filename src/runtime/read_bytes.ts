/**
 * A whole file or address in memory, in every runtime that has one or the other: Deno, Node, Bun,
 * browsers and workers. Smaller than runtime/open.ts, for the `./predict` entry point.
 *
 * @module
 */
import { SourceError } from "../errors.ts";
import { unusable } from "../small_door.ts";

/** What reads files; only Deno's does more than that. */
type Files = Pick<typeof Deno, "readFile"> & Partial<Pick<typeof Deno, "openSync">>;

/** What is used of Deno, or of Node and Bun, where they have it. */
interface Runtimes {
  readonly Deno?: Files;
  readonly process?: { readonly getBuiltinModule?: (name: string) => Files };
}

/** Sizes of files that are read at once: it pays for them, and nobody waits for long. */
const LEAST = 16384;
const MOST = 1 << 22;

/**
 * Reads a path or a URL.
 *
 * In Deno a file whose name ends as a model's does is read to where `roomFor` says; so it is no pipe.
 *
 * @param roomFor Gives an array of a length, if it can.
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`.
 */
export async function readBytes(
  source: string | URL,
  roomFor: (length: number) => Uint8Array | undefined,
): Promise<Uint8Array> {
  const name = (source as URL)?.href ?? source;
  if (!name?.trim) throw unusable("source", source, "a path or URL");
  let status;
  try {
    const here = globalThis as unknown as Runtimes;
    // Deno has `process`, too, but takes 10 ms to make it.
    const files = here.Deno ?? here.process?.getBuiltinModule?.("node:fs/promises");
    const lower = name.toLowerCase();
    // Without a regular expression, which takes 0.1 ms when it is the first.
    const scheme = lower.slice(0, lower.indexOf(":") + 1);
    if (files && !["http:", "https:", "data:", "blob:"].includes(scheme)) {
      const path = scheme === "file:" ? new URL(name) : source;
      if (files.openSync && lower.endsWith(".tlm")) {
        const file = files.openSync(path);
        try {
          // To its end and back: `statSync` takes 0.2 ms when it is first called.
          const size = file.seekSync(0, 2);
          file.seekSync(0, 0);
          const room = size < LEAST || size > MOST ? undefined : roomFor(size);
          if (room && file.readSync(room) === size) return room;
        } finally {
          file.close();
        }
      }
      return await files.readFile(path);
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
