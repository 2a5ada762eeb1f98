/**
 * Typed door to the argument parser of `deno-std`, which ships without types (and whose `cli/mod.js` does
 * not load).
 *
 * @module
 */
// @ts-types="./cli.d.ts"
export { parseArgs } from "deno-std/cli/parse_args.js";
