/** Bodies that are not UTF-8: refused by every route that reads text, by the byte. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { DataError } from "../../../../src/errors.ts";
import { createApp } from "../../../../src/server/app.ts";
import { createModel } from "../../../../src/model/model.ts";
import { arrivedText } from "../../../../src/server/body/read.ts";
import { mixed, numbers, post } from "../../../support/processes/protocol_apps.ts";
import { rawConnection } from "../../../support/processes/raw_http.ts";
import {
  SMALL_SCHEMA,
  smallEnsemble,
  smallModel,
  smallRaw,
} from "../../../support/models/small.ts";
import { forMany } from "../../../../src/server/body/for_many.ts";

await forMany.load(); // what answers many rows is tested, too

const latin1 = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));
const utf8 = new TextEncoder();

const ROW = '{"age":20,"job":"M\xfcller","__proto__":1}';
const BODIES: { readonly [path: string]: string } = {
  "/v1/models/small/predict": ROW,
  "/v1/models/small/predict?kind=raw": `[${ROW}]`,
  "/v1/models/small/explain": ROW,
  "/v1/models/small:predict": `{"instances":[${ROW}]}`,
  "/invocations": `{"dataframe_records":[${ROW}]}`,
  "/v2/models/small/infer": JSON.stringify({
    inputs: [
      { name: "job", shape: [1], datatype: "BYTES", data: ["M\xfcller"] },
      { name: "age", shape: [1], datatype: "FP64", data: [20] },
      { name: "__proto__", shape: [1], datatype: "FP64", data: [1] },
    ],
  }),
};

for (const [path, body] of Object.entries(BODIES)) {
  Deno.test(`${path} refuses a body in Latin-1 by the byte`, async () => {
    const offset = body.indexOf("\xfc");
    // As for what is no JSON; MLflow's status is another.
    const { status } = await post(mixed, path, "{");
    assertEquals(status, path === "/invocations" ? 400 : 422);
    for (const headers of [{}, { "content-length": `${body.length}` }]) {
      const answer = await post(mixed, path, latin1(body), headers);
      assertEquals([answer.status, answer.body.code], [status, "E_DATA_PARSE"], answer.text);
      assertEquals(answer.body.details, { offset });
      assert(answer.text.includes(`it is not UTF-8 text at byte ${offset}`), answer.text);
    }
    const good = await post(mixed, path, body.replace("\xfc", "ü\ufffd"));
    assertEquals(good.status, 200, good.text);
  });
}

Deno.test("LIBSVM in another encoding is refused by the byte", async () => {
  const headers = { "content-type": "text/libsvm" };
  const answer = await post(numbers, "/invocations", latin1("1 0:1 1:\xb2\n"), headers);
  assertEquals([answer.status, answer.body.code], [400, "E_DATA_PARSE"]);
  assertEquals(answer.body.details, { offset: 8 });
});

Deno.test("NDJSON: a line that is not UTF-8 is an error in its place, and the others are answered", async () => {
  const good = '{"age":20,"job":"b","__proto__":1}';
  const lines = [
    "\xef\xbb\xbf" + good,
    "",
    '{"job":"\xff"}',
    good,
    ROW,
    good.replace('"b"', '"\xef\xbf\xbd"'),
    "\xef\xbb\xbf" + good,
  ];
  const body = latin1(lines.join("\n"));
  const path = "/v1/models/small/predict?kind=raw&onError=partial";
  const headers = { "content-type": "application/x-ndjson" };
  const whole = await post(mixed, path, body, { ...headers, "content-length": `${body.length}` });
  const found = whole.text.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(found.map(({ error }) => error?.row), [undefined, 2, undefined, 4, undefined, 6]);
  assertEquals(found[1].error.code, "E_DATA_PARSE");
  assertEquals(found[1].error.message, "Cannot read line 2: it is not UTF-8 text at byte 8");
  assertEquals(found[3].error.message, "Cannot read line 4: it is not UTF-8 text at byte 18");
  assertEquals(found[0].prediction, smallRaw(20, "b", 1));
  assertEquals(found[2].prediction, smallRaw(20, "b", 1));
  assertEquals(found[4].unknown, ["job"]);
  // Only the beginning of a body may carry a byte order mark.
  assertEquals(found[5].error.message, "Cannot read the body as JSON: syntax error at character 0");
  // Cut anywhere, as streams are: without a length the body is read as it comes.
  for (const size of [1, 2, 3, 7, 1000]) {
    const pieces = new ReadableStream({
      start(controller) {
        for (let at = 0; at < body.length; at += size) {
          controller.enqueue(body.slice(at, at + size));
        }
        controller.close();
      },
    });
    const answer = await mixed.fetch(
      new Request(`http://localhost${path}`, { method: "POST", headers, body: pieces }),
    );
    assertEquals([size, await answer.text()], [size, whole.text]);
  }
});

Deno.test("arrivedText() tells characters that are U+FFFD from those in whose place a decoder put it", () => {
  const taken = (bytes: Uint8Array) =>
    arrivedText(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), bytes.length);
  for (const text of ["", "a", "ü", "\ufffd", "x\ufffdy\ufffd😀", "\ufeff{}", "\ufeff\ufffd"]) {
    assertEquals(taken(utf8.encode(text)), text.replace(/^\ufeff/, ""));
  }
  for (
    const [text, place] of [
      ["\xff", "byte 0"],
      ["ab\xe4\xf6", "byte 2"],
      ["\xef\xbb\xbf\xe4", "byte 3"],
      ["\xc3\xbc \xc3", "byte 3"],
      ["\xe2\x82", "byte 0"],
      ["\xed\xa0\x80", "byte 0"],
      ["\xc0\xaf", "byte 0"],
      // The first mark may be what was sent.
      ["\xef\xbf\xbd\xff", "byte 0 or later"],
    ]
  ) {
    const error = assertThrows(() => taken(latin1(text)), DataError);
    assertEquals(error.code, "E_DATA_PARSE");
    assert(error.message.endsWith(place), `${error.message}, expected ${place}`);
  }
});

Deno.test("a model that knows U+FFFD is not asked for it by bytes that are none", async () => {
  const [age, , proto] = SMALL_SCHEMA.features;
  const job = { ...SMALL_SCHEMA.features[1], categories: ["a", "\ufffd"] } as typeof age;
  const schema = { ...SMALL_SCHEMA, features: [age, job, proto] } as typeof SMALL_SCHEMA;
  const app = createApp({
    models: { m: createModel({ schema, ensemble: smallEnsemble(), info: smallModel().info }) },
  });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
  try {
    using connection = await rawConnection(server.addr.port);
    const head = [
      "POST /v1/models/m/predict HTTP/1.1",
      "host: a",
      "content-type: application/json",
    ];
    const ask = async (text: string) => {
      const answer = await connection.ask(head, latin1(text));
      return [answer.status, JSON.parse(answer.body).unknown ?? JSON.parse(answer.body).code];
    };
    for (let i = 0; i < 20; i++) {
      assertEquals(await ask('{"age":1,"job":"\xef\xbf\xbd","__proto__":0}'), [200, []]);
      for (const bytes of ["\xff", "\xf0\x9f\x98", "\xe2\x82"]) {
        const body = `{"age":1,"job":"${bytes}","__proto__":0}`;
        assertEquals(await ask(body), [422, "E_DATA_PARSE"]);
      }
    }
  } finally {
    await server.shutdown();
  }
});
