import { assertEquals, assertStringIncludes } from "@std/assert";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createModel } from "../../../../src/model/model.ts";
import { cli } from "../../../support/cli.ts";
import { randomParts } from "../../../support/models/random.ts";
import { tempFolder } from "../../../support/temp.ts";

Deno.test("openapi describes the rows of every model", async () => {
  await using folder = await tempFolder();
  const model = createModel(randomParts({ seed: 23, categorical: 1 }));
  const path = await folder.write("risk.tlm", encodeModel(model));
  const { code, stdout } = await cli(["openapi", path, "--url", "https://risk.example"]);
  const document = JSON.parse(stdout);
  assertEquals([code, document.openapi], [0, "3.1.0"]);
  assertEquals(document.servers, [{ url: "https://risk.example" }]);
  assertEquals(Object.hasOwn(document.paths, "/v1/models/risk/predict"), true);
  const row = Object.entries(document.components.schemas).find(([name]) => name.endsWith("Row"));
  const { properties } = row?.[1] as { properties: object };
  assertEquals(Object.keys(properties), ["x0", "x1", "x2", "x3", "c0"]);
});

Deno.test("openapi --url refuses what is no address of a server, before anything is written", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("m.tlm", encodeModel(createModel(randomParts({ seed: 1 }))));
  const out = folder.file("openapi.json");
  const { code, stderr } = await cli(["openapi", path, "--url", "localhost:8000", "--out", out]);
  assertEquals(code, 2);
  assertStringIncludes(stderr, 'error[E_PARAM_RANGE]: Cannot name the server "localhost:8000"');
  assertEquals(folder.names(), ["m.tlm"]);
});

Deno.test("openapi refuses two models of one name, of which one would be lost", async () => {
  await using folder = await tempFolder();
  const model = await folder.write("m.tlm", encodeModel(createModel(randomParts({ seed: 1 }))));
  assertEquals((await cli(["openapi", model, model])).code, 2);
});
