import { assertEquals, assertStringIncludes } from "@std/assert";
import { kebab } from "../../../../src/params/resolve.ts";
import { ALGORITHM_NAMES, paramsOf } from "../../../../src/params/table.ts";
import { cli } from "../../../support/cli.ts";

Deno.test("params lists every parameter of an algorithm", async () => {
  for (const algorithm of ALGORITHM_NAMES) {
    const { stdout } = await cli(["params", "--algorithm", algorithm, "--json"]);
    const names = JSON.parse(stdout).map((param: { name: string }) => param.name);
    assertEquals(names, [...paramsOf(algorithm).keys()]);
  }
});

Deno.test("params explains a parameter by any of its names", async () => {
  for (const name of ["learningRate", "learning-rate", "eta"]) {
    const { code, stdout } = await cli(["params", name]);
    assertEquals(code, 0);
    assertStringIncludes(stdout, `--${kebab("learningRate")}`);
    assertStringIncludes(stdout, "a number in (0, 1]");
  }
  const { code, stderr } = await cli(["params", "learning_rat"]);
  assertEquals(code, 2);
  assertStringIncludes(stderr, "learning");
});
