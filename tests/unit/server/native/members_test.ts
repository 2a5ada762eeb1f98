/** Members of queries and of `params`: ours are read or refused, those of gateways pass. */
import { assertEquals } from "@std/assert";
import { createApp } from "../../../../src/server/app.ts";
import { mixed, post } from "../../../support/processes/protocol_apps.ts";
import { numbersModel, smallRaw } from "../../../support/models/small.ts";

const model = numbersModel();
const app = createApp({ models: { m: model }, routes: { predict: "/vertex" } });
const row = { a: 1, b: 1 };
const inputs = [{ name: "x", shape: [1, 2], datatype: "FP64", data: [1, 1] }];
const ROUTES: readonly (readonly [path: string, body: object])[] = [
  ["/v1/models/m:predict", { instances: [row] }],
  ["/v1/models/m/versions/1:predict", { instances: [row] }],
  ["/vertex", { instances: [row] }],
  ["/invocations", { instances: [row] }],
  ["/endpoints/m/invocations", { inputs: [row] }],
  ["/v2/models/m/infer", { inputs }],
];

Deno.test("a member of the query that a route does not read is refused by it", async () => {
  const members = {
    kind: "raw",
    columns: "strict",
    onError: "partial",
    reasons: "1",
    rounds: "1",
    schema: model.schemaHash,
  };
  for (const [name, value] of Object.entries(members)) {
    for (const [path, body] of ROUTES) {
      const answer = await post(app, `${path}?${name}=${value}`, body);
      assertEquals([path, answer.status, answer.body.code], [path, 400, "E_PARAM_CONFLICT"]);
    }
    const predict = await post(app, `/v1/models/m/predict?${name}=${value}`, row);
    assertEquals([name, predict.status], [name, 200]);
    const explain = await post(app, `/v1/models/m/explain?${name}=${value}`, row);
    const has = name !== "onError" && name !== "reasons";
    assertEquals([name, explain.status], [name, has ? 200 : 400]);
    if (has) continue;
    assertEquals(explain.body.code, "E_PARAM_CONFLICT");
    assertEquals(explain.body.details, {
      param: name,
      expected: ["kind", "columns", "rounds", "schema"],
    });
  }
});

Deno.test("a member that is nearly one of ours is refused by every route that scores, others pass", async () => {
  const explain = await post(app, "/v1/models/m/explain?Kind=raw", row);
  assertEquals([explain.status, explain.body.code], [400, "E_PARAM_UNKNOWN"]);
  for (const [path, body] of ROUTES) {
    const nearly = await post(app, `${path}?round=1`, body);
    assertEquals([path, nearly.status, nearly.body.code], [path, 400, "E_PARAM_CONFLICT"]);
    const others = await post(app, `${path}?api-version=2&key=x&season=1&schema_version=3`, body);
    assertEquals([path, others.status], [path, 200]);
  }
  // Nothing is scored for these; fields of the page are named by columns of the model.
  for (const path of ["/?kind=1&rounds=2", "/v1/models?kind=raw", "/healthz?schema=1"]) {
    assertEquals([path, (await app.request(path)).status], [path, 200]);
  }
});

Deno.test("?schema= of other columns is refused, whatever the body", async () => {
  for (const verb of ["predict", "explain"]) {
    for (const schema of ["", "0000", model.schemaHash + "0"]) {
      const { status, body } = await post(app, `/v1/models/m/${verb}?schema=${schema}`, row);
      assertEquals([status, body.code], [422, "E_MODEL_SCHEMA"]);
    }
  }
});

Deno.test("params that mean nothing to a route are refused, as members of a query are", async () => {
  const cases: readonly (readonly [params: unknown, code: string | undefined])[] = [
    [{ rounds: 1 }, "E_PARAM_CONFLICT"],
    [{ reasons: 3 }, "E_PARAM_CONFLICT"],
    [["kind"], "E_PARAM_RANGE"],
    ["raw", "E_PARAM_RANGE"],
    [{ max_tokens: 7, priority: 1, sequence_id: 3, report_type: "short" }, undefined],
    [{}, undefined],
    [null, undefined],
  ];
  for (const [path, body] of ROUTES) {
    const member = path.includes("invocations") ? "params" : "parameters";
    const nearly = path.includes("infer") ? { binary_output: true } : { Kind: "raw" };
    for (const [params, code] of [...cases, [nearly, "E_PARAM_UNKNOWN"] as const]) {
      const answer = await post(app, path, { ...body, [member]: params });
      assertEquals([path, params, answer.body.code], [path, params, code]);
    }
  }
});

Deno.test("parameters of tensors are read or refused, as those of a request are", async () => {
  const ask = async (input: unknown, output: unknown) => {
    const { body } = await post(app, "/v2/models/m/infer", {
      inputs: [{ ...inputs[0], parameters: input }],
      outputs: [{ name: "raw", parameters: output }],
    });
    return body.code;
  };
  // What tritonclient, KServe's client and MLServer send with theirs passes.
  assertEquals(await ask({ content_type: "np" }, { binary_data: false }), undefined);
  assertEquals(await ask(null, null), undefined);
  assertEquals(await ask({ rounds: 1 }, {}), "E_PARAM_CONFLICT");
  assertEquals(await ask({}, { kind: "value" }), "E_PARAM_CONFLICT");
  assertEquals(await ask({ binary_data_sizes: 16 }, {}), "E_PARAM_UNKNOWN");
  assertEquals(await ask({}, { binaryData: true }), "E_PARAM_UNKNOWN");
  assertEquals(await ask({}, "binary_data"), "E_PARAM_RANGE");
  // What asks Triton for labels in an output's place, or for memory that it shares with its client.
  assertEquals(await ask({}, { classification: 2 }), "E_PARAM_CONFLICT");
  const shared = { "shared_memory_region": "region", "shared_memory_byte_size": 8 };
  assertEquals(await ask({}, shared), "E_PARAM_CONFLICT");
  assertEquals(await ask(shared, {}), "E_PARAM_CONFLICT");
});

Deno.test("members of bodies that another protocol reads are refused, those of clients pass", async () => {
  const paths = { "/invocations": "params", "/v1/models/m:predict": "parameters" };
  for (const [path, right] of Object.entries(paths)) {
    const ask = async (more: object) => {
      const { body } = await post(app, path, { instances: [row], ...more });
      return body.code;
    };
    assertEquals(
      await ask({ [right]: { kind: "raw" }, signature_name: "serving_default" }),
      undefined,
    );
    const other = right === "params" ? "parameters" : "params";
    for (
      const member of [{ [other]: { kind: "raw" } }, { kind: "raw" }, { columns: ["b", "a"] }, {
        report: true,
      }]
    ) {
      assertEquals([path, member, await ask(member)], [path, member, "E_PARAM_CONFLICT"]);
    }
    assertEquals(await ask({ [right.slice(0, -1)]: { kind: "raw" } }), "E_PARAM_UNKNOWN");
  }
  const ask = async (more: object) =>
    (await post(app, "/v2/models/m/infer", { inputs, ...more })).body.code;
  assertEquals(await ask({ id: "1", model_name: "m", outputs: [{ name: "raw" }] }), undefined);
  assertEquals(await ask({ output: [{ name: "raw" }] }), "E_PARAM_UNKNOWN");
  assertEquals(await ask({ params: { binary_data_output: true } }), "E_PARAM_CONFLICT");
});

Deno.test("among hundreds of members ours are found, and no misspelt one is looked for", async () => {
  const many = Array.from({ length: 200 }, (_, i) => `r${i}=1`).join("&");
  for (const [member, status] of [["rounds=1", 400], ["round=1", 200]] as const) {
    const answer = await post(app, `/invocations?${many}&${member}`, { instances: [row] });
    assertEquals([member, answer.status], [member, status]);
  }
});

const SMALL = "/v1/models/small/predict";

Deno.test("a member of the query that occurs twice is a question, whatever its values", async () => {
  for (
    const query of [
      "kind=raw&kind=value",
      "kind=raw&x=1&kind=raw",
      "reasons=1&reasons=2",
      "%6bind=raw&kind=raw",
    ]
  ) {
    const { status, body } = await post(mixed, `${SMALL}?${query}`, '{"age":1,"__proto__":1}');
    assertEquals([query, status, body.code], [query, 400, "E_HTTP_AMBIGUOUS"]);
  }
  const other = await post(mixed, `${SMALL}?kind=raw&x=1&x=2`, '{"age":1,"__proto__":1}');
  assertEquals([other.status, other.body.predictions], [200, [smallRaw(1, null, 1)]]);
});

Deno.test("a member of ours that a wrong joint or escape put into another is refused, not passed over", async () => {
  for (
    const [query, param] of [
      ["kind%3Draw", "kind=raw"],
      ["columns=lenient&amp;kind=raw", "amp;kind"],
      ["?kind=raw", "?kind"],
      ["api-version=2?kind=raw", "api-version"],
      ["api-version=2;kind=raw", "api-version"],
      ["api-version=2%26kind=raw", "api-version"],
    ]
  ) {
    const { status, body } = await post(mixed, `${SMALL}?${query}`, '{"__proto__":0}');
    assertEquals([query, status, body.code], [query, 400, "E_PARAM_UNKNOWN"]);
    assertEquals(body.details, { param, nearest: "kind" });
  }
  for (
    const query of [
      "mankind=raw&a=kind&b=my-kind=2",
      // Addresses that are passed on have queries of their own.
      "return_to=https%3A%2F%2Fapp.example%2Flist%3Fkind%3Dnew%26columns%3D2",
      "next=/list?kind=new",
    ]
  ) {
    const { status } = await post(mixed, `${SMALL}?${query}`, '{"__proto__":0}');
    assertEquals([query, status], [query, 200]);
  }
});

Deno.test("a member of the query that is nearly one of ours is refused, those of gateways pass", async () => {
  const nearly = { Kind: "kind", reason: "reasons", onerror: "onError", column: "columns" };
  for (const [name, right] of Object.entries(nearly)) {
    const { status, body } = await post(mixed, `${SMALL}?${name}=1`, []);
    assertEquals([status, body.code], [400, "E_PARAM_UNKNOWN"]);
    assertEquals(body.detail, `Cannot use the query "${name}": did you mean "${right}"?`);
    assertEquals(body.details, { param: name, nearest: right });
  }
  for (
    const name of [
      "api-version",
      "key",
      "token",
      "utm_source",
      "id",
      "_",
      "season",
      "find",
      "error",
      "",
    ]
  ) {
    assertEquals((await post(mixed, `${SMALL}?${name}=1`, '{"__proto__":0}')).status, 200, name);
  }
});
