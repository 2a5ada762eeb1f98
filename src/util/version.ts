/**
 * The version of the package, as `deno.json` states it (a test compares them).
 *
 * @module
 */

/** The version of the package. */
export const VERSION = "0.1.0";
