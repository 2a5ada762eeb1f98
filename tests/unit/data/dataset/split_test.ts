import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { kFold, splitDataset, splitRows } from "../../../../src/data/dataset/split.ts";
import { selectRows } from "../../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { ParameterError } from "../../../../src/errors.ts";

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

/** Every third row weighs nothing; where queries of four rows are whole, every third query. */
const sparse = (queries: boolean): Dataset => {
  const query = (row: number) => queries ? row >> 2 : row;
  return {
    ...data,
    sampleWeight: Float64Array.from({ length: 100 }, (_, row) => query(row) % 3 === 1 ? 0 : 2),
    ...(queries && { group: Int32Array.from({ length: 100 }, (_, row) => query(row)) }),
  };
};

for (const queries of [false, true]) {
  const whole = sparse(queries);
  const weight = whole.sampleWeight!;
  const rows = Int32Array.from({ length: 100 }, (_, row) => row).filter((row) => weight[row] > 0);
  const alone = selectRows(whole, rows);
  const counted = (part: Int32Array) => [...part].filter((row) => weight[row] > 0);
  const placed = (part: Int32Array) => Array.from(part, (at) => rows[at]);
  const what = queries ? "queries" : "rows";

  Deno.test(`${what} that weigh something are dealt as if there were no others`, () => {
    for (let seed = 0; seed < 10; seed++) {
      for (const stratify of [true, false]) {
        const options = { fractions: [0.6, 0.3, 0.1], seed, stratify };
        const parts = splitRows(whole, options);
        assertEquals(parts.map(counted), splitRows(alone, options).map(placed));
        assertEquals(parts.flatMap((part) => [...part]).sort((a, b) => a - b), [
          ...Array(100).keys(),
        ]);
        const folds = kFold(whole, { folds: 4, seed, stratify });
        assertEquals(
          folds.map(({ test }) => counted(test)),
          kFold(alone, { folds: 4, seed, stratify }).map(({ test }) => placed(test)),
        );
        assertEquals(folds.flatMap(({ test }) => [...test]).length, 100);
      }
    }
  });
}

Deno.test("a part or a fold of rows that all weigh 0 is none", () => {
  const sampleWeight = Float64Array.from({ length: 100 }, (_, row) => row < 3 ? 1 : 0);
  const few = { ...data, sampleWeight };
  assertThrows(
    () => splitRows(few, { fractions: [0.9, 0.1] }),
    ParameterError,
    "all of it weighs 0",
  );
  assertThrows(() => kFold(few, { folds: 4 }), ParameterError, "from 2 to 3 (those that weigh");
  for (const { train, test } of kFold(few, { folds: 3 })) {
    assert([train, test].every((rows) => rows.some((row) => row < 3)));
  }
});
