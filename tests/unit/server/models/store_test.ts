import { assertEquals, assertRejects } from "@std/assert";
import { SourceError, UsageError } from "../../../../src/errors.ts";
import { saveModel } from "../../../../src/files/model_file.ts";
import { openModelStore } from "../../../../src/server/models/store.ts";
import { DEFAULT_LIMITS } from "../../../../src/server/types.ts";
import { numbersModel } from "../../../support/small_models.ts";

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("openModelStore() finds files and versioned folders, and loads nothing yet", () =>
  inFolder(async (folder) => {
    await saveModel(numbersModel(), `${folder}/flat.tlm`);
    await Deno.mkdir(`${folder}/many`);
    for (const label of ["2", "10", "9"]) {
      await saveModel(numbersModel(Number(label)), `${folder}/many/${label}.tlm`);
    }
    await Deno.writeTextFile(`${folder}/many/aliases.json`, '{"aliases":{"champion":"9"}}');
    await Deno.writeTextFile(`${folder}/notes.txt`, "no model");
    const { registry } = await openModelStore([folder, `own=${folder}/flat.tlm`], DEFAULT_LIMITS);
    assertEquals(registry.names(), ["flat", "many", "own"]);
    assertEquals(registry.versions("many"), {
      labels: ["2", "9", "10"],
      aliases: [["champion", "9"]],
      current: "10",
      shadow: undefined,
    });
    assertEquals(registry.loaded(), []);
    assertEquals((await registry.get("many", "champion")).label, "9");
  }));

Deno.test("refresh() replaces changed models, keeps damaged ones, adds and removes", () =>
  inFolder(async (folder) => {
    const path = `${folder}/m.tlm`;
    await saveModel(numbersModel(1), path);
    const { registry, refresh } = await openModelStore([folder], DEFAULT_LIMITS);
    const first = await registry.get("m");
    assertEquals(await refresh(), []);
    await saveModel(numbersModel(2), path, { force: true });
    const [line] = await refresh();
    const second = await registry.get("m");
    assertEquals(line, `replaced m: ${second.version}`);
    assertEquals(second.version === first.version, false);
    await Deno.writeTextFile(path, "damaged");
    assertEquals((await refresh())[0].startsWith("kept m: "), true);
    assertEquals((await registry.get("m")).version, second.version);
    await saveModel(numbersModel(3), `${folder}/n.tlm`);
    assertEquals((await refresh())[0].startsWith("added n: "), true);
    await Deno.remove(`${folder}/n.tlm`);
    assertEquals(await refresh(), ["removed n"]);
    assertEquals(registry.names(), ["m"]);
  }));

Deno.test("refresh() adds a new model whose first file was damaged once it can be read", () =>
  inFolder(async (folder) => {
    await saveModel(numbersModel(1), `${folder}/m.tlm`);
    const { registry, refresh } = await openModelStore([folder], DEFAULT_LIMITS);
    await Deno.writeTextFile(`${folder}/n.tlm`, "damaged");
    assertEquals((await refresh())[0].startsWith("kept n: "), true);
    assertEquals(registry.names(), ["m"]);
    await saveModel(numbersModel(2), `${folder}/n.tlm`, { force: true });
    const [line] = await refresh();
    assertEquals(line, `added n: ${(await registry.get("n")).version}`);
  }));

Deno.test("openModelStore() refuses absent files and two models of one name", () =>
  inFolder(async (folder) => {
    await saveModel(numbersModel(), `${folder}/m.tlm`);
    await assertRejects(() => openModelStore([`${folder}/none.tlm`], DEFAULT_LIMITS), SourceError);
    const twice = [`${folder}/m.tlm`, `m=${folder}/m.tlm`];
    await assertRejects(() => openModelStore(twice, DEFAULT_LIMITS), UsageError);
  }));
