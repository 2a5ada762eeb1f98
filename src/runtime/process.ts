/**
 * Output and end of a process that runs for long.
 *
 * @module
 */

const encoder = new TextEncoder();
/** Text that waits to be written, so that busy servers write once for many lines. */
let waiting = "";

/** Writes a line to standard output, soon. */
export function printLine(line: string): void {
  if (waiting === "") setTimeout(flushLines, 20);
  waiting += line + "\n";
  if (waiting.length > 1 << 16) flushLines();
}

/** Writes what waits. Lines that nobody reads any more are dropped, and so are those of a full disk. */
function flushLines(): void {
  const bytes = encoder.encode(waiting);
  waiting = "";
  try {
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  } catch {
    // A server goes on without its log.
  }
}

/** Writes what waits and ends the process. */
export function exitProcess(code: number): never {
  flushLines();
  Deno.exit(code);
}
