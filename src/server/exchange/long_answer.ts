/**
 * Answers of many numbers, sent a piece at a time as they are read: what waits for slow readers is
 * then known, and bounded. Deno itself would hold all of each, for as long as its connection is
 * open.
 *
 * @module
 */
import { RequestError } from "../../errors.ts";
import { countError } from "../observe/metrics.ts";
import type { Exchange, Server } from "./types.ts";

/** Bytes of a piece. */
const PIECE = 1 << 16;

/**
 * The bytes of an answer as a stream. Whoever does not read on gives up its place, as a body
 * that does not arrive does, where others need the room.
 *
 * @param end Called when it is read to its end, or will not be.
 * @throws {RequestError} `E_HTTP_BUSY` where too many bytes wait already.
 */
export function piecesOf(
  bytes: Uint8Array,
  server: Server,
  exchange: Exchange,
  end: () => void,
): ReadableStream<Uint8Array> {
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
  /** Nobody reads what is left. */
  const leave = () => {
    readOn();
    unread.bytes -= bytes.length - at;
    at = bytes.length;
    end();
  };
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      readOn();
      const piece = bytes.subarray(at, at + PIECE);
      controller.enqueue(piece);
      at += piece.length;
      unread.bytes -= piece.length;
      if (at === bytes.length) {
        controller.close();
        end();
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
}
