/**
 * The package that `deno pack` makes of a clone, in Node, as the README says.
 *
 * @module
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { tempFolder } from "../support/temp.ts";

const ROOT = new URL("../../", import.meta.url);

/** Runs a command; its output, or an error with what it said. */
async function run(command: string, args: readonly string[], cwd: string | URL): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(code, 0, `${command} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

async function nodeVersion(): Promise<number> {
  try {
    return parseInt((await run("node", ["--version"], ".")).slice(1));
  } catch {
    return 0;
  }
}

const PROGRAM = `import { loadModel } from "@treeline/treeline/predict";
import { createClient } from "@treeline/treeline/client";
import { exportModel } from "@treeline/treeline/convert";
import { explainShap } from "@treeline/treeline/explain";
const model = await loadModel(process.argv[2]);
const row = { x: 1, c: "a" };
console.log(model.predictValue(row)[0], explainShap(model, [row], { background: [row] }).features);
console.log(typeof createClient, exportModel(model, "typescript").bytes.length > 100);
`;

const node = await nodeVersion();

Deno.test({
  name: `the package for npm has types and scores in Node${node >= 20 ? "" : " (no Node 20 here)"}`,
  ignore: node < 20,
  fn: async () => {
    await using project = await tempFolder();
    await run(Deno.execPath(), ["pack", "--allow-dirty", "-o", project.file("t.tgz")], ROOT);
    const folder = project.file("node_modules/@treeline/treeline");
    await Deno.mkdir(folder, { recursive: true });
    await run("tar", ["xzf", project.file("t.tgz"), "-C", folder, "--strip-components=1"], ".");
    const manifest = JSON.parse(await Deno.readTextFile(`${folder}/package.json`));
    for (
      const [door, { types, default: module }] of Object.entries<Record<string, string>>(
        manifest.exports,
      )
    ) {
      if (door === "./cli") continue;
      assertEquals((await Deno.stat(`${folder}/${module}`)).isFile, true, door);
      assertStringIncludes(await Deno.readTextFile(`${folder}/${types}`), "export ", door);
    }
    const model = await Deno.readTextFile(`${folder}/src/model/model_class.d.ts`);
    assertStringIncludes(
      model,
      "predictValue(input: PredictInput, options?: PredictOptions): Float64Array",
    );
    await project.write("main.mjs", PROGRAM);
    const example = decodeURIComponent(new URL("docs/example.tlm", ROOT).pathname);
    assertEquals(
      await run("node", ["main.mjs", example], project.path),
      "2 [ 'x', 'c' ]\nfunction true\n",
    );
  },
});
