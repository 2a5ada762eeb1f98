import { assertEquals, assertStringIncludes } from "@std/assert";
import config from "../../../deno.json" with { type: "json" };
import { COMMANDS } from "../../../src/cli/commands.ts";
import { VERSION } from "../../../src/util/version.ts";
import { cli } from "../../support/cli.ts";
import { tempFolder } from "../../support/temp.ts";

Deno.test("runCli() prints the version on stdout, as text and as JSON", async () => {
  assertEquals(VERSION, config.version);
  assertEquals(await cli(["version"]).then((run) => run.stdout), `treeline ${VERSION}\n`);
  const { code, stdout, stderr } = await cli(["--version", "--json"]);
  assertEquals([code, JSON.parse(stdout), stderr], [0, { name: "treeline", version: VERSION }, ""]);
});

Deno.test("runCli() ends with 2 and the nearest command for an unknown one", async () => {
  const { code, stdout, stderr } = await cli(["verson"]);
  assertEquals([code, stdout], [2, ""]);
  assertStringIncludes(stderr, 'error[E_USAGE]: Cannot run "verson"');
  assertStringIncludes(stderr, "the nearest is version");
  assertEquals(stderr.trimEnd().split("\n").length, 2);
});

Deno.test("runCli() without a command prints the overview on stderr and ends with 2", async () => {
  const { code, stdout, stderr } = await cli([]);
  assertEquals([code, stdout], [2, ""]);
  assertStringIncludes(stderr, "Usage: treeline <command>");
});

Deno.test("runCli() explains every command by help and by --help alike", async () => {
  for (const { name } of COMMANDS) {
    const help = await cli(["help", name]);
    const flag = await cli([name, "--help"]);
    assertEquals([help.code, flag.code, help.stdout], [0, 0, flag.stdout]);
    assertStringIncludes(help.stdout, `Usage: treeline ${name}`);
  }
});

Deno.test("runCli() colours errors only on a terminal without NO_COLOR and --no-color", async () => {
  const painted = await cli(["nope"], { terminal: true, color: true });
  assertStringIncludes(painted.stderr, "\x1b[31merror[E_USAGE]:\x1b[39m");
  for (const setup of [{ color: true }, { terminal: true }]) {
    assertEquals((await cli(["nope"], setup)).stderr.includes("\x1b"), false);
  }
  const plain = await cli(["nope", "--no-color"], { terminal: true, color: true });
  assertEquals(plain.stderr.includes("\x1b"), false);
});

Deno.test("runCli() says how the command that was used wrongly is used", async () => {
  const train = await cli(["train", "--target", "y"]);
  assertStringIncludes(train.stderr, "Cannot train: DATA is missing");
  assertStringIncludes(train.stderr, "`treeline help train` shows its arguments and flags");
  const types = await cli(["types"]);
  assertStringIncludes(types.stderr, "Cannot print types: MODEL is missing");
  const extra = await cli(["version", "now"]);
  assertStringIncludes(extra.stderr, 'Cannot print version: "now" is one argument too many');
});

Deno.test("runCli() names the file that is no model, and tells data from models", async () => {
  await using folder = await tempFolder();
  const table = await folder.write("rows.csv", "x,y\n1,2\n");
  const swapped = await cli(["predict", table, "model.tlm"]);
  assertEquals(swapped.code, 4);
  assertStringIncludes(swapped.stderr, `(in ${JSON.stringify(table)})`);
  assertStringIncludes(swapped.stderr, "hint: the model comes first, the table after it");
  const empty = await folder.write("empty.model", "");
  const { stderr } = await cli(["inspect", empty]);
  assertStringIncludes(stderr, `expected a model file (in ${JSON.stringify(empty)})`);
  assertStringIncludes(stderr, "hint: check the path");
  const cut = await folder.write("cut.tlm", new TextEncoder().encode(" TLM").fill(0x89, 0, 1));
  assertStringIncludes((await cli(["inspect", cut])).stderr, `(in ${JSON.stringify(cut)})`);
});

Deno.test("flags of other libraries that nothing stands for are answered with what takes their place", async () => {
  for (const [flag, place] of [["--booster", "dropRate"], ["--boosting", "random-forest"]]) {
    const { code, stderr } = await cli(["train", "d.csv", flag!, "rf"]);
    assertEquals(code, 2);
    assertStringIncludes(stderr, place!);
  }
});
