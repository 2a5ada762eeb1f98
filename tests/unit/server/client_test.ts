import { assertEquals, assertRejects } from "@std/assert";
import { createApp } from "../../../src/server/app.ts";
import { ClientError, createClient } from "../../../src/server/client.ts";
import { numbersModel } from "../../support/small_models.ts";

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
