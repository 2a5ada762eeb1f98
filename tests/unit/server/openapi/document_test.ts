import { assert, assertEquals } from "@std/assert";
import { createApp } from "../../../../src/server/app.ts";
import { openapi } from "../../../../src/server/openapi/document.ts";
import { numbersModel, smallModel } from "../../../support/small_models.ts";

const app = createApp({ models: { small: smallModel(), numbers: numbersModel() } });

// deno-lint-ignore no-explicit-any
async function document(): Promise<any> {
  return await (await app.request("/openapi.json")).json();
}

Deno.test("openapi describes each model's own columns", async () => {
  const { openapi, paths, components } = await document();
  assertEquals(openapi, "3.1.0");
  const row = components.schemas.Model1_smallRow;
  assertEquals(Object.keys(row.properties), ["age", "job", "__proto__"]);
  assertEquals(row.properties.age, { type: ["number", "null"] });
  assertEquals(row.properties.job.examples, ["a", "b"]);
  assertEquals(row.required, ["__proto__"]);
  assertEquals(row.additionalProperties, true);
  assertEquals(
    components.schemas.Model1_smallPrediction.properties.class,
    { enum: ["no", "yes"] },
  );
  assert("/v1/models/small/predict" in paths && "/v1/models/numbers/explain" in paths);
});

Deno.test("every reference of the document leads somewhere and operation ids are unique", async () => {
  const text = JSON.stringify(await document());
  const { components } = JSON.parse(text);
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    assert(Object.hasOwn(components.schemas, name), name);
  }
  const ids = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
  assertEquals(new Set(ids).size, ids.length);
});

Deno.test("every path of the document is answered by the server", async () => {
  const { paths } = await document();
  for (const [path, operations] of Object.entries(paths)) {
    for (const method of Object.keys(operations as object)) {
      if (method === "parameters") continue;
      const at = path.replace("{name}", "small").replace("{version}", "1");
      const response = await app.request(at, { method: method.toUpperCase() });
      await response.body?.cancel();
      assert(![404, 405, 500].includes(response.status), `${method} ${at}: ${response.status}`);
    }
  }
});

Deno.test("openapi says that tokens are needed", () => {
  const made = JSON.stringify(openapi([{ name: "m", model: numbersModel() }], { tokens: true }));
  assert(made.includes('"security":[{"bearer":[]}]'));
});
