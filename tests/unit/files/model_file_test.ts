import { assert, assertEquals, assertRejects } from "@std/assert";
import { ModelError, ParameterError, SourceError } from "../../../src/errors.ts";
import { loadModel, saveModel } from "../../../src/files/model_file.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { createModel } from "../../../src/model/model.ts";
import { randomParts } from "../../support/models.ts";
import { tempFolder } from "../../support/temp.ts";

const model = createModel(randomParts({ seed: 1, categorical: 1 }));

Deno.test("loadModel() reads what saveModel() wrote, by path, file URL and data URL", async () => {
  await using folder = await tempFolder();
  const path = folder.file("m.tlm");
  await saveModel(model, path);
  const bytes = encodeModel(model);
  assertEquals(await Deno.readFile(path), bytes);
  const data = `data:application/octet-stream;base64,${btoa(String.fromCharCode(...bytes))}`;
  for (const source of [path, new URL(`file://${path}`), `file://${path}`, data]) {
    assertEquals(encodeModel(await loadModel(source)), bytes);
  }
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
  const missing = await assertRejects(() => loadModel(folder.file("none.tlm")), SourceError);
  assertEquals(missing.code, "E_IO_NOT_FOUND");
  const text = await folder.write("m.txt", "tree\nversion=v4\n");
  const foreign = await assertRejects(() => loadModel(text), ModelError);
  assertEquals(foreign.code, "E_MODEL_MAGIC");
});
