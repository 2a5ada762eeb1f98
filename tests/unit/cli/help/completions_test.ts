import { assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../../../src/cli/commands.ts";
import { SHELLS } from "../../../../src/cli/help/completions.ts";
import { cli } from "../../../support/cli.ts";

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

/** What the bash script offers for each line, whose last word is being typed. */
async function offered(lines: readonly string[][]): Promise<string[][]> {
  const { stdout } = await cli(["completions", "bash"]);
  const asks = lines.map((words) =>
    `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${
      words.length - 1
    }; COMPREPLY=(); _treeline; echo "\${COMPREPLY[*]}"\n`
  );
  const bash = new Deno.Command("bash", {
    args: ["-c", `${stdout}\ncd "$(mktemp -d)" && touch rows.csv\n${asks.join("")}`],
    stdout: "piped",
  });
  const told = new TextDecoder().decode((await bash.output()).stdout);
  return told.split("\n").slice(0, -1).map((line) => line.split(" ").filter((word) => word !== ""));
}

Deno.test("the bash script offers what may stand there", { ignore: windows }, async () => {
  const names = COMMANDS.map(({ name }) => name);
  const expected: readonly (readonly [line: string, words: readonly string[]])[] = [
    ["treeline ", names],
    ["treeline tr", ["train"]],
    ["treeline train -a ra", ["random-forest"]],
    ["treeline tune --algorithm ra", ["random-forest"]],
    ["treeline train --algorithm = ra", ["random-forest"]], // bash parts words at =
    ["treeline predict --kind = ", ["class", "value", "proba", "raw", "leaf"]],
    ["treeline predict --kind =", ["class", "value", "proba", "raw", "leaf"]],
    ["treeline predict -k r", ["raw"]],
    ["treeline train --tree-method ex", ["exact"]],
    ["treeline train --linear-tree ", ["true", "false"]],
    ["treeline train --rounds ", []],
    ["treeline train --valid r", ["rows.csv"]],
    ["treeline train r", ["rows.csv"]],
    ["treeline train rows.csv --resu", ["--resume"]],
    ["treeline train --resume r", ["rows.csv"]],
    ["treeline train --resume --roun", ["--rounds"]], // a switch has no value
    ["treeline serve --port ", []],
    ["treeline completions ", [...SHELLS]],
    ["treeline completions --qu", ["--quiet"]],
    ["treeline help tun", ["tune"]],
    ["treeline version ", []],
  ];
  const found = await offered(expected.map(([line]) => line.split(" ")));
  expected.forEach(([line, words], i) => assertEquals(found[i], words, line));
});

Deno.test("scripts of zsh and fish offer algorithms, shells and commands, and short flags", async () => {
  const zsh = (await cli(["completions", "zsh"])).stdout;
  assertStringIncludes(zsh, "'(-a --algorithm)'{-a,--algorithm}'[");
  assertStringIncludes(zsh, ":NAME:(boost gbdt ");
  assertStringIncludes(zsh, "'1:SHELL:(bash zsh fish)'");
  assertStringIncludes(zsh, "'1:COMMAND:(train tune ");
  const fish = (await cli(["completions", "fish"])).stdout;
  const within = (command: string) => `-n '__fish_seen_subcommand_from ${command}' `;
  assertStringIncludes(fish, `${within("train")}-s a -l algorithm -x -a 'boost gbdt `);
  assertStringIncludes(fish, `${within("completions")}-f -a 'bash zsh fish'`);
  assertStringIncludes(fish, `${within("help")}-f -a 'train tune `);
});
