import { assertAlmostEquals, assertEquals } from "@std/assert";
import { createModel, type Model } from "../../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../../src/model/trees.ts";
import { createApp } from "../../../../src/server/app.ts";
import { numbersModel, smallModel, smallRaw } from "../../../support/models/small.ts";

const app = createApp({ models: { small: smallModel(), numbers: numbersModel() } });

async function post(path: string, body: string) {
  const response = await app.request(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return { status: response.status, body: await response.json() };
}

Deno.test("explain gives contributions that add up to the raw score", async () => {
  const rows = '[{"age":20,"job":"b","__proto__":1},{"age":null,"job":"z","__proto__":null}]';
  const { status, body } = await post("/v1/models/small/explain", rows);
  assertEquals(status, 200);
  assertEquals(body.raw, [smallRaw(20, "b", 1), smallRaw(null, "z", null)]);
  for (const row of [0, 1]) {
    const { bias, contributions } = body.explanations[row];
    const parts = Object.values(contributions) as number[];
    assertAlmostEquals(parts.reduce((a, b) => a + b, bias), body.raw[row], 1e-12);
    assertEquals(Object.keys(contributions).sort(), ["__proto__", "age", "job"]);
  }
  // The tree on age: 0.4 × −1 + 0.6 × 1 = 0.2 expected, −1 found.
  assertAlmostEquals(body.explanations[0].contributions.age, -1.2, 1e-12);
  assertEquals(body.predictions[0].class, "yes");
  assertEquals(body.unknown, ["job"]);
});

Deno.test("explain names the class of each output where there are several", async () => {
  const tree = createTreeBuilder(3);
  const left = tree.splitThreshold(0, 0, 2, 1);
  tree.setValue(left, [6, 1, 1]);
  tree.setValue(left + 1, [2, 2, 5]);
  [4, 1, 3].forEach((cover, node) => tree.setStats(node, cover, 0));
  const { schema, ensemble, info } = numbersModel();
  const model = createModel({
    schema: { ...schema, task: "classification", classes: ["x", "y", "z"] },
    ensemble: {
      ...ensemble,
      trees: packTrees([tree], 3),
      leafWidth: 3,
      numOutputs: 3,
      baseScore: new Float64Array(3),
      postprocess: { name: "softmax" },
    },
    info,
  });
  const response = await createApp({ models: { m: model } }).request("/v1/models/m/explain", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"a":1,"b":0}',
  });
  // Means by cover: (6 + 3 · 2) / 4, (1 + 3 · 2) / 4, (1 + 3 · 5) / 4.
  assertEquals((await response.json()).explanations, [[
    { class: "x", bias: 3, contributions: { a: 3, b: 0 } },
    { class: "y", bias: 1.75, contributions: { a: -0.75, b: 0 } },
    { class: "z", bias: 4, contributions: { a: -3, b: 0 } },
  ]]);
});

Deno.test("predict?reasons= names the largest contributions of each row", async () => {
  const { body } = await post(
    "/v1/models/small/predict?reasons=2&kind=class",
    '{"age":20,"job":"b","__proto__":1}',
  );
  assertEquals(body.predictions, ["yes"]);
  // __proto__: expected 0.4, found 2; age −1.2; job 0.25.
  assertEquals(body.reasons.length, 1);
  assertEquals(body.reasons[0].map((r: { feature: string }) => r.feature), ["__proto__", "age"]);
  assertAlmostEquals(body.reasons[0][0].contribution, 1.6, 1e-12);
  const none = await post("/v1/models/small/predict?reasons=0", '{"__proto__":1}');
  assertEquals([none.status, none.body.code], [400, "E_PARAM_RANGE"]);
});

Deno.test("a model that cannot be explained is refused before a row is scored and counted", async () => {
  const { schema, ensemble, info } = numbersModel();
  const tree = createTreeBuilder(1); // without the weights of its nodes
  const left = tree.splitThreshold(0, 0, 2, 1);
  tree.setValue(left, [1]);
  tree.setValue(left + 1, [2]);
  const model = createModel({ schema, ensemble: { ...ensemble, trees: packTrees([tree]) }, info });
  const app = createApp({ models: { m: model } });
  const send = async (path: string, type: string) => {
    const init = { method: "POST", headers: { "content-type": type }, body: '{"a":1,"b":2}' };
    const response = await app.request(`/v1/models/m/${path}`, init);
    return [response.status, (await response.json()).code];
  };
  const refused = [400, "E_PARAM_CONFLICT"];
  assertEquals(await send("explain", "application/json"), refused);
  assertEquals(await send("predict?reasons=1", "application/json"), refused);
  assertEquals(await send("predict?reasons=1", "application/x-ndjson"), refused);
  assertEquals(/^treeline_rows_total{.*} (.*)$/m.exec(app.metrics())?.[1] ?? "0", "0");
});

Deno.test("explain refuses too many rows before any work is done", async () => {
  const rows = JSON.stringify(new Array(101).fill({ a: 1, b: 2 }));
  const { status, body } = await post("/v1/models/numbers/explain", rows);
  assertEquals([status, body.code], [413, "E_DATA_LIMIT"]);
});

/** `classes` classes and `width` numbers, a tree for each class. */
function wideModel(classes: number, width: number): Model {
  const { ensemble, schema, info } = smallModel();
  const trees = Array.from({ length: classes }, (_, k) => {
    const tree = createTreeBuilder(1);
    const first = tree.splitThreshold(0, 0, 0.5, 1);
    [k, k + 1].forEach((value, i) => tree.setValue(first + i, [value]));
    [[0, 2], [first, 1], [first + 1, 1]].forEach(([node, cover]) => tree.setStats(node, cover, 1));
    return tree;
  });
  const names = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  return createModel({
    schema: {
      ...schema,
      features: names(width, "f").map((name) => ({ kind: "numeric", name, missing: "learnt" })),
      classes: names(classes, "c"),
    },
    ensemble: {
      ...ensemble,
      trees: packTrees(trees),
      numOutputs: classes,
      treeOutput: Int32Array.from(trees, (_, k) => k),
      treeWeight: new Float64Array(classes).fill(1),
      treesPerRound: classes,
      baseScore: new Float64Array(classes),
      postprocess: { name: "softmax" },
    },
    info,
  });
}

Deno.test("answers of very many numbers are refused before any of them is found", async () => {
  const wide = createApp({ models: { wide: wideModel(250, 100) }, maxMillis: 1e7 });
  const ask = async (path: string, rows: number) => {
    const response = await wide.request(`/v1/models/wide/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(new Array(rows).fill({ f0: 1 })),
    });
    const { code, details } = await response.json();
    return [response.status, code, details?.limit, details?.found];
  };
  const most = [200, undefined, undefined, undefined];
  // 80 rows × 250 outputs × 100 features = 2,000,000.
  assertEquals(await ask("explain", 80), most);
  const refused = [413, "E_DATA_LIMIT", "maxContributions", 81 * 250 * 100];
  assertEquals(await ask("explain", 81), refused);
  assertEquals(await ask("predict?reasons=1", 81), refused);
  assertEquals(await ask("predict?kind=class", 8000), most);
  const scores = [413, "E_DATA_LIMIT", "maxScores", 8001 * 250];
  assertEquals(await ask("predict", 8001), scores);
  assertEquals(await ask("predict?kind=class", 8001), scores);
});

Deno.test("a line with reasons is bounded as other requests are", async () => {
  const wide = createApp({ models: { wide: wideModel(201, 10_000) }, maxColumns: 10 });
  const response = await wide.request("/v1/models/wide/predict?reasons=1", {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: '{"f0":1}\n',
  });
  assertEquals(JSON.parse(await response.text()).error.code, "E_DATA_LIMIT");
});
