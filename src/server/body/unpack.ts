/**
 * Bodies without their content encoding. gzip of several members is read to its end (RFC 1952, 2.2), as
 * `cat a.gz b.gz` and bgzip write it; zeros behind the last one are padding, anything else is damage.
 *
 * @module
 */
import { DataError, TreelineError } from "../../errors.ts";
import { gunzip, inflate } from "../../runtime/gunzip.ts";
import { brokenBody, tooLong } from "./read.ts";

type Pieces = AsyncIterable<Uint8Array<ArrayBuffer>>;

/** Bytes that are unpacked at once. */
const CHUNK_SIZE = 1 << 15;

/**
 * Unpacks a body.
 *
 * @param maxPacked Bytes that it may have as it is sent: members and blocks may hold nothing, and such a
 * body would never end.
 * @throws {DataError} `E_DATA_PARSE` for damaged data, `E_DATA_LIMIT` beyond `maxPacked`;
 * {@linkcode RequestError} as `brokenBody`.
 */
export async function* unpack(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  encoding: "gzip" | "deflate",
  maxPacked: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    const packed = ReadableStream.from(bounded(body, maxPacked));
    yield* (encoding === "gzip" ? gunzip : inflate)(packed, CHUNK_SIZE) as Pieces;
  } catch (cause) {
    if (cause instanceof TreelineError) throw cause;
    throw new DataError("E_DATA_PARSE", "Cannot unpack the body: it is damaged", { cause });
  }
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
