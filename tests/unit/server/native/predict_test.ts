import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { createModel } from "../../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../../src/model/trees.ts";
import { createApp } from "../../../../src/server/app.ts";
import { sigmoid } from "../../../../src/util/math.ts";
import { numbersModel, smallModel, smallRaw } from "../../../support/models/small.ts";

const app = createApp({ models: { small: smallModel() }, maxRows: 4, maxBytes: 2000 });

interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
  readonly headers: Headers;
}

async function send(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await app.request(path, init);
  return { status: response.status, body: await response.json(), headers: response.headers };
}

function post(body: unknown, query = "", type = "application/json"): Promise<Answer> {
  return send(`/v1/models/small/predict${query}`, {
    method: "POST",
    headers: { "content-type": type },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

Deno.test("predict answers one object with class, probabilities and what was noticed", async () => {
  const { status, body } = await post('{"age": 20, "job": "z", "__proto__": 1, "zip": 9}');
  assertEquals(status, 200);
  assertEquals(body.model, "small");
  assert(/^[0-9a-f]{16}$/.test(body.version));
  assertEquals(body.predictions.length, 1);
  const { probabilities } = body.predictions[0];
  assertEquals(body.predictions[0].class, "yes");
  assertAlmostEquals(probabilities.yes, sigmoid(smallRaw(20, "z", 1)), 1e-15);
  assertAlmostEquals(probabilities.no + probabilities.yes, 1, 1e-15);
  assertEquals(body.missing, []);
  assertEquals(body.unknown, ["job"]);
  assertEquals(body.absent, []);
  assertEquals(body.ignored, ["zip"]);
});

Deno.test("predict answers CSV: classes quoted where they must be, a column an output or a tree", async () => {
  const tree = createTreeBuilder(3);
  const left = tree.splitThreshold(0, 0, 2, 1);
  tree.setValue(left, [6, 1, 1]);
  tree.setValue(left + 1, [1, 2, 5]);
  const { schema, ensemble, info } = numbersModel();
  const model = createModel({
    schema: { ...schema, task: "classification", classes: ["a,b", 'say "c"', "d"] },
    ensemble: {
      ...ensemble,
      trees: packTrees([tree, tree], 3),
      treeOutput: new Int32Array(2),
      treeWeight: Float64Array.of(1, 1),
      leafWidth: 3,
      numOutputs: 3,
      baseScore: new Float64Array(3),
      postprocess: { name: "proportions" },
    },
    info,
  });
  const three = createApp({ models: { m: model } });
  const ask = async (query: string) =>
    await (await three.request(`/v1/models/m/predict${query}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/csv" },
      body: '[{"a":1,"b":0},{"a":3,"b":0}]',
    })).text();
  const header = '"a,b","say ""c""",d\n';
  assertEquals(await ask(""), 'prediction\n"a,b"\nd\n');
  assertEquals(await ask("?kind=proba"), `${header}0.75,0.125,0.125\n0.125,0.25,0.625\n`);
  assertEquals(await ask("?kind=raw"), `${header}12,2,2\n2,4,10\n`);
  assertEquals(await ask("?kind=leaf"), "tree0,tree1\n1,1\n2,2\n");
});

Deno.test("predict gives the same for rows, wrapped rows, columns and wrapped columns", async () => {
  const rows = '[{"age":20,"job":"a","__proto__":null},{"__proto__":3,"job":null,"age":"40"}]';
  const columns = '{"job":["a",null],"age":[20,40],"__proto__":[null,3]}';
  const answers: Answer[] = [];
  for (const sent of [rows, `{"rows":${rows}}`, columns, `{"columns":${columns}}`]) {
    answers.push(await post(sent, "?kind=raw"));
  }
  for (const { status, body } of answers) {
    assertEquals(status, 200);
    assertEquals(body.predictions, [smallRaw(20, "a", null), smallRaw(40, null, 3)]);
    assertEquals(body.missing, ["job", "__proto__"]);
    assertEquals(body, answers[0]!.body);
  }
});

Deno.test("predict takes absent columns as missing where that was learnt, else refuses them", async () => {
  const learnt = await post('{"__proto__":0}');
  assertEquals(learnt.status, 200);
  assertEquals(learnt.body.absent, ["age", "job"]);
  assertEquals(learnt.body.missing, ["age", "job"]);
  const refused = await post({ age: 1, job: "a" });
  assertEquals(refused.status, 422);
  assertEquals(refused.body.code, "E_MODEL_SCHEMA");
  assertEquals(refused.body.details.columns, ["__proto__"]);
  assertEquals(refused.headers.get("content-type"), "application/problem+json");
});

Deno.test("predict treats prototype names as ordinary keys", async () => {
  const { body } = await post('{"age":20,"job":"constructor","__proto__":1,"toString":2}');
  assertEquals(body.unknown, ["job"]);
  assertEquals(body.ignored, ["toString"]);
});

Deno.test("predict?columns=strict refuses what the model does not know", async () => {
  const body = '{"age":1,"job":"a","__proto__":0,"zip":1}';
  assertEquals((await post(body, "?columns=strict")).body.code, "E_MODEL_SCHEMA");
  assertEquals((await post(body, "?columns=lenient")).status, 200);
  assertEquals((await post(body, "?columns=perhaps")).status, 400);
});

Deno.test("predict?kind= answers classes, probabilities, values and raw scores", async () => {
  const body = '{"age":40,"job":"b","__proto__":0}';
  assertEquals((await post(body, "?kind=class")).body.predictions, ["yes"]);
  assertEquals((await post(body, "?kind=value")).body.predictions, [sigmoid(1.75)]);
  const proba = (await post(body, "?kind=proba")).body;
  assertEquals(proba.classes, ["no", "yes"]);
  assertEquals(proba.predictions, [[1 - sigmoid(1.75), sigmoid(1.75)]]);
  assertEquals((await post(body, "?kind=wish")).body.code, "E_PARAM_RANGE");
});

Deno.test("predict?onError=partial scores the rows that can be read and names the others", async () => {
  const rows = '[{"age":20,"__proto__":0},{"age":"old","__proto__":0},7]';
  const whole = await post(rows, "?kind=raw");
  assertEquals(whole.status, 422);
  assertEquals(whole.body.details, { column: "age", row: 2 });
  const partial = await post(rows, "?kind=raw&onError=partial");
  assertEquals(partial.status, 200);
  assertEquals(partial.body.predictions, [smallRaw(20, null, 0), null, null]);
  assertEquals(
    partial.body.errors.map((e: { row: number; code: string }) => [e.row, e.code]),
    [[2, "E_DATA_PARSE"], [3, "E_DATA_SHAPE"]],
  );
});

Deno.test("predict refuses bodies it cannot read, each with its status and code", async () => {
  const cases: [string, string, number, string][] = [
    ["{", "application/json", 422, "E_DATA_PARSE"],
    ["", "application/json", 422, "E_DATA_PARSE"],
    ["3", "application/json", 422, "E_DATA_SHAPE"],
    ["null", "application/json", 422, "E_DATA_SHAPE"],
    ["[]", "application/json", 422, "E_DATA_EMPTY"],
    ["[[1]]", "application/json", 422, "E_DATA_SHAPE"],
    ['{"age":[1],"__proto__":2}', "application/json", 400, "E_HTTP_AMBIGUOUS"],
    ['{"age":[1],"__proto__":[1,2]}', "application/json", 422, "E_DATA_SHAPE"],
    ['{"age":{"a":1},"__proto__":1}', "application/json", 422, "E_DATA_TYPE"],
    ["[{},{},{},{},{}]", "application/json", 413, "E_DATA_LIMIT"],
    [`{"job":"${"x".repeat(3000)}"}`, "application/json", 413, "E_DATA_LIMIT"],
    ["age=3", "application/x-www-form-urlencoded", 415, "E_HTTP_TYPE"],
  ];
  for (const [text, type, status, code] of cases) {
    const answer = await post(text, "", type);
    assertEquals([text, answer.status, answer.body.code], [text, status, code]);
    assertEquals(answer.headers.get("content-type"), "application/problem+json");
  }
});

Deno.test("routes answer 404 and 405 with problem+json", async () => {
  const nowhere = await send("/v2/nothing");
  assertEquals([nowhere.status, nowhere.body.code], [404, "E_HTTP_ROUTE"]);
  const noModel = await send("/v1/models/other");
  assertEquals([noModel.status, noModel.body.code], [404, "E_HTTP_ROUTE"]);
  const wrong = await send("/v1/models/small/predict");
  assertEquals([wrong.status, wrong.body.code], [405, "E_HTTP_METHOD"]);
  assertEquals(wrong.headers.get("allow"), "POST");
});

Deno.test("models are listed and described", async () => {
  assertEquals((await send("/healthz")).body, { status: "ok" });
  const card = (await send("/v1/models/small")).body;
  const { models } = (await send("/v1/models")).body;
  assertEquals(models.map((m: { name: string }) => m.name), ["small"]);
  assertEquals(card.features.map((f: { name: string }) => f.name), ["age", "job", "__proto__"]);
  assertEquals(card.classes, ["no", "yes"]);
  assertEquals(card.version, models[0].version);
});

Deno.test("predict reads CSV by the names of its header, with our missing markers", async () => {
  const csv = "__proto__,zip,job,age\n3,1,b,20\nNA,2,,?\n";
  const { status, body } = await post(csv, "?kind=raw", "text/csv");
  assertEquals(status, 200);
  assertEquals(body.predictions, [smallRaw(20, "b", 3), smallRaw(null, null, null)]);
  assertEquals(body.missing, ["age", "job", "__proto__"]);
  assertEquals(body.ignored, ["zip"]);
  const bad = await post("age,__proto__\n1,2\nold,3\n4\n", "", "text/csv");
  assertEquals([bad.status, bad.body.details], [422, { column: "age", row: 2 }]);
  const partial = await post(
    "age,__proto__\n1,2\nold,3\n4\n",
    "?onError=partial&kind=raw",
    "text/csv",
  );
  assertEquals(partial.body.predictions, [smallRaw(1, null, 2), null, null]);
  assertEquals(partial.body.errors.map((e: { row: number }) => e.row), [2, 3]);
});

Deno.test("predict answers CSV where the caller accepts it", async () => {
  const request = async (query: string) => {
    const response = await app.request(`/v1/models/small/predict${query}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/csv" },
      body: '[{"age":20,"__proto__":0},{"age":40,"__proto__":1}]',
    });
    return await response.text();
  };
  assertEquals(await request(""), "prediction\nno\nyes\n");
  assertEquals(await request("?kind=raw"), "raw\n-0.75\n3.25\n");
  assertEquals((await request("?kind=proba")).split("\n")[0], "no,yes");
});

Deno.test("predict takes columns by position only from who knows the schema, and never text as codes", async () => {
  const csv = await post("20,b,3\n", "", "text/csv; header=absent");
  assertEquals([csv.status, csv.body.code], [422, "E_MODEL_SCHEMA"]);
  const { schemaHash } = (await send("/v1/models/small")).body;
  const known = await post("20,b,3\n", `?kind=raw&schema=${schemaHash}`, "text/csv;header=absent");
  assertEquals(known.body.predictions, [smallRaw(20, "b", 3)]);
  const floats = await app.request(`/v1/models/small/predict?schema=${schemaHash}`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: new Float32Array([20, 1, 3]),
  });
  assertEquals([floats.status, (await floats.json()).code], [422, "E_DATA_TYPE"]);
});

Deno.test("predict reads and answers float32 rows", async () => {
  const { schemaHash } = numbersModel();
  const numbers = createApp({ models: { numbers: numbersModel() } });
  const send = (floats: Float32Array<ArrayBuffer>, accept: string) =>
    numbers.request(`/v1/models/numbers/predict?schema=${schemaHash}`, {
      method: "POST",
      headers: { "content-type": "application/octet-stream", accept },
      body: floats,
    });
  const rows = new Float32Array([1, 5, NaN, 7]);
  assertEquals((await (await send(rows, "*/*")).json()).predictions, [10, 20]);
  const binary = await send(rows, "application/octet-stream");
  assertEquals(new Float32Array(await binary.arrayBuffer()), new Float32Array([10, 20]));
  const odd = await send(new Float32Array(3), "*/*");
  assertEquals([odd.status, (await odd.json()).code], [422, "E_DATA_SHAPE"]);
});

Deno.test("predict reads the NaN and Infinity that Python's clients write", async () => {
  const body = '[{"age":NaN,"job":"a\\"NaN","__proto__":Infinity},{"age":-Infinity,"__proto__":0}]';
  const answer = await post(body, "?kind=raw");
  assertEquals(answer.body.predictions, [smallRaw(null, null, 1), smallRaw(-1, null, 0)]);
  assertEquals(answer.body.unknown, ["job"]);
  assertEquals((await post('{"age":NaN', "")).body.code, "E_DATA_PARSE");
  assertEquals((await post('{"age":NaNs}', "")).status, 422);
});

Deno.test("predict refuses a body none of whose columns is the model's", async () => {
  const numbers = createApp({ models: { numbers: numbersModel() } });
  const response = await numbers.request("/v1/models/numbers/predict", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"instances":[[1,2]]}',
  });
  assertEquals([response.status, (await response.json()).code], [422, "E_MODEL_SCHEMA"]);
});

Deno.test("one column in two Unicode forms, or twice, is refused by name", async () => {
  const { schema, ensemble, info } = smallModel();
  const features = schema.features.map((f, i) => i === 0 ? { ...f, name: "caf\u00e9" } : f);
  const model = createModel({ schema: { ...schema, features }, ensemble, info });
  const twins = createApp({ models: { small: model } });
  const cases: [string, string, number][] = [
    ['{"caf\u00e9":1,"__proto__":0}', "application/json", 200],
    ['{"cafe\u0301":1,"__proto__":0}', "application/json", 200],
    ['{"caf\u00e9":1,"cafe\u0301":2,"__proto__":0}', "application/json", 422],
    ['[{"__proto__":0},{"cafe\u0301":1,"__proto__":0,"caf\u00e9":2}]', "application/json", 422],
    ['{"caf\u00e9":[1],"cafe\u0301":[2],"__proto__":[0]}', "application/json", 422],
    ["caf\u00e9,cafe\u0301,__proto__\n1,2,0\n", "text/csv", 422],
    ['{"caf\u00e9":1,"__proto__":0,"caf\u00e9":2}', "application/json", 422],
    ['[{"__proto__":0},{"caf\u00e9":1,"caf\\u00e9":2}]', "application/json", 422],
    ['{"caf\u00e9":[1],"caf\u00e9":[2],"__proto__":[0]}', "application/json", 422],
  ];
  for (const [body, type, status] of cases) {
    const response = await twins.request("/v1/models/small/predict", {
      method: "POST",
      headers: { "content-type": type },
      body,
    });
    const answer = await response.json();
    assertEquals([body, response.status], [body, status]);
    if (status !== 200) {
      assertEquals([answer.code, answer.details.column], ["E_DATA_SHAPE", "caf\u00e9"]);
    }
  }
});

Deno.test("answers that a page could load, and errors, say that their type is meant", async () => {
  const small = "/v1/models/small/predict";
  const body = '{"age":1,"__proto__":0}';
  const headers = { "content-type": "application/json" };
  const answers = await Promise.all([
    app.request(small, { method: "POST", headers: { ...headers, "x-request-id": "a" }, body }),
    app.request(small, { method: "POST", headers: { ...headers, accept: "text/csv" }, body }),
    app.request(small, { method: "POST", headers, body: "{" }),
    app.request("/v1/models/small"),
    app.request("/openapi.json"),
    app.request("/nothing"),
    app.request("/metrics"),
    app.request("/v2/models/small"),
  ]);
  for (const answer of answers) {
    await answer.body?.cancel();
    assertEquals([answer.url, answer.headers.get("x-content-type-options")], ["", "nosniff"]);
    assert(answer.headers.has("x-request-id") || answer.status === 404);
  }
});

Deno.test("a request is named to who named it, to logs, and in errors", async () => {
  const ask = async (options: object, id?: string, body = '{"a":1,"b":2}') => {
    const app = createApp({ models: { m: numbersModel() }, ...options });
    const answer = await app.request("/v1/models/m/predict", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "content-length": `${body.length}`,
        ...(id === undefined ? {} : { "x-request-id": id }),
      },
      body,
    });
    await answer.body?.cancel();
    return answer.headers.get("x-request-id");
  };
  assertEquals(await ask({}), null);
  assertEquals(await ask({}, "a-1"), "a-1");
  assert((await ask({}, undefined, "{"))!.length > 3);
  const lines: string[] = [];
  const id = await ask({ log: (line: string) => lines.push(line) });
  assertEquals(JSON.parse(lines[0]).requestId, id);
});

Deno.test("a kind that the model does not have is refused before the body is read and rows are counted", async () => {
  const other = createApp({ models: { m: numbersModel() } });
  const row = { a: 1, b: 1 };
  const v1 = (parameters: object) => ({ instances: [row], parameters });
  const tensor = { name: "x", shape: [1, 2], datatype: "FP64", data: [1, 1] };
  const cases: readonly (readonly [path: string, body: unknown, type?: string])[] = [
    ["/v1/models/m/predict?kind=proba", row],
    ["/v1/models/m/predict?kind=class", "{"],
    ["/v1/models/m/predict?kind=proba", "{}\n{}\n", "application/x-ndjson"],
    ["/v1/models/m/predict?kind=proba", "a,b\n1,1\n", "text/csv"],
    ["/v1/models/m/explain?kind=class", row],
    ["/v1/models/m:predict", v1({ kind: "proba" })],
    ["/invocations", { ...v1({}), params: { kind: "class" } }],
    ["/v2/models/m/infer", { inputs: [tensor], outputs: [{ name: "predict_proba" }] }],
  ];
  for (const [path, body, type = "application/json"] of cases) {
    const response = await other.request(path, {
      method: "POST",
      headers: { "content-type": type },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    assertEquals([path, response.status], [path, 400]);
    assert(text.includes("E_PARAM_CONFLICT"), text);
  }
  const unknown = await other.request("/v2/models/m/infer", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ inputs: [tensor], outputs: [{ name: "margin" }] }),
  });
  assertEquals(unknown.status, 400);
  await unknown.body?.cancel();
  // Nor is what float32 cannot hold.
  for (const [accept, status] of [["application/octet-stream", 400], ["*/*", 200]] as const) {
    const response = await other.request("/v1/models/m/predict?kind=leaf", {
      method: "POST",
      headers: { "content-type": "application/json", accept },
      body: JSON.stringify(row),
    });
    await response.body?.cancel();
    assertEquals([accept, response.status], [accept, status]);
  }
  // The one that was answered.
  const counted = /^treeline_rows_total\S* (\d+)$/m.exec(other.metrics());
  assertEquals(counted?.[1], "1");
});
