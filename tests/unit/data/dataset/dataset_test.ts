import { assertEquals, assertThrows } from "@std/assert";
import { createDataset, groupFromSizes, selectRows } from "../../../../src/data/dataset/dataset.ts";
import { queryStarts } from "../../../../src/data/dataset/queries.ts";
import type { Column, Target } from "../../../../src/data/types.ts";
import { DataError } from "../../../../src/errors.ts";

const x: Column = { kind: "numeric", name: "x", values: new Float64Array([1, 2, 3]) };
const c: Column = {
  kind: "categorical",
  name: "c",
  codes: new Int32Array([0, -1, 1]),
  categories: ["a", "b"],
};
const y: Target = { kind: "regression", name: "y", values: new Float64Array([4, 5, 6]) };

function codeOf(run: () => unknown): string {
  return assertThrows(run, DataError).code;
}

Deno.test("createDataset() keeps what fits", () => {
  const data = createDataset([x, c], y, new Float64Array([1, 0, 2]), {
    groupSizes: [1, 2],
    offset: new Float64Array(6),
  });
  assertEquals(data.numRows, 3);
  assertEquals([...data.group ?? []], [0, 1, 1]);
});

Deno.test("createDataset() refuses lengths, names and codes that do not fit", () => {
  assertEquals(codeOf(() => createDataset([])), "E_DATA_EMPTY");
  assertEquals(
    codeOf(() => createDataset([x, { ...x, values: new Float64Array(2), name: "z" }])),
    "E_DATA_SHAPE",
  );
  const twice = assertThrows(() => createDataset([x, c, x]), DataError);
  assertEquals(twice.message, `Cannot use two columns named "x": columns 1 and 3`);
  assertEquals(
    codeOf(() => createDataset([{ ...c, codes: new Int32Array([0, 3, 1]) }])),
    "E_DATA_TYPE",
  );
  assertEquals(
    codeOf(() => createDataset([x], { ...y, values: new Float64Array([1, 2, Infinity]) })),
    "E_DATA_TARGET",
  );
  assertEquals(
    codeOf(() => createDataset([x], y, undefined, { offset: new Float64Array([0, NaN, 0]) })),
    "E_DATA_TYPE",
  );
});

Deno.test("CASES D8: createDataset() wants finite, non-negative weights, one above zero", () => {
  for (const bad of [[1, NaN, 1], [1, -1, 1], [1, Infinity, 1], [0, 0, 0]]) {
    assertEquals(codeOf(() => createDataset([x], y, new Float64Array(bad))), "E_DATA_TYPE");
  }
});

Deno.test("CASES K3: group sizes of zero are refused", () => {
  const error = assertThrows(() => groupFromSizes([2, 0, 2], 4), DataError);
  assertEquals([error.code, error.details.group], ["E_DATA_SHAPE", 2]);
  assertEquals(codeOf(() => groupFromSizes([2, 1], 4)), "E_DATA_SHAPE");
});

Deno.test("createDataset() finds the queries of an array that was written anew", () => {
  const group = Int32Array.of(0, 0, 1);
  const make = () => createDataset([x], undefined, undefined, { group });
  assertEquals([...queryStarts(make().group!)], [0, 2, 3]);
  group[1] = 1;
  assertEquals([...queryStarts(make().group!)], [0, 1, 3]);
});

Deno.test("createDataset() wants the rows of a group side by side", () => {
  assertEquals(
    codeOf(() => createDataset([x], y, undefined, { group: new Int32Array([0, 1, 0]) })),
    "E_DATA_SHAPE",
  );
});

Deno.test("selectRows() takes rows of every part in the given order", () => {
  const data = createDataset([x, c], y, new Float64Array([1, 2, 3]), {
    group: new Int32Array([0, 0, 1]),
    offset: new Float64Array([1, 2, 3, 4, 5, 6]),
  });
  const some = selectRows(data, new Int32Array([2, 0]));
  assertEquals(some, {
    numRows: 2,
    features: [
      { kind: "numeric", name: "x", values: new Float64Array([3, 1]) },
      { kind: "categorical", name: "c", codes: new Int32Array([1, 0]), categories: ["a", "b"] },
    ],
    target: { kind: "regression", name: "y", values: new Float64Array([6, 4]) },
    sampleWeight: new Float64Array([3, 1]),
    group: new Int32Array([1, 0]),
    offset: new Float64Array([5, 6, 1, 2]),
  });
});
