/**
 * Cold start of binaries of `deno compile`: from process start to the first score, beside one that does
 * nothing. `./predict` as one bundled file, and the command line with a row in a CSV file.
 *
 * `deno run -A bench/cold_compiled.ts MODEL.tlm [ROUNDS] [DENO]`; `DENO` and `DENORT_BIN` name a Deno and a
 * denort of one version where the present one cannot fetch its own.
 *
 * @module
 */
import { decodeModel } from "../src/predict.ts";
import { bundle } from "../tools/build/bundle.ts";
import { compile } from "../tools/build/compile.ts";
import { roundsOf, timeFirstBytes } from "./runs/first_byte.ts";

const model = Deno.args[0];
const rounds = roundsOf(Deno.args[1], 40);
const deno = Deno.args[2] ?? Deno.execPath();
const folder = await Deno.makeTempDir();
await Deno.writeFile(`${folder}/predict.js`, await bundle("src/predict.ts"));

const done = "Deno.stdout.writeSync(new Uint8Array(1));";
const path = JSON.stringify(model);

/** Programs by what they do; the first is what the others are compared with. */
const PROGRAMS: { readonly [name: string]: string } = {
  "nothing": done,
  "reads the file": `Deno.readFileSync(${path}); ${done}`,
  "imports the bundle": `import "./predict.js"; ${done}`,
  "first score": `import { decodeModel } from "./predict.js";
     const model = decodeModel(Deno.readFileSync(${path}));
     const row = new Float64Array(model.schema.features.length);
     model.positional(model.schemaHash).rawInto(row, new Float64Array(model.numOutputs));
     ${done}`,
};

const programs = [];
for (const [i, [name, text]] of Object.entries(PROGRAMS).entries()) {
  const command = `${folder}/${i}`;
  await Deno.writeTextFile(`${command}.js`, text);
  const flags = ["--quiet", "--no-check", "--no-config", "--no-lock", "--allow-read"];
  const { success } = await new Deno.Command(deno, {
    args: ["compile", ...flags, "-o", command, `${command}.js`],
    cwd: folder,
  }).output();
  if (!success) throw new Error(`deno compile: "${name}"`);
  programs.push({ name, command, args: [] as string[] });
}

const { features } = decodeModel(await Deno.readFile(model)).schema;
const names = features.map(({ name }) => JSON.stringify(name));
await Deno.writeTextFile(`${folder}/row.csv`, `${names}\n${names.map(() => 0)}\n`);
const command = `${folder}/treeline`;
await compile({ out: command, deno, quiet: true });
programs.push({ name: "treeline --version", command, args: ["--version"] });
programs.push({
  name: "treeline predict, a row of CSV",
  command,
  args: ["predict", model, `${folder}/row.csv`],
});

await timeFirstBytes(model, rounds, programs);
await Deno.remove(folder, { recursive: true });
