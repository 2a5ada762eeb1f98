import { assertEquals, assertStringIncludes } from "@std/assert";
import { limitLevels } from "../../../../src/data/warnings/rare_levels.ts";
import type { CategoricalColumn, Dataset } from "../../../../src/data/types.ts";

const data: Dataset = {
  numRows: 8,
  features: [
    { kind: "numeric", name: "x", values: new Float64Array(8) },
    {
      kind: "categorical",
      name: "c",
      codes: new Int32Array([0, 1, 1, 2, 3, 3, -1, 4]),
      categories: ["a", "b", "c", "d"],
    },
  ],
};

Deno.test("limitLevels() keeps the most frequent values; the others are outside the vocabulary", () => {
  const said: string[] = [];
  const [x, c] = limitLevels(data, (message) => said.push(message), 3).features;
  assertEquals(x, data.features[0]);
  assertEquals(c, {
    kind: "categorical",
    name: "c",
    codes: new Int32Array([0, 1, 1, 3, 2, 2, -1, 3]),
    categories: ["a", "b", "d"],
  });
  assertStringIncludes(said[0], "4 values: the 3 most frequent");
  assertEquals(limitLevels(data, undefined, 4), data);
});

Deno.test("limitLevels() doubts a column with a value for each row", () => {
  const said: string[] = [];
  const codes = Int32Array.from({ length: 200 }, (_, row) => row);
  const categories = Array.from(codes, String);
  const ids: Dataset = {
    numRows: 200,
    features: [{ kind: "categorical", name: "id", codes, categories }],
  };
  assertEquals(limitLevels(ids, (message) => said.push(message)), ids);
  assertStringIncludes(said[0], "looks like an identifier: drop it (drop, --drop)");
  // What the reader calls amounts and dates is no identifier.
  for (const text of [(row: number) => `$ ${row}.50`, (row: number) => `2024-01-01T00:${row}`]) {
    const column = { kind: "categorical", name: "id", codes, categories: Array.from(codes, text) };
    limitLevels({ numRows: 200, features: [column as CategoricalColumn] }, (it) => said.push(it));
  }
  assertEquals(said.length, 1);
});

Deno.test("limitLevels() does not count rows of weight 0", () => {
  // Without rows 2 and 5 "b" and "d" are there once, as "a" and "c": the first three stay.
  const sampleWeight = new Float64Array([1, 1, 0, 1, 1, 0, 1, 1]);
  const [, column] = limitLevels({ ...data, sampleWeight }, undefined, 3).features;
  assertEquals(column.kind === "categorical" && column.categories, ["a", "b", "c"]);
  const said: string[] = [];
  const numRows = 200;
  const ids: Dataset = {
    numRows,
    features: [{
      kind: "categorical",
      name: "id",
      codes: Int32Array.from({ length: numRows }, (_, row) => row >> 1),
      categories: Array.from({ length: 100 }, (_, level) => `${level}`),
    }],
    sampleWeight: Float64Array.from({ length: numRows }, (_, row) => row < 101 ? 1 : 0),
  };
  limitLevels(ids, (message) => said.push(message));
  assertStringIncludes(said[0], "has 100 values in 101 rows");
});
