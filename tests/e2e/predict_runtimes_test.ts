import { assertEquals } from "@std/assert";
import { bundle } from "../../tools/build/bundle.ts";
import { encodeModel } from "../../src/format/binary.ts";
import { createModel } from "../../src/model/model.ts";
import { randomParts, randomRows } from "../support/models/random.ts";
import { tempFolder } from "../support/temp.ts";

const example = new URL("../../docs/example.tlm", import.meta.url);

/** Rows of docs/format.md and, far down, enough of them for the wasm kernel. */
const SCRIPT = `
const rows = [{ x: 0.5, c: "b" }, { x: 1, c: "a" }, { x: 8, c: "b" }, { c: null, x: null }];
const many = Array.from({ length: 400 }, (_, i) => rows[i % 4]);
const answer = (model) => {
  const batch = model.predictRaw(many).data;
  return JSON.stringify([[...model.predictRaw(rows).data], [...batch.slice(396)]]);
};
`;
const EXPECTED = JSON.stringify([[1, 2, 4, 2], [1, 2, 4, 2]]);

let bundled: ReturnType<typeof bundle> | undefined;

/** `./predict` as it is deployed, made once. */
function library(): ReturnType<typeof bundle> {
  return bundled ??= bundle("src/predict.ts");
}

async function has(command: string, major: number): Promise<boolean> {
  try {
    const { stdout } = await new Deno.Command(command, { args: ["--version"] }).output();
    return Number(/^v?(\d+)/.exec(new TextDecoder().decode(stdout))?.[1] ?? 0) >= major;
  } catch {
    return false;
  }
}

/** Runs the bundle as a program: the file by its path and by its URL. */
async function scoreIn(command: string): Promise<void> {
  await using folder = await tempFolder();
  await Deno.writeFile(folder.file("predict.mjs"), await library());
  await Deno.writeTextFile(
    folder.file("main.mjs"),
    `import { loadModel } from "./predict.mjs";${SCRIPT}
     console.log(answer(await loadModel(process.argv[2])));
     console.log(answer(await loadModel(new URL(process.argv[3]))));`,
  );
  const { stdout, stderr } = await new Deno.Command(command, {
    args: [folder.file("main.mjs"), decodeURIComponent(example.pathname), example.href],
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  assertEquals(new TextDecoder().decode(stdout), `${EXPECTED}\n${EXPECTED}\n`);
}

const node = await has("node", 20);
const bun = await has("bun", 1);

Deno.test({
  name: `CASES N4: the ./predict bundle loads a file and scores in Node${
    node ? "" : " (no Node 20 here)"
  }`,
  ignore: !node,
  fn: () => scoreIn("node"),
});

Deno.test({
  name: "the ./predict bundle gives in Node, bit by bit, what a large file scores here",
  ignore: !node,
  fn: async () => {
    await using folder = await tempFolder();
    await Deno.writeFile(folder.file("predict.mjs"), await library());
    const parts = randomParts({ seed: 3, trees: 90, depth: 8, categorical: 3, f32: false });
    const model = createModel(parts);
    const rows = randomRows(model.schema, 40, 5);
    await Deno.writeFile(folder.file("model.tlm"), encodeModel(model));
    await Deno.writeTextFile(folder.file("rows.json"), JSON.stringify(rows));
    await Deno.writeTextFile(
      folder.file("main.mjs"),
      `import { readFileSync } from "node:fs";
       import { decodeModel } from "./predict.mjs";
       const read = (name) => readFileSync(new URL(name, import.meta.url));
       const model = decodeModel(read("model.tlm"));
       const rows = JSON.parse(read("rows.json"));
       console.log(JSON.stringify(rows.map((row) => model.predictRaw([row]).data[0])));`,
    );
    const { stdout } = await new Deno.Command("node", { args: [folder.file("main.mjs")] }).output();
    const shown = JSON.parse(JSON.stringify(rows)); // as the other program sees them
    assertEquals(JSON.parse(new TextDecoder().decode(stdout)), [...model.predictRaw(shown).data]);
  },
});

Deno.test({
  name: `CASES N4: the ./predict bundle loads a file and scores in Bun${
    bun ? "" : " (no Bun here)"
  }`,
  ignore: !bun,
  fn: () => scoreIn("bun"),
});

Deno.test("CASES N4: the ./predict bundle scores in a bare worker, where there is neither Deno nor Node", async () => {
  const text = new TextDecoder().decode(await library());
  const source = `delete globalThis.Deno; delete globalThis.process;
    ${text}
    ;${SCRIPT.replace("const answer", "globalThis.answer")}
    onmessage = ({ data }) => postMessage(answer(decode(data)));`;
  // The bundle exports under its own short names: find that of decodeModel.
  const name = /([\w$]+) as decodeModel/.exec(text)![1];
  const url = URL.createObjectURL(
    new Blob([source.replace("decode(data)", `${name}(data)`)], { type: "text/javascript" }),
  );
  const worker = new Worker(url, { type: "module" });
  try {
    const answer = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = reject;
    });
    worker.postMessage(await Deno.readFile(example));
    assertEquals(await answer, EXPECTED);
  } finally {
    worker.terminate();
    URL.revokeObjectURL(url);
  }
});
