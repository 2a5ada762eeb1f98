import { assertEquals } from "@std/assert";
import { editDistance, nearest } from "../../../src/util/nearest.ts";

Deno.test("editDistance() counts a swap of neighbours as one edit", () => {
  assertEquals(editDistance("kitten", "sitting"), 3);
  assertEquals(editDistance("loss", "lsos"), 1);
  assertEquals(editDistance("", "abc"), 3);
});

Deno.test("nearest() ignores case, dashes and underscores", () => {
  assertEquals(nearest("Max-Depht", ["maxBins", "maxDepth"]), "maxDepth");
});

Deno.test("nearest() says nothing when nothing is near", () => {
  assertEquals(nearest("zzzzzz", ["alpha", "gamma"]), undefined);
});
