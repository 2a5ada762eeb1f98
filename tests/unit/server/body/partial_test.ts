/**
 * Rows that cannot be read: the others are answered, as if they had been sent alone.
 *
 * @module
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { createModel } from "../../../../src/model/model.ts";
import { createApp } from "../../../../src/server/app.ts";
import { numbersModel, smallModel, smallRaw } from "../../../support/models/small.ts";

const numbers = numbersModel();
const { schema, ensemble, info } = numbers;
/** As `numbers`, but `b` must be given. */
const strict = createModel({
  schema: {
    ...schema,
    features: [schema.features[0], { ...schema.features[1], missing: "error" } as never],
  },
  ensemble,
  info,
});

function start() {
  return createApp({ models: { small: smallModel(), strict, numbers } });
}

async function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  app = start(),
  // deno-lint-ignore no-explicit-any
): Promise<any> {
  const response = await app.request(`/v1/models/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return await response.json();
}

/** An answer without what names the bad rows. */
function withoutErrors({ errors: _, ...rest }: Record<string, unknown>): unknown {
  return rest;
}

Deno.test("onError=partial answers the good rows as if they had been sent alone", async () => {
  const good = [{ age: 20, job: "b", ["__proto__"]: 1 }, { age: 40, job: "?", ["__proto__"]: 0 }];
  const bad = { job: "zz", extra: 1, ["__proto__"]: null, age: "old" };
  const alone = await post("small/predict?kind=raw", good);
  const mixed = await post("small/predict?kind=raw&onError=partial", [good[0], bad, good[1]]);
  assertEquals(mixed.predictions, [alone.predictions[0], null, alone.predictions[1]]);
  // Nothing of the bad row is told: no unknown "zz", no missing `__proto__`, no ignored "extra".
  assertEquals(
    withoutErrors({ ...mixed, predictions: [] }),
    withoutErrors({ ...alone, predictions: [] }),
  );
  assertEquals(mixed.errors, [{
    row: 2,
    code: "E_DATA_PARSE",
    message: 'Cannot read column "age" at row 2: "old" is not a number',
    column: "age",
  }]);
});

Deno.test("rows that are left out are not counted as scored", async () => {
  const app = start();
  const rows = [{ a: 1, b: 1 }, { a: "x", b: null }, { a: 9, b: 2 }];
  await post("numbers/predict?onError=partial", rows, {}, app);
  const text = await (await app.request("/metrics")).text();
  assertStringIncludes(text, '"} 2\n# HELP treeline_missing_total');
  assertEquals(/treeline_missing_total\{[^}]*feature="b"\} (\d+)/.exec(text)?.[1], "0");
  assertEquals(/treeline_score_count\{[^}]*\} (\d+)/.exec(text)?.[1], "2");
});

Deno.test("onError=partial is for columns and CSV as well", async () => {
  const columns = { a: [1, "x", 9], b: [0, 0, 0] };
  assertEquals((await post("numbers/predict", columns)).details, { column: "a", row: 2 });
  const partial = await post("numbers/predict?onError=partial", columns);
  assertEquals([partial.predictions, partial.errors[0].row], [[10, null, 20], 2]);
  const csv = await post("numbers/predict?onError=partial", "a,b\n1,0\nx,0\n9,0\n", {
    "content-type": "text/csv",
  });
  assertEquals([csv.predictions, csv.errors[0].row], [[10, null, 20], 2]);
});

Deno.test("a value that must be given is missed in its row, by name", async () => {
  const rows = [{ a: 1, b: 1 }, { a: 9, b: null }, { b: 2 }, { a: 9 }];
  const refused = await post("strict/predict", rows);
  assertEquals([refused.status, refused.code], [422, "E_DATA_TYPE"]);
  assertEquals(refused.details, { column: "b", row: 2 });
  const partial = await post("strict/predict?onError=partial", rows);
  assertEquals(partial.predictions, [10, null, 20, null]);
  assertEquals(
    partial.errors.map(({ row, code, column }: Record<string, unknown>) => [row, code, column]),
    [[2, "E_DATA_TYPE", "b"], [4, "E_DATA_TYPE", "b"]],
  );
});

Deno.test("all rows may be left out", async () => {
  const all = await post("small/predict?onError=partial&reasons=1", [{ age: "x" }, 7]);
  assertEquals([all.predictions, all.reasons, all.errors.length], [[null, null], [null, null], 2]);
});

Deno.test("reasons, CSV and float32 keep the places of rows that are left out", async () => {
  const rows = [{ a: 1, b: 0 }, { a: "x", b: 0 }, { a: 9, b: 0 }];
  const { reasons } = await post("numbers/predict?onError=partial&reasons=1", rows);
  // Expected by cover 1 : 3 is 17.5.
  assertEquals(reasons, [
    [{ feature: "a", contribution: -7.5 }],
    null,
    [{ feature: "a", contribution: 2.5 }],
  ]);
  const ask = async (accept: string) =>
    await start().request("/v1/models/numbers/predict?onError=partial", {
      method: "POST",
      headers: { "content-type": "application/json", accept },
      body: JSON.stringify(rows),
    });
  assertEquals(await (await ask("text/csv")).text(), "prediction\n10\n\n20\n");
  const floats = new Float32Array(await (await ask("application/octet-stream")).arrayBuffer());
  assertEquals([...floats], [10, NaN, 20]);
});

Deno.test("lines of a stream give reasons and name their own row", async () => {
  const lines = '{"age":20,"__proto__":1}\n{"age":"x","__proto__":1}\n';
  const response = await start().request("/v1/models/small/predict?kind=raw&reasons=1", {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: lines,
  });
  assertEquals(response.headers.get("treeline-model"), "small");
  const [first, second] = (await response.text()).trim().split("\n").map((l) => JSON.parse(l));
  assertEquals(first.prediction, smallRaw(20, null, 1));
  assertEquals(first.reasons.length, 1);
  assertEquals(second.error.row, 2);
  assertStringIncludes(second.error.message, "at row 2:");
});

Deno.test("a gzipped stream of lines is unpacked", async () => {
  const packed = new Blob(['{"a":1,"b":2}\n']).stream().pipeThrough(new CompressionStream("gzip"));
  const response = await start().request("/v1/models/numbers/predict", {
    method: "POST",
    headers: { "content-type": "application/x-ndjson", "content-encoding": "gzip" },
    body: packed,
  });
  assertEquals(await response.text(), '{"prediction":10}\n');
});

Deno.test("what a form of answer cannot hold is refused, not left out", async () => {
  const row = { a: 1, b: 1 };
  for (
    const [query, accept] of [
      ["reasons=1", "text/csv"],
      ["reasons=1", "application/octet-stream"],
      ["kind=leaf", "application/octet-stream"],
    ]
  ) {
    const refused = await post(`numbers/predict?${query}`, row, { accept });
    assertEquals(refused.code, "E_PARAM_CONFLICT", `${query} ${accept}`);
  }
  const app = start();
  const proba = await app.request("/v1/models/small/predict?kind=proba", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/octet-stream" },
    body: '{"age":40,"job":"a","__proto__":0}',
  });
  const p = 1 / (1 + Math.exp(-smallRaw(40, "a", 0)));
  const floats = new Float32Array(await proba.arrayBuffer());
  assertEquals([...floats], [Math.fround(1 - p), Math.fround(p)]);
});
