// deno-lint-ignore-file camelcase -- the protocol's own names
import { assert, assertEquals, assertMatch } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { parseLibsvm } from "../../../../src/data/libsvm/parse.ts";
import { createApp } from "../../../../src/server/app.ts";
import { createModel } from "../../../../src/model/model.ts";
import { sigmoid } from "../../../../src/util/math.ts";
import { mixed, numbers, post } from "../../../support/processes/protocol_apps.ts";
import { numbersModel, smallModel, smallRaw, textModel } from "../../../support/models/small.ts";

Deno.test("MLflow: split, records, instances and inputs give the same", async () => {
  const bodies = [
    {
      dataframe_split: {
        columns: ["job", "__proto__", "age"],
        index: [0, 1],
        data: [["b", 1, 20], [null, 0, 40]],
      },
    },
    '{"dataframe_records":[{"age":20,"job":"b","__proto__":1},{"age":40,"__proto__":0}]}',
    { instances: [[20, "b", 1], [40, null, 0]] },
    '{"inputs":{"age":[20,40],"job":[["b"],[null]],"__proto__":[1,0]}}',
  ];
  for (const body of bodies) {
    const plain = await post(mixed, "/invocations", body);
    assertEquals([plain.status, plain.body], [200, { predictions: ["yes", "yes"] }]);
    const object = typeof body === "string" ? body.slice(0, -1) : JSON.stringify(body).slice(0, -1);
    const raw = await post(mixed, "/invocations", `${object},"params":{"kind":"raw"}}`);
    assertEquals(raw.body.predictions, [smallRaw(20, "b", 1), smallRaw(40, null, 0)]);
  }
});

Deno.test("MLflow: none or two of the keys is a question, a bad value is 400, a wrong type 415", async () => {
  for (const body of ["{}", '{"inputs":[],"instances":[]}']) {
    const { status, body: answer } = await post(mixed, "/invocations", body);
    assertEquals([status, answer.error_code, answer.code], [
      400,
      "BAD_REQUEST",
      "E_HTTP_AMBIGUOUS",
    ]);
  }
  const short = await post(mixed, "/invocations", '{"instances":[[1]]}');
  assertEquals([short.status, short.body.status, short.body.title], [400, 400, "Bad Request"]);
  assertEquals((await post(mixed, "/invocations", "{")).status, 400);
  const type = await post(mixed, "/invocations", "{}", { "content-type": "text/html" });
  assertEquals(type.status, 415);
  const charset = await post(mixed, "/invocations", "{}", {
    "content-type": "application/json; charset=latin1",
  });
  assertEquals(charset.status, 415);
  for (const path of ["/ping", "/health", "/version"]) {
    const response = await mixed.request(path);
    assertEquals(response.status, 200);
    await response.body?.cancel();
  }
});

Deno.test("/invocations tells CSV with header (MLflow) from CSV without (SageMaker)", async () => {
  const csv = (body: string, header = "", accept = "*/*") =>
    post(mixed, "/invocations", body, {
      "content-type": `text/csv${header}`,
      accept,
    });
  const named = await csv("job,__proto__,age\nb,1,20\n");
  assertEquals(named.body, { predictions: ["yes"] });
  const value = sigmoid(smallRaw(20, "b", 1));
  const bare = await csv("20,b,1\n");
  assertEquals([bare.text, bare.headers.get("content-type")], [
    `${value}\n`,
    "text/csv; charset=utf-8",
  ]);
  assertEquals((await csv("20,b,1\n", "", "application/json")).body, {
    predictions: [{ score: value }],
  });
  assertEquals(
    (await csv("20,b,1\n40,,0\n", "", "application/jsonlines")).text,
    `{"score":${value}}\n{"score":${sigmoid(smallRaw(40, null, 0))}}\n`,
  );
  assertEquals((await csv("20,q,1\n", ";header=absent")).status, 200);
  assertEquals((await csv("20,b\n")).status, 400);
  assertEquals((await csv("age,__proto__\n", "; header=present")).status, 400); // no rows
});

Deno.test("SageMaker: LIBSVM, the AWS path, and selected outputs", async () => {
  const libsvm = await post(numbers, "/invocations", "1 0:1 1:3\n0:5\n1:2\n", {
    "content-type": "text/libsvm",
  });
  assertEquals(libsvm.text, "10\n20\n20\n");
  const bad = await post(numbers, "/invocations", "0:1 9:3\n", { "content-type": "text/libsvm" });
  assertEquals(bad.status, 400);
  const aws = await post(numbers, "/endpoints/anything/invocations", "1,2\n", {
    "content-type": "text/csv",
  });
  assertEquals(aws.text, "10\n");
  const selected = createApp({
    models: { small: smallModel() },
    sagemakerOutput: ["predicted_label", "probability", "probabilities", "raw_score"],
  });
  const raw = smallRaw(20, "b", 1);
  const p = sigmoid(raw);
  const headers = { "content-type": "text/csv", accept: "application/json" };
  assertEquals((await post(selected, "/invocations", "20,b,1\n", headers)).body, {
    predictions: [{
      predicted_label: "yes",
      probability: p,
      probabilities: [1 - p, p],
      raw_score: raw,
    }],
  });
  const text = await post(selected, "/invocations", "20,b,1\n", { "content-type": "text/csv" });
  assertEquals(text.text, `yes,${p},"[${1 - p},${p}]",${raw}\n`);
});

Deno.test("/invocations matches lines without a header by position only where the number of cells is the model's", async () => {
  const csv = { "content-type": "text/csv; header=absent" };
  for (const [line, found] of [["1", 1], ["1,2,3", 3]] as const) {
    for (const body of [line, `${line}\n${line}\n`]) {
      const answer = await post(numbers, "/invocations", body, csv);
      assertEquals([answer.status, answer.body.code], [400, "E_DATA_SHAPE"], body);
      assert(
        answer.text.includes(`${found} columns`) && answer.text.includes("has 2"),
        answer.text,
      );
    }
  }
  assertEquals((await post(numbers, "/invocations", "1,2\n", csv)).text, "10\n");
});

Deno.test("a split table without its lists is refused", async () => {
  for (
    const split of [
      { columns: ["a", "b"] },
      { columns: "ab", data: [[1, 2]] },
      { data: 3 },
      3,
      { names: ["b", "a"], data: [[1, 2]] }, // its cells are not those of a and b
    ]
  ) {
    const { status, body } = await post(numbers, "/invocations", { dataframe_split: split });
    assertEquals(status, 400, JSON.stringify(body));
    assert(JSON.stringify(body).includes("split"), JSON.stringify(body));
  }
});

Deno.test("a split table without names is read by position, with an index or not", async () => {
  const data = [[1, 0], [0, 1]];
  for (const split of [{ data }, { index: ["a", "b"], data }]) {
    const { body } = await post(numbers, "/invocations", { dataframe_split: split });
    const named = { columns: ["a", "b"], data };
    const expected = await post(numbers, "/invocations", { dataframe_split: named });
    assertEquals([expected.status, body], [200, expected.body]);
  }
});

Deno.test("/invocations with several models asks which, unless one is named", async () => {
  const models = { a: numbersModel(1), b: numbersModel(2) };
  const csv = { "content-type": "text/csv" };
  const several = createApp({ models });
  const asked = await post(several, "/invocations", "1,2", csv);
  assertEquals([asked.status, asked.body.code], [400, "E_HTTP_AMBIGUOUS"]);
  const target = { ...csv, "x-amzn-sagemaker-target-model": "b.tlm" };
  assertEquals((await post(several, "/invocations", "1,2", target)).text, "2\n");
  assertEquals((await post(several, "/endpoints/a/invocations", "1,2", csv)).text, "1\n");
  const chosen = createApp({ models, defaultModel: "b" });
  assertEquals((await post(chosen, "/invocations", "1,2", csv)).text, "2\n");
  // No other model answers for the one that is asked for, and it need not be the endpoint's.
  for (const path of ["/invocations", "/endpoints/a/invocations", "/endpoints/prod/invocations"]) {
    const asking = (name: string) =>
      post(chosen, path, "1,2", { ...csv, "x-amzn-sagemaker-target-model": name });
    assertEquals([(await asking("a.tlm")).text, (await asking("b")).text], ["1\n", "2\n"]);
    const { status, body } = await asking("none.tlm");
    assertEquals([status, body.code], [404, "E_HTTP_ROUTE"]);
  }
});

Deno.test("where no model is served, routes that name none have nothing to ask about", async () => {
  const app = createApp({ models: {} });
  const { status, body } = await post(app, "/invocations", '{"instances":[[1]]}');
  assertEquals([status, body.code], [404, "E_HTTP_ROUTE"]);
  const page = await app.request("/");
  assertEquals([page.status, (await page.json()).code], [404, "E_HTTP_ROUTE"]);
});

Deno.test("a CSV line that could be header or row of a model of text columns is a question", async () => {
  const text = createApp({ models: { text: textModel() } });
  const csv = (body: string, header = "") =>
    post(text, "/invocations", body, { "content-type": `text/csv${header}` });
  assertEquals((await csv("b\n")).text, "1\n"); // a known category
  assertEquals((await csv("job\nb\n")).body, { predictions: [1] }); // a known name
  const asked = await csv("z\nb\n");
  assertEquals([asked.status, asked.body.code], [400, "E_HTTP_AMBIGUOUS"]);
  assertEquals((await csv("z\nb\n", "; header=absent")).text, "2\n1\n");
});

Deno.test("a media type whose header= is neither present nor absent is refused by every route of CSV", async () => {
  const app = createApp({ models: { text: textModel() } });
  for (const word of ["true", "false", "no", '"yes"', ""]) {
    for (const path of ["/invocations", "/v1/models/text/predict"]) {
      const type = { "content-type": `text/csv; header=${word}` };
      const { status, body } = await post(app, path, "job\nb\n", type);
      assertEquals([status, body.code], [415, "E_HTTP_TYPE"], `${path} ${word}`);
    }
  }
  const plain = { "content-type": 'text/csv; Header="PRESENT"' };
  assertEquals((await post(app, "/invocations", "job\nb\n", plain)).body, { predictions: [1] });
});

Deno.test("a CSV line of numbers that are the names of the columns is a question, too", async () => {
  // As pandas names columns; a model of two numbers, 10 where the first is at most 2.
  const { schema, ensemble, info } = numbersModel();
  const features = schema.features.map((feature, at) => ({ ...feature, name: String(at) }));
  const app = createApp({
    models: { m: createModel({ schema: { ...schema, features }, ensemble, info }) },
  });
  const csv = (body: string, header = "") =>
    post(app, "/invocations", body, { "content-type": `text/csv${header}` });
  for (const first of ["0,1", "1,0", "0, 1"]) {
    const { status, body } = await csv(`${first}\n1,5\n`);
    if (first === "0, 1") assertEquals(status, 200); // " 1" is no name
    else assertEquals([status, body.code], [400, "E_HTTP_AMBIGUOUS"], first);
  }
  assertEquals((await csv("0,1\n1,5\n", "; header=present")).body, { predictions: [10] });
  assertEquals((await csv("0,1\n5,5\n", "; header=absent")).text, "10\n20\n");
  for (const first of ["0,0", "1,1", "0,2", "5,1", ",1", "-inf,1"]) {
    assertEquals((await csv(`${first}\n5,5\n`)).text.split("\n").length, 3, first);
  }
  // Text beside a name is a header; column 0 is missing in every row.
  assertEquals((await csv("age,1\n5,5\n")).body, { predictions: [20] });
});

Deno.test("a CSV line that fits the columns and names one of them is a question, too", async () => {
  const { schema, ensemble, info } = textModel();
  const [job] = schema.features;
  const features = [{ ...job, categories: ["job", "b"] }, {
    kind: "numeric",
    name: "a",
    missing: "learnt",
  }] as const;
  const app = createApp({
    models: { m: createModel({ schema: { ...schema, features }, ensemble, info }) },
  });
  const csv = (body: string) => post(app, "/invocations", body, { "content-type": "text/csv" });
  assertEquals((await csv("job,5\nb,1\n")).body.code, "E_HTTP_AMBIGUOUS");
  assertEquals((await csv("job,a\nb,1\n")).body, { predictions: [1] });
  assertEquals((await csv("b,5\nb,1\n")).text, "1\n1\n");
});

Deno.test("MLflow: inputs that hold no rows are refused", async () => {
  for (const inputs of [5, null, "x", true]) {
    const { status, body } = await post(mixed, "/invocations", { inputs });
    assertEquals([status, body.code], [400, "E_DATA_SHAPE"], String(inputs));
  }
});

Deno.test("SageMaker: LIBSVM has one number without an index, in front", async () => {
  const libsvm = { "content-type": "text/libsvm" };
  const path = "/endpoints/numbers/invocations";
  for (const line of ["1 0:2 1:3", "0:2 1:3"]) {
    assertEquals((await post(numbers, path, line, libsvm)).status, 200, line);
  }
  for (const line of ["x 0:2 1:3", "0:2 7 1:3", "0:2 1:3 7"]) {
    assertEquals((await post(numbers, path, line, libsvm)).body.code, "E_DATA_PARSE", line);
  }
});

Deno.test("members with a toString of their own are refused, they do not fail", async () => {
  const odd = { toString: 1, valueOf: 1 };
  const row = { age: 20, job: "b", ["__proto__"]: 1 };
  const kind = await post(mixed, "/invocations", { instances: [row], params: { kind: odd } });
  assertEquals([kind.status, kind.body.code], [400, "E_PARAM_RANGE"]);
  const tf = await post(mixed, "/v1/models/small:predict", {
    instances: [row],
    parameters: { kind: odd },
  });
  assertEquals([tf.status, tf.body.code], [400, "E_PARAM_RANGE"]);
  for (const name of [odd, ["age"], null]) {
    const split = { dataframe_split: { columns: [name], data: [[1]] } };
    const { status, body } = await post(mixed, "/invocations", split);
    assertEquals([status, body.code], [400, "E_DATA_SHAPE"]);
  }
});

Deno.test("a split table names its repeated column among very many", async () => {
  const columns = Array.from({ length: 19_000 }, (_, at) => at);
  const split = { dataframe_split: { columns: [...columns, 18_999], data: [[1]] } };
  const { status, body } = await post(mixed, "/invocations", split);
  assertEquals([status, body.code], [400, "E_DATA_SHAPE"]);
  assertMatch(body.detail, /one column "18999"/);
});

Deno.test("LIBSVM: an index that comes twice in a row is refused, as in files", async () => {
  const libsvm = { "content-type": "text/libsvm" };
  const { status, body } = await post(numbers, "/invocations", "0:1 1:3\n1:2 0:1 1:3\n", libsvm);
  assertEquals([status, body.code], [400, "E_DATA_SHAPE"]);
  assertMatch(body.detail, /row 2/);
});

Deno.test("LIBSVM is scored as the model learnt it: absent entries, and columns by their index", async () => {
  const text = Array.from({ length: 60 }, (_, row) => {
    const entries = ["0:1", `1:${row % 5}`, ...(row % 2 === 0 ? [`2:${row % 3 + 1}`] : [])];
    return `${row % 2 === 0 ? row % 3 : 10} ${
      row % 7 === 0 ? entries[2] ?? "" : entries.join(" ")
    }`;
  }).join("\n");
  for (const absent of ["zero", "missing"] as const) {
    const whole = parseLibsvm(text, { absent, task: "regression" });
    const data = { ...whole, features: whole.features.filter(({ name }) => name !== "f1") };
    const model = await trainBoost(data, { rounds: 5, minRowsPerLeaf: 1 });
    const app = createApp({ models: { model } });
    const rows = ["0:1 1:3 2:2", "0:1 1:2", "2:3", "1 1:9 2:1", "0:0 2:0"];
    // As a file is read, which `evaluate` does.
    const file = parseLibsvm(rows.map((row) => `0 ${row.replace(/^1 /, "")}`).join("\n"), {
      schema: model.schema,
    });
    const answer = await post(app, "/invocations", rows.join("\n"), {
      "content-type": "text/libsvm",
      "treeline-report": "true",
    });
    assertEquals(answer.text.trim().split("\n").map(Number), [...model.predictValue(file)], absent);
    assertEquals(JSON.parse(answer.headers.get("treeline-report")!).ignored, ["f1"]);
  }
});
