/** Leaves over HTTP: as many as an answer may hold, and of rounds that have no scores. */
import { assertEquals } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { createModel, type Model } from "../../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../../src/model/trees.ts";
import { createApp } from "../../../../src/server/app.ts";
import { countedRows } from "../../../support/data/counted_rows.ts";
import { post } from "../../../support/processes/protocol_apps.ts";
import { numbersModel } from "../../../support/models/small.ts";

/** The model of two numbers with so many trees of one leaf. */
function stumps(numTrees: number): Model {
  const { schema, info, ensemble } = numbersModel();
  const stump = createTreeBuilder(1);
  stump.setValue(0, [1]);
  return createModel({
    schema,
    info,
    ensemble: {
      ...ensemble,
      trees: packTrees(Array(numTrees).fill(stump)),
      treeOutput: new Int32Array(numTrees),
      treeWeight: new Float64Array(numTrees).fill(1),
    },
  });
}

Deno.test("leaves beyond two million are refused before rows are scored, by every protocol", async () => {
  const app = createApp({ models: { m: stumps(200_001) } });
  const rows = Array(10).fill([1, 2]);
  const tensor = { name: "input", datatype: "FP64", shape: [10, 2], data: rows.flat() };
  for (
    const [path, body] of [
      ["/v1/models/m/predict?kind=leaf", rows.map(([a, b]) => ({ a, b }))],
      ["/v1/models/m/explain?kind=leaf", rows.map(([a, b]) => ({ a, b }))],
      ["/v1/models/m:predict", { instances: rows, parameters: { kind: "leaf" } }],
      ["/invocations", { instances: rows, params: { kind: "leaf" } }],
      ["/v2/models/m/infer", { inputs: [tensor], outputs: [{ name: "leaf" }] }],
    ] as const
  ) {
    const { status, body: { code, details } } = await post(app, path, body);
    assertEquals([path, status, code], [path, 413, "E_DATA_LIMIT"]);
    assertEquals(details?.limit ?? "maxLeaves", "maxLeaves"); // which other protocols do not tell
  }
  assertEquals(/^treeline_rows_total\S* (.*)$/m.exec(app.metrics())?.[1], "0");
});

Deno.test("an answer of many leaves is in flight until it is read, by every protocol", async () => {
  const app = createApp({ models: { m: stumps(200_000) } }); // 400 kB as text
  const inFlight = () => /^treeline_in_flight (.*)$/m.exec(app.metrics())?.[1];
  const tensor = { name: "input", datatype: "FP64", shape: [1, 2], data: [1, 2] };
  for (
    const [path, body] of [
      ["/v1/models/m/predict?kind=leaf", { a: 1, b: 2 }],
      ["/v1/models/m:predict", { instances: [[1, 2]], parameters: { kind: "leaf" } }],
      ["/invocations", { instances: [[1, 2]], params: { kind: "leaf" } }],
      ["/v2/models/m/infer", { inputs: [tensor], outputs: [{ name: "leaf" }] }],
    ] as const
  ) {
    const headers = { "content-type": "application/json" };
    const answer = await app.request(path, { method: "POST", headers, body: JSON.stringify(body) });
    assertEquals([path, answer.status, inFlight()], [path, 200, "1"]);
    assertEquals((await answer.text()).length > 400_000, true);
    assertEquals(inFlight(), "0");
  }
});

Deno.test("leaves of the first rounds of DART are those of the library, though there are no such scores", async () => {
  const data = countedRows(["no", "yes"], [[0, 0, 27], [0, 1, 3], [1, 0, 3], [1, 1, 7]]);
  const dart = await trainBoost(data, { rounds: 6, dropRate: 0.5 }, { threads: 1 });
  const app = createApp({ models: { m: dart } });
  const rows = [{ x: 0 }, { x: 1 }];
  const { data: leaves, cols } = dart.predictLeaf(rows, { rounds: 2 });
  const expected = rows.map((_, row) => [...leaves.subarray(row * cols, (row + 1) * cols)]);
  const path = "/v1/models/m/predict?kind=leaf&rounds=2";
  assertEquals((await post(app, path, rows)).body.predictions, expected);
  const csv = await post(app, path, rows, { accept: "text/csv" });
  assertEquals(csv.text.trim().split("\n").slice(1), expected.map((row) => row.join(",")));
  const lines = await post(app, path, '{"x":0}\n{"x":1}', {
    "content-type": "application/x-ndjson",
  });
  assertEquals(
    lines.text.trim().split("\n").map((line) => JSON.parse(line).prediction),
    expected,
  );
  // What needs the scores of these rounds is refused, before the body is read, which is none.
  for (const other of [path + "&reasons=1", path.replace("predict", "explain")]) {
    const { status, body } = await post(app, other, "{");
    assertEquals([status, body.code, body.details.param], [400, "E_PARAM_RANGE", "rounds"]);
  }
});
