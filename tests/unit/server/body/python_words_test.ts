import { assertEquals } from "@std/assert";
import { parseJson } from "../../../../src/server/body/parse_json.ts";

Deno.test("parseJson() reads Python's words beside a string of any length", () => {
  // V8's stack for patterns ends between 8 and 16 million letters.
  const long = "x".repeat(17_000_000);
  assertEquals(parseJson(`["${long}",NaN,-Infinity,Infinity,"NaN"]`), [
    long,
    null,
    -Infinity,
    Infinity,
    "NaN",
  ]);
});
