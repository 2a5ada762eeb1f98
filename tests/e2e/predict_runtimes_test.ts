import { assertEquals } from "@std/assert";
import { bundle } from "../../tools/bundle.ts";
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
  await Deno.writeFile(folder.file("predict.mjs"), await bundle("src/predict.ts"));
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
  name: `CASES N4: the ./predict bundle loads a file and scores in Bun${
    bun ? "" : " (no Bun here)"
  }`,
  ignore: !bun,
  fn: () => scoreIn("bun"),
});

Deno.test("CASES N4: the ./predict bundle scores in a bare worker, where there is neither Deno nor Node", async () => {
  const library = new TextDecoder().decode(await bundle("src/predict.ts"));
  const source = `delete globalThis.Deno; delete globalThis.process;
    ${library}
    ;${SCRIPT.replace("const answer", "globalThis.answer")}
    onmessage = ({ data }) => postMessage(answer(decode(data)));`;
  // The bundle exports under its own short names: find that of decodeModel.
  const name = /([\w$]+) as decodeModel/.exec(library)![1];
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
