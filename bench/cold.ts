/**
 * Cold start: from process start to the first score, beside a program that does nothing, in rounds in
 * which all programs take their turn.
 *
 * `deno run -A bench/cold.ts MODEL.tlm [ROUNDS]` measures `./predict` as one bundled file, as it is
 * deployed, and as the modules that `deno run` fetches and keeps. Both are in Deno's caches by then.
 *
 * @module
 */
import { bundle } from "../tools/build/bundle.ts";
import { roundsOf, timeFirstBytes } from "./runs/first_byte.ts";

const model = Deno.args[0];
const rounds = roundsOf(Deno.args[1], 40);
const folder = await Deno.makeTempDir();
await Deno.writeFile(`${folder}/predict.js`, await bundle("src/predict.ts"));
const modules = new URL("../src/predict.ts", import.meta.url).href;

const done = "Deno.stdout.writeSync(new Uint8Array(1));";
const path = JSON.stringify(model);
const score = (door: string, options: string) =>
  `import { loadModel } from "${door}";
   const model = await loadModel(${path}${options});
   const row = new Float64Array(model.schema.features.length);
   model.positional(model.schemaHash).rawInto(row, new Float64Array(model.numOutputs));
   ${done}`;

/** Programs by what they do; the first is what the others are compared with. */
const PROGRAMS: { readonly [name: string]: string } = {
  "nothing": done,
  "reads the file": `Deno.readFileSync(${path}); ${done}`,
  "imports the bundle": `import "./predict.js"; ${done}`,
  "first score, bundle": score("./predict.js", ""),
  "first score, bundle, no checksum": score("./predict.js", ", { checksum: false }"),
  "first score, modules": score(modules, ""),
};
const files: { [name: string]: string } = {};
for (const [i, [name, text]] of Object.entries(PROGRAMS).entries()) {
  files[name] = `${folder}/${i}.js`;
  await Deno.writeTextFile(files[name], text);
}
await timeFirstBytes(
  model,
  rounds,
  Object.entries(files).map(([name, file]) => ({
    name,
    command: Deno.execPath(),
    args: ["run", "--no-check", "--allow-read", file],
  })),
);
await Deno.remove(folder, { recursive: true });
