import { assertEquals } from "@std/assert";
import { Op } from "../../../../../src/grow/histogram/workspace/op.ts";

Deno.test("no two operations have one number", () => {
  const numbers = Object.values(Op);
  assertEquals(new Set(numbers).size, numbers.length);
});
