import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ParameterError } from "../../../../src/errors.ts";
import { saveModel } from "../../../../src/files/model_file.ts";
import { createApp } from "../../../../src/server/create_app.ts";
import { createRegistry } from "../../../../src/server/models/registry.ts";
import { openModelStore } from "../../../../src/server/models/store.ts";
import { DEFAULT_LIMITS } from "../../../../src/server/admission/limits.ts";
import { numbersModel } from "../../../support/models/small.ts";
import { tempFolder } from "../../../support/temp.ts";

Deno.test("an alias that is the label of another version is refused: who asks for that one would get it", async () => {
  const [one, two] = ["caf\u00e9", "cafe\u0301"];
  const versions = { [one]: numbersModel(1), b: numbersModel(2) };
  for (const aliases of [{ [one]: "b" }, { [two]: "b" }, new Map([[two, "b"]])]) {
    const entry = { versions, aliases };
    const error = assertThrows(() => createApp({ models: { m: entry } }), ParameterError);
    assertEquals(error.code, "E_PARAM_CONFLICT");
    const registry = createRegistry([["m", versions.b]], DEFAULT_LIMITS);
    await assertRejects(() => registry.replace("m", entry), ParameterError);
    assertEquals((await registry.get("m")).label, "1");
  }
  const own = createRegistry([["m", { versions, aliases: { [two]: one } }]], DEFAULT_LIMITS);
  assertEquals((await own.get("m", two)).label, one);
});

Deno.test("an alias of an alias is no version that could answer", () => {
  const versions = { a: numbersModel(1) };
  const aliases = { first: "a", second: "first" };
  createApp({ models: { m: { versions, aliases, current: "first" } } });
  for (const key of ["current", "shadow"]) {
    const entry = { versions, aliases, [key]: "second" };
    assertThrows(() => createApp({ models: { m: entry } }), ParameterError, key);
  }
});

Deno.test("refresh() follows the other models while one's aliases.json cannot be read", async () => {
  await using folder = await tempFolder();
  const path = (name: string) => folder.file(name);
  for (const name of ["a", "b"]) {
    await Deno.mkdir(path(name));
    await saveModel(numbersModel(1), path(`${name}/1.tlm`));
  }
  const { registry, refresh } = await openModelStore([folder.path], DEFAULT_LIMITS);
  const labels = () => ["a", "b", "c"].map((name) => registry.versions(name).labels.join());
  await Deno.writeTextFile(path("a/aliases.json"), '{"current":"7"}');
  for (const name of ["a", "b"]) await saveModel(numbersModel(2), path(`${name}/2.tlm`));
  await Deno.mkdir(path("c"));
  await saveModel(numbersModel(3), path("c/1.tlm"));
  await Deno.writeTextFile(path("c/aliases.json"), "{");
  const said = await refresh();
  assertEquals(said.map((line) => line.split(":")[0]).sort(), ["kept a", "kept c", "replaced b"]);
  assertEquals(labels(), ["1", "1,2", ""]);
  assertEquals(await refresh(), []); // it is said once
  await Deno.remove(path("a/aliases.json"));
  await Deno.remove(path("c/aliases.json"));
  const then = await refresh();
  assertEquals(then.map((line) => line.split(":")[0]).sort(), ["added c", "replaced a"]);
  assertEquals(labels(), ["1,2", "1,2", "1"]);
  await Deno.writeTextFile(path("a/aliases.json"), "{");
  await refresh();
  await Deno.remove(path("a"), { recursive: true });
  assertEquals([await refresh(), labels()], [["removed a"], ["", "1,2", "1"]]);
});

Deno.test("a version whose file changes while aliases.json cannot be read is read once it can be", async () => {
  await using folder = await tempFolder();
  await Deno.mkdir(folder.file("m"));
  const [file, aliases] = [folder.file("m/1.tlm"), folder.file("m/aliases.json")];
  await saveModel(numbersModel(1), file);
  await Deno.writeTextFile(aliases, '{"aliases":{"1":"1"}}'); // of itself: nobody gets another
  const { registry, refresh } = await openModelStore([folder.path], DEFAULT_LIMITS);
  const answer = async () => (await registry.get("m", "1")).model.predictValue({ a: 1, b: 0 })[0];
  assertEquals(await answer(), 1);
  await Deno.writeTextFile(aliases, "{");
  await saveModel(numbersModel(7), file, { force: true });
  const [line] = await refresh();
  assertEquals([line.split(":")[0], await answer()], ["kept m", 1]);
  await Deno.writeTextFile(aliases, "{}");
  await refresh();
  assertEquals(await answer(), 7);
});
