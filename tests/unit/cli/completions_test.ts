import { assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { SHELLS } from "../../../src/cli/completions.ts";
import { cli } from "../../support/cli.ts";

Deno.test("completions print a script for each shell that names every command and flag", async () => {
  for (const shell of SHELLS) {
    const { code, stdout } = await cli(["completions", shell]);
    assertEquals(code, 0);
    for (const command of COMMANDS) assertStringIncludes(stdout, command.name);
    assertStringIncludes(stdout, shell === "fish" ? "-l json" : "--json");
  }
  assertEquals((await cli(["completions", "tcsh"])).code, 2);
});

const windows = Deno.build.os === "windows";

Deno.test("the bash script is accepted by bash", { ignore: windows }, async () => {
  const { stdout } = await cli(["completions", "bash"]);
  const bash = new Deno.Command("bash", { args: ["-n"], stdin: "piped", stderr: "piped" }).spawn();
  const writer = bash.stdin.getWriter();
  await writer.write(new TextEncoder().encode(stdout));
  await writer.close();
  const { code, stderr } = await bash.output();
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
});
