import { assertEquals, assertStringIncludes } from "@std/assert";
import { hintFor } from "../../../src/cli/hints.ts";
import { DataError, UsageError } from "../../../src/errors.ts";

Deno.test("hintFor() prefers the hint an error brings", () => {
  assertStringIncludes(hintFor(new UsageError("E_USAGE", "x")) ?? "", "treeline help");
  const own = new DataError("E_DATA_PARSE", "x", { details: { hint: "quote the field" } });
  assertEquals(hintFor(own), "quote the field");
});
