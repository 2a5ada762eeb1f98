/**
 * Streams whose pieces a test chooses.
 *
 * @module
 */
/** A stream of bytes in pieces of one size. */
export function streamOf(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += size));
    },
  });
}
