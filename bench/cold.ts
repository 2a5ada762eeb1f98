// deno-lint-ignore-file no-console
/**
 * Cold start: from process start to the first score, beside an empty program, in pairs that take turns.
 *
 * `deno run -A bench/cold.ts MODEL.tlm [PAIRS]` bundles `./predict` into one file, as it is deployed.
 *
 * @module
 */
import { bundle } from "../tools/bundle.ts";

const model = Deno.args[0];
const pairs = Number(Deno.args[1] ?? 40);
const folder = await Deno.makeTempDir();
await Deno.writeFile(`${folder}/predict.js`, await bundle("src/predict.ts"));
await Deno.writeTextFile(`${folder}/empty.js`, "");
await Deno.writeTextFile(
  `${folder}/first.js`,
  `import { decodeModel } from "./predict.js";
   const model = decodeModel(Deno.readFileSync(${JSON.stringify(model)}));
   const row = new Float64Array(model.schema.features.length);
   model.positional(model.schemaHash).rawInto(row, new Float64Array(model.numOutputs));`,
);
await Deno.writeTextFile(
  `${folder}/unchecked.js`,
  (await Deno.readTextFile(`${folder}/first.js`)).replace("))", "), { checksum: false })"),
);
await Deno.writeTextFile(`${folder}/module.js`, `import "./predict.js";`);
await Deno.writeTextFile(`${folder}/read.js`, `Deno.readFileSync(${JSON.stringify(model)});`);

async function run(file: string): Promise<number> {
  const start = performance.now();
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--allow-read", `${folder}/${file}`],
    stdout: "null",
    stderr: "inherit",
  });
  const { success } = await command.output();
  if (!success) throw new Error(`${file} failed`);
  return performance.now() - start;
}

const files = ["empty.js", "read.js", "module.js", "unchecked.js", "first.js"];
const times = files.map((): number[] => []);
for (let i = -2; i < pairs; i++) {
  for (let k = 0; k < files.length; k++) {
    const time = await run(files[k]);
    if (i >= 0) times[k].push(time);
  }
}
await Deno.remove(folder, { recursive: true });
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];
console.log(`${model}, ${pairs} pairs, milliseconds`);
files.forEach((file, k) => {
  const over = times[k].map((time, i) => time - times[0][i]);
  console.log(
    `${file.padEnd(14)} median ${median(times[k]).toFixed(1)}, over the empty program: ` +
      `median of pairs ${median(over).toFixed(1)}, fastest ${
        (Math.min(...times[k]) - Math.min(...times[0])).toFixed(1)
      }`,
  );
});
