/**
 * What the machine and the environment are like.
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

/** An environment variable; undefined where it is not set or may not be read. */
export function readEnv(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}
