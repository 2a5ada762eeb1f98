/**
 * The real outside world of the command line: standard streams, terminal, Ctrl-C, a port.
 *
 * @module
 */
import { SourceError } from "../errors.ts";

/** Milliseconds in which the last answers leave, once a port is to be closed. */
const LINGER = 300;

/**
 * Makes the streams and listeners that `runCli` takes.
 *
 * @param embedded Models inside a compiled binary, by name.
 */
export function systemIo(embedded: { readonly [name: string]: URL } = {}): SystemIo {
  const controller = new AbortController();
  let listening = false;
  const encoder = new TextEncoder();
  return {
    embedded,
    get stdin() {
      return Deno.stdin.readable; // Deno loads its streams for it: 3 ms
    },
    async stdout(bytes) {
      try {
        for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
      } catch (cause) {
        // A reader that left is no fault: `runCli` ends quietly.
        if (!(cause instanceof Error) || cause instanceof Deno.errors.BrokenPipe) throw cause;
        const message = `Cannot write to standard output: ${cause.message}`;
        throw new SourceError("E_IO_WRITE", message, { details: { target: "-" }, cause });
      }
    },
    stderr(text) {
      const bytes = encoder.encode(text);
      try {
        for (let at = 0; at < bytes.length;) at += Deno.stderr.writeSync(bytes.subarray(at));
      } catch {
        // Nobody reads, or the log is full: words for people are no reason to lose the result.
      }
    },
    terminal: { stdout: Deno.stdout.isTerminal(), stderr: Deno.stderr.isTerminal() },
    color: !Deno.noColor,
    get interrupt() {
      // The handler is set on first use: until then Ctrl-C ends the process at once, as usual.
      if (!listening) {
        listening = true;
        let asked = 0;
        const stop = () => {
          if (++asked > 1) Deno.exit(130);
          controller.abort(new DOMException("Interrupted", "AbortError"));
        };
        Deno.addSignalListener("SIGINT", stop);
        if (Deno.build.os !== "windows") Deno.addSignalListener("SIGTERM", stop);
      }
      return controller.signal;
    },
    async listen(handler, { signal, ...place }) {
      const { listenHttp, placeText } = await import("./listen.ts");
      const { hostname, port, finished, stop } = await listenHttp(handler, place);
      if (signal.aborted) await stop(0);
      else signal.addEventListener("abort", () => stop(LINGER));
      return { url: `http://${placeText(hostname, port)}`, finished };
    },
  };
}

/** What {@linkcode systemIo} makes. */
export interface SystemIo {
  readonly embedded: { readonly [name: string]: URL };
  readonly stdin: ReadableStream<Uint8Array>;
  stdout(bytes: Uint8Array): Promise<void>;
  stderr(text: string): void;
  readonly terminal: { readonly stdout: boolean; readonly stderr: boolean };
  readonly color: boolean;
  readonly interrupt: AbortSignal;
  listen(
    handler: (request: Request) => Response | Promise<Response>,
    options: { readonly port: number; readonly hostname: string; readonly signal: AbortSignal },
  ): Promise<{ readonly url: string; readonly finished: Promise<void> }>;
}
