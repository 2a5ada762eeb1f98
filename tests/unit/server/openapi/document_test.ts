import { assert, assertEquals, assertThrows } from "@std/assert";
import { Hono } from "hono";
import { ParameterError } from "../../../../src/errors.ts";
import { createApp } from "../../../../src/server/app.ts";
import { openapi } from "../../../../src/server/openapi/document.ts";
import { numbersModel, smallModel } from "../../../support/models/small.ts";

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

Deno.test("openapi names the kinds that a model has, and the hash of its columns", async () => {
  const { paths } = await document();
  const model = smallModel();
  for (
    const [name, kinds, schemaHash] of [
      ["small", ["default", "value", "class", "proba", "raw", "leaf"], model.schemaHash],
      ["numbers", ["default", "value", "raw", "leaf"], numbersModel().schemaHash],
    ] as const
  ) {
    for (const verb of ["predict", "explain"]) {
      const { parameters } = paths[`/v1/models/${name}/${verb}`].post;
      const schemaOf = (wanted: string) =>
        parameters.find(({ name }: { name?: string }) => name === wanted).schema;
      assertEquals(schemaOf("kind").enum, kinds);
      assertEquals(schemaOf("schema"), { const: schemaHash });
    }
  }
});

Deno.test("a model that cannot be loaded is named in the document, and hides no other", async () => {
  const log: string[] = [];
  const damaged = () => Promise.reject(new Error("damaged"));
  const app = createApp({
    models: { a: numbersModel(), z: damaged, b: damaged, c: smallModel() },
    log: (line) => log.push(line),
  });
  const { info, paths } = await (await app.request("/openapi.json")).json();
  assertEquals(info.description.endsWith("Cannot be loaded: b, z."), true);
  assertEquals(
    Object.keys(paths).filter((path) => path.endsWith("/predict")),
    ["/v1/models/a/predict", "/v1/models/c/predict"],
  );
  assert(log.some((line) => line.includes("damaged")));
});

Deno.test("openapi says that tokens are needed", () => {
  const made = JSON.stringify(openapi([{ name: "m", model: numbersModel() }], { tokens: true }));
  assert(made.includes('"security":[{"bearer":[]}]'));
});

Deno.test("openapi() takes addresses and paths for the place of the server, nothing else", () => {
  const serversOf = (url: string) =>
    (openapi([], { url }) as { servers: readonly { url: string }[] }).servers[0].url;
  const taken = {
    "/": "/",
    "/ml/": "/ml",
    "https://risk.example": "https://risk.example",
    "HTTP://[::1]:8000/a/b//": "HTTP://[::1]:8000/a/b",
  };
  for (const [url, place] of Object.entries(taken)) assertEquals(serversOf(url), place);
  const refused = [
    "",
    "risk.example",
    "localhost:8000",
    "//host",
    "ftp://host",
    "https://",
    "http:///x",
  ];
  for (const url of [...refused, "javascript:alert(1)", "/a?b=1", "/a#b", "/a b", "http://a/{b}"]) {
    const error = assertThrows(() => serversOf(url), ParameterError, JSON.stringify(url));
    assertEquals([error.code, error.details.param], ["E_PARAM_RANGE", "url"]);
  }
});

Deno.test("the document of an app that is mounted in another names the place", async () => {
  const outer = new Hono().route("/ml/eu", app);
  const { servers } = await (await outer.request("http://h:81/ml/eu/openapi.json")).json();
  assertEquals(servers, [{ url: "http://h:81/ml/eu" }]);
  assertEquals((await document()).servers, [{ url: "http://localhost" }]);
});
