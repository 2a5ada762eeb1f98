/**
 * A path, an address or a stream → bytes. Gzip is recognised by its first two bytes and unpacked.
 *
 * @module
 */
import { SourceError, TreelineError } from "../errors.ts";
import { gunzip } from "./gunzip.ts";

/**
 * A source of bytes: a file path, an `http:`, `https:`, `file:` or `data:` URL, `-` for standard
 * input, a stream, or the bytes themselves.
 */
export type ByteSource = string | URL | ReadableStream<Uint8Array> | Uint8Array;

/** How a source is opened. */
export interface OpenOptions {
  /** Unpack gzip, recognised by its first bytes. @default true */
  readonly gunzip?: boolean;
  /** Stops reading. */
  readonly signal?: AbortSignal;
}

/** Name of a source for messages. */
export function sourceName(source: ByteSource): string {
  if (typeof source === "string") return source === "-" ? "standard input" : source;
  if (source instanceof URL) return source.href;
  return source instanceof Uint8Array ? "bytes" : "stream";
}

/** Size in bytes of a source that is a file or bytes, packed or not; undefined for others. */
export function sizeOf(source: ByteSource): number | undefined {
  if (source instanceof Uint8Array) return source.length;
  if (!isPlace(source)) return undefined;
  const url = addressOf(source);
  if (url !== undefined && url.protocol !== "file:") return undefined;
  try {
    // Another thread costs as much as reading some thousand rows.
    const { isFile, size } = Deno.statSync(url ?? source);
    return isFile ? size : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a source is a path or an address. `ReadableStream` is not asked for: it would be loaded. */
function isPlace(source: ByteSource): source is string | URL {
  return source !== "-" && (typeof source === "string" || source instanceof URL);
}

/** Whether opening the source a second time gives the same bytes again. */
export function isReopenable(source: ByteSource): boolean {
  if (source instanceof ReadableStream || source === "-") return false;
  if (source instanceof URL || /^(https?|data|blob):/i.test(String(source))) return true;
  return sizeOf(source) !== undefined;
}

/**
 * Opens a source as a stream of bytes.
 *
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`; later failures, such as gzip that ends too
 * early, reject the read with `E_IO_READ`.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const stream = await openStream(new TextEncoder().encode("a,b"));
 * assertEquals(await new Response(stream).text(), "a,b");
 * ```
 */
export async function openStream(
  source: ByteSource,
  options: OpenOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const name = sourceName(source);
  const raw = await openRaw(source, name, options.signal);
  const reader = raw.getReader();
  const first = await readAtLeast(reader, 2, name);
  const zipped = options.gunzip !== false && isZipped(first);
  const rest = resume(reader, first, name, zipped);
  return zipped ? guard(gunzip(rest), (error) => readError(name, error)) : rest;
}

/**
 * Reads a whole source.
 *
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`.
 */
export async function openBytes(
  source: ByteSource,
  options: OpenOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const file = wholeFile(source);
  if (file !== undefined && !(options.gunzip !== false && isZipped(file))) return file;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of await openStream(source, options)) {
    parts.push(part);
    length += part.length;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A file on a disk without the streams that others need, which Deno loads at first use: 3 ms. */
function wholeFile(source: ByteSource): Uint8Array<ArrayBuffer> | undefined {
  if (!isPlace(source) || sizeOf(source) === undefined) return undefined;
  try {
    return Deno.readFileSync(addressOf(source) ?? source);
  } catch (error) {
    throw openError(sourceName(source), error);
  }
}

function isZipped(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

async function openRaw(
  source: ByteSource,
  name: string,
  signal: AbortSignal | undefined,
): Promise<ReadableStream<Uint8Array>> {
  if (source instanceof ReadableStream) return source;
  if (source instanceof Uint8Array) return streamOf(source);
  const url = source === "-" ? undefined : addressOf(source);
  if (url !== undefined && url.protocol !== "file:") return await openUrl(url, name, signal);
  if (typeof Deno === "undefined") {
    const message =
      `Cannot read "${name}": only Deno opens files here; pass bytes, a stream or an address`;
    throw new SourceError("E_IO_READ", message, { details: { source: name } });
  }
  if (source === "-") return Deno.stdin.readable;
  const path = url ?? source;
  try {
    const file = await Deno.open(path, { read: true });
    const { isDirectory, isFile } = await file.stat();
    if (isDirectory) {
      file.close();
      throw new SourceError("E_IO_READ", `Cannot read "${name}": it is a folder`, {
        details: { source: name },
      });
    }
    return streamOfFile(file, isFile);
  } catch (error) {
    throw openError(name, error);
  }
}

/** The URL that a source is, unless it is a plain path (`C:\x` has no scheme we know). */
export function addressOf(source: string | URL): URL | undefined {
  if (source instanceof URL) return source;
  return /^(https?|file|data|blob):/i.test(source) ? new URL(source) : undefined;
}

async function openUrl(
  url: URL,
  name: string,
  signal: AbortSignal | undefined,
): Promise<ReadableStream<Uint8Array>> {
  let response: Response;
  try {
    response = await fetch(url, signal === undefined ? {} : { signal });
  } catch (error) {
    throw readError(name, error);
  }
  if (!response.ok) {
    await response.body?.cancel();
    const code = response.status === 404 || response.status === 410
      ? "E_IO_NOT_FOUND"
      : "E_IO_READ";
    throw new SourceError(code, `Cannot read "${name}": the server answered ${response.status}`, {
      details: { source: name, status: response.status },
    });
  }
  return response.body ?? streamOf(new Uint8Array(0));
}

/** Bytes of a file that are read at once: larger pieces than a file's own stream has. */
const FILE_BYTES = 1 << 18;

/** Files on a disk are read without a thread hop; pipes and devices may make one wait. */
function streamOfFile(file: Deno.FsFile, onDisk: boolean): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const bytes = new Uint8Array(FILE_BYTES);
        const count = onDisk ? file.readSync(bytes) : await file.read(bytes);
        if (count !== null) return controller.enqueue(bytes.subarray(0, count));
        file.close();
        controller.close();
      } catch (error) {
        file.close();
        throw error;
      }
    },
    cancel: () => file.close(),
  }, { highWaterMark: 0 });
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}

/** Reads until `size` bytes are there or the stream ends. */
async function readAtLeast(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  size: number,
  name: string,
): Promise<Uint8Array> {
  let bytes = new Uint8Array(0);
  try {
    while (bytes.length < size) {
      const { done, value } = await reader.read();
      if (done) break;
      if (bytes.length === 0) bytes = value as Uint8Array<ArrayBuffer>;
      else {
        const joined = new Uint8Array(bytes.length + value.length);
        joined.set(bytes);
        joined.set(value, bytes.length);
        bytes = joined;
      }
    }
  } catch (error) {
    throw readError(name, error);
  }
  return bytes;
}

/** A stream that begins with bytes already read and goes on with the reader. */
function resume(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  first: Uint8Array,
  name: string,
  zipped: boolean,
): ReadableStream<Uint8Array> {
  let pending: Uint8Array | undefined = first.length > 0 ? first : undefined;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (pending !== undefined) {
        controller.enqueue(pending);
        pending = undefined;
        return;
      }
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(zipped ? error : readError(name, error));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

/** Passes a stream on and gives its failure a type. */
function guard(
  stream: ReadableStream<Uint8Array>,
  wrap: (error: unknown) => unknown,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(wrap(error));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

/** Gives an error of opening a file its type and its sentence. */
export function openError(name: string, error: unknown): unknown {
  if (error instanceof Deno.errors.NotFound) {
    return new SourceError("E_IO_NOT_FOUND", `Cannot read "${name}": there is no such file`, {
      details: { source: name },
      cause: error,
    });
  }
  return readError(name, error);
}

/** Gives an error of reading its type and its sentence; ours have theirs. */
export function readError(name: string, error: unknown): unknown {
  if (error instanceof TreelineError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new SourceError("E_IO_READ", `Cannot read "${name}": ${reason}`, {
    details: { source: name },
    cause: error,
  });
}
