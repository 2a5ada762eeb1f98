import { assert, assertEquals } from "@std/assert";
import { COMMANDS } from "../../../../src/cli/commands.ts";
import { definitions } from "../../../../src/cli/help/definitions.ts";
import { THREADS_FLAG } from "../../../../src/cli/flags/threads.ts";
import { cli } from "../../../support/cli.ts";

Deno.test("definitions() breaks texts beside their names, and below a long name", () => {
  const text = `${"word ".repeat(18)}end`;
  assertEquals(
    definitions([["  --a N", "short"], [`  --${"b".repeat(30)}`, "below"], ["  --cc", text]]),
    [
      "  --a N  short",
      `  --${"b".repeat(30)}`,
      "         below",
      `  --cc   ${"word ".repeat(18).trimEnd()}`,
      "         end",
      "",
    ].join("\n"),
  );
});

Deno.test("help fits a page of 100 columns, but for examples", async () => {
  for (const command of ["train", "predict", "tune", "serve", "convert", "explain"]) {
    const { stdout } = await cli(["help", command]);
    const long = stdout.split("\nExamples:")[0]!.split("\n").filter((line) => line.length > 100);
    assertEquals(long, []);
    assert(stdout.length > 500);
  }
});

Deno.test("examples of help mean to a shell what they show: < and > within a word are in quotes", async () => {
  const lines: string[] = [];
  for (const { name } of COMMANDS) {
    const { stdout } = await cli(["help", name]);
    lines.push(...(stdout.split(/\nExamples?:\n/)[1] ?? "").split("\n"));
  }
  assert(lines.length > 30);
  const bare = lines.map((line) => line.replace(/'[^']*'|"[^"]*"/g, ""));
  assertEquals(bare.filter((line) => /\S[<>]|[<>][^\s(]/.test(line)), []);
});

Deno.test("--threads is one declaration in every command that has it", async () => {
  let having = 0;
  for (const command of COMMANDS) {
    const { groups } = await command.load();
    const found = groups.flatMap(({ flags }) => flags).filter(({ name }) => name === "threads");
    for (const flag of found) assert(flag === THREADS_FLAG, command.name);
    having += found.length;
  }
  assertEquals(having, 8);
});
