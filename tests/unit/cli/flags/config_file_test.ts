import { assertEquals, assertStringIncludes } from "@std/assert";
import { cli } from "../../../support/cli.ts";
import { tempFolder } from "../../../support/temp.ts";

const lines = Array.from({ length: 60 }, (_, i) => `${i},${i % 7}.5,${2 * i}.1\n`);

Deno.test("--config: false is a value of flags that have it among their words", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", lines.join(""));
  const rowsWith = async (config: object) => {
    const file = await folder.write("c.json", JSON.stringify({ target: 2, rounds: 1, ...config }));
    const run = await cli(["train", data, "--config", file, "--json"]);
    assertEquals(run.code, 0, run.stderr);
    return JSON.parse(run.stdout).rows;
  };
  assertEquals(await rowsWith({ header: false }), 60); // the first row is no header
  assertEquals(await rowsWith({ header: "none" }), 60);
  assertEquals(await rowsWith({ header: null, force: false }), 59);
});

Deno.test("--config refuses what its flag does not take, and leaves the old file", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", `a,b,y\n${lines.join("")}`);
  const out = await folder.write("m.tlm", "old");
  for (
    const [config, message] of [
      ['{"force":"false"}', '"force": "false": expected true or false'],
      ['{"binned":1}', '"binned": 1: expected true or false'],
      ['{"task":"regresion"}', "expected classification, regression"],
      ['{"format":"xml"}', "expected csv, jsonl, libsvm"],
      ['{"decimal":"x"}', 'Cannot use --decimal "x"'],
      ['{"header":"maybe"}', 'Cannot use --header "maybe"'],
      ['{"drop":{"a":1}}', "expected a list of words"],
      ['{"weight":["a","b"]}', "expected one word or number"],
      ['{"set":["rounds=2"]}', "expected hyperparameters as keys of their own"],
      ['{"config":"other.json"}', "expected what that file holds"],
      ['{"valid_fraction":0.2,"validFraction":0.3}', 'both "valid_fraction" and "validFraction"'],
      ['{"rounds":1,}', "it is not JSON: "],
      ["\x1b[2J,}", "\\u001b[2J"], // what a terminal would obey
    ] as const
  ) {
    const file = await folder.write("c.json", config);
    const run = await cli(["train", data, "-t", "y", "--rounds", "1", "-o", out, "--config", file]);
    assertEquals(run.code, config.includes(",}") ? 6 : 2, `${config}: ${run.stderr}`);
    assertStringIncludes(run.stderr, message);
    assertEquals(await Deno.readTextFile(out), "old");
  }
});

Deno.test("--config keeps commas and spaces of names in a list", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", `"a,b"," c ",y\n${lines.join("")}`);
  const file = await folder.write("c.json", JSON.stringify({ drop: ["a,b"], target: "y" }));
  const args = ["train", data, "--rounds", "1", "--json"];
  const names = (told: string) =>
    JSON.parse(told).features.map(({ name }: { readonly name: string }) => name);
  const run = await cli([...args, "--config", file]);
  assertEquals([run.code, names(run.stdout)], [0, [" c "]], run.stderr);
  const flag = await cli([...args, "-t", "y", "--drop", '" c "']);
  assertEquals([flag.code, names(flag.stdout)], [0, ["a,b"]], flag.stderr);
});
