import { assertEquals } from "@std/assert";
import { headerText } from "../../../../src/server/answer/report_header.ts";
import { mixed, numbers, post } from "../../../support/processes/protocol_apps.ts";

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
    const rows = () => /^treeline_rows_total.*$/m.exec(mixed.metrics())![0];
    const before = rows();
    const refused = await post(mixed, path, { ...body, [key]: { report: "yes" } });
    assertEquals([refused.status, refused.body.code], [400, "E_PARAM_RANGE"]);
    assertEquals(rows(), before); // what is refused is not scored
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
