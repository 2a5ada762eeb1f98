import { assertEquals, assertRejects } from "@std/assert";
import { DataError, SourceError } from "../../../src/errors.ts";
import { eachPiece } from "../../../src/runtime/pieces.ts";
import type { ByteSource } from "../../../src/runtime/open.ts";

async function collect(source: ByteSource): Promise<Uint8Array> {
  const parts: number[][] = [];
  await eachPiece(source, (piece) => void parts.push([...piece]));
  return Uint8Array.from(parts.flat());
}

async function withFile(bytes: Uint8Array, run: (path: string) => Promise<void>): Promise<void> {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeFile(path, bytes);
    await run(path);
  } finally {
    await Deno.remove(path);
  }
}

// Longer than two pieces of 256 kB, and no repeated pattern of a power of two.
const bytes = Uint8Array.from({ length: 600_001 }, (_, i) => i % 251);

Deno.test("eachPiece() reads a path, a file URL, bytes and a stream alike", async () => {
  await withFile(bytes, async (path) => {
    assertEquals(await collect(path), bytes);
    assertEquals(await collect(new URL(`file://${path}`)), bytes);
    assertEquals(await collect(`file://${path}`), bytes);
    assertEquals(await collect((await Deno.open(path)).readable), bytes);
  });
  assertEquals(await collect(bytes), bytes);
  assertEquals(await collect("data:text/csv,a%0A1"), new TextEncoder().encode("a\n1"));
});

Deno.test("eachPiece() unpacks gzip, and reads files of no bytes and of one", async () => {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  await withFile(packed, async (path) => assertEquals(await collect(path), bytes));
  for (const few of [new Uint8Array(0), Uint8Array.of(0x1f)]) {
    await withFile(few, async (path) => assertEquals(await collect(path), few));
  }
});

Deno.test({
  name: "eachPiece() takes all that comes through a named pipe",
  ignore: Deno.build.os === "windows",
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      const path = `${folder}/pipe`;
      assertEquals((await new Deno.Command("mkfifo", { args: [path] }).output()).success, true);
      const written = Deno.writeFile(path, bytes);
      assertEquals(await collect(path), bytes);
      await written;
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("eachPiece() fails with a SourceError on no file and on a folder", async () => {
  const missing = await assertRejects(() => collect("/no/such/file.csv"), SourceError);
  assertEquals(missing.code, "E_IO_NOT_FOUND");
  const folder = await assertRejects(() => collect(Deno.cwd()), SourceError);
  assertEquals(folder.code, "E_IO_READ");
});

Deno.test("eachPiece() passes on what the taker throws, and closes the file", async () => {
  await withFile(bytes, async (path) => {
    const taker = () => {
      throw new DataError("E_DATA_PARSE", "no");
    };
    // The sanitizer of resources sees a file that stays open.
    await assertRejects(() => eachPiece(path, taker), DataError, "no");
  });
});

Deno.test("eachPiece() writes a plain file to where it may, and hands on what it may not", async () => {
  await withFile(bytes, async (path) => {
    const out = new Uint8Array(bytes.length + 1);
    let used = 0;
    let handed = 0;
    // No room for the first piece, little room later.
    const room = () => used === 0 ? undefined : out.subarray(used, used + 100_003);
    await eachPiece(path, (piece) => {
      out.set(piece, used);
      used += piece.length;
      handed++;
    }, { room, filled: (count) => used += count });
    assertEquals([used, handed], [bytes.length, 1]);
    assertEquals(out.subarray(0, used), bytes);
  });
});
