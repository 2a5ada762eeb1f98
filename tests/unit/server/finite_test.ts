/**
 * Numbers that JSON has no word for, in every protocol's answers.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { createModel } from "../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import { createApp } from "../../../src/server/app.ts";
import { sigmoid } from "../../../src/util/math.ts";
import { numbersModel, smallModel, smallRaw } from "../../support/models/small.ts";

const { schema, ensemble, info } = numbersModel();

/** Two trees of the largest number: their sum is infinite. */
function endlessModel() {
  const trees = [0, 1].map(() => {
    const tree = createTreeBuilder(1);
    const left = tree.splitThreshold(0, 0, 2, 1);
    tree.setValue(left, [Number.MAX_VALUE]);
    tree.setValue(left + 1, [20]);
    tree.setStats(0, 4, 1);
    tree.setStats(left, 1, 0);
    tree.setStats(left + 1, 3, 0);
    return tree;
  });
  return createModel({
    schema,
    info,
    ensemble: {
      ...ensemble,
      trees: packTrees(trees),
      treeOutput: new Int32Array(2),
      treeWeight: new Float64Array([1, 1]),
    },
  });
}

Deno.test("a score that is not finite is counted and leaves the sum of scores a number", async () => {
  const app = createApp({ models: { m: endlessModel() } });
  await app.request("/v1/models/m/predict", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '[{"a":1,"b":1},{"a":3,"b":1}]',
  });
  const value = (name: string) =>
    new RegExp(`^treeline_score_${name}{[^}]*} (.*)$`, "m").exec(app.metrics())?.[1];
  // 20 + 20, and the infinite one.
  assertEquals([value("sum"), value("count")], ["40", "2"]);
});

Deno.test("what is not finite is null in JSON and empty in CSV, whoever asks", async () => {
  const app = createApp({ models: { m: endlessModel() } });
  const row = { a: 1, b: 1 };
  const matrix = { name: "input", shape: [1, 2], datatype: "FP64", data: [1, 1] };
  const json = "application/json";
  const cases: (readonly [path: string, type: string, body: unknown, accept: string])[] = [
    ["/v1/models/m/predict", json, row, json],
    ["/v1/models/m/predict?kind=raw", json, [row, row], json],
    ["/v1/models/m/explain", json, row, json],
    ["/v1/models/m/predict", "application/x-ndjson", row, json],
    ["/v1/models/m:predict", json, { instances: [row] }, json],
    ["/v2/models/m/infer", json, { inputs: [matrix] }, json],
    ["/invocations", json, { dataframe_records: [row] }, json],
    ["/invocations", "text/csv", "1,1\n", json],
    ["/invocations", "text/csv", "1,1\n", "application/jsonlines"],
  ];
  for (const [path, type, body, accept] of cases) {
    const response = await app.request(path, {
      method: "POST",
      headers: { "content-type": type, accept },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    assertEquals(response.status, 200, `${path}: ${text}`);
    assert(!/NaN|Infinity/.test(text), `${path}: ${text}`);
    for (const line of text.trim().split("\n")) JSON.parse(line);
    assert(text.includes("null"), `${path}: ${text}`);
  }
  const csv = await app.request("/v1/models/m/predict", {
    method: "POST",
    headers: { "content-type": json, accept: "text/csv" },
    body: JSON.stringify(row),
  });
  assertEquals(await csv.text(), "prediction\n\n");
  const metrics = await (await app.request("/metrics")).text();
  assert(metrics.includes("treeline_score_count"));
  const { paths } = await (await app.request("/openapi.json")).json();
  assert("/v1/models/m/predict" in paths);
});

Deno.test("probabilities of a calibrated model are the calibrated ones", async () => {
  const plain = smallModel();
  const model = createModel({
    schema: plain.schema,
    ensemble: plain.ensemble,
    info: plain.info,
    calibration: [{ method: "platt", a: 0.5, b: -0.25 }],
  });
  const app = createApp({ models: { m: model } });
  const response = await app.request("/v1/models/m/predict", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"age":40,"job":"b","__proto__":1}',
  });
  const [{ probabilities }] = (await response.json()).predictions;
  assertEquals(probabilities.yes, sigmoid(0.5 * smallRaw(40, "b", 1) - 0.25));
});
