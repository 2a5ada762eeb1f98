/**
 * Bodies without their content encoding. gzip of several members is read to its end (RFC 1952, 2.2), as
 * `cat a.gz b.gz` and bgzip write it; zeros behind the last one are padding, anything else is damage.
 *
 * @module
 */
import { DataError, TreelineError } from "../../errors.ts";
import { gunzip, inflate } from "../../runtime/gunzip.ts";

type Pieces = AsyncIterable<Uint8Array<ArrayBuffer>>;

/** Bytes that are unpacked at once. */
const CHUNK_SIZE = 1 << 15;

/**
 * Unpacks a body.
 *
 * @throws {DataError} `E_DATA_PARSE` for damaged data; errors of the body itself as they are.
 */
export async function* unpack(
  packed: ReadableStream<Uint8Array<ArrayBuffer>>,
  encoding: "gzip" | "deflate",
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    yield* (encoding === "gzip" ? gunzip : inflate)(packed, CHUNK_SIZE) as Pieces;
  } catch (cause) {
    if (cause instanceof TreelineError) throw cause;
    throw new DataError("E_DATA_PARSE", "Cannot unpack the body: it is damaged", { cause });
  }
}
