/**
 * What the machine and the terminal are like.
 *
 * @module
 */

/** Number of processor cores that threads may use; 1 where it is not known. */
export function numCores(): number {
  const cores = globalThis.navigator?.hardwareConcurrency;
  return typeof cores === "number" && cores >= 1 ? Math.floor(cores) : 1;
}

/** Whether the system counts memory that a program may write as used before it is touched. */
export function countsUntouchedMemory(): boolean {
  return typeof Deno !== "undefined" && Deno.build.os === "windows";
}

/** Whether a stream of the process is a terminal; false outside Deno. */
export function isTerminal(stream: "stdin" | "stdout" | "stderr"): boolean {
  return typeof Deno === "undefined" ? false : Deno[stream].isTerminal();
}

/** Whether output to a stream may carry colours: a terminal, and `NO_COLOR` is not set. */
export function mayColour(stream: "stdout" | "stderr"): boolean {
  return isTerminal(stream) && !Deno.noColor;
}

/** Width of the terminal in characters; 80 where there is none. */
export function terminalWidth(): number {
  try {
    return Deno.consoleSize().columns;
  } catch {
    return 80;
  }
}

/** An environment variable; undefined where it is not set or may not be read. */
export function readEnv(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}

/** Resident memory of the process in bytes; NaN where it is not known. */
export function residentBytes(): number {
  try {
    return Deno.memoryUsage().rss;
  } catch {
    return NaN;
  }
}
