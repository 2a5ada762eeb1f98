// deno-lint-ignore-file no-console
/**
 * Cold start: from process start to the first score, beside a program that does nothing, in rounds in
 * which all programs take their turn. Each writes one byte when it is done, and the byte is timed: what a
 * process does afterwards to end is no part of its start.
 *
 * `deno run -A bench/cold.ts MODEL.tlm [ROUNDS]` measures `./predict` as one bundled file, as it is
 * deployed, and as the modules that `deno run` fetches and keeps. Both are in Deno's caches by then.
 *
 * @module
 */
import { bundle } from "../tools/bundle.ts";

const model = Deno.args[0];
const rounds = Number(Deno.args[1] ?? 40);
const folder = await Deno.makeTempDir();
await Deno.writeFile(`${folder}/predict.js`, await bundle("src/predict.ts"));
const modules = new URL("../src/predict.ts", import.meta.url).href;

const done = "Deno.stdout.writeSync(new Uint8Array(1));";
const path = JSON.stringify(model);
const score = (door: string, options: string) =>
  `import { decodeModel } from "${door}";
   const model = decodeModel(Deno.readFileSync(${path})${options});
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
const names = Object.keys(PROGRAMS);
for (const [i, name] of names.entries()) {
  await Deno.writeTextFile(`${folder}/${i}.js`, PROGRAMS[name]);
}

async function run(program: number): Promise<number> {
  const start = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--allow-read", `${folder}/${program}.js`],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const took = performance.now() - start;
  if (value?.length !== 1) throw new Error(`"${names[program]}" failed`);
  await reader.cancel();
  await child.status;
  return took;
}

const times = names.map((): number[] => []);
for (let i = -2; i < rounds; i++) {
  for (let k = 0; k < names.length; k++) {
    const time = await run(k);
    if (i >= 0) times[k].push(time);
  }
}
await Deno.remove(folder, { recursive: true });
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];
console.log(`${model}, ${rounds} rounds, milliseconds`);
console.log("| program | median | more than nothing: median of rounds | fastest runs |");
console.log("| --- | --- | --- | --- |");
names.forEach((name, k) => {
  const more = times[k].map((time, i) => time - times[0][i]);
  const fastest = Math.min(...times[k]) - Math.min(...times[0]);
  console.log(
    `| ${name} | ${median(times[k]).toFixed(1)} | ${median(more).toFixed(1)} | ${
      fastest.toFixed(1)
    } |`,
  );
});
