import { assert, assertEquals } from "@std/assert";
import {
  isTerminal,
  mayColour,
  numCores,
  readEnv,
  residentBytes,
  terminalWidth,
} from "../../../src/runtime/env.ts";

Deno.test("numCores() and terminalWidth() are positive whole numbers", () => {
  assert(Number.isInteger(numCores()) && numCores() >= 1);
  assert(Number.isInteger(terminalWidth()) && terminalWidth() >= 1);
});

Deno.test("mayColour() is false where there is no terminal", () => {
  for (const stream of ["stdout", "stderr"] as const) {
    if (!isTerminal(stream)) assertEquals(mayColour(stream), false);
  }
});

Deno.test("readEnv() gives undefined for a variable that is not set", () => {
  assertEquals(readEnv("TREELINE_NO_SUCH_VARIABLE"), undefined);
});

Deno.test("residentBytes() is more than a megabyte", () => {
  assert(residentBytes() > 1 << 20);
});
