/**
 * Runs the command line in this process with streams of our own.
 *
 * @module
 */
import { type CliIo, runCli } from "../../src/cli/mod.ts";

/** What a run gave. */
export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The result as bytes. */
  readonly bytes: Uint8Array;
}

/** What a run is given besides arguments. */
export interface CliSetup {
  readonly stdin?: string | Uint8Array;
  /** Whether stderr is looked at by a person. @default false */
  readonly terminal?: boolean;
  readonly color?: boolean;
  /** A getter is asked when the command asks. */
  readonly interrupt?: AbortSignal;
  readonly listen?: CliIo["listen"];
}

/** Runs `treeline ...args`. */
export async function cli(args: readonly string[], setup: CliSetup = {}): Promise<CliRun> {
  const out: Uint8Array[] = [];
  let stderr = "";
  const stdin = typeof setup.stdin === "string"
    ? new TextEncoder().encode(setup.stdin)
    : setup.stdin ?? new Uint8Array();
  const never = new AbortController().signal;
  const code = await runCli(args, {
    stdin: new Blob([stdin.slice()]).stream(),
    stdout: (bytes) => Promise.resolve(void out.push(bytes.slice())),
    stderr: (text) => void (stderr += text),
    terminal: { stdout: false, stderr: setup.terminal ?? false },
    color: setup.color ?? false,
    get interrupt() {
      return setup.interrupt ?? never;
    },
    listen: setup.listen ?? (() => Promise.reject(new Error("this test does not listen"))),
  });
  const bytes = new Uint8Array(await new Blob(out as BlobPart[]).arrayBuffer());
  return { code, stdout: new TextDecoder().decode(bytes), stderr, bytes };
}
