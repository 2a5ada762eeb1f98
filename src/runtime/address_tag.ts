/**
 * Whether what an address holds is still what it was.
 *
 * @module
 */
import { SourceError } from "../errors.ts";

/** Milliseconds in which a server says what it has. */
const PATIENCE = 30_000;

/**
 * What a server says of the version that it has: an ETag or a date; "" where it says neither.
 *
 * @param known What it said before: then it need not send the content. @default nothing
 * @throws {SourceError} `E_IO_READ` where it does not answer.
 */
export async function addressTag(address: string, known: string = ""): Promise<string> {
  // Dates begin with the day (RFC 9110, 5.6.7).
  const header = /^[A-Z][a-z]{2}, /.test(known) ? "if-modified-since" : "if-none-match";
  try {
    const { status, headers, body } = await fetch(address, {
      headers: known === "" ? {} : { [header]: known },
      signal: AbortSignal.timeout(PATIENCE),
    });
    await body?.cancel();
    return status === 304 ? known : headers.get("etag") ?? headers.get("last-modified") ?? "";
  } catch (cause) {
    throw new SourceError("E_IO_READ", `Cannot read "${address}": ${(cause as Error).message}`, {
      details: { source: address },
      cause,
    });
  }
}
