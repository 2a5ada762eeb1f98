/**
 * A project of its own that links a clone, as the README says: its compiler options are not ours.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { type TempFolder, tempFolder } from "../support/temp.ts";

const ROOT = new URL("../../", import.meta.url);

/** The README's deno.json for such a project, with what else it says, and the clone where it is here. */
async function configOf(more: object): Promise<string> {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const config = JSON.parse(/```json\n([^`]*"links"[^`]*)```/.exec(readme)![1]);
  assertEquals(config.links, ["../treeline"]);
  return JSON.stringify({ ...config, links: [ROOT.pathname.replace(/\/$/, "")], ...more });
}

async function deno(project: TempFolder, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: project.path,
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(
    code,
    0,
    `deno ${args.join(" ")}: ${new TextDecoder().decode(stderr).slice(0, 2000)}`,
  );
  return new TextDecoder().decode(stdout);
}

Deno.test("a project with options of its own checks and runs every door, the page too", async () => {
  await using project = await tempFolder();
  const compilerOptions = { jsx: "precompile", jsxImportSource: "preact", lib: ["dom", "deno.ns"] };
  await project.write("deno.json", await configOf({ compilerOptions }));
  await project.write(
    "main.ts",
    `import { train, parseCsv } from "@treeline/treeline";
import * as predict from "@treeline/treeline/predict";
import * as explain from "@treeline/treeline/explain";
import * as convert from "@treeline/treeline/convert";
import { createApp } from "@treeline/treeline/server";
const data = parseCsv("x,y\\n1,no\\n2,no\\n3,yes\\n4,yes\\n", { target: "y" });
const model = await train(data, { rounds: 2, minChildWeight: 0 });
const page = await createApp({ models: { model } }).request("/");
console.log(page.status, (await page.text()).includes("What the trees use"));
console.log(Object.keys({ ...predict, ...explain, ...convert }).length > 10);
`,
  );
  await deno(project, "check", "main.ts");
  assertEquals(await deno(project, "run", "-A", "main.ts"), "200 true\ntrue\n");
});

Deno.test("the blocks of TypeScript in docs/http.md pass the type checker where they are copied", async () => {
  await using project = await tempFolder();
  const config = JSON.parse(await configOf({}));
  config.imports.hono =
    JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT))).imports.hono;
  await project.write("deno.json", JSON.stringify(config));
  const model = await Deno.readFile(new URL("examples/deploy/penguins.tlm", ROOT));
  await project.write("penguins.tlm", model);
  await deno(
    project,
    ...["run", "-A", new URL("cli.ts", ROOT).href, "types", "penguins.tlm", "--out", "penguins.ts"],
  );
  const text = await Deno.readTextFile(new URL("docs/http.md", ROOT));
  const blocks = [...text.matchAll(/```ts ignore\n([^`]*)```/g)].map(([, block]) => block);
  assertEquals(blocks.length, 3);
  for (const [i, block] of blocks.entries()) await project.write(`block${i}.ts`, block);
  await deno(project, "check", ...blocks.keys().map((i) => `block${i}.ts`));
});
