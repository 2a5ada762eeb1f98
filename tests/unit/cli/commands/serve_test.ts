import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Handler, ListenOptions } from "../../../../src/cli/common/io.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createModel } from "../../../../src/model/model.ts";
import { cli } from "../../../support/cli.ts";
import { randomParts } from "../../../support/models/random.ts";
import { tempFolder } from "../../../support/temp.ts";

const model = createModel(randomParts({ seed: 3 }));

Deno.test("serve answers for each model under its file name until it is interrupted", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("risk.tlm", encodeModel(model));
  const row = { x0: 0.1, x1: 0.2, x2: -0.3, x3: 0.4 };
  let options: ListenOptions | undefined;
  const answers: unknown[] = [];
  const listen = async (handler: Handler, given: ListenOptions) => {
    options = given;
    for (const name of ["risk", "other"]) {
      const request = new Request(`http://x/v1/models/${name}/predict`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify([row]),
      });
      answers.push(await (await handler(request)).json());
    }
    return { url: "http://x", finished: Promise.resolve() };
  };
  const { code, stderr } = await cli(["serve", path, `other=${path}`, "-p", "0"], { listen });
  assertEquals(code, 0);
  assertStringIncludes(stderr, "serving risk, other at http://x");
  assertEquals([options?.port, options?.hostname], [0, "127.0.0.1"]);
  const expected = model.predictValue([row])[0];
  for (const answer of answers) assertStringIncludes(JSON.stringify(answer), String(expected));
});

Deno.test("serve refuses two models of one name, and no model at all", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("risk.tlm", encodeModel(model));
  assertEquals((await cli(["serve", path, path])).code, 2);
  assertEquals((await cli(["serve"])).code, 2);
  assertEquals((await cli(["serve", path, "--port", "99999"])).code, 2);
});

Deno.test("serve refuses tokens that it would not ask for", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("risk.tlm", encodeModel(model));
  Deno.env.set("TREELINE_TOKENS", "secret");
  try {
    const { code, stderr } = await cli(["serve", path]);
    assertEquals([code, stderr.includes("TREELINE_TOKENS")], [2, true]);
  } finally {
    Deno.env.delete("TREELINE_TOKENS");
  }
});
