import { assert, assertEquals, assertRejects } from "@std/assert";
import { ModelError, ParameterError, SourceError } from "../../../src/errors.ts";
import { loadModel, saveModel } from "../../../src/files/model_file.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { createModel, Model } from "../../../src/model/model.ts";
import { createRng } from "../../../src/util/rng.ts";
import { randomParts } from "../../support/models/random.ts";
import { tempFolder } from "../../support/temp.ts";

const model = createModel(randomParts({ seed: 1, categorical: 1 }));

Deno.test("loadModel() reads what saveModel() wrote, by path, file URL and data URL", async () => {
  await using folder = await tempFolder();
  const path = folder.file("m.tlm");
  await saveModel(model, path);
  const bytes = encodeModel(model);
  assertEquals(await Deno.readFile(path), bytes);
  const data = `data:application/octet-stream;base64,${btoa(String.fromCharCode(...bytes))}`;
  for (
    const source of [path, new URL(`file://${path}`), `file://${path}`, `FILE://${path}`, data]
  ) {
    assertEquals(encodeModel(await loadModel(source)), bytes);
  }
});

Deno.test("loadModel() reads a file of some size where the loader's kernel finds it, and copies others", async () => {
  await using folder = await tempFolder();
  const bytes = encodeModel(createModel(randomParts({ seed: 2, trees: 60, depth: 9 })), {
    inBits: false,
  });
  const buffers = await Promise.all(["m.tlm", "M.TLM", "m.bin"].map(async (name) => {
    await Deno.writeFile(folder.file(name), bytes);
    const { storage } = await loadModel(folder.file(name));
    assert(storage.layout === "packed");
    return storage.packed.leaves.buffer.byteLength;
  }));
  // Room for what its kernel does lies behind the file.
  assertEquals(buffers.map((length) => length > 9 * bytes.length), [true, true, false]);
});

/** What becomes of a file. */
function outcomeOf(read: Model | { code: string; message: string; details: unknown }): unknown {
  if (!(read instanceof Model)) return [read.code, read.message, read.details];
  const row = Object.fromEntries(read.schema.features.map(({ name }) => [name, 0.25]));
  return [read.schemaHash, read.predictRaw(row), read.predictLeaf(row)];
}

Deno.test("loadModel() refuses what decodeModel() refuses, and scores the same, of each damaged file", async () => {
  await using folder = await tempFolder();
  const path = folder.file("m.tlm");
  const rng = createRng(5);
  for (const shape of [{ trees: 4000, depth: 2 }, { trees: 60, depth: 9, numeric: 8 }]) {
    const bytes = encodeModel(createModel(randomParts({ seed: 2, ...shape })), { inBits: false });
    assert(bytes.length > 16384, "the file is read into the kernel's memory");
    for (let i = 0; i < 60; i++) {
      const damaged = bytes.slice(0, rng.nextInt(8) > 0 ? bytes.length : rng.nextInt(bytes.length));
      for (let k = i % 4; k > 0; k--) damaged[rng.nextInt(damaged.length)] ^= 1 << rng.nextInt(8);
      await Deno.writeFile(path, damaged);
      for (const checksum of [true, false]) {
        let expected;
        try {
          expected = decodeModel(damaged, { checksum });
        } catch (error) {
          expected = error as ModelError;
        }
        const found = await loadModel(path, { checksum }).catch(({ cause }) => cause as ModelError);
        assertEquals(outcomeOf(found), outcomeOf(expected));
      }
    }
  }
});

Deno.test("loadModel() names the file that is no model, and what reads others", async () => {
  await using folder = await tempFolder();
  const json = await folder.write("package.json", '{ "name": "shop" }');
  const error = await assertRejects(() => loadModel(json), ModelError);
  assertEquals([error.code, error.details.source], ["E_MODEL_MAGIC", json]);
  assertEquals(
    error.message,
    `Cannot read this model at byte 0: it is no .tlm file; convert another library's (in ${
      JSON.stringify(json)
    }); importModel() reads models of other libraries, modelFromJson() what modelToJson() wrote`,
  );
  const bytes = encodeModel(createModel(randomParts({ seed: 1 })));
  const cut = folder.file("cut.tlm");
  await Deno.writeFile(cut, bytes.subarray(0, bytes.length - 8));
  const short = await assertRejects(() => loadModel(cut), ModelError);
  assertEquals(short.code, "E_MODEL_CORRUPT");
  assert(short.message.endsWith(`(in ${JSON.stringify(cut)})`), short.message);
});

Deno.test("loadModel() reads many files at a time, of sizes below, in and beyond those it reads at once", async () => {
  await using folder = await tempFolder();
  const models = [[1, 0], [40, 0], [40, 5e6]].map(([trees, length]) => {
    const parts = randomParts({ seed: trees, trees, depth: 9 });
    return createModel({ ...parts, info: { ...parts.info, note: "x".repeat(length) } });
  });
  const paths = [0, 1, 2, 1, 0, 1].map((k) => folder.file(`${k}.tlm`));
  const sizes = await Promise.all(models.map(async (model, k) => {
    const bytes = encodeModel(model, { inBits: false });
    await Deno.writeFile(folder.file(`${k}.tlm`), bytes);
    return bytes.length;
  }));
  assert(sizes[0] < 16384 && sizes[1] > 16384 && sizes[1] < 4e6 && sizes[2] > 4.2e6, `${sizes}`);
  const loaded = await Promise.all(paths.map((path) => loadModel(path)));
  loaded.forEach((found, i) =>
    assertEquals(outcomeOf(found), outcomeOf(models[[0, 1, 2, 1, 0, 1][i]]))
  );
});

Deno.test("loadModel() reads a pipe to its end, and refuses one that is named as a file", async () => {
  await using folder = await tempFolder();
  const bytes = encodeModel(createModel(randomParts({ seed: 3, trees: 60, depth: 9 })));
  const [pipe, odd] = ["pipe", "pipe.tlm"].map((name) => folder.file(name));
  const { success } = await new Deno.Command("mkfifo", { args: [pipe, odd] }).output();
  assert(success);
  const writing = Deno.writeFile(pipe, bytes);
  assertEquals(encodeModel(await loadModel(pipe)), bytes);
  await writing;
  const refused = assertRejects(() => Deno.writeFile(odd, bytes), Deno.errors.BrokenPipe);
  assertEquals((await assertRejects(() => loadModel(odd), SourceError)).code, "E_IO_READ");
  await refused;
});

Deno.test("saveModel() replaces a file only when told to", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("m.tlm", "old");
  const error = await assertRejects(() => saveModel(model, path), SourceError);
  assertEquals([error.code, await Deno.readTextFile(path)], ["E_IO_WRITE", "old"]);
  await saveModel(model, path, { force: true });
  assertEquals((await loadModel(path)).schemaHash, model.schemaHash);
});

Deno.test("loadModel() refuses what is no path without printing it", async () => {
  for (const given of [new Uint8Array(5), new ArrayBuffer(5), [1, 2], 5, null, undefined]) {
    const error = await assertRejects(() => loadModel(given as unknown as string), ParameterError);
    assertEquals([error.code, error.details.param], ["E_PARAM_RANGE", "source"]);
    assert(!error.message.includes("0,0"), error.message);
  }
  const error = await assertRejects(() => loadModel(new Uint8Array(5) as never), ParameterError);
  assertEquals(error.message, "Cannot use source Uint8Array: expected a path or URL");
});

Deno.test("loadModel() says that a file is not there, and that a file is no model", async () => {
  await using folder = await tempFolder();
  for (const name of ["none.tlm", "none"]) {
    const missing = await assertRejects(() => loadModel(folder.file(name)), SourceError);
    assertEquals(missing.code, "E_IO_NOT_FOUND");
    assert(missing.message.endsWith(`${name}": there is no such file`), missing.message);
  }
  await Deno.mkdir(folder.file("folder.tlm"));
  const none = await assertRejects(() => loadModel(folder.file("folder.tlm")), SourceError);
  assertEquals(none.code, "E_IO_READ");
  const text = await folder.write("m.txt", "tree\nversion=v4\n");
  const foreign = await assertRejects(() => loadModel(text), ModelError);
  assertEquals(foreign.code, "E_MODEL_MAGIC");
});
