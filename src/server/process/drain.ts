/**
 * Stopping in order.
 *
 * @module
 */
import type { HttpListener } from "../../runtime/listen.ts";
import type { ServerApp } from "../app.ts";

const LINGER = 300;

/**
 * Answers what is in flight, then closes the port. In this order: Deno's `shutdown()` takes away the
 * bodies that running requests are still reading. New requests meanwhile get 503.
 *
 * @param closeServe What closes the port that `deno serve` has opened.
 */
export async function endServing(
  app: ServerApp,
  listener: HttpListener | undefined,
  graceMillis: number,
  closeServe?: () => void,
): Promise<void> {
  const until = performance.now() + graceMillis;
  await app.drain(graceMillis);
  if (listener !== undefined) await listener.stop(Math.max(0, until - performance.now()));
  else {
    // Under `deno serve` the port is not ours: give the last answers time to leave, and callers that
    // are still sending time to read theirs.
    closeServe?.();
    await new Promise((resolve) => setTimeout(resolve, LINGER));
  }
}
