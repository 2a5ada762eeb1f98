/**
 * Bodies of more names than any request has columns are refused where there are too many, before the
 * rest is looked at.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { csvTable } from "../../../../src/server/body/csv_rows.ts";
import { createApp } from "../../../../src/server/app.ts";
import { numbersModel } from "../../../support/models/small.ts";
import { post } from "../../../support/processes/protocol_apps.ts";

// A model of two columns beside ten unknown ones: four times that many names.
const app = createApp({ models: { m: numbersModel() }, maxColumns: 10 });
const MOST = 4 * (2 + 10);

/** `count` names and one value for all. */
function bag(count: number, value: string, from = 0): string {
  const members = Array.from({ length: count }, (_, i) => `"n${from + i}":${value}`);
  return `{"a":1,${members.join(",")}}`;
}

Deno.test("half a million names are refused at the first that is too many, on every route", async () => {
  const wide = bag(500_000, "1");
  const rows = `[${Array.from({ length: 100 }, (_, i) => bag(5, "1", 5 * i)).join(",")}]`;
  const bodies: readonly (readonly [path: string, body: string])[] = [
    ["/v1/models/m/predict", wide],
    ["/v1/models/m/predict", rows],
    ["/v1/models/m/predict", `{"a":1,"b":${wide}}`],
    ["/v1/models/m/predict?onError=partial", rows],
    ["/v1/models/m/explain", rows],
    ["/v1/models/m:predict", `{"instances":${rows}}`],
    ["/v2/models/m/infer", `{"inputs":${rows}}`],
    ["/invocations", `{"inputs":${wide}}`],
    ["/invocations", `{"dataframe_records":${rows}}`],
  ];
  for (const [path, body] of bodies) {
    const { status, text } = await post(app, path, body);
    assertEquals(status, 413, path);
    assert(text.includes("E_DATA_LIMIT"), text);
    const offset = Number(/one more is at character (\d+)/.exec(text)?.[1]);
    // A name of these takes 14 characters at most.
    assert(offset > 0 && offset < 14 * MOST + 100, `${path}: ${text}`);
  }
  const { text } = await post(app, "/v1/models/m/predict", `${wide}\n{"a":1,"b":1}\n`, {
    "content-type": "application/x-ndjson",
  });
  const [first, second] = text.split("\n");
  assertEquals([JSON.parse(first).error.code, second], ["E_DATA_LIMIT", '{"prediction":10}']);
});

Deno.test("names within unknown columns may be more than columns, and are counted once", async () => {
  const row = `{"a":1,"b":1,"zip":${bag(30, "1")}}`;
  const { status, body } = await post(app, "/v1/models/m/predict", `[${row},${row},${row}]`);
  assertEquals([status, body.predictions, body.ignored], [200, [10, 10, 10], ["zip"]]);
});

Deno.test("csvTable() counts cells that are too many for the header, and keeps none of them", () => {
  const { records, problems } = csvTable(new TextEncoder().encode("a,b\n1,2,3,4\n5,6\n"), 10);
  assertEquals(records, [[], ["5", "6"]]);
  assertEquals([...problems].map(([row, { message }]) => [row, message]), [
    [0, "Cannot read line 2: it has 4 cells, expected 2"],
  ]);
});
