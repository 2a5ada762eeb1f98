import { assertEquals, assertRejects } from "@std/assert";
import { ParameterError } from "../../../../src/errors.ts";
import { startServer } from "../../../../src/server/process/start.ts";

Deno.test("a time between looks at the files that no timer holds stops the start", async () => {
  const name = "TREELINE_RELOAD_SECONDS";
  Deno.env.set(name, "2147484");
  try {
    const start = () => startServer({ isMain: false, args: [] });
    const { code, details } = await assertRejects(start, ParameterError);
    assertEquals([code, details.param], ["E_PARAM_RANGE", name]);
  } finally {
    Deno.env.delete(name);
  }
});
