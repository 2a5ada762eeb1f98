import { assertAlmostEquals, assertEquals } from "@std/assert";
import { createApp } from "../../../src/server/app.ts";
import { headerText } from "../../../src/server/answer/report_header.ts";
import { sigmoid } from "../../../src/util/math.ts";
import { numbersModel, smallModel, smallRaw, textModel } from "../../support/small_models.ts";

const mixed = createApp({ models: { small: smallModel() } });
const numbers = createApp({ models: { numbers: numbersModel() } });

interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
  readonly text: string;
  readonly headers: Headers;
}

async function post(
  app: typeof mixed,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const plain = typeof body === "string" || body instanceof Uint8Array;
  const response = await app.request(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: plain ? body as BodyInit : JSON.stringify(body),
  });
  const text = await response.text();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  return { status: response.status, body: parsed, text, headers: response.headers };
}

const get = async (app: typeof mixed, path: string) => {
  const response = await app.request(path);
  return { status: response.status, body: await response.json() };
};

Deno.test("OIP: metadata and health", async () => {
  assertEquals((await get(numbers, "/v2")).body.extensions, ["binary_tensor_data"]);
  assertEquals((await get(numbers, "/v2/health/ready")).body, { live: true, ready: true });
  assertEquals((await get(numbers, "/v2/models/numbers")).body.inputs, [
    { name: "input", datatype: "FP64", shape: [-1, 2] },
  ]);
  const small = (await get(mixed, "/v2/models/small/versions/1")).body;
  assertEquals(small.inputs[1], { name: "job", datatype: "BYTES", shape: [-1, 1] });
  assertEquals(small.outputs.map((o: { name: string }) => o.name), ["predict", "predict_proba"]);
  assertEquals((await get(mixed, "/v2/models/small/versions/7")).status, 404);
  assertEquals((await get(mixed, "/v2/models/small/ready")).body, { name: "small", ready: true });
});

Deno.test("OIP: a matrix, flat or nested, with null as missing", async () => {
  for (const data of [[1, 5, null, 7], [[1, 5], [null, 7]]]) {
    const { status, body } = await post(numbers, "/v2/models/numbers/infer", {
      id: "q1",
      inputs: [{ name: "x", shape: [2, 2], datatype: "FP32", data }],
    });
    assertEquals(status, 200);
    assertEquals([body.model_name, body.model_version, body.id], ["numbers", "1", "q1"]);
    assertEquals(body.outputs, [
      { name: "predict", datatype: "FP64", shape: [2, 1], data: [10, 20] },
    ]);
    assertEquals(body.parameters.missing, '["a"]');
  }
});

Deno.test("OIP: a tensor a column, matched by name", async () => {
  const { body } = await post(mixed, "/v2/models/small/infer", {
    inputs: [
      { name: "__proto__", shape: [2], datatype: "FP64", data: [1, 0] },
      { name: "job", shape: [2, 1], datatype: "BYTES", data: ["b", "z"] },
      { name: "age", shape: [2], datatype: "INT64", data: [20, 40] },
      { name: "zip", shape: [2], datatype: "INT64", data: [1, 2] },
    ],
    outputs: [{ name: "raw" }, { name: "predict" }, { name: "predict_proba" }],
  });
  assertEquals(body.outputs[0].data, [smallRaw(20, "b", 1), smallRaw(40, "z", 0)]);
  assertEquals(body.outputs[1], {
    name: "predict",
    datatype: "BYTES",
    shape: [2, 1],
    data: ["yes", "yes"],
  });
  assertAlmostEquals(body.outputs[2].data[1], sigmoid(smallRaw(20, "b", 1)), 1e-15);
  assertEquals([body.parameters.unknown, body.parameters.ignored], ['["job"]', '["zip"]']);
});

Deno.test("OIP: binary tensors in and out", async () => {
  const ages = new Float32Array([20, NaN]);
  const jobs = new TextEncoder().encode("\x01\0\0\0b\x01\0\0\0z");
  const protos = new BigInt64Array([1n, 0n]);
  const json = new TextEncoder().encode(JSON.stringify({
    inputs: [
      { name: "age", shape: [2, 1], datatype: "FP32", parameters: { binary_data_size: 8 } },
      { name: "job", shape: [2, 1], datatype: "BYTES", parameters: { binary_data_size: 10 } },
      { name: "__proto__", shape: [2, 1], datatype: "INT64", parameters: { binary_data_size: 16 } },
    ],
    outputs: [
      { name: "raw", parameters: { binary_data: true } },
      { name: "predict", parameters: { binary_data: false } },
    ],
    parameters: { binary_data_output: true },
  }));
  const body = new Uint8Array(
    await new Blob([json, ages, jobs, protos]).arrayBuffer(),
  );
  const response = await mixed.request("/v2/models/small/infer", {
    method: "POST",
    headers: {
      "content-type": "application/octet-stream",
      "inference-header-content-length": String(json.length),
    },
    body,
  });
  assertEquals(response.status, 200);
  const length = Number(response.headers.get("inference-header-content-length"));
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { outputs } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, length)));
  assertEquals(outputs[0], {
    name: "raw",
    datatype: "FP64",
    shape: [2, 1],
    parameters: { binary_data_size: 16 },
  });
  assertEquals(
    new Float64Array(bytes.slice(length).buffer),
    new Float64Array([smallRaw(20, "b", 1), smallRaw(null, "z", 0)]),
  );
  assertEquals(outputs[1].data, ["yes", "yes"]);
});

Deno.test("OIP: what does not fit is refused with an error member", async () => {
  const bad: [unknown, number][] = [
    [{}, 422],
    [{ inputs: [null] }, 422],
    [{ inputs: [{ name: "x", shape: [1, 3], datatype: "FP32", data: [1, 2, 3] }] }, 422],
    [{ inputs: [{ name: "x", shape: [2, 2], datatype: "FP32", data: [1, 2, 3] }] }, 422],
    [{ inputs: [{ name: "x", shape: [-1, 2], datatype: "FP32", data: [] }] }, 422],
    [{ inputs: [{ name: "x", shape: [1e6, 2], datatype: "FP32", data: [] }] }, 422],
    [{ inputs: [{ name: "x", shape: [1, 2], datatype: "FP99", data: [1, 2] }] }, 422],
    [{
      inputs: [{ name: "x", shape: [1, 2], datatype: "FP32", data: [1, 2] }],
      outputs: [{ name: "wish" }],
    }, 400],
  ];
  for (const [body, status] of bad) {
    const answer = await post(numbers, "/v2/models/numbers/infer", body);
    assertEquals([JSON.stringify(body), answer.status], [JSON.stringify(body), status]);
    assertEquals(typeof answer.body.error, "string");
  }
  const short = await post(numbers, "/v2/models/numbers/infer", "{}", {
    "inference-header-content-length": "9",
  });
  assertEquals([short.status, short.body.code], [400, "E_HTTP_AMBIGUOUS"]);
  const text = await post(mixed, "/v2/models/small/infer", {
    inputs: [{ name: "x", shape: [1, 3], datatype: "FP32", data: [20, 1, 1] }],
  });
  assertEquals([text.status, text.body.code], [422, "E_DATA_TYPE"]);
});

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
  assertEquals((await post(mixed, "/invocations", '{"instances":[[1]]}')).status, 400);
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

Deno.test("TF-Serving: instances by name, by position, columns, versions and errors", async () => {
  const rows = await post(
    mixed,
    "/v1/models/small:predict",
    '{"instances":[{"age":20,"job":"b","__proto__":1}],"parameters":{"kind":"proba"}}',
  );
  const p = sigmoid(smallRaw(20, "b", 1));
  assertEquals(rows.body, { predictions: [[1 - p, p]] });
  const lists = await post(numbers, "/v1/models/numbers/versions/1:predict", {
    instances: [[1, 2], [null, 3]],
  });
  assertEquals(lists.body, { predictions: [10, 20] });
  const columns = await post(numbers, "/v1/models/numbers:predict", {
    inputs: { a: [1, 9], b: [[1], [2]] },
  });
  assertEquals(columns.body, { outputs: [10, 20] });
  const both = await post(numbers, "/v1/models/numbers:predict", { inputs: {}, instances: [] });
  assertEquals([both.status, both.body.code], [400, "E_HTTP_AMBIGUOUS"]);
  assertEquals(typeof both.body.error, "string");
  assertEquals((await post(numbers, "/v1/models/none:predict", { instances: [] })).status, 404);
  const labelled = createApp({
    models: { m: { versions: { "1": numbersModel() }, aliases: { stable: "1" } } },
  });
  const label = await post(labelled, "/v1/models/m/labels/stable:predict", { instances: [[1, 2]] });
  assertEquals(label.body, { predictions: [10] });
  const status = (await get(numbers, "/v1/models/numbers")).body;
  assertEquals(status.model_version_status[0].state, "AVAILABLE");
});

Deno.test("Vertex AI: the platform chooses the paths", async () => {
  const app = createApp({
    models: { m: numbersModel() },
    routes: { health: "/vertex/health", predict: "/vertex/predict" },
  });
  assertEquals((await get(app, "/vertex/health")).status, 200);
  const answer = await post(app, "/vertex/predict", { instances: [{ a: 1, b: 2 }] });
  assertEquals(answer.body, { predictions: [10] });
});

Deno.test("bodies may be gzipped; damaged or unknown encodings are refused", async () => {
  const text = '{"instances":[[1,2]]}';
  const zipped = new Uint8Array(
    await new Response(
      new Blob([text]).stream().pipeThrough(new CompressionStream("gzip")),
    ).arrayBuffer(),
  );
  const send = (body: BodyInit, encoding: string) =>
    post(numbers, "/v1/models/numbers:predict", body, { "content-encoding": encoding });
  assertEquals((await send(zipped, "gzip")).body, { predictions: [10] });
  assertEquals((await send(zipped.slice(0, 20), "gzip")).status, 422);
  assertEquals((await send(zipped, "br")).status, 415);
  const bomb = new Uint8Array(
    await new Response(
      new Blob([new Uint8Array(20 << 20)]).stream().pipeThrough(new CompressionStream("gzip")),
    ).arrayBuffer(),
  );
  assertEquals((await send(bomb, "gzip")).status, 413);
});

const NOTICED = { missing: ["age"], unknown: ["job"], absent: ["age"], ignored: ["zip"] };
const person = { job: "z", "zip": 1, ["__proto__"]: 1 };

Deno.test("MLflow and TF Serving: the lists of what was noticed follow on request", async () => {
  const records = { "dataframe_records": [person] };
  const bodies: [string, object, string][] = [
    ["/invocations", { ...records, params: { report: true } }, "params"],
    [
      "/v1/models/small:predict",
      { instances: [person], parameters: { report: true } },
      "parameters",
    ],
  ];
  for (const [path, body, key] of bodies) {
    const { body: found } = await post(mixed, path, body);
    const { predictions, ...lists } = found;
    assertEquals([path, lists], [path, NOTICED]);
    assertEquals(predictions, ["yes"]);
    const plain = await post(mixed, path, { ...body, [key]: {} });
    assertEquals(Object.keys(plain.body), ["predictions"]);
    const refused = await post(mixed, path, { ...body, [key]: { report: "yes" } });
    assertEquals([refused.status, refused.body.code], [400, "E_PARAM_RANGE"]);
  }
});

Deno.test("any answer tells the lists in a header on request, also CSV and float32", async () => {
  const row = JSON.stringify(person);
  const ask = { "treeline-report": "true" };
  const predict = "/v1/models/small/predict";
  const csv = "job,zip,__proto__\nz,1,1\n";
  const infer = {
    inputs: [
      { name: "job", shape: [1], datatype: "BYTES", data: ["z"] },
      { name: "zip", shape: [1], datatype: "FP64", data: [1] },
      { name: "__proto__", shape: [1], datatype: "FP64", data: [1] },
    ],
  };
  const answers = [
    await post(mixed, predict, row, { ...ask, accept: "text/csv" }),
    await post(mixed, `${predict}?kind=raw`, row, { ...ask, accept: "application/octet-stream" }),
    await post(mixed, "/invocations", csv, { ...ask, "content-type": "text/csv; header=present" }),
    await post(mixed, "/invocations", { "dataframe_records": [person] }, ask),
    await post(mixed, "/v1/models/small:predict", { instances: [person] }, ask),
    await post(mixed, "/v2/models/small/infer", infer, ask),
  ];
  for (const { status, headers } of answers) {
    assertEquals(status, 200);
    assertEquals(JSON.parse(headers.get("treeline-report")!), NOTICED);
  }
  const silent = await post(mixed, "/invocations", { "dataframe_records": [person] });
  assertEquals(silent.headers.get("treeline-report"), null);
});

Deno.test("SageMaker: the lists come in the one header that its API hands on", async () => {
  const asked = await post(numbers, "/invocations", "1,\n,2\n", {
    "content-type": "text/csv",
    "x-amzn-sagemaker-custom-attributes": "trace=7,treeline-report",
  });
  const attributes = asked.headers.get("x-amzn-sagemaker-custom-attributes")!;
  assertEquals(JSON.parse(attributes), {
    missing: ["a", "b"],
    unknown: [],
    absent: [],
    ignored: [],
  });
  const other = await post(numbers, "/invocations", "1,\n,2\n", {
    "content-type": "text/csv",
    "x-amzn-sagemaker-custom-attributes": "trace=7",
  });
  assertEquals(other.headers.get("x-amzn-sagemaker-custom-attributes"), null);
});

Deno.test("lists that are too long for a header are cut, and say by how much", () => {
  const names = Array.from({ length: 3000 }, (_, i) => `größe ${i}`);
  const report = { rows: 1, missing: new Map(), unknown: new Map(), absent: [], ignored: names };
  const text = headerText(report, 1024);
  assertEquals(/^[ -~]*$/.test(text) && text.length <= 1024, true);
  const { ignored, more } = JSON.parse(text);
  assertEquals(ignored, names.slice(0, ignored.length));
  assertEquals([ignored.length > 10, ignored.length + more], [true, 3000]);
});
