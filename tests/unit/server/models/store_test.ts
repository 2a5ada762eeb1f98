import { assertEquals, assertNotEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ModelError, RequestError, SourceError, UsageError } from "../../../../src/errors.ts";
import { saveModel } from "../../../../src/files/model_file.ts";
import { openModelStore } from "../../../../src/server/models/store.ts";
import { DEFAULT_LIMITS } from "../../../../src/server/admission/limits.ts";
import { numbersModel } from "../../../support/models/small.ts";

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

Deno.test("openModelStore() sees models as Kubernetes mounts them, and nothing hidden or without an end", () =>
  inFolder(async (folder) => {
    // The links of a volume of a ConfigMap: m.tlm → ..data/m.tlm, ..data → a folder of the day.
    await Deno.mkdir(`${folder}/..2026_11_30`);
    await saveModel(numbersModel(11), `${folder}/..2026_11_30/m.tlm`);
    await Deno.symlink("..2026_11_30", `${folder}/..data`);
    await Deno.symlink("..data/m.tlm", `${folder}/m.tlm`);
    await Deno.writeTextFile(`${folder}/._m.tlm`, "what macOS writes beside a file");
    const pipe = new Deno.Command("mkfifo", { args: [`${folder}/pipe.tlm`] });
    assertEquals((await pipe.output()).success, true);
    const { registry, refresh } = await openModelStore([folder], DEFAULT_LIMITS);
    assertEquals(registry.names(), ["m"]);
    const { version } = await registry.get("m");
    await Deno.mkdir(`${folder}/..2026_12_01`);
    await saveModel(numbersModel(12), `${folder}/..2026_12_01/m.tlm`);
    await Deno.symlink("..2026_12_01", `${folder}/..data_tmp`);
    await Deno.rename(`${folder}/..data_tmp`, `${folder}/..data`);
    assertEquals((await refresh()).length, 1);
    assertNotEquals((await registry.get("m")).version, version);
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

/** Runs something while a function of Deno fails for one path, as it does when a share is away. */
async function failing(
  name: "readFile" | "stat",
  path: string,
  run: () => Promise<void>,
): Promise<void> {
  const real = Deno[name] as (path: string | URL) => Promise<never>;
  const fake = (given: string | URL) =>
    given === path ? Promise.reject(new Error("Stale file handle")) : real(given);
  Object.assign(Deno, { [name]: fake });
  try {
    await run();
  } finally {
    Object.assign(Deno, { [name]: real });
  }
}

Deno.test("refresh() tries what could not be read again, though the file is the same, and says so once", () =>
  inFolder(async (folder) => {
    const [path, added] = [`${folder}/m.tlm`, `${folder}/n.tlm`];
    await saveModel(numbersModel(1), path);
    const { registry, refresh } = await openModelStore([folder], DEFAULT_LIMITS);
    const first = await registry.get("m");
    await saveModel(numbersModel(2), path, { force: true });
    await saveModel(numbersModel(3), added);
    await failing("readFile", path, () =>
      failing("readFile", added, async () => {
        assertEquals(await refresh(), [
          `kept m: Cannot read "${path}": Stale file handle`,
          `kept n: Cannot read "${added}": Stale file handle`,
        ]);
        assertEquals(await refresh(), []);
        assertEquals((await registry.get("m")).version, first.version);
        assertEquals(registry.names(), ["m"]);
      }));
    const lines = await refresh();
    assertEquals(lines, [
      `replaced m: ${(await registry.get("m")).version}`,
      `added n: ${(await registry.get("n")).version}`,
    ]);
    assertNotEquals((await registry.get("m")).version, first.version);
    assertEquals(await refresh(), []);
    await failing("readFile", path, async () => {
      await saveModel(numbersModel(4), path, { force: true });
      assertEquals((await refresh()).length, 1);
    });
  }));

Deno.test("refresh() removes no model whose folder cannot be looked at, and says so once", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/many`);
    await saveModel(numbersModel(1), `${folder}/many/1.tlm`);
    await Deno.symlink(`${folder}/nowhere`, `${folder}/dead.tlm`);
    await Deno.symlink(`${folder}/loop`, `${folder}/loop`);
    const { registry, refresh } = await openModelStore([folder], DEFAULT_LIMITS);
    await failing("stat", `${folder}/many`, async () => {
      assertEquals(await refresh(), [
        `kept all models: Cannot list "${folder}": it cannot be read`,
      ]);
      assertEquals(await refresh(), []);
    });
    assertEquals(await refresh(), []);
    assertEquals(registry.names(), ["many"]);
  }));

Deno.test("files are found in either Unicode form of é, and no two of one name are served", () =>
  inFolder(async (folder) => {
    const [one, two] = ["caf\u00e9", "cafe\u0301"];
    await Deno.mkdir(`${folder}/${two}`);
    await saveModel(numbersModel(11), `${folder}/${two}/${two}.tlm`);
    const { registry, refresh } = await openModelStore([folder], DEFAULT_LIMITS);
    assertEquals(registry.names(), [one]);
    assertEquals((await registry.get(two, two)).label, one);
    assertEquals(await refresh(), []);
    await saveModel(numbersModel(12), `${folder}/${two}/${one}.tlm`);
    await assertRejects(() => openModelStore([folder], DEFAULT_LIMITS), UsageError);
    await Deno.remove(`${folder}/${two}/${one}.tlm`);
    await saveModel(numbersModel(12), `${folder}/${one}.tlm`);
    await assertRejects(() => openModelStore([folder], DEFAULT_LIMITS), UsageError);
    assertEquals((await refresh())[0].startsWith("kept all models: "), true);
  }));

Deno.test("aliases.json is refused where a label would be passed over", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/many`);
    for (const label of ["1", "2", "3"]) {
      await saveModel(numbersModel(Number(label)), `${folder}/many/${label}.tlm`);
    }
    const notes = `${folder}/many/aliases.json`;
    for (
      const text of [
        '{"current": 2}',
        '{"shadow": 3}',
        '{"shadw": null}',
        '{"curent": "2"}',
        '{"current": "4"}',
        '{"shadow": "challenger", "aliases": {"champion": "1"}}',
        '{"current": "a", "aliases": {"a": "b", "b": "1"}}',
        '{"aliases": {"1": "2"}}',
        '{"aliases": {"champion": 1}}',
        '{"aliases": ["1"]}',
        "[]",
        "null",
        "",
      ]
    ) {
      await Deno.writeTextFile(notes, text);
      const { code, message } = await assertRejects(
        () => openModelStore([folder], DEFAULT_LIMITS),
        ModelError,
      );
      assertEquals([text, code], [text, "E_MODEL_CORRUPT"]);
      assertStringIncludes(message, notes);
    }
    // Null is none, as programs write what is not set.
    await Deno.writeTextFile(notes, '{"current":null,"shadow":null,"aliases":null}');
    const none = (await openModelStore([folder], DEFAULT_LIMITS)).registry.versions("many");
    assertEquals(none, { labels: ["1", "2", "3"], aliases: [], current: "3", shadow: undefined });
    await Deno.writeTextFile(notes, '{"current":"2","shadow":"3","aliases":{"champion":"1"}}');
    const { registry } = await openModelStore([folder], DEFAULT_LIMITS);
    await Deno.writeTextFile(notes, '{"shadow":"champion","aliases":{"champion":"1"}}');
    assertEquals(
      (await (await openModelStore([folder], DEFAULT_LIMITS)).registry.shadow("many"))?.label,
      "1",
    );
    assertEquals((await registry.get("many")).label, "2");
    assertEquals((await registry.get("many", "champion")).label, "1");
    assertEquals(registry.versions("many").shadow, "3");
  }));

Deno.test("refresh() keeps versions that are loaded, whatever else of their name changes", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/v`);
    const file = (label: string) => `${folder}/v/${label}.tlm`;
    for (const label of ["1", "2"]) await saveModel(numbersModel(Number(label)), file(label));
    const { registry, refresh } = await openModelStore([folder], DEFAULT_LIMITS);
    const valueOf = async (label?: string) => {
      const { model } = await registry.get("v", label);
      return model.predictValue({ a: 1, b: 0 })[0];
    };
    assertEquals([await valueOf(), await valueOf("1")], [2, 1]);
    // One that is damaged answers as before, and so does the current one.
    await Deno.writeTextFile(file("1"), "damaged");
    const [kept, replaced] = await refresh();
    assertStringIncludes(kept, "kept v@1: ");
    assertStringIncludes(replaced, "replaced v: ");
    assertEquals([await valueOf(), await valueOf("1")], [2, 1]);
    assertEquals(await refresh(), []);
    // Notes and new versions leave it alone.
    await Deno.writeTextFile(`${folder}/v/aliases.json`, '{"current":"1"}');
    await saveModel(numbersModel(3), file("3"));
    assertEquals((await refresh()).length, 1);
    assertEquals([await valueOf(), await valueOf("2"), await valueOf("3")], [1, 2, 3]);
    // One that cannot be read is tried again, the others are followed meanwhile.
    await saveModel(numbersModel(11), file("1"), { force: true });
    await saveModel(numbersModel(12), file("2"), { force: true });
    await failing("readFile", file("1"), async () => {
      assertEquals((await refresh())[0], `kept v@1: Cannot read "${file("1")}": Stale file handle`);
      assertEquals([await valueOf("1"), await valueOf("2")], [1, 12]);
      const served = await registry.get("v", "2");
      assertEquals(await refresh(), []);
      assertEquals(await registry.get("v", "2") === served, true);
    });
    assertEquals((await refresh()).length, 1);
    assertEquals([await valueOf("1"), await valueOf("2")], [11, 12]);
    assertEquals(await refresh(), []);
    // A file of that name is no version of it.
    await saveModel(numbersModel(5), `${folder}/w.tlm`);
    await refresh();
    assertEquals((await registry.get("w")).label, "1");
    await Deno.remove(`${folder}/w.tlm`);
    await Deno.mkdir(`${folder}/w`);
    await saveModel(numbersModel(6), `${folder}/w/1.tlm`);
    await failing("readFile", `${folder}/w/1.tlm`, async () => {
      assertEquals(await refresh(), [
        `kept w: Cannot read "${folder}/w/1.tlm": Stale file handle`,
      ]);
    });
    assertEquals((await refresh()).length, 1);
    await Deno.remove(file("2"));
    await refresh();
    assertEquals(registry.versions("v").labels, ["1", "3"]);
    await assertRejects(() => registry.get("v", "2"), RequestError);
  }));
