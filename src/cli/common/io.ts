/**
 * What the command line may touch besides files: standard streams, the terminal, the interrupt key
 * and a listening port. `cli.ts` makes the real one; tests make their own.
 *
 * @module
 */
import { DataError, type TreelineError, UsageError } from "../../errors.ts";

/** A handler of HTTP requests. */
export type Handler = (request: Request) => Response | Promise<Response>;

/** Where a server listens. */
export interface ListenOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly hostname: string;
  /** Ends the server after the running requests. */
  readonly signal: AbortSignal;
}

/** A server that listens. */
export interface Listening {
  readonly url: string;
  /** Resolves when the server has ended. */
  readonly finished: Promise<void>;
}

/** The outside world as `runCli` sees it. */
export interface CliIo {
  /** Read where an input is given as `-`. */
  readonly stdin: ReadableStream<Uint8Array>;
  /** Takes bytes of the result; resolves when they are taken, rejects when nobody reads any more. */
  stdout(bytes: Uint8Array): Promise<void>;
  /** Takes text for people: progress, warnings, errors. */
  stderr(text: string): void;
  /** Whether a person looks at each stream. */
  readonly terminal: { readonly stdout: boolean; readonly stderr: boolean };
  /** Whether colour is wanted where a person looks (`NO_COLOR` is not set). */
  readonly color: boolean;
  /** Aborted when the user asks to stop. */
  readonly interrupt: AbortSignal;
  /** Models inside the program itself (a compiled binary), by name. */
  readonly embedded?: { readonly [name: string]: URL };
  /** Listens for HTTP requests. */
  listen(handler: Handler, options: ListenOptions): Promise<Listening>;
}

const taken = new WeakSet<CliIo>();

/**
 * Standard input, for the one input of a call that is `-`.
 *
 * @throws {UsageError} `E_USAGE` for a second one: nothing would be left for it.
 */
export function takeStdin(io: CliIo): ReadableStream<Uint8Array> {
  if (taken.has(io)) {
    throw new UsageError(
      "E_USAGE",
      "Cannot read standard input twice: expected - for one input, and paths for the others",
    );
  }
  taken.add(io);
  return io.stdin;
}

/** Does what reads a source; an error about its content names it. */
export function namingSource<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DataError) nameSource(error, path);
    throw error;
  }
}

/**
 * Adds where it was met to the message of an error, which those who read bytes do not know.
 *
 * @param format Of a table, for hints.
 */
export function nameSource(error: TreelineError, path: string, format?: string): void {
  if (format !== undefined) Object.assign(error, { details: { ...error.details, format } });
  // A short name may be part of any word; a file of a folder names that, too.
  if (error.message.includes(`"${path}"`) || error.message.includes(`"${path}/`)) return;
  error.message += ` (in ${path === "-" ? "standard input" : JSON.stringify(path)})`;
}
