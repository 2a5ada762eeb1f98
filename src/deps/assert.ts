/**
 * Typed door to the assertions of `@std/assert`, which npm's `deno-std` ships without types.
 *
 * @module
 */
// @ts-types="./assert.d.ts"
export * from "deno-std/assert/mod.js";
