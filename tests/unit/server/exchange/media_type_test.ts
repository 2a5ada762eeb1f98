import { assertEquals } from "@std/assert";
import { preferredType } from "../../../../src/server/exchange/media_type.ts";
import { mixed, numbers, post } from "../../../support/processes/protocol_apps.ts";

Deno.test("preferredType() weighs the ranges of Accept as RFC 9110 says", () => {
  const [json, csv, bytes] = ["application/json", "text/csv", "application/octet-stream"] as const;
  const cases: readonly (readonly [string | null, string])[] = [
    [null, json],
    ["", json],
    ["*/*", json],
    ["text/csv", csv],
    ["Text/CSV; charset=utf-8", csv],
    ["text/csv;q=0, application/json", json],
    ["text/csv;q=0", json],
    ["application/json;q=0.1, text/csv", csv],
    ["application/json;q=0.1, text/csv;q=0.2;x=1", csv],
    ["*/*;q=0.1, text/csv ; q=0.9", csv],
    ["text/csv;q=0.1, */*", json],
    ["text/csv, application/json", csv],
    ["application/json, text/csv", json],
    ["application/json, text/plain, */*", json],
    ["text/csv, */*", csv],
    ["text/*", csv],
    ["application/*;q=0.5, application/octet-stream", bytes],
    ["application/*, application/json;q=0.2", bytes],
    ["text/csvx", json],
    ["application/octet-stream-x", json],
    ["text/html", json],
    ["text/csv;q=x", json],
    [",;,q=1", json],
  ];
  for (const [accept, expected] of cases) {
    assertEquals([accept, preferredType(accept, [json, csv, bytes])], [accept, expected]);
  }
});

Deno.test("answers have the form that Accept weighs most", async () => {
  const row = '{"age":40,"job":"a","__proto__":0}';
  const typeOf = async (accept: string) => {
    const { headers } = await post(mixed, "/v1/models/small/predict", row, { accept });
    return headers.get("content-type")!.split(";")[0];
  };
  assertEquals(await typeOf("text/csv;q=0, application/json"), "application/json");
  assertEquals(await typeOf("application/json;q=0.5, text/csv"), "text/csv");
  assertEquals(
    await typeOf("text/csv;q=0.5, application/octet-stream"),
    "application/octet-stream",
  );
  const lines = async (accept: string) => {
    const { text } = await post(numbers, "/invocations", "1,2\n", {
      accept,
      "content-type": "text/csv",
    });
    return text;
  };
  assertEquals(await lines("application/json;q=0.1, text/csv"), "10\n");
  assertEquals(await lines("text/plain, application/jsonlines"), '{"score":10}\n');
  assertEquals(await lines("APPLICATION/JSON"), '{"predictions":[{"score":10}]}');
});
