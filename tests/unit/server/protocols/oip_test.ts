import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { sigmoid } from "../../../../src/util/math.ts";
import { get, mixed, numbers, post } from "../../../support/processes/protocol_apps.ts";
import { smallRaw } from "../../../support/models/small.ts";

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

Deno.test("OIP: members that are null are left out, as clients write what they do not set", async () => {
  const input = { name: "input", shape: [1, 2], datatype: "FP64", data: [1, 0], parameters: null };
  const ask = (more: object) =>
    post(numbers, "/v2/models/numbers/infer", { inputs: [input], ...more });
  const nulls = await ask({ id: null, outputs: null, parameters: null });
  assertEquals([nulls.status, nulls.body.outputs], [200, (await ask({})).body.outputs]);
  assertEquals((await ask({ outputs: [{ name: "raw", parameters: null }] })).status, 200);
  assertEquals((await ask({ outputs: 0 })).status, 422);
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

Deno.test("OIP: nested data has the shape it is said to have", async () => {
  const infer = (shape: number[], data: unknown) =>
    post(numbers, "/v2/models/numbers/infer", {
      inputs: [{ name: "x", shape, datatype: "FP64", data }],
    });
  // [a, b] of two rows; read one after the other, the second list would lend the first its number.
  for (
    const data of [[[1, 5, 2], [7]], [[1, 5], 2, 7], [[1, 5], [2, [7]]], [[[1, 5], [2]], [[7]]]]
  ) {
    const { status, body } = await infer([2, 2], data);
    assertEquals([status, body.code], [422, "E_DATA_SHAPE"], JSON.stringify(data));
  }
  assertEquals((await infer([3, 2], [[1, 2, 3], [4, 5, 6]])).status, 422);
  // A list more or less of one element moves nothing.
  const expected = (await infer([2, 2], [1, 5, 2, 7])).body.outputs;
  for (const data of [[[1, 5], [2, 7]], [[[1, 5], [2, 7]]], [[[1], [5]], [[2], [7]]]]) {
    assertEquals((await infer([2, 2], data)).body.outputs, expected);
  }
});

Deno.test("OIP: a number that its datatype cannot hold is refused, not cut", async () => {
  const infer = (datatype: string, data: unknown[]) =>
    post(numbers, "/v2/models/numbers/infer", {
      inputs: [{ name: "x", shape: [1, 2], datatype, data }],
    });
  // As NumPy's iinfo says.
  const limits: [string, number, number][] = [
    ["UINT8", 0, 255],
    ["INT8", -128, 127],
    ["UINT16", 0, 65535],
    ["INT16", -32768, 32767],
    ["UINT32", 0, 4294967295],
    ["INT32", -2147483648, 2147483647],
  ];
  for (const [datatype, least, greatest] of limits) {
    for (const bad of [least - 1, greatest + 1, 0.5]) {
      const { status, body } = await infer(datatype, [1, bad]);
      assertEquals([status, body.code], [422, "E_DATA_TYPE"], `${datatype} ${bad}`);
      assertEquals(
        body.error.includes(`"x", value 1: ${bad} is not of type ${datatype}`),
        true,
        body.error,
      );
    }
    for (const good of [least, greatest, null]) {
      const { status, body } = await infer(datatype, [1, good]);
      assertEquals([status, body.outputs], [200, (await infer("FP64", [1, good])).body.outputs]);
    }
  }
  assertEquals((await infer("INT64", [1, 1e19])).status, 422);
  assertEquals((await infer("UINT64", [1, -1])).status, 422);
  // Beyond 2^53 − 1 a JSON number may be another one than was sent; 9007199254740993 is one.
  for (const datatype of ["INT64", "UINT64"]) {
    const { body } = await infer(datatype, [1, 2 ** 53 - 1]);
    assertEquals(body.outputs, (await infer("FP64", [1, 2 ** 53 - 1])).body.outputs);
    for (const bad of ["9007199254740992", "9007199254740993", "1e18"]) {
      const body =
        `{"inputs":[{"name":"x","shape":[1,2],"datatype":"${datatype}","data":[1,${bad}]}]}`;
      const answer = await post(numbers, "/v2/models/numbers/infer", body);
      assertEquals([answer.status, answer.body.code], [422, "E_DATA_TYPE"]);
      assert(answer.body.error.includes('"x", value 1: '), answer.text);
      assertEquals(answer.body.details, { input: "x", index: 1 });
    }
  }
});

Deno.test("OIP: bytes that belong to no input are refused", async () => {
  const json = JSON.stringify({
    inputs: [{ name: "x", shape: [1, 2], datatype: "FP64", parameters: { binary_data_size: 16 } }],
  });
  for (const [count, status] of [[2, 200], [3, 422]]) {
    const numbersOf = new Float64Array(count).fill(1);
    const body = new Uint8Array(await new Blob([json, numbersOf]).arrayBuffer());
    const answer = await post(numbers, "/v2/models/numbers/infer", body, {
      "content-type": "application/octet-stream",
      "inference-header-content-length": String(json.length),
    });
    assertEquals(answer.status, status, answer.text);
  }
});

Deno.test("OIP: an input with data both in the JSON and behind it is a question", async () => {
  const parameters = { "binary_data_size": 16 };
  const input = { name: "x", shape: [1, 2], datatype: "FP64", parameters };
  const ask = (data?: readonly number[] | null) => {
    const json = new TextEncoder().encode(JSON.stringify({ inputs: [{ ...input, data }] }));
    const body = new Uint8Array(json.length + 16);
    body.set(json);
    new DataView(body.buffer).setFloat64(json.length, 9, true);
    return post(numbers, "/v2/models/numbers/infer", body, {
      "inference-header-content-length": String(json.length),
    });
  };
  const { status, body } = await ask([1, 2]);
  assertEquals([status, body.code], [400, "E_HTTP_AMBIGUOUS"]);
  for (const none of [undefined, null]) {
    assertEquals((await ask(none)).body.outputs[0].data, [20]);
  }
});

Deno.test("OIP: sizes of binary data that are none, and texts that do not fill them, are refused", async () => {
  const infer = (size: unknown, bytes: readonly number[]) => {
    const json = JSON.stringify({
      inputs: [
        { name: "age", shape: [1], datatype: "FP64", data: [20] },
        { name: "job", shape: [1], datatype: "BYTES", parameters: { binary_data_size: size } },
        { name: "__proto__", shape: [1], datatype: "FP64", data: [1] },
      ],
    });
    const body = Uint8Array.from([...new TextEncoder().encode(json), ...bytes]);
    return post(mixed, "/v2/models/small/infer", body, {
      "inference-header-content-length": String(json.length),
    });
  };
  const text = [1, 0, 0, 0, 98];
  assertEquals((await infer(5, text)).status, 200);
  for (const size of [-5, 5.5, "5", null]) {
    assertEquals((await infer(size, text)).body.code, "E_DATA_SHAPE", String(size));
  }
  // Two texts for one cell, none, one that is longer than its bytes.
  for (const bytes of [[...text, ...text], [0, 0, 0], [9, 0, 0, 0, 98]]) {
    assertEquals((await infer(bytes.length, bytes)).body.code, "E_DATA_SHAPE", bytes.join());
  }
});

/** One row for `small`, its columns as binary tensors. */
async function binaryRow(
  columns: readonly (readonly [name: string, datatype: string, bytes: Uint8Array])[],
) {
  const json = JSON.stringify({
    inputs: columns.map(([name, datatype, { byteLength }]) => ({
      name,
      shape: [1],
      datatype,
      parameters: { binary_data_size: byteLength },
    })),
    outputs: [{ name: "raw" }],
  });
  const parts = [json, ...columns.map(([, , bytes]) => bytes.slice())];
  return await post(
    mixed,
    "/v2/models/small/infer",
    new Uint8Array(await new Blob(parts).arrayBuffer()),
    { "inference-header-content-length": `${json.length}` },
  );
}

const REST = [
  ["__proto__", "FP64", new Uint8Array(new Float64Array([1]).buffer)],
] as const;
const AGE = ["age", "FP64", new Uint8Array(new Float64Array([20]).buffer)] as const;
const JOB = ["job", "BYTES", Uint8Array.of(1, 0, 0, 0, 0x62)] as const;

Deno.test("OIP: a text that is not UTF-8 is refused by tensor and element", async () => {
  const job = (...bytes: number[]) =>
    ["job", "BYTES", Uint8Array.of(bytes.length, 0, 0, 0, ...bytes)] as const;
  const good = await binaryRow([...REST, AGE, job(0x62)]);
  assertEquals(good.body.outputs[0].data, [smallRaw(20, "b", 1)]);
  // The sign itself and a mark that looks like the beginning of a file are texts, unknown ones.
  for (const bytes of [[0xef, 0xbf, 0xbd], [0xef, 0xbb, 0xbf, 0x62]]) {
    const { body } = await binaryRow([...REST, AGE, job(...bytes)]);
    assertEquals(body.parameters.unknown, '["job"]');
  }
  const bad = await binaryRow([...REST, AGE, job(0x62, 0xff)]);
  assertEquals([bad.status, bad.body.code], [422, "E_DATA_PARSE"], bad.text);
  assertEquals(bad.body.details, { input: "job", index: 0, offset: 1 });
  assert(bad.body.error.includes('"job", value 0: it is not UTF-8 text at byte 1'), bad.text);
  // Nobody asks for this column.
  const photo = ["photo", "BYTES", Uint8Array.of(2, 0, 0, 0, 0xff, 0xd8)] as const;
  assertEquals((await binaryRow([...REST, AGE, job(0x62), photo])).status, 200);
});

Deno.test("OIP: a whole number of 64 bits that float64 cannot hold is refused by tensor and element", async () => {
  const age = (value: bigint) =>
    ["age", "INT64", new Uint8Array(new BigInt64Array([value]).buffer)] as const;
  assertEquals((await binaryRow([...REST, JOB, age(20n)])).body.outputs[0].data, [
    smallRaw(20, "b", 1),
  ]);
  assertEquals((await binaryRow([...REST, JOB, age(2n ** 53n - 1n)])).status, 200);
  assertEquals((await binaryRow([...REST, JOB, age(1n - 2n ** 53n)])).status, 200);
  for (const value of [2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 62n]) {
    const { status, body } = await binaryRow([...REST, JOB, age(value)]);
    assertEquals([status, body.code], [422, "E_DATA_TYPE"]);
    assertEquals(body.details, { input: "age", index: 0 });
    assert(body.error.includes(`"age", value 0: ${value} of INT64`), body.error);
  }
  const id = ["id", "UINT64", new Uint8Array(8).fill(255)] as const;
  assertEquals((await binaryRow([...REST, JOB, AGE, id])).status, 200);
});

Deno.test("OIP: an output asked for twice is refused, and a datatype that is no text", async () => {
  const inputs = [{ name: "x", shape: [1, 2], datatype: "FP32", data: [1, 5] }];
  const outputs = [{ name: "leaf" }, { name: "raw" }, { name: "leaf" }];
  const twice = await post(numbers, "/v2/models/numbers/infer", { inputs, outputs });
  assertEquals([twice.status, twice.body.code], [422, "E_DATA_SHAPE"]);
  for (const datatype of [{ toString: 1, valueOf: 1 }, null, ["FP32"]]) {
    const odd = { inputs: [{ ...inputs[0], datatype }] };
    const { status, body } = await post(numbers, "/v2/models/numbers/infer", odd);
    assertEquals([status, body.code], [422, "E_DATA_SHAPE"]);
  }
});
