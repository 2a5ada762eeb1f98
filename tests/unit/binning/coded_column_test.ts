import { assertEquals } from "@std/assert";
import { createCodedColumn } from "../../../src/binning/coded_column.ts";

Deno.test("createCodedColumn() shows each value as the largest of its bin", () => {
  const coded = createCodedColumn(new Float64Array([1.5, 4]), 9);
  coded.append([1, 1.5, 1.6, 4, 4.1, NaN, 9, 0], 1, 7);
  const column = coded.column("x");
  assertEquals(coded.length(), 6);
  assertEquals(column.values, new Float64Array([1.5, 4, 4, 9, NaN, 9]));
  assertEquals(column.binned?.cuts, new Float64Array([1.5, 4]));
});

Deno.test("createCodedColumn() takes two bytes where bins do not fit in one", () => {
  const cuts = Float64Array.from({ length: 300 }, (_, i) => i);
  const coded = createCodedColumn(cuts, 1000);
  coded.append([299, 299.5, NaN, -5], 0, 4);
  assertEquals(coded.column("x").values, new Float64Array([299, 1000, NaN, 0]));
});

Deno.test("createCodedColumn() hands out its bins, of all rows and of some", () => {
  const cuts = new Float64Array([1.5, 4]);
  const coded = createCodedColumn(cuts, 9);
  // More rows than one piece of 262,144 holds.
  const values = Float64Array.from({ length: 300_000 }, (_, i) => i % 7 === 6 ? NaN : i % 7);
  coded.append(values, 0, values.length);
  const { binned } = coded.column("x");
  const expected = Uint8Array.from(
    values,
    (value) => value <= 1.5 ? 0 : value <= 4 ? 1 : value > 4 ? 2 : 3,
  );
  const codes = new Uint8Array(values.length);
  binned!.writeCodes(codes);
  assertEquals([binned!.numRows, binned!.hasMissing], [300_000, true]);
  assertEquals(codes, expected);
  const some = binned!.select("y", Int32Array.of(299_999, 0, 262_144, 5));
  const few = new Uint8Array(4);
  some.binned!.writeCodes(few);
  assertEquals([...few], [299_999, 0, 262_144, 5].map((row) => expected[row]));
  assertEquals([some.name, some.binned!.hasMissing], ["y", few.includes(3)]);
});
