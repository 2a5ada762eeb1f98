/**
 * Stopping in order.
 *
 * @module
 */
import type { HttpListener } from "../../runtime/listen.ts";
import type { ServerApp } from "../options.ts";

/** Milliseconds that callers who are still sending have to read what they are told. */
const LINGER = 300;

/**
 * Answers what is in flight, then closes the port. In this order: Deno's `shutdown()` takes away the
 * bodies that running requests are still reading. New requests meanwhile get 503.
 *
 * @param graceMillis What all of it may take.
 * @param closeServe What closes the port that `deno serve` has opened.
 */
export async function endServing(
  app: ServerApp,
  listener: HttpListener | undefined,
  graceMillis: number,
  closeServe?: () => void,
): Promise<void> {
  const until = performance.now() + graceMillis;
  if (listener !== undefined) {
    await app.drain(graceMillis);
    await listener.stop(Math.max(0, until - performance.now()));
  } else {
    // Under `deno serve` the port is not ours: the last answers need time to leave.
    await app.drain(graceMillis - LINGER);
    closeServe?.();
    await new Promise((resolve) => setTimeout(resolve, LINGER));
  }
}
