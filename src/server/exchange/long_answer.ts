/**
 * Answers of many numbers, sent a piece at a time as they are read: what waits for slow readers is
 * then known, and bounded. Deno itself would hold all of each, for as long as its connection is
 * open.
 *
 * @module
 */
import { RequestError } from "../../errors.ts";
import { endStream, type Exchange, LONG_ANSWER, type Server } from "./exchange.ts";
import { countError } from "../observe/metrics.ts";

/** Bytes of a piece. */
const PIECE = 1 << 16;

/**
 * The answer as a stream that counts as in flight until it is read. Whoever does not read on gives up its
 * place, as a body that does not arrive does, where others need the room.
 *
 * @throws {RequestError} `E_HTTP_BUSY` where too many bytes wait already.
 */
export async function inPieces(
  server: Server,
  exchange: Exchange,
  answer: Response,
): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const { status, headers } = answer;
  if (bytes.length < LONG_ANSWER) return new Response(bytes, { status, headers });
  const { unread, arriving } = server;
  while (unread.bytes + bytes.length > unread.most) {
    if (arriving.giveUpOne(performance.now())) continue;
    throw new RequestError(
      "E_HTTP_BUSY",
      "Cannot answer now: too many answers wait for their readers, try again",
      { details: { retryAfterSeconds: 1 } },
    );
  }
  let at = 0;
  let readOn = () => {};
  unread.bytes += bytes.length;
  exchange.streaming = true;
  headers.set("content-length", String(bytes.length));
  /** Nobody reads what is left. */
  const leave = () => {
    readOn();
    unread.bytes -= bytes.length - at;
    at = bytes.length;
    endStream(exchange);
  };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      readOn();
      const piece = bytes.subarray(at, at + PIECE);
      controller.enqueue(piece);
      at += piece.length;
      unread.bytes -= piece.length;
      if (at === bytes.length) {
        controller.close();
        endStream(exchange);
        return;
      }
      readOn = arriving.hold((error) => {
        exchange.code = error.code;
        countError(server.metrics, error.code);
        leave();
        controller.error(error);
      });
    },
    cancel: leave,
  }, { highWaterMark: 0 });
  return new Response(body, { status, headers });
}
