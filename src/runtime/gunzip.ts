/**
 * Unpacks gzip as a stream, with all its members, or zlib's format, and fails on data that ends too
 * early.
 *
 * @module
 */

/** The part of `node:zlib` that is used, where the platform has it. */
interface Zlib {
  createGunzip(options: { readonly chunkSize: number }): Unzip;
  createInflate(options: { readonly chunkSize: number }): Unzip;
}

interface Unzip extends AsyncIterable<Uint8Array> {
  /** Bytes of the input that were used. */
  readonly bytesWritten: number;
  write(bytes: Uint8Array, done: () => void): boolean;
  on(event: string, listener: (error: unknown) => void): void;
  end(): void;
  destroy(error?: unknown): void;
}

/** For files; bodies of requests are mostly shorter. */
const CHUNK_SIZE = 1 << 18;

/**
 * Unpacks gzip.
 *
 * `node:zlib` is taken where it exists (Deno, Node): it reads files of several members (bgzip,
 * `cat a.gz b.gz`) and was 1.4 times as fast as `DecompressionStream`, which is the fallback.
 *
 * @param chunkSize Bytes that are unpacked at once.
 */
export function gunzip(
  stream: ReadableStream<Uint8Array>,
  chunkSize: number = CHUNK_SIZE,
): ReadableStream<Uint8Array> {
  const zlib = platformZlib();
  if (zlib === undefined) {
    return stream.pipeThrough(
      new DecompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>,
    );
  }
  return unzipWith(zlib.createGunzip({ chunkSize }), stream);
}

/**
 * Unpacks zlib's format, which HTTP calls `deflate`. `DecompressionStream` of Deno takes data that ends
 * too early for whole.
 *
 * @param chunkSize Bytes that are unpacked at once.
 */
export function inflate(
  stream: ReadableStream<Uint8Array>,
  chunkSize: number,
): ReadableStream<Uint8Array> {
  const zlib = platformZlib();
  return zlib === undefined
    ? stream.pipeThrough(
      new DecompressionStream("deflate") as TransformStream<Uint8Array, Uint8Array>,
    )
    : unzipWith(zlib.createInflate({ chunkSize }), stream);
}

/** Asked for at run time, so that bundles for browsers need no `node:zlib`. */
function platformZlib(): Zlib | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => unknown };
  };
  return process?.getBuiltinModule?.("node:zlib") as Zlib | undefined;
}

function unzipWith(
  unzip: Unzip,
  stream: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let over = false;
  let failure: unknown;
  let fedBytes = 0;
  let resume = () => {};
  unzip.on("error", (error) => {
    over = true;
    const reason = error instanceof Error ? error.message : String(error);
    failure ??= new Error(`gzip data are bad within ${fedBytes} bytes: ${reason}`, {
      cause: error,
    });
    resume();
  });
  unzip.on("close", () => resume());
  unzip.on("end", () => resume());

  /** Behind zeros, which pad the last member, zlib reads no further: what stood there would be lost. */
  const checkPadding = (value: Uint8Array) => {
    const at = value.findIndex((byte) => byte !== 0);
    if (at < 0) return;
    const place = fedBytes - value.length + at;
    throw new Error(
      `gzip data continue behind zeros at byte ${place}: pack them anew, in one piece`,
    );
  };

  const feed = async () => {
    let ended = false;
    try {
      while (!over) {
        const { done, value } = await reader.read();
        if (done) break;
        fedBytes += value.length;
        if (ended) checkPadding(value);
        if (ended) continue;
        await new Promise<void>((go) => {
          resume = go;
          unzip.write(value, go);
        });
        ended = !over && unzip.bytesWritten < fedBytes;
        if (ended) checkPadding(value.subarray(value.length - (fedBytes - unzip.bytesWritten)));
      }
      if (!over && !ended) unzip.end();
    } catch (error) {
      failure = error;
      unzip.destroy(error);
    }
  };
  const output = unzip[Symbol.asyncIterator]();
  let fed: Promise<void> | undefined;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      fed ??= feed();
      try {
        const { done, value } = await output.next();
        if (done) await fed;
        if (failure !== undefined) throw failure;
        if (done) controller.close();
        // A plain view: zlib's Buffer has methods of its own under the same names.
        else controller.enqueue(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
      } catch (error) {
        over = true;
        await reader.cancel().catch(() => {});
        controller.error(failure ?? error);
      }
    },
    async cancel(reason) {
      over = true;
      unzip.destroy();
      await reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
