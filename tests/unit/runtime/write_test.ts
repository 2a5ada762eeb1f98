import { assertEquals, assertRejects } from "@std/assert";
import { SourceError } from "../../../src/errors.ts";
import { openWriter, writeBytes, writeText } from "../../../src/runtime/write.ts";

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const listing = (folder: string) => [...Deno.readDirSync(folder)].map((entry) => entry.name).sort();

Deno.test("writeBytes() writes a new file and leaves nothing beside it", async () => {
  await inFolder(async (folder) => {
    await writeBytes(`${folder}/m.tlm`, new Uint8Array([1, 2, 3]));
    assertEquals(await Deno.readFile(`${folder}/m.tlm`), new Uint8Array([1, 2, 3]));
    await writeText(new URL(`file://${folder}/a%20b.txt`), "é");
    assertEquals(await Deno.readTextFile(`${folder}/a b.txt`), "é");
    assertEquals(listing(folder), ["a b.txt", "m.tlm"]);
  });
});

Deno.test("writeBytes() keeps an existing file unless force is set", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/m.tlm`;
    await writeText(path, "old");
    const error = await assertRejects(() => writeText(path, "new"), SourceError);
    assertEquals(error.code, "E_IO_WRITE");
    assertEquals(await Deno.readTextFile(path), "old");
    await writeText(path, "new", { force: true });
    assertEquals(await Deno.readTextFile(path), "new");
    assertEquals(listing(folder), ["m.tlm"]);
  });
});

Deno.test("openWriter() shows nothing before commit and nothing after abort", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/out.csv`;
    const writer = await openWriter(path);
    await writer.write(new TextEncoder().encode("half"));
    await assertRejects(() => Deno.stat(path), Deno.errors.NotFound);
    await writer.abort();
    assertEquals(listing(folder), []);
  });
});

Deno.test("openWriter() with late tries the place and keeps nothing there before the first bytes", async () => {
  await inFolder(async (folder) => {
    const late = { late: true };
    await assertRejects(() => openWriter(`${folder}/none/m.tlm`, late), SourceError);
    const writer = await openWriter(`${folder}/m.tlm`, late);
    assertEquals(listing(folder), []);
    await writer.write(new Uint8Array([1]));
    await writer.write(new Uint8Array([2]));
    assertEquals(listing(folder).length, 1);
    await writer.commit();
    assertEquals(listing(folder), ["m.tlm"]);
    assertEquals(await Deno.readFile(`${folder}/m.tlm`), new Uint8Array([1, 2]));

    const unused = await openWriter(`${folder}/m.tlm`, { ...late, force: true });
    await unused.abort();
    assertEquals(listing(folder), ["m.tlm"]);
  });
});

Deno.test("openWriter() without force refuses a file that appeared meanwhile", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/out.csv`;
    const writer = await openWriter(path);
    await writer.write(new TextEncoder().encode("mine"));
    await Deno.writeTextFile(path, "theirs");
    const error = await assertRejects(() => writer.commit(), SourceError);
    assertEquals(error.code, "E_IO_WRITE");
    await writer.abort();
    assertEquals(await Deno.readTextFile(path), "theirs");
    assertEquals(listing(folder), ["out.csv"]);
  });
});

Deno.test("writeBytes() replaces the file behind a link and keeps its permissions", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/real`, "old", { mode: 0o600 });
    await Deno.symlink(`${folder}/real`, `${folder}/link`);
    await writeText(`${folder}/link`, "new", { force: true });
    assertEquals((await Deno.lstat(`${folder}/link`)).isSymlink, true);
    assertEquals(await Deno.readTextFile(`${folder}/real`), "new");
    assertEquals(((await Deno.stat(`${folder}/real`)).mode ?? 0) & 0o777, 0o600);
  });
});

Deno.test("writeBytes() says why it cannot write", async () => {
  await inFolder(async (folder) => {
    const missing = await assertRejects(() => writeText(`${folder}/no/x`, ""), SourceError);
    assertEquals(
      missing.message,
      `Cannot write "${folder}/no/x": its folder does not exist`,
    );
    const isFolder = await assertRejects(() => writeText(folder, ""), SourceError);
    assertEquals(isFolder.code, "E_IO_WRITE");
  });
});

Deno.test("writeBytes() writes to a device as it is", async () => {
  await writeBytes("/dev/null", new Uint8Array(10));
});
