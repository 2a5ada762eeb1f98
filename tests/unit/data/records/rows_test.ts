import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { parseCsv } from "../../../../src/data/csv/parse.ts";
import { parseJsonLines } from "../../../../src/data/records/json_lines.ts";
import { datasetFromRows } from "../../../../src/data/records/rows.ts";
import type { Row } from "../../../../src/data/types.ts";
import { DataError } from "../../../../src/errors.ts";

Deno.test("datasetFromRows() infers kinds and takes every way of saying missing", () => {
  const data = datasetFromRows([
    { n: 1, c: "a", flag: true, text: "1.5", y: 1 },
    { n: NaN, c: null, flag: false, text: "-2e3", y: 2 },
    { n: undefined, c: "?", flag: true, text: "", y: 3 },
    { c: "b", flag: false, text: 4n, extra: "x", y: 4 },
  ], { target: "y" });
  assertEquals(data.features, [
    { kind: "numeric", name: "n", values: new Float64Array([1, NaN, NaN, NaN]) },
    {
      kind: "categorical",
      name: "c",
      codes: new Int32Array([0, -1, -1, 1]),
      categories: ["a", "b"],
    },
    {
      kind: "categorical",
      name: "flag",
      codes: new Int32Array([1, 0, 1, 0]),
      categories: ["false", "true"],
    },
    { kind: "numeric", name: "text", values: new Float64Array([1.5, -2000, NaN, 4]) },
    {
      kind: "categorical",
      name: "extra",
      codes: new Int32Array([-1, -1, -1, 0]),
      categories: ["x"],
    },
  ]);
  assertEquals(data.target?.kind, "regression");
});

Deno.test("true and false as text are categories in rows and JSON lines, as in CSV", () => {
  const column = {
    kind: "categorical",
    name: "b",
    codes: new Int32Array([1, 0, 1]),
    categories: ["false", "true"],
  };
  const rows = ["true", "false", "true"].map((b) => ({ b }));
  const lines = rows.map((row) => JSON.stringify(row)).join("\n");
  assertEquals<unknown>(datasetFromRows(rows).features, [column]);
  assertEquals<unknown>(parseJsonLines(lines).features, [column]);
  assertEquals<unknown>(parseCsv("b\ntrue\nfalse\ntrue\n").features, [column]);
  const { target } = datasetFromRows(rows.map(({ b }, x) => ({ x, b })), { target: "b" });
  assertEquals(target?.kind === "classification" && target.classes, ["false", "true"]);
  const numbers = datasetFromRows(rows, { types: { b: "numeric" } }).features[0];
  assertEquals(numbers.kind === "numeric" && [...numbers.values], [1, 0, 1]);
});

Deno.test("spaces that are no blanks or tabs are text in rows and JSON lines, as in CSV", () => {
  const cells = ["\u00a0", "NA\u00a0", " NA\t", "5\u00a0"];
  const column = {
    kind: "categorical",
    name: "c",
    codes: new Int32Array([2, 1, -1, 0]),
    categories: ["5\u00a0", "NA\u00a0", "\u00a0"],
  };
  const rows = cells.map((c) => ({ c }));
  assertEquals<unknown>(datasetFromRows(rows).features, [column]);
  assertEquals<unknown>(
    parseJsonLines(rows.map((row) => JSON.stringify(row)).join("\n")).features,
    [column],
  );
  assertEquals<unknown>(parseCsv(`c\n${cells.join("\n")}\n`).features, [column]);
});

Deno.test("CASES B4: datasetFromRows() takes __proto__ and toString for names", () => {
  const row = JSON.parse(`{"__proto__": 1, "toString": "a", "y": 0}`) as Row;
  const other = JSON.parse(`{"__proto__": 2, "y": 1}`) as Row;
  const data = datasetFromRows([row, other], { target: "y" });
  assertEquals(data.features.map((column) => column.name), ["__proto__", "toString"]);
  assertEquals(data.features[0].kind === "numeric" && [...data.features[0].values], [1, 2]);
  // An inherited toString is not a value.
  assertEquals(data.features[1].kind === "categorical" && [...data.features[1].codes], [0, -1]);
});

Deno.test("datasetFromRows() obeys types, also for numbers that are categories", () => {
  const data = datasetFromRows([{ z: 1, y: 0 }, { z: "x", y: 1 }], { types: { y: "categorical" } });
  assertEquals(data.features[0], {
    kind: "categorical",
    name: "z",
    codes: new Int32Array([0, 1]),
    categories: ["1", "x"],
  });
  assertEquals(data.features[1].kind, "categorical");
  const error = assertThrows(
    () => datasetFromRows([{ z: 1 }, { z: "x" }], { types: { z: "numeric" } }),
    DataError,
  );
  assertEquals(error.message, `Cannot read column "z" at row 2: "x" is not a number`);
});

Deno.test("datasetFromRows() refuses nested values and things that are no rows", () => {
  const nested = [{ x: 1 }, { x: [1] }] as unknown as Row[];
  const error = assertThrows(() => datasetFromRows(nested), DataError);
  assertEquals([error.code, error.details.row], ["E_DATA_TYPE", 2]);
  assertStringIncludes(error.message, "found a list of 1");
  assertThrows(() => datasetFromRows([null] as unknown as Row[]), DataError, "row 1");
  assertThrows(() => datasetFromRows([[1, 2]] as unknown as Row[]), DataError, "row 1");
  assertEquals(assertThrows(() => datasetFromRows([]), DataError).code, "E_DATA_EMPTY");
});

Deno.test("datasetFromRows() refuses rows whose cells cannot be seen, and symbols", () => {
  class Hidden {
    #x = 1;
    get x() {
      return this.#x;
    }
  }
  const rows = {
    Map: new Map([["x", 1]]),
    Set: new Set(["x"]),
    Date: new Date(0),
    Hidden: new Hidden(),
  };
  for (const [name, row] of Object.entries(rows)) {
    const error = assertThrows(() => datasetFromRows([{ x: 2 }, row as unknown as Row]), DataError);
    assertEquals([error.code, error.details.row], ["E_DATA_TYPE", 2]);
    assertStringIncludes(error.message, `found ${name}, expected an object of values`);
  }
  const cell = [{ x: Symbol("a") }] as unknown as Row[];
  assertThrows(() => datasetFromRows(cell), DataError, "found Symbol(a), expected a number");
  // Instances with cells of their own, and rows without any, are rows.
  class Shown {
    x = 3;
  }
  const bare = Object.assign(Object.create(null), { x: 4 });
  const read = datasetFromRows([new Shown() as unknown as Row, {}, bare, { constructor: 5 }]);
  assertEquals(read.features.map(({ name }) => name), ["x", "constructor"]);
  assertEquals(
    (read.features[0] as { values: Float64Array }).values,
    Float64Array.of(3, NaN, 4, NaN),
  );
});

Deno.test("datasetFromRows() reads endless numbers as CSV does, in either case and with either sign", () => {
  const texts = ["inf", "-INF", "+Infinity", " -infinity ", "1"];
  const expected = Float64Array.of(Infinity, -Infinity, Infinity, -Infinity, 1);
  const [column] = datasetFromRows(texts.map((x) => ({ x }))).features;
  assertEquals(column, { kind: "numeric", name: "x", values: expected });
  assertEquals(parseCsv(`x\n${texts.join("\n")}\n`).features, [column]);
  // Neither are words that begin like them.
  for (const word of ["infinite", "in", "-", "nfinity"]) {
    assertEquals(datasetFromRows([{ x: "1" }, { x: word }]).features[0].kind, "categorical", word);
  }
});
