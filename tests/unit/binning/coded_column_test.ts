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

Deno.test("a coded column shows the values of all pieces, one piece after another", () => {
  const coded = createCodedColumn(new Float64Array([0, 1, 2]), 3);
  const values = Float64Array.from({ length: 262_144 + 9 }, (_, i) => i % 5 === 4 ? NaN : i % 5);
  // In two calls, so that the second begins within a piece.
  coded.append(values, 0, 5000);
  coded.append(values, 5000, values.length);
  assertEquals(coded.column("x").values, values);
  const backwards = Int32Array.from(values, (_, i) => values.length - 1 - i);
  const turned = coded.column("x").binned!.select("x", backwards);
  assertEquals(turned.binned!.numRows, values.length);
  assertEquals(turned.values, values.toReversed());
});

Deno.test("a bin whose cut means missing shows the next smaller value", () => {
  // Between 2 and 4, doubles lie 2^−51 apart.
  const shown = (missing: number[]) => {
    const coded = createCodedColumn(new Float64Array([1, 4]), 9, { missing });
    coded.append([0.5, 3, 9, NaN], 0, 4);
    const column = coded.column("x");
    return [...column.values, ...column.binned!.select("x", Int32Array.of(1)).values];
  };
  assertEquals(shown([]), [1, 4, 9, NaN, 4]);
  assertEquals(shown([4]), [1, 4 - 2 ** -51, 9, NaN, 4 - 2 ** -51]);
  assertEquals(shown([4 - 2 ** -51, 4]), [1, 4 - 2 ** -50, 9, NaN, 4 - 2 ** -50]);
});

Deno.test("values of kept rows go with their rows into every selection", () => {
  const keep = Int32Array.of(1, 3, 5);
  const coded = createCodedColumn(new Float64Array([12]), 15, { keep, chosenFor: "y" });
  coded.append([10, 11, 12], 0, 3);
  coded.append([99, 13, 14, 15], 1, 4);
  const { binned } = coded.column("x");
  const exactOf = (rows: number[]) => {
    const selected = binned!.select("z", Int32Array.from(rows)).binned!;
    assertEquals(selected.chosenFor, "y");
    return Array.from({ length: selected.numRows + 1 }, (_, row) => selected.exact(row));
  };
  const none = undefined;
  assertEquals([0, 1, 2, 3, 4, 5, 6].map(binned!.exact), [none, 11, none, 13, none, 15, none]);
  assertEquals(exactOf([0, 1, 3]), [none, 11, 13, none]);
  assertEquals(exactOf([2, 4, 5]), [none, none, 15, none]);
  assertEquals(exactOf([0, 2, 4]), [none, none, none, none]);
  // Backwards, and one row twice.
  assertEquals(exactOf([5, 2, 1, 0, 5]), [15, none, 11, none, 15, none]);
  assertEquals(exactOf([1, 1]), [11, 11, none]);
  assertEquals(exactOf([]), [none]);
});

Deno.test("hasMissing says whether a row of the column is missing, in any piece", () => {
  const cuts = new Float64Array([0]);
  const coded = createCodedColumn(cuts, 1);
  coded.append(new Float64Array(262_144), 0, 262_144);
  assertEquals(coded.column("x").binned!.hasMissing, false);
  coded.append([1, NaN], 0, 2);
  const { binned } = coded.column("x");
  assertEquals(binned!.hasMissing, true);
  assertEquals(binned!.select("x", Int32Array.of(262_144)).binned!.hasMissing, false);
  assertEquals(binned!.select("x", Int32Array.of(262_145)).binned!.hasMissing, true);
});
