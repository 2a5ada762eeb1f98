/**
 * What the machine and the environment are like.
 *
 * @module
 */

import { SourceError } from "../errors.ts";

/** Number of processor cores that threads may use; 1 where it is not known. */
export function numCores(): number {
  const cores = globalThis.navigator?.hardwareConcurrency;
  return typeof cores === "number" && cores >= 1 ? Math.floor(cores) : 1;
}

/** Whether the system counts memory that a program may write as used before it is touched. */
export function countsUntouchedMemory(): boolean {
  return typeof Deno !== "undefined" && Deno.build.os === "windows";
}

/**
 * An environment variable that may not be passed over; undefined where it is not set.
 *
 * @throws {SourceError} `E_IO_READ` where it may not be read.
 */
export function demandEnv(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch (cause) {
    throw new SourceError(
      "E_IO_READ",
      `Cannot read the variable ${name}: allow it, whether it is set or not (--allow-env=${name})`,
      { cause },
    );
  }
}

/** Names and values of all environment variables; none where they may not be listed. */
export function listEnv(): { readonly [name: string]: string } {
  try {
    return Deno.env.toObject();
  } catch {
    return {};
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
