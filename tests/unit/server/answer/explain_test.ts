import { assertAlmostEquals, assertEquals } from "@std/assert";
import { createApp } from "../../../../src/server/app.ts";
import { numbersModel, smallModel, smallRaw } from "../../../support/small_models.ts";

const app = createApp({ models: { small: smallModel(), numbers: numbersModel() } });

async function post(path: string, body: string) {
  const response = await app.request(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return { status: response.status, body: await response.json() };
}

Deno.test("explain gives contributions that add up to the raw score", async () => {
  const rows = '[{"age":20,"job":"b","__proto__":1},{"age":null,"job":"z","__proto__":null}]';
  const { status, body } = await post("/v1/models/small/explain", rows);
  assertEquals(status, 200);
  assertEquals(body.raw, [smallRaw(20, "b", 1), smallRaw(null, "z", null)]);
  for (const row of [0, 1]) {
    const { bias, contributions } = body.explanations[row];
    const parts = Object.values(contributions) as number[];
    assertAlmostEquals(parts.reduce((a, b) => a + b, bias), body.raw[row], 1e-12);
    assertEquals(Object.keys(contributions).sort(), ["__proto__", "age", "job"]);
  }
  // The tree on age: 0.4 × −1 + 0.6 × 1 = 0.2 expected, −1 found.
  assertAlmostEquals(body.explanations[0].contributions.age, -1.2, 1e-12);
  assertEquals(body.predictions[0].class, "yes");
  assertEquals(body.unknown, ["job"]);
});

Deno.test("predict?reasons= names the largest contributions of each row", async () => {
  const { body } = await post(
    "/v1/models/small/predict?reasons=2&kind=class",
    '{"age":20,"job":"b","__proto__":1}',
  );
  assertEquals(body.predictions, ["yes"]);
  // __proto__: expected 0.4, found 2; age −1.2; job 0.25.
  assertEquals(body.reasons.length, 1);
  assertEquals(body.reasons[0].map((r: { feature: string }) => r.feature), ["__proto__", "age"]);
  assertAlmostEquals(body.reasons[0][0].contribution, 1.6, 1e-12);
  const none = await post("/v1/models/small/predict?reasons=0", '{"__proto__":1}');
  assertEquals([none.status, none.body.code], [400, "E_PARAM_RANGE"]);
});

Deno.test("explain refuses too many rows before any work is done", async () => {
  const rows = JSON.stringify(new Array(101).fill({ a: 1, b: 2 }));
  const { status, body } = await post("/v1/models/numbers/explain", rows);
  assertEquals([status, body.code], [413, "E_DATA_LIMIT"]);
});
