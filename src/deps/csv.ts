/**
 * Typed door to `@std/csv`: the oracle of our reader in tests, and the writer.
 *
 * @module
 */
// @ts-types="./csv.d.ts"
export * from "deno-std/csv/mod.js";
