import { assertEquals, assertThrows } from "@std/assert";
import { categoryBins } from "../../../src/binning/bins.ts";
import { DataError } from "../../../src/errors.ts";

function columnOf(codes: number[], numCategories = 3) {
  const categories = Array.from({ length: numCategories }, (_, code) => `c${code}`);
  return { kind: "categorical", name: "c", categories, codes: Int32Array.from(codes) } as const;
}

Deno.test("categoryBins() finds a missing row wherever it stands, and none where there is none", () => {
  // The first category is code 0, which is not missing.
  const cases: [number[], boolean][] = [
    [[0, 1, 2, 0], false],
    [[-1, 0, 1], true],
    [[0, 1, -1], true],
    [[], false],
  ];
  for (const [codes, expected] of cases) {
    assertEquals(categoryBins(columnOf(codes)).hasMissing, expected);
  }
});

Deno.test("categoryBins() has a bin for each category and one for those it does not know", () => {
  assertEquals(categoryBins(columnOf([0])).numBins, 4);
  assertEquals(categoryBins(columnOf([0], 65_534)).numBins, 65_535);
  const error = assertThrows(() => categoryBins(columnOf([0], 65_535)), DataError, "at most 65534");
  assertEquals(error.code, "E_DATA_LIMIT");
});
