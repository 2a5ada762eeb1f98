/** What a newcomer types: the main job, then the README's command lines, in one folder and in order. */
import { assert, assertEquals } from "@std/assert";
import { CLI_ARGS, serving } from "../support/processes/process.ts";

const ROOT = new URL("../../", import.meta.url);

async function run(args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(code, 0, `${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

Deno.test("the README's command lines run after the main job, in its folder", async () => {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const section = readme.slice(readme.indexOf("## From the command line"));
  const block = /```sh\n([^`]*)```/.exec(section)![1];
  const lines = block.trim().split("\n").map((line) => {
    assert(line.startsWith("deno task cli "), line);
    return line.split(" ").slice(3);
  });
  assertEquals(lines.map(([verb]) => verb), ["train", "predict", "evaluate", "serve", "help"]);
  const folder = await Deno.makeTempDir();
  try {
    await Deno.symlink(new URL("examples", ROOT), `${folder}/examples`);
    await run(["run", "-A", "--no-check", new URL("examples/start.ts", ROOT).pathname], folder);
    for (const line of lines) {
      if (line[0] !== "serve") {
        await run([...CLI_ARGS, ...line], folder);
        continue;
      }
      const free = line.map((word, i) => line[i - 1] === "--port" ? "0" : word);
      await using server = await serving(Deno.execPath(), [...CLI_ARGS, ...free], folder);
      const models = await (await fetch(`${server.url}/v1/models`)).text();
      assert(models.includes('"census"'), models);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
