/**
 * Request bodies with a bound: refused by their declared length, or as soon as they pass it.
 *
 * @module
 */
import { DataError, RequestError, TreelineError } from "../../errors.ts";
import { once } from "../../util/once.ts";
import { type JsonBounds, type JsonFault, scanJson } from "./json_scan.ts";
import type { Arriving } from "../admission/load.ts";
import type { Encoder } from "./encoder.ts";
import { bodyText } from "./text.ts";
import { DEFAULT_LIMITS, type Limits } from "../admission/limits.ts";

/** Names of what is read as UTF-8. */
const CHARSETS: readonly (string | undefined)[] = [undefined, "utf-8", "utf8", "us-ascii"];

/**
 * Media type of a request in lower case without parameters; "" when there is none.
 *
 * @throws {RequestError} `E_HTTP_TYPE` for a charset other than UTF-8: names and categories would
 * be others.
 */
export function mediaTypeOf(request: Request): string {
  const header = request.headers.get("content-type");
  if (header === null) return "";
  const end = header.indexOf(";");
  if (end < 0) return header.trim().toLowerCase();
  if (!CHARSETS.includes(mediaParameter(request, "charset"))) {
    throw new RequestError("E_HTTP_TYPE", "Cannot read this charset: expected utf-8");
  }
  return header.slice(0, end).trim().toLowerCase();
}

/** Value of a parameter of the media type (`charset`, `header`), in lower case. */
function mediaParameter(request: Request, name: string): string | undefined {
  for (const part of (request.headers.get("content-type") ?? "").split(";").slice(1)) {
    const [key, value] = part.split("=");
    if (key!.trim().toLowerCase() === name) {
      return (value ?? "").trim().replace(/^"|"$/g, "").toLowerCase();
    }
  }
  return undefined;
}

/**
 * What the media type of CSV says of the first line (RFC 4180, 3); undefined where it says nothing.
 *
 * @throws {RequestError} `E_HTTP_TYPE` for another word: taken for either, a row could be lost, or names
 * scored.
 */
export function headerParameter(request: Request): "present" | "absent" | undefined {
  const value = mediaParameter(request, "header");
  if (value === undefined || value === "present" || value === "absent") return value;
  throw new RequestError(
    "E_HTTP_TYPE",
    `Cannot read CSV with header=${value.slice(0, 40)}: expected header=present or header=absent`,
  );
}

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

/**
 * Parses JSON. `NaN` and `Infinity`, which Python's clients write although JSON has no such words,
 * are read as missing and as the infinities.
 *
 * @throws {DataError} `E_DATA_PARSE` without repeating what was sent; `E_DATA_SHAPE` when an object
 * has one name twice; `E_DATA_LIMIT` when it is nested deeper than `maxDepth`, or has more than
 * {@linkcode NAMES} times as many names as a request may have columns, or far more rows or lists than
 * it may.
 */
export function parseJson(text: string, encoder?: Pick<Encoder, "limits" | "schema">): unknown {
  const limits = encoder?.limits ?? DEFAULT_LIMITS;
  const width = encoder?.schema.features.length ?? 0;
  // Tensors and names of columns are lists, too. A few rows too many are counted by who reads them.
  const longest = Math.max(limits.maxRows, limits.maxColumns + width);
  const bounds = {
    maxNames: NAMES * (limits.maxColumns + width),
    maxRows: 2 * longest,
    maxParts: (PARTS + width) * longest,
  };
  const { fault, words } = scanJson(text, limits.maxDepth, bounds);
  if (fault !== undefined) throw faultError(text, fault, limits, bounds);
  return JSON.parse(words.length === 0 ? text : withoutWords(text, words));
}

/**
 * Different names at one depth of a body for each column that it may have: unknown columns are counted
 * where they are read, and objects within them may have names of their own.
 */
const NAMES = 4;

/**
 * Arrays and objects for each row that there may be, besides one for each of its columns, which is how
 * TensorFlow Serving's clients write tensors: unknown columns may hold objects of their own.
 */
const PARTS = 16;

/** Python's words and what stands for them in JSON. */
const WORDS = [["NaN", "null"], ["Infinity", "1e999"], ["-Infinity", "-1e999"]] as const;

/**
 * The text with Python's words, which begin at some places, in JSON's own. A pattern that passes over
 * strings would overflow the stack at one of 16 million letters.
 */
function withoutWords(text: string, places: readonly number[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const at of places) {
    const [word, json] = WORDS.find(([word]) => text.startsWith(word, at))!;
    parts.push(text.slice(from, at), json);
    from = at + word.length;
  }
  parts.push(text.slice(from));
  return parts.join("");
}

function clipped(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

function faultError(
  text: string,
  { kind, offset, name }: JsonFault,
  { maxDepth, maxColumns, maxRows }: Limits,
  { maxNames, maxParts }: JsonBounds,
): DataError {
  if (kind === "rows") {
    return new DataError(
      "E_DATA_LIMIT",
      `Cannot score more than ${maxRows} rows in one request: ` +
        `${
          name === undefined ? "there are" : `${JSON.stringify(clipped(name))} holds a list of`
        } ` +
        `at least twice as many up to character ${offset}`,
      { details: { limit: "maxRows", value: maxRows, offset } },
    );
  }
  if (kind === "parts") {
    return new DataError(
      "E_DATA_LIMIT",
      `Cannot read more than ${maxParts} lists and objects in one request: ` +
        `one more is at character ${offset}`,
      { details: { limit: "maxRows", value: maxRows, offset } },
    );
  }
  if (kind === "names") {
    return new DataError(
      "E_DATA_LIMIT",
      `Cannot read more than ${maxNames} different names in one request: ` +
        `one more is at character ${offset}`,
      { details: { limit: "maxColumns", value: maxColumns, offset } },
    );
  }
  if (kind === "depth") {
    return new DataError(
      "E_DATA_LIMIT",
      `Cannot read the body: it is nested deeper than ${maxDepth} at character ${offset}`,
      { details: { limit: "maxDepth", value: maxDepth, offset } },
    );
  }
  if (kind === "repeated") {
    const column = clipped(name!);
    return new DataError(
      "E_DATA_SHAPE",
      `Cannot read the body: ${JSON.stringify(column)} occurs twice in one object, ` +
        `again at character ${offset}; send it once`,
      { details: { column, offset } },
    );
  }
  const where = text.trim() === ""
    ? "it is empty"
    : offset === text.length
    ? `it ends too soon, after character ${offset}`
    : `syntax error at character ${offset}`;
  return new DataError("E_DATA_PARSE", `Cannot read the body as JSON: ${where}`, {
    details: { offset },
  });
}

/** The error for a media type that a route does not read. */
export function wrongType(found: string, expected: readonly string[]): RequestError {
  return new RequestError(
    "E_HTTP_TYPE",
    `Cannot read a body of type ${
      found === "" ? "(none)" : JSON.stringify(found.slice(0, 100))
    }: ` +
      `expected ${expected.join(", ")}`,
    { details: { expected } },
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
