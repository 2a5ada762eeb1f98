/**
 * Listening for HTTP requests, and stopping without dropping one.
 *
 * @module
 */

import { SourceError } from "../errors.ts";

/** Answers a request. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

/** Where and how to listen. */
export interface ListenOptions {
  /** 0 takes a free port. */
  readonly port: number;
  /** @default "0.0.0.0" */
  readonly hostname?: string;
  /** Several listeners on one port share its connections (Linux). @default false */
  readonly reusePort?: boolean;
}

/** A server that listens. */
export interface HttpListener {
  readonly port: number;
  readonly hostname: string;
  /** Resolves when the server has ended, or the grace of `stop` is over. */
  readonly finished: Promise<void>;
  /** Takes no more connections and waits for running requests, `graceMillis` at most; 0 cuts them. */
  stop(graceMillis: number): Promise<void>;
}

/** Host and port as an address has them: `[::1]:8000`. */
export function placeText(hostname: string, port: number): string {
  return /^[^[]*:/.test(hostname) ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

/** The error of who cannot listen. */
export function listenError(place: string, cause: unknown): SourceError {
  const reason = cause instanceof Deno.errors.AddrInUse
    ? "another program listens there"
    : cause instanceof Error
    ? cause.message
    : String(cause);
  return new SourceError("E_IO_READ", `Cannot listen on ${place}: ${reason}`, {
    details: { source: place, hint: "--port 0 takes a free port" },
    cause,
  });
}

/**
 * Refuses a port that another program listens on. Whoever shares a port between threads shares it with
 * every other server that does: each would answer some of the requests.
 *
 * @throws {SourceError} `E_IO_READ`.
 */
export function checkFree({ port, hostname = "0.0.0.0" }: ListenOptions): void {
  try {
    Deno.listen({ port, hostname }).close();
  } catch (cause) {
    throw listenError(placeText(hostname, port), cause);
  }
}

/** Milliseconds until a server listens again that had no room for one more connection. */
const PAUSE = 100;

/**
 * Listens. Resolves once connections are taken. Deno ends a server that the system has no file left for
 * (`ulimit -n`): whoever opens so many connections would end the process. Such a one listens again, and
 * the connections that it has are answered meanwhile.
 *
 * @throws {SourceError} `E_IO_READ` where the port is not free, or may not be taken.
 */
export async function listenHttp(
  handler: FetchHandler,
  options: ListenOptions,
): Promise<HttpListener> {
  const { port, hostname = "0.0.0.0", reusePort = false } = options;
  const controller = new AbortController();
  const listening = Promise.withResolvers<Deno.NetAddr>();
  const ended = Promise.withResolvers<void>();
  let isEnding = false;
  let server: Deno.HttpServer;
  const open = (port: number) => {
    const { signal } = controller;
    const onListen = listening.resolve;
    server = Deno.serve({ port, hostname, reusePort, signal, onListen }, handler);
    server.finished.then(ended.resolve, () => setTimeout(again, PAUSE));
  };
  const again = () => {
    if (isEnding) return ended.resolve();
    try {
      open(address.port);
    } catch {
      setTimeout(again, PAUSE);
    }
  };
  try {
    open(port);
  } catch (cause) {
    throw listenError(placeText(hostname, port), cause);
  }
  const address = await listening.promise;
  return {
    port: address.port,
    hostname: address.hostname,
    finished: ended.promise,
    async stop(graceMillis) {
      isEnding = true;
      if (graceMillis <= 0) {
        controller.abort();
        return await ended.promise;
      }
      // What is left then ends with the process: an abort after a shutdown is an uncaught
      // BadResource in Deno.
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, graceMillis);
      await Promise.race([server.shutdown(), promise]);
      clearTimeout(timer);
      ended.resolve();
    },
  };
}

/** Calls `stop` at the first SIGINT or SIGTERM; a second one ends the process at once. */
export function onStopSignal(stop: (signal: string) => void): void {
  let asked = false;
  const signals: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
  for (const signal of signals) {
    Deno.addSignalListener(signal, () => {
      if (asked) Deno.exit(130);
      asked = true;
      stop(signal);
    });
  }
}

/**
 * Keeps `deno serve` from closing its server at the first SIGINT or SIGTERM: since Deno 2.8 that takes away
 * the bodies that are still arriving (denoland/deno#32862). To be called in `onListen`: Deno adds its
 * listeners right after it, in the same turn, and gets none where this can be done.
 *
 * @returns What closes the server as Deno would have done.
 */
export function postponeStop(): () => void {
  const listeners = new Set<() => void>();
  const deno = Deno as { addSignalListener: typeof Deno.addSignalListener };
  const { addSignalListener } = deno;
  try {
    deno.addSignalListener = (_signal, listener) => void listeners.add(listener);
    queueMicrotask(() => deno.addSignalListener = addSignalListener);
  } catch {
    // A Deno whose namespace is frozen stops as it will.
  }
  return () => {
    for (const listener of listeners) listener();
  };
}
