import { assertEquals, assertThrows } from "@std/assert";
import { ParameterError } from "../../../../src/errors.ts";
import { createApp } from "../../../../src/server/app.ts";
import { optionsFromEnv } from "../../../../src/server/process/env_options.ts";
import { numbersModel } from "../../../support/small_models.ts";

function withEnv<T>(values: { readonly [name: string]: string }, run: () => T): T {
  for (const [name, value] of Object.entries(values)) Deno.env.set(name, value);
  try {
    return run();
  } finally {
    for (const name of Object.keys(values)) Deno.env.delete(name);
  }
}

Deno.test("lists of the environment may have spaces behind their commas", () => {
  const { tokens, cors, basePath } = withEnv({
    TREELINE_TOKENS: "old, new ,",
    TREELINE_CORS: "https://a.example, https://b.example",
    TREELINE_BASE_PATH: "/ml",
  }, optionsFromEnv);
  assertEquals(tokens, ["old", "new"]);
  assertEquals(cors, ["https://a.example", "https://b.example"]);
  assertEquals(basePath, "/ml");
  assertEquals(withEnv({ TREELINE_CORS: " *" }, optionsFromEnv).cors, "*");
  assertEquals(withEnv({ TREELINE_BASE_PATH: "" }, optionsFromEnv).basePath, undefined);
});

Deno.test("an empty list of tokens lets nobody in", async () => {
  const options = withEnv({ TREELINE_TOKENS: " ", TREELINE_LOG: "off" }, optionsFromEnv);
  const app = createApp({ models: { m: numbersModel() }, ...options });
  for (const authorization of ["", "Bearer ", "Bearer x"]) {
    assertEquals((await app.request("/v1/models", { headers: { authorization } })).status, 401);
  }
});

Deno.test("a base path of the environment that is no path is refused", () => {
  const options = withEnv({ TREELINE_BASE_PATH: "ml" }, optionsFromEnv);
  assertThrows(() => createApp({ models: { m: numbersModel() }, ...options }), ParameterError);
});
