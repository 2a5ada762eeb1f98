/**
 * Request bodies with a bound: refused by their declared length, or as soon as they pass it.
 *
 * Bytes that are not UTF-8 are no text: what a decoder puts in their place would be a category or a name
 * that nobody sent.
 *
 * @module
 */
import { DataError, RequestError, TreelineError } from "../../errors.ts";
import { once } from "../../util/once.ts";
import type { Arriving } from "../admission/load.ts";
import { MARK, utf8Fault } from "../../util/utf8.ts";

/**
 * Body as text.
 *
 * @throws {DataError} `E_DATA_LIMIT` when it is longer than `maxBytes`; `E_DATA_PARSE` when it is not
 * UTF-8, which `Request.text` does not tell.
 */
export function readText(
  request: Request,
  maxBytes: number,
  arriving?: Arriving,
): Promise<string> {
  return readBytes(request, maxBytes, arriving).then(bodyText);
}

/**
 * Body as bytes.
 *
 * @param arriving Where it is among those that are waited for.
 * @param since As of `Arriving.wait`.
 * @throws {DataError} `E_DATA_LIMIT` when it is longer than `maxBytes`; {@linkcode RequestError} as
 * `brokenBody`, `Arriving.wait` and `Arriving.keep` say.
 */
export function readBytes(
  request: Request,
  maxBytes: number,
  arriving?: Arriving,
  since?: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const reading = readWhole(request, maxBytes, arriving);
  return arriving === undefined ? reading : arriving.wait(reading, since);
}

async function readWhole(
  request: Request,
  maxBytes: number,
  arriving: Arriving | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  let kept = 0;
  try {
    const length = boundedLength(request, maxBytes);
    if (length <= AT_ONCE) return new Uint8Array(await request.arrayBuffer());
    const bytes = createGather();
    for await (const chunk of unpacked(request, maxBytes)) {
      if (bytes.length + chunk.byteLength > maxBytes) throw tooLong(maxBytes);
      arriving?.keep(chunk.byteLength);
      kept += chunk.byteLength;
      bytes.add(chunk);
    }
    if (length === Infinity) found.set(request, bytes.length);
    return bytes.take();
  } catch (error) {
    throw brokenBody(error);
  } finally {
    arriving?.drop(kept);
  }
}

/**
 * Bytes of a body up to which it is read at once. Of what is read so Deno keeps twice the bytes until the
 * connection closes or brings another request: a thousand idle callers would hold gigabytes.
 */
export const AT_ONCE = 1 << 19;

/** The declared length, where it is short enough; Infinity where there is none. */
function boundedLength(request: Request, maxBytes: number): number {
  const length = declaredLength(request) ?? Infinity;
  if (length > maxBytes && length < Infinity) throw tooLong(maxBytes);
  return length;
}

/** Bytes of bodies that did not declare them, once they were read. */
const found = new WeakMap<Request, number>();

/** Bytes of a body, unpacked: as declared, or as it was read; undefined where that is not known. */
export function bodyLength(request: Request): number | undefined {
  return declaredLength(request) ?? found.get(request);
}

/**
 * Bytes of the body as declared, where it is not encoded; the HTTP server holds callers to it. Beside
 * transfer-encoding it says nothing: Deno 2.9 refuses both, Deno 2.5 keeps a length that stands first.
 */
export function declaredLength(request: Request): number | undefined {
  const header = request.headers.get("content-length");
  if (header === null || request.headers.has("content-encoding")) return undefined;
  if (request.headers.has("transfer-encoding")) return undefined;
  const length = Number(header);
  return length >= 0 ? length : undefined;
}

/**
 * The body without its content encoding; its length is counted unpacked.
 *
 * @param maxPacked Bytes that an encoded one may have as it is sent: members and blocks may hold nothing,
 * and such a body would never end. @default Infinity
 */
export function unpacked(
  request: Request,
  maxPacked: number = Infinity,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const body = request.body ?? new Blob([]).stream();
  const encoding = (request.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding === "identity") return body;
  if (encoding !== "gzip" && encoding !== "x-gzip" && encoding !== "deflate") {
    throw new RequestError(
      "E_HTTP_TYPE",
      `Cannot read content encoding ${JSON.stringify(encoding.slice(0, 40))}: expected gzip, ` +
        "deflate or identity",
    );
  }
  const form = encoding === "deflate" ? encoding : "gzip";
  return ReadableStream.from(unpackedLater(ReadableStream.from(bounded(body, maxPacked)), form));
}

const loadUnpack = once(() => import("./unpack.ts"));

async function* unpackedLater(
  ...given: [ReadableStream<Uint8Array<ArrayBuffer>>, "gzip" | "deflate"]
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { unpack } = await loadUnpack();
  yield* unpack(...given);
}

async function* bounded(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let length = 0;
  try {
    for await (const piece of body) {
      length += piece.length;
      if (length > maxBytes) throw tooLong(maxBytes);
      yield piece;
    }
  } catch (error) {
    throw brokenBody(error);
  }
}

/**
 * What is said of a body that the HTTP server cannot read to its end: the caller went away, or sends
 * something else than the head says. That is no failure of ours; errors on purpose stay as they are.
 */
export function brokenBody(cause: unknown): unknown {
  return cause instanceof TreelineError ? cause : new RequestError(
    "E_HTTP_BODY",
    "Cannot read the body: it ends early or is not sent as the head of the request says",
    { cause },
  );
}

/** What is said of a body that is longer than `maxBytes`. */
export function tooLong(maxBytes: number): DataError {
  return new DataError("E_DATA_LIMIT", `Cannot read a body longer than ${maxBytes} bytes`, {
    details: { limit: "maxBytes", value: maxBytes },
  });
}

const decoder = new TextDecoder();

/**
 * The text of a body, without a byte order mark.
 *
 * @throws {DataError} `E_DATA_PARSE` naming the byte for what is not UTF-8.
 */
export function bodyText(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  const fault = utf8Fault(bytes, text);
  if (fault >= 0) throw notUtf8("the body", fault);
  return text;
}

/**
 * The text of a body that was decoded where it arrived, without a byte order mark. Its bytes are gone,
 * but their number is known: characters that are really U+FFFD have three of them, and those in whose
 * place a decoder put it have fewer.
 *
 * The one exception is the beginning of a character of four bytes that lacks only the last: it passes
 * as U+FFFD. It can be no name or category of the model, since bodies for models that know the mark
 * are not read this way (`Encoder.knowsMark`), and so is noticed as unknown or ignored.
 *
 * @param byteLength Bytes of the body.
 * @throws {DataError} `E_DATA_PARSE` naming the byte for what was not UTF-8.
 */
export function arrivedText(text: string, byteLength: number): string {
  if (text.includes(MARK)) checkMarks(text, byteLength);
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function checkMarks(text: string, byteLength: number): void {
  const encoder = new TextEncoder();
  const extra = encoder.encode(text).length - byteLength;
  if (extra === 0) return;
  const offset = encoder.encode(text.slice(0, text.indexOf(MARK))).length;
  // A mark stands for one byte at least, so it makes a body two bytes longer at most.
  const others = text.split(MARK).length - 2;
  throw notUtf8("the body", offset, extra > 2 * others ? "" : " or later");
}

/** The error for bytes that are not UTF-8. */
export function notUtf8(what: string, offset: number, later: string = ""): DataError {
  return new DataError(
    "E_DATA_PARSE",
    `Cannot read ${what}: it is not UTF-8 text at byte ${offset}${later}`,
    { details: { offset } },
  );
}

/**
 * Pieces of a body, put together as they come. A piece of a stream may be a view of far more memory than
 * its own length: Deno reads into buffers of 64 kB, and a caller who sends a byte at a time would make the
 * server hold one for each.
 */
export interface Gather {
  /** How many. */
  readonly length: number;
  add(piece: Uint8Array): void;
  /** All of them; the next piece begins anew. */
  take(): Uint8Array<ArrayBuffer>;
}

const FIRST = 1 << 12;
/** Shared: V8 takes each empty array of its own for long-lived, and lets its heap grow for them. */
const NOTHING = new Uint8Array(0);

/** An empty one. */
export function createGather(): Gather {
  let bytes = NOTHING;
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(piece) {
      const needed = length + piece.length;
      if (needed > bytes.length) {
        const larger = new Uint8Array(Math.max(FIRST, needed, 2 * bytes.length));
        larger.set(bytes.subarray(0, length));
        bytes = larger;
      }
      bytes.set(piece, length);
      length = needed;
    },
    take() {
      const taken = bytes.subarray(0, length);
      bytes = NOTHING;
      length = 0;
      return taken;
    },
  };
}
