/**
 * Whatever a request holds, it is answered: no 5xx, and refusals carry a code.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createApp } from "../../../src/server/app.ts";
import { numbersModel, smallModel, smallRaw, textModel } from "../../support/models/small.ts";
import { forMany } from "../../../src/server/body/for_many.ts";

await forMany.load(); // what answers many rows is tested, too

const app = createApp({
  models: { small: smallModel(), numbers: numbersModel(), text: textModel() },
  defaultModel: "numbers",
  maxRows: 50,
  maxBytes: 20_000,
});

/** More runs on request: TREELINE_FUZZ=100000. */
const numRuns = Number(Deno.env.get("TREELINE_FUZZ") ?? 300);

const name = fc.oneof(
  fc.constantFrom("age", "job", "__proto__", "constructor", "a", "b", "rows", "columns", "", "é"),
  fc.string({ maxLength: 8, unit: "binary" }),
);
const cell = fc.oneof(
  fc.constantFrom(null, "", "NaN", "a", "b", true, 1e308, -0, "1e999", "0x10", "\u0000", "\ud800"),
  fc.double(),
  fc.integer(),
  fc.string({ maxLength: 6 }),
  fc.constantFrom([], {}, [1], { a: 1 }, [[1]]),
);
const bag = fc.dictionary(name, fc.oneof(cell, fc.array(cell, { maxLength: 3 })), { maxKeys: 6 });
const oip = fc.record({
  id: fc.oneof(cell, fc.string()),
  inputs: fc.oneof(
    cell,
    fc.array(
      fc.record({
        name: fc.oneof(name, cell),
        shape: fc.oneof(cell, fc.array(fc.oneof(fc.integer({ min: -2, max: 3 }), cell))),
        datatype: fc.constantFrom("FP32", "FP64", "INT64", "BYTES", "BOOL", "XX", "constructor"),
        data: fc.oneof(cell, fc.array(fc.oneof(cell, fc.array(cell)))),
        parameters: fc.oneof(cell, fc.record({ binary_data_size: cell })),
      }, { requiredKeys: [] }),
      { maxLength: 3 },
    ),
  ),
  outputs: fc.oneof(cell, fc.array(fc.record({ name: fc.oneof(name, fc.constant("raw")) }))),
  parameters: cell,
}, { requiredKeys: [] });
const table = fc.dictionary(
  fc.constantFrom("dataframe_split", "dataframe_records", "instances", "inputs", "params"),
  fc.oneof(cell, bag, fc.array(fc.oneof(cell, bag, fc.array(cell, { maxLength: 4 })))),
);
const json = fc.oneof(bag, fc.array(bag, { maxLength: 4 }), oip, table, fc.jsonValue()).map((
  value,
) => JSON.stringify(value));
const damaged = fc.tuple(json, fc.nat(), fc.string({ maxLength: 3 })).map(([text, at, junk]) => {
  const cut = at % (text.length + 1);
  return text.slice(0, cut) + junk + text.slice(cut + 1);
});
const csv = fc.array(
  fc.array(fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom("age", "1", "", '"', "a\nb")), {
    maxLength: 4,
  }).map((cells) => cells.join(",")),
).map((lines) => lines.join("\n"));
const body = fc.oneof(
  json,
  damaged,
  csv,
  fc.string({ unit: "binary" }),
  fc.uint8Array({ maxLength: 64 }),
);
const path = fc.constantFrom(
  "/v1/models/small/predict",
  "/v1/models/small/predict?onError=partial&reasons=3",
  "/v1/models/numbers/predict?kind=leaf",
  "/v1/models/text/predict?columns=strict",
  "/v1/models/small/explain",
  "/v1/models/small@1/predict?kind=x",
  "/v1/models/small:predict",
  "/v1/models/numbers/versions/1:predict",
  "/v1/models/none/predict",
  "/v1/models/%zz/predict",
  "/v2/models/small/infer",
  "/v2/models/numbers/versions/1/infer",
  "/v2/models/text/infer",
  "/invocations",
  "/endpoints/small/invocations",
  "/",
  "/?vary=-1&tree=1e9",
);
const type = fc.constantFrom(
  "application/json",
  "application/json; charset=utf-8",
  "text/csv",
  "text/csv; header=absent",
  "text/csv; header=present",
  "text/libsvm",
  "application/x-ndjson",
  "application/octet-stream",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  ";",
);
const headers = fc.record({
  "content-type": type,
  accept: fc.constantFrom("text/csv", "application/json", "application/octet-stream", "x"),
  "content-encoding": fc.constantFrom("gzip", "identity", "br"),
  "inference-header-content-length": fc.oneof(
    fc.nat({ max: 200 }).map(String),
    fc.constantFrom("-1", "x", "1e3"),
  ),
  "x-request-id": fc.constantFrom("a", "<b>", "x".repeat(300)),
  authorization: fc.constantFrom("Bearer x", "Basic x"),
}, { requiredKeys: ["content-type"] });

Deno.test("any request is answered without a failure of the server", async () => {
  await fc.assert(
    fc.asyncProperty(path, headers, body, async (path, headers, body) => {
      const response = await app.request(path, {
        method: "POST",
        headers: headers as Record<string, string>,
        body: body as BodyInit,
      });
      const bytes = await response.arrayBuffer();
      assertEquals(/^treeline_in_flight (.*)$/m.exec(app.metrics())?.[1], "0");
      assert(response.status < 500, `${response.status}: ${new TextDecoder().decode(bytes)}`);
      const kind = response.headers.get("content-type") ?? "";
      if (!kind.includes("json") || kind.includes("jsonlines") || kind.includes("ndjson")) return;
      const answer = JSON.parse(new TextDecoder().decode(bytes)); // NaN would not parse
      if (response.status >= 400) assert(/^E_[A-Z_]+$/.test(answer.code), JSON.stringify(answer));
    }),
    { numRuns },
  );
});

Deno.test("any rows that fit are scored as the words of the model say, in any shape and order", async () => {
  const age = fc.option(fc.integer({ min: 0, max: 60 }));
  const job = fc.constantFrom("a", "b", "z", null);
  const proto = fc.option(fc.constantFrom(-1, 0, 1.5));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(age, job, proto), { minLength: 1, maxLength: 20 }),
      fc.shuffledSubarray(["age", "job", "__proto__"], { minLength: 3 }),
      async (rows, order) => {
        const valueOf = (row: typeof rows[number], name: string) =>
          row[["age", "job", "__proto__"].indexOf(name)];
        const asRows = `[${
          rows.map((row) =>
            `{${order.map((n) => `"${n}":${JSON.stringify(valueOf(row, n))}`).join(",")}}`
          ).join(",")
        }]`;
        const asColumns = `{${
          order.map((n) => `"${n}":${JSON.stringify(rows.map((row) => valueOf(row, n)))}`).join(",")
        }}`;
        const expected = rows.map(([age, job, proto]) => smallRaw(age, job, proto));
        for (const body of [asRows, asColumns]) {
          const response = await app.request("/v1/models/small/predict?kind=raw", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body,
          });
          assertEquals((await response.json()).predictions, expected);
        }
      },
    ),
    { numRuns: 100 },
  );
});
