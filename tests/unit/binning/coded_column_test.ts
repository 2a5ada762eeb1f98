import { assertEquals } from "@std/assert";
import { createCodedColumn } from "../../../src/binning/coded_column.ts";

Deno.test("createCodedColumn() shows each value as the largest of its bin", () => {
  const coded = createCodedColumn(new Float64Array([1.5, 4]), 9);
  coded.append([1, 1.5, 1.6, 4, 4.1, NaN, 9, 0], 1, 7);
  const column = coded.column("x");
  assertEquals(coded.length(), 6);
  assertEquals(column.values, new Float64Array([1.5, 4, 4, 9, NaN, 9]));
  assertEquals(column.cuts, new Float64Array([1.5, 4]));
});

Deno.test("createCodedColumn() takes two bytes where bins do not fit in one", () => {
  const cuts = Float64Array.from({ length: 300 }, (_, i) => i);
  const coded = createCodedColumn(cuts, 1000);
  coded.append([299, 299.5, NaN, -5], 0, 4);
  assertEquals(coded.column("x").values, new Float64Array([299, 1000, NaN, 0]));
});
