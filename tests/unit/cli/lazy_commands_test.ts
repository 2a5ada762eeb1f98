import { assert, assertEquals } from "@std/assert";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { runAtStart } from "../../support/processes/modules_at_start.ts";

const src = new URL("../../../src/", import.meta.url);
const foldersOf = async (file: string) => {
  const modules = await runAtStart(new URL(file, src));
  return [...new Set([...modules].map((url) => url.slice(src.href.length).split("/")[0]!))].sort();
};

Deno.test("the command line knows its commands before it loads any of them", async () => {
  assertEquals(await foldersOf("cli/main.ts"), ["cli", "deps", "errors.ts", "util"]);
  assertEquals(new Set(COMMANDS.map(({ name }) => name)).size, COMMANDS.length);
});

Deno.test("a server is started without what trains and converts", async () => {
  const folders = await foldersOf("cli/commands/serve.ts");
  assert(folders.includes("server"));
  for (const folder of ["algorithms", "ensemble", "grow", "convert", "loss"]) {
    assert(!folders.includes(folder), folder);
  }
});
