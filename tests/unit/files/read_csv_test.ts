import { assertEquals, assertRejects } from "@std/assert";
import { readCsv } from "../../../src/files/read_csv.ts";
import { ParameterError, SourceError } from "../../../src/errors.ts";

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function withFile(
  name: string,
  bytes: Uint8Array,
  run: (path: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeFile(`${folder}/${name}`, bytes);
    await run(`${folder}/${name}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const text = `id,c,y\n${
  Array.from({ length: 20_000 }, (_, i) => `0${i},${i % 7},${i % 2}\n`).join("")
}x,1,1\n`;

Deno.test("readCsv() reads a packed file, twice where text follows numbers", async () => {
  await withFile("a.csv.gz", await gzip(text), async (path) => {
    const data = await readCsv(path, { target: "y" });
    assertEquals(data.numRows, 20_001);
    assertEquals(data.features.map((column) => column.kind), ["categorical", "numeric"]);
    const [id] = data.features;
    assertEquals(id.kind === "categorical" && id.categories.includes("07"), true);
  });
});

Deno.test("readCsv() fails with E_IO_READ on truncated gzip", async () => {
  const packed = await gzip(text);
  await withFile("a.csv.gz", packed.subarray(0, packed.length - 20), async (path) => {
    const error = await assertRejects(() => readCsv(path), SourceError);
    assertEquals(error.code, "E_IO_READ");
  });
});

Deno.test("readCsv() takes tabs for delimiters in files named .tsv", async () => {
  await withFile("a.tsv", new TextEncoder().encode("a,b\tc\n1,2\t3\n"), async (path) => {
    assertEquals((await readCsv(path)).features.map((column) => column.name), ["a,b", "c"]);
  });
});

Deno.test("readCsv() reads a stream and a URL", async () => {
  const url = `data:text/csv,${encodeURIComponent("a,b\n1,2\n")}`;
  assertEquals((await readCsv(url)).numRows, 1);
  assertEquals((await readCsv(new Blob(["a,b\n1,2\n"]).stream())).numRows, 1);
});

Deno.test("readCsv() reads large files by as many threads as it is told, and no small ones", async () => {
  const row = `1.5,${"x".repeat(4000)},0\n`;
  const large = new TextEncoder().encode(`a,b,y\n${row.repeat(34_000)}`);
  const isShared = async (path: string, threads?: number) => {
    const data = await readCsv(path, { target: "y", ...(threads !== undefined && { threads }) });
    const [a, b] = data.features;
    assertEquals([a.kind, b.kind === "categorical" && b.categories], ["numeric", [
      "x".repeat(4000),
    ]]);
    return a.kind === "numeric" && a.values.buffer instanceof SharedArrayBuffer;
  };
  await withFile("a.csv", large, async (path) => {
    assertEquals(await isShared(path, 2), true);
    assertEquals(await isShared(path, 1), false);
    assertEquals(await isShared(path), false);
  });
  await withFile("a.csv", large.subarray(0, 6 + 3 * row.length), async (path) => {
    assertEquals(await isShared(path, 2), false);
    const error = await assertRejects(() => readCsv(path, { threads: 0 }), ParameterError);
    assertEquals(error.code, "E_PARAM_RANGE");
  });
});
