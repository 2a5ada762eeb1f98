/**
 * Bodies of millions of rows, or of nothing, are refused where there are too many, before the rest is
 * looked at: each would hold up all other requests for a second.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { createApp } from "../../../../src/server/app.ts";
import { csvTable } from "../../../../src/server/body/csv_rows.ts";
import { numbersModel } from "../../../support/models/small.ts";
import { post } from "../../../support/processes/protocol_apps.ts";

const app = createApp({ models: { m: numbersModel() }, maxRows: 100, maxColumns: 10 });
const PREDICT = "/v1/models/m/predict";

Deno.test("lists of rows are read to twice their bound, on every route", async () => {
  const many = (unit: string) => `[${Array(200_000).fill(unit).join(",")}]`;
  const bodies: readonly (readonly [path: string, body: string])[] = [
    [PREDICT, many("{}")],
    [PREDICT, many("1")],
    [PREDICT, `{"rows":${many("{}")}}`],
    [PREDICT, `{"a":${many("1")}}`],
    [PREDICT, `{"columns":{"a":${many("1")}}}`],
    ["/v1/models/m/explain", many("{}")],
    ["/v1/models/m:predict", `{"instances":${many("[]")}}`],
    ["/v1/models/m:predict", `{"inputs":{"a":${many("1")}}}`],
    ["/v2/models/m/infer", `{"inputs":${many("{}")}}`],
    ["/invocations", `{"dataframe_split":{"data":${many("[]")}}}`],
    ["/invocations", `{"dataframe_records":${many("{}")}}`],
  ];
  for (const [path, body] of bodies) {
    const { status, body: { code, details } } = await post(app, path, body);
    assertEquals([path, status, code], [path, 413, "E_DATA_LIMIT"]);
    assertEquals([details.limit, details.value], ["maxRows", 100]);
    assert(details.offset < 1000, `${path}: ${details.offset}`);
  }
});

Deno.test("a list that is too long for rows is named where it is the value of a member", async () => {
  const long = Array(5000).fill(0.5);
  const told = async (body: unknown) => (await post(app, PREDICT, body)).body.detail;
  const row = await told({ a: 1, b: 2, embedding: long });
  assertEquals(
    row.replace(/ up to.*/, ""),
    'Cannot score more than 100 rows in one request: "embedding" holds a list of at least twice as many',
  );
  const columns = await told({ columns: { a: long, b: long } });
  assertEquals(columns.includes('request: "columns" holds a list of at least twice'), true);
  assertEquals((await told(long)).includes("request: there are at least twice as many"), true);
  // Among rows it is an unknown column like others.
  const { status, body } = await post(app, PREDICT, [{ a: 1, b: 2, embedding: long }]);
  assertEquals([status, body.ignored], [200, ["embedding"]]);
});

Deno.test("as many rows as are allowed are scored, one more is counted", async () => {
  const rows = (count: number) => Array(count).fill({ a: 1, b: 2 });
  for (const count of [100, 101, 200]) {
    const { status, body } = await post(app, PREDICT, rows(count));
    if (count === 100) assertEquals([status, body.predictions.length], [200, 100]);
    else assertEquals([status, body.details.found], [413, count]);
  }
});

Deno.test("lists and objects are bounded where they are no rows, and more than rows and columns", async () => {
  const deep = (count: number) => `[{"a":1,"b":1,"zip":[${Array(count).fill("{}").join(",")}]}]`;
  // (16 + 2 columns) for each of 100 rows; three are the rows, the row, and the list.
  assertEquals((await post(app, PREDICT, deep(1797))).status, 200);
  const { status, body } = await post(app, PREDICT, deep(1798));
  assertEquals([status, body.code, body.details.limit], [413, "E_DATA_LIMIT", "maxRows"]);
  // One list for each cell, as tensors are nested.
  const nested = { inputs: { a: Array(100).fill([1]), b: Array(100).fill([2]) } };
  assertEquals((await post(app, "/v1/models/m:predict", nested)).status, 200);
});

Deno.test("csvTable() passes over blank lines of every kind, and counts them", () => {
  const table = (text: string) => csvTable(new TextEncoder().encode(text), 10);
  const { records, problems } = table('a,b\n\n\r\n""\n1,2\n\n\r\r3\n\n4,5\n\n');
  assertEquals(records, [["1", "2"], ["3"], ["4", "5"]]);
  assertEquals([...problems.values()].map(({ message }) => message), [
    "Cannot read line 9: it has 1 cells, expected 2",
  ]);
  // In a table of one column a blank line is a missing value.
  assertEquals(table("a\n1\n\n2\n").records, [["1"], [""], ["2"]]);
});

Deno.test("LIBSVM: lines are read as far as there may be rows, whatever is blank between them", async () => {
  const libsvm = { "content-type": "text/libsvm" };
  const few = await post(app, "/invocations", " \n\r\n1 0:1\r0:3 \n\n \t0:1 1:5\n", libsvm);
  assertEquals([few.status, few.text], [200, "10\n20\n10\n"]);
  const many = await post(app, "/invocations", "0:1\n".repeat(101) + "not read", libsvm);
  assertEquals([many.status, many.body.code], [413, "E_DATA_LIMIT"]);
});
