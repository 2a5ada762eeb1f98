/**
 * The OpenAPI document held against its specification and against what the server really answers.
 *
 * The judges are other people's: the published schema of OpenAPI 3.1 (through
 * @seriousme/openapi-schema-validator) and JSON Schema 2020-12 (ajv).
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createApp } from "../../../../src/server/app.ts";
import { openapi } from "../../../../src/server/openapi/document.ts";
import { createModel } from "../../../../src/model/model.ts";
import { randomParts } from "../../../support/models/random.ts";
import { numbersModel, smallModel, textModel } from "../../../support/models/small.ts";

const models = {
  small: smallModel(),
  numbers: numbersModel(),
  'odd "name" /é': textModel(),
  three: createModel(randomParts({ seed: 3, outputs: 3 })),
};
const app = createApp({ models, defaultModel: "small" });

type Json = { readonly [key: string]: Json } & { readonly $ref?: string };

// deno-lint-ignore no-explicit-any
async function document(): Promise<any> {
  return await (await app.request("/openapi.json")).json();
}

Deno.test("the document is valid OpenAPI 3.1, with tokens and without", async () => {
  const described = Object.entries(models).map(([name, model]) => ({ name, model }));
  for (const made of [await document(), openapi(described, { tokens: true }), openapi([])]) {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(made)));
    assert(valid, JSON.stringify(errors));
    assertEquals(validator.version, "3.1");
  }
});

Deno.test("the judge refuses a document with a fault", async () => {
  const made = structuredClone(await document());
  delete made.paths["/v1/models/small/predict"].post.responses["200"].description;
  assertEquals((await new Validator().validate(made)).valid, false);
});

/** Every schema of the document: OpenAPI's own rules leave their inside to JSON Schema. */
function* schemasOf(value: unknown): Generator<Json> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (key === "schema") yield part as Json;
    else if (key === "schemas") yield* Object.values(part as Record<string, Json>);
    else yield* schemasOf(part);
  }
}

Deno.test("every schema of the document is valid JSON Schema 2020-12", async () => {
  const ajv = new Ajv2020({ strict: false });
  let count = 0;
  for (const schema of schemasOf(await document())) {
    assert(await ajv.validateSchema(schema), ajv.errorsText());
    count++;
  }
  assert(count > 30, `${count}`);
});

// deno-lint-ignore no-explicit-any
async function judge(): Promise<(schema: Json) => any> {
  // Only own properties: otherwise every object has the column `__proto__`.
  const ajv = new Ajv2020({ strict: false, ownProperties: true });
  ajv.addSchema(await document(), "doc");
  const rooted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rooted);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([k, v]) => [k, k === "$ref" ? `doc${v}` : rooted(v)]),
    );
  };
  return (schema) => ajv.compile(rooted(schema) as object);
}

Deno.test("what the server takes and answers is what the document says", async () => {
  const { paths } = await document();
  const compile = await judge();
  const person = { age: 20, job: "b", ["__proto__"]: 1 };
  const tensor = { name: "input", shape: [1, 2], datatype: "FP32", data: [1, 2] };
  const cases: (readonly [path: string, body: unknown, status: number, at?: string])[] = [
    ["/v1/models/small/predict", person, 200],
    ["/v1/models/small/predict", [person, { ...person, job: null }], 200],
    ["/v1/models/small/predict", { age: [1], job: ["?"], ["__proto__"]: [null] }, 200],
    ["/v1/models/small/predict", { rows: [person] }, 200],
    ["/v1/models/small/predict", { columns: { age: [1], ["__proto__"]: [2] } }, 200],
    ["/v1/models/small/predict?reasons=2&onError=partial&kind=proba", [person], 200],
    ["/v1/models/small/explain", person, 200],
    ...["value", "class", "proba", "raw", "leaf", "default"].flatMap((kind) =>
      ["predict", "explain"].map((verb) =>
        [`/v1/models/three/${verb}?kind=${kind}`, { x0: 1 }, 200] as const
      )
    ),
    ["/v1/models/numbers/predict", { a: 1, b: null }, 200],
    ["/v1/models/numbers/predict?kind=leaf", { a: 1, b: null }, 200],
    ["/v1/models/small/predict?kind=wish", person, 400],
    ["/v1/models/small/predict", { age: "old" }, 422],
    ["/v1/models/{name}:predict", { instances: [person] }, 200, "/v1/models/small:predict"],
    ["/v2/models/{name}/infer", { inputs: [tensor] }, 200, "/v2/models/numbers/infer"],
    ["/invocations", { dataframe_records: [person] }, 200],
    ["/invocations", { dataframe_records: [person], inputs: [] }, 400],
  ];
  for (const [path, body, status, at = path] of cases) {
    const operation = paths[path.replace(/\?.*/, "")].post;
    const takes = compile(operation.requestBody.content["application/json"].schema);
    if (status === 200) assert(takes(body), `${at}: ${JSON.stringify(takes.errors)}`);
    const response = await app.request(at, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    assertEquals(response.status, status, JSON.stringify(answer));
    const { content } = operation.responses[`${status}`];
    const says = compile(content[response.headers.get("content-type")!].schema);
    assert(says(answer), `${at}: ${JSON.stringify(says.errors)} ${JSON.stringify(answer)}`);
  }
  const row = compile(
    paths["/v1/models/small/predict"].post.requestBody.content["application/json"].schema,
  );
  assertEquals(row({ ...person, age: "old" }), false);
});

Deno.test("what the server never answers is not what the document says", async () => {
  const { paths } = await document();
  const compile = await judge();
  const answers = async (path: string, body: unknown) => {
    const { content } = paths[path.replace(/\?.*/, "")].post.responses["200"];
    const response = await app.request(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const says = compile(content["application/json"].schema);
    return { says, answer: await response.json() };
  };
  const person = { age: 20, job: "b", ["__proto__"]: 1 };
  const { says, answer } = await answers("/v1/models/small/predict", person);
  const [whole] = answer.predictions;
  assert(says({ ...answer, predictions: [whole, null, "yes", 1, [1, null]] }));
  const { class: _, ...classless } = whole;
  const { yes: _yes, ...halved } = whole.probabilities;
  const wrong = ["maybe", true, [["a"]], classless, { ...whole, probabilities: halved }];
  for (const one of wrong) {
    assertEquals(says({ ...answer, predictions: [one] }), false, JSON.stringify(one));
  }
  const partial = await answers("/v1/models/small/predict?reasons=2&onError=partial", [
    person,
    { ...person, age: "old" },
  ]);
  assertEquals([partial.answer.predictions[1], partial.answer.errors[0].row], [null, 2]);
  assert(says(partial.answer));
  assertEquals(says({ ...answer, errors: [{ row: 1 }] }), false);
  assertEquals(says({ ...answer, reasons: [["age"]] }), false);
  const one = await answers("/v1/models/numbers/explain", { a: 1, b: 2 });
  assertEquals(one.says({ ...one.answer, raw: [[1]] }), false);
  assertEquals(one.says({ ...one.answer, explanations: [[one.answer.explanations[0]]] }), false);
});

Deno.test("every route is described, but for the page", async () => {
  const { paths } = await document();
  const described = new Set(Object.keys(paths).map((path) => path.replace(/\{\w+\}/g, "*")));
  let verbs = 0;
  for (const { path } of app.routes) {
    if (path === "/" || path === "/*") continue;
    const pattern = path.replace(/:\w+/g, "*");
    const native = /^\/v1\/models\/\*\/(predict|explain)$/.exec(pattern)?.[1];
    const found = native === undefined ? pattern : `/v1/models/small/${native}`;
    // TensorFlow Serving's verb is behind the last part of the path.
    const hasVerb = path.startsWith("/v1/models/:name") && native === undefined;
    if (hasVerb) verbs += Number(described.has(`${pattern}:predict`));
    const isVersion = hasVerb && path !== "/v1/models/:name";
    assert(isVersion || described.has(found), `${path} as ${found}`);
  }
  assertEquals(verbs, 3);
});

/** What the sources of the server ask a request for: `headers.get("…")`, `exchange.query("…")`. */
async function asked(call: RegExp): Promise<Set<string>> {
  const names = new Set<string>();
  const folders = [new URL("../../../../src/server/", import.meta.url)];
  for (const folder of folders) {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (isDirectory) {
        // The page has a form of its own, which is not described.
        if (name !== "page") folders.push(new URL(`${name}/`, folder));
        continue;
      }
      const text = await Deno.readTextFile(new URL(name, folder));
      for (const [, found] of text.matchAll(call)) names.add(found.toLowerCase());
    }
  }
  return names;
}

Deno.test("every header and every member of a query that is read is described", async () => {
  const { paths, components } = await document();
  const text = JSON.stringify([paths, components.parameters]).toLowerCase();
  const headers = await asked(/headers\s*\.(?:get|has)\("([\w-]+)"/gi);
  assert(headers.has("x-request-id") && headers.has("content-encoding"), [...headers].join());
  headers.add("treeline-report").add("x-amzn-sagemaker-custom-attributes"); // named by constants
  for (const name of headers) {
    // OpenAPI describes these three by other means.
    if (["accept", "content-type", "authorization"].includes(name)) continue;
    // HTTP's own; and what the server itself has just answered.
    if (["content-length", "transfer-encoding", "x-content-type-options"].includes(name)) continue;
    assert(text.includes(`"name":"${name}","in":"header"`), `header ${name}`);
  }
  const members = await asked(/(?:query|oneOf[^(]*)\((?:exchange, )?"(\w+)"/g);
  const known = ["columns", "kind", "onerror", "reasons", "rounds", "schema"];
  assertEquals([...members].sort(), known);
  for (const name of members) assert(text.includes(`"name":"${name}","in":"query"`), name);
});

Deno.test("headers of answers are those that the document lists", async () => {
  const { paths, components } = await document();
  const resolve = (part: Json): Json =>
    part.$ref === undefined ? part : part.$ref.slice(2).split("/").reduce(
      (at, key) => at[key],
      { components } as unknown as Json,
    );
  const person = '{"age":20,"job":"new","__proto__":1}';
  const records = `{"dataframe_records":[${person}]}`;
  const tensor = '{"name":"input","shape":[1,2],"datatype":"FP32","data":[1,2]}';
  const inputs = `{"parameters":{"binary_data_output":true},"inputs":[${tensor}]}`;
  const json = "application/json";
  const cases: (readonly [
    path: string,
    body: string | undefined,
    status: number,
    headers: Record<string, string>,
    expected: readonly string[],
    at?: string,
  ])[] = [
    ["/v1/models/small/predict", person, 200, { "x-request-id": "r1" }, ["x-request-id"]],
    [
      "/v1/models/small/predict",
      person,
      200,
      { accept: "text/csv", "treeline-report": "true" },
      ["treeline-report", "treeline-model"],
    ],
    ["/v1/models/small/explain", person, 200, {}, []],
    ["/v1/models/small/predict", "{", 422, {}, ["x-request-id"]],
    [
      "/invocations",
      records,
      200,
      { "x-amzn-sagemaker-custom-attributes": "treeline-report", "treeline-report": "true" },
      ["x-amzn-sagemaker-custom-attributes", "treeline-report", "treeline-version"],
    ],
    [
      "/v1/models/{name}:predict",
      `{"instances":[${person}]}`,
      200,
      { "treeline-report": "true" },
      ["treeline-report", "treeline-model"],
      "/v1/models/small:predict",
    ],
    [
      "/v2/models/{name}/infer",
      inputs,
      200,
      { "treeline-report": "true" },
      ["inference-header-content-length", "treeline-report"],
      "/v2/models/numbers/infer",
    ],
    ["/v1/models", undefined, 200, {}, ["x-request-id"]],
  ];
  for (const [path, body, status, headers, expected, at = path] of cases) {
    const method = body === undefined ? "GET" : "POST";
    const response = await app.request(at, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": json }) },
      ...(body === undefined ? {} : { body }),
    });
    await response.body?.cancel();
    assertEquals(response.status, status, at);
    const answer = resolve(paths[path][method.toLowerCase()].responses[`${status}`]);
    const listed = Object.keys(answer.headers).map((name) => name.toLowerCase());
    for (const name of expected) assert(response.headers.has(name), `${at} lacks ${name}`);
    for (const [name, value] of response.headers) {
      if (["content-type", "x-content-type-options", "referrer-policy"].includes(name)) continue;
      assert(listed.includes(name), `${at} answers ${name}: ${value}`);
    }
    for (const header of Object.values(answer.headers)) {
      assert("description" in resolve(header as Json));
    }
  }
});

Deno.test("what a body may ask for beside its rows is described", async () => {
  const { paths } = await document();
  const compile = await judge();
  const takes = (path: string) =>
    compile(paths[path].post.requestBody.content["application/json"].schema);
  const mlflow = takes("/invocations");
  const rows = { instances: [{ age: 1 }] };
  assert(mlflow({ ...rows, params: { kind: "proba", report: true } }));
  assertEquals(mlflow({ ...rows, params: { report: "yes" } }), false);
  assertEquals(mlflow({ ...rows, inputs: [] }), false);
  const tf = takes("/v1/models/{name}:predict");
  assert(tf({ ...rows, parameters: { report: true } }));
  assertEquals(tf({ ...rows, parameters: { kind: "wish" } }), false);
  for (const report of [true, "yes"]) {
    const body = JSON.stringify({ instances: [{ age: 1, __proto__: 1 }], parameters: { report } })
      .replace('{"age":1}', '{"age":1,"__proto__":1}');
    const response = await app.request("/v1/models/small:predict", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const answer = await response.json();
    assertEquals(
      [response.status, "missing" in answer],
      report === true ? [200, true] : [400, false],
    );
  }
});
