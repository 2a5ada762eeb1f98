import { assert, assertEquals, assertThrows } from "@std/assert";
import { SourceError } from "../../../src/errors.ts";
import { demandEnv, listEnv, numCores, readEnv } from "../../../src/runtime/env.ts";

Deno.test("numCores() is a positive whole number", () => {
  assert(Number.isInteger(numCores()) && numCores() >= 1);
});

Deno.test("readEnv() gives undefined for a variable that is not set", () => {
  assertEquals(readEnv("TREELINE_NO_SUCH_VARIABLE"), undefined);
});

Deno.test({
  name: "demandEnv() does not take a variable that may not be read for one that is not set",
  permissions: { env: false },
  fn() {
    assertEquals([readEnv("TREELINE_TOKENS"), listEnv()], [undefined, {}]);
    const { code, message } = assertThrows(() => demandEnv("TREELINE_TOKENS"), SourceError);
    assertEquals([code, message.includes("--allow-env=TREELINE_TOKENS")], ["E_IO_READ", true]);
  },
});
