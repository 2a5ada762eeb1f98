import { assertEquals, assertStringIncludes } from "@std/assert";
import { hintFor } from "../../../src/cli/hints.ts";
import { DataError, UsageError } from "../../../src/errors.ts";

Deno.test("hintFor() prefers the hint an error brings", () => {
  assertStringIncludes(hintFor(new UsageError("E_USAGE", "x")) ?? "", "treeline help");
  const own = new DataError("E_DATA_PARSE", "x", { details: { hint: "quote the field" } });
  assertEquals(hintFor(own), "quote the field");
});

Deno.test("hintFor() sends who has a line too long to that line, not to columns", () => {
  const limit = (details: { readonly [name: string]: unknown }) =>
    hintFor(new DataError("E_DATA_LIMIT", "x", { details })) ?? "";
  assertStringIncludes(limit({ columns: 200_000, limit: 100_000 }), "--drop");
  assertStringIncludes(limit({ line: 2, limit: 16_777_216 }), "that line");
});
