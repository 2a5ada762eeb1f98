import { assert, assertEquals } from "@std/assert";
import { numCores, readEnv } from "../../../src/runtime/env.ts";

Deno.test("numCores() is a positive whole number", () => {
  assert(Number.isInteger(numCores()) && numCores() >= 1);
});

Deno.test("readEnv() gives undefined for a variable that is not set", () => {
  assertEquals(readEnv("TREELINE_NO_SUCH_VARIABLE"), undefined);
});
