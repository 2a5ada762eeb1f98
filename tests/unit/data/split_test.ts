import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { kFold, splitDataset, splitRows } from "../../../src/data/split.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { ParameterError } from "../../../src/errors.ts";

/** 100 rows: 70 of class a, 30 of class b. */
const data: Dataset = {
  numRows: 100,
  features: [{
    kind: "numeric",
    name: "x",
    values: Float64Array.from({ length: 100 }, (_, i) => i),
  }],
  target: {
    kind: "classification",
    name: "y",
    codes: Int32Array.from({ length: 100 }, (_, i) => i % 10 < 7 ? 0 : 1),
    classes: ["a", "b"],
  },
};
const onesIn = (rows: Int32Array) => [...rows].filter((row) => row % 10 >= 7).length;

Deno.test("splitRows() puts each row in one part, ascending, by the seed alone", () => {
  const parts = splitRows(data, { fractions: [0.5, 0.3, 0.2], seed: 3 });
  assertEquals(parts.map((rows) => rows.length), [50, 30, 20]);
  assertEquals(parts.flatMap((rows) => [...rows]).sort((a, b) => a - b), [...Array(100).keys()]);
  for (const rows of parts) assertEquals(rows, rows.slice().sort());
  assertEquals(splitRows(data, { fractions: [0.5, 0.3, 0.2], seed: 3 }), parts);
  assertNotEquals(splitRows(data, { fractions: [0.5, 0.3, 0.2], seed: 4 }), parts);
});

Deno.test("splitRows() with stratify gives each part its share of every class", () => {
  for (let seed = 0; seed < 20; seed++) {
    const [train, test] = splitRows(data, { seed, stratify: true });
    assertEquals([onesIn(train), onesIn(test)], [24, 6]);
  }
});

Deno.test("splitDataset() keeps queries whole", () => {
  const group = Int32Array.from({ length: 100 }, (_, i) => Math.floor(i / 5));
  const parts = splitDataset({ ...data, group }, { fractions: [0.7, 0.3], seed: 1 });
  const [left, right] = parts.map((part) => new Set(part.group));
  assert([...left].every((query) => !right.has(query)));
  assertEquals([left.size, right.size], [14, 6]);
});

Deno.test("splitDataset() refuses fractions that do not make sense", () => {
  for (const fractions of [[0.5], [0.5, 0.6], [1.5, -0.5], [0.999, 0.001]]) {
    assertThrows(() => splitDataset(data, { fractions }), ParameterError);
  }
});

Deno.test("kFold() tests every row once and shares classes out", () => {
  const folds = kFold(data, { folds: 4, seed: 2 });
  assertEquals(folds.flatMap((fold) => [...fold.test]).sort((a, b) => a - b), [
    ...Array(100).keys(),
  ]);
  for (const { train, test } of folds) {
    assertEquals(train.length + test.length, 100);
    assert(![...test].some((row) => train.includes(row)));
    assert(Math.abs(onesIn(test) - 7.5) < 1);
  }
});

Deno.test("kFold() follows the seed", () => {
  const of = (seed: number) => kFold(data, { folds: 4, seed }).map(({ test }) => test);
  assertEquals(of(2), of(2));
  assertNotEquals(of(2), of(3));
});

Deno.test("kFold() refuses more folds than rows or queries", () => {
  assertThrows(() => kFold(data, { folds: 101 }), ParameterError);
  assertThrows(() => kFold(data, { folds: 1 }), ParameterError);
  const group = Int32Array.from({ length: 100 }, (_, i) => i < 50 ? 0 : 1);
  assertThrows(() => kFold({ ...data, group }, { folds: 3 }), ParameterError);
});
