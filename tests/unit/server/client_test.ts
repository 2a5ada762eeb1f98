import { assertEquals, assertRejects } from "@std/assert";
import { createApp } from "../../../src/server/app.ts";
import { ClientError, createClient } from "../../../src/server/client.ts";
import { numbersModel } from "../../support/models/small.ts";

const { fetch } = createApp({ models: { "num bers": numbersModel() }, tokens: ["t"] });

Deno.test("createClient() scores rows with types and options", async () => {
  const client = createClient<
    { "num bers": { row: { a: number; b: number | null }; prediction: number } }
  >(
    "http://server/",
    { fetch, token: "t" },
  );
  const one = await client.predict("num bers", { a: 1, b: null });
  const first: number = one.predictions[0];
  assertEquals(first, 10);
  assertEquals(one.missing, ["b"]);
  const two = await client.predict("num bers", [{ a: 1, b: 1 }, { a: 9, b: 1 }], { reasons: 1 });
  assertEquals(two.predictions, [10, 20]);
  assertEquals(two.reasons![0][0].feature, "a");
});

Deno.test("createClient() rejects with the server's code", async () => {
  const client = createClient("http://server", { fetch });
  const error = await assertRejects(() => client.predict("num bers", {}), ClientError);
  assertEquals([error.code, error.status], ["E_HTTP_AUTH", 401]);
});

Deno.test("createClient() sends infinities and bigints as the numbers that they are", async () => {
  const model = numbersModel();
  const client = createClient("http://server", {
    fetch: createApp({ models: { m: model } }).fetch,
  });
  for (const a of [Infinity, -Infinity, 9007199254740993n, 1n, NaN]) {
    const { predictions, missing } = await client.predict("m", { a, b: 1 });
    assertEquals([a, predictions[0]], [a, model.predictValue({ a, b: 1 })[0]]);
    assertEquals(missing, Number.isNaN(a) ? ["a"] : []);
  }
});

Deno.test("createClient() takes no page for an answer", async () => {
  const page = () => new Response("<h1>Sign in</h1>", { headers: { "content-type": "text/html" } });
  const client = createClient("http://server", { fetch: page });
  const error = await assertRejects(() => client.predict("m", { a: 1 }), ClientError);
  assertEquals([error.code, error.status], ["E_INTERNAL", 200]);
});
