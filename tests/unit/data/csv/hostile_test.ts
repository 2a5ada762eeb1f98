/** Bodies that mean harm: they end in a typed error that says where, soon. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { parseTable } from "../../../../src/data/csv/parse.ts";
import { createTablePass } from "../../../../src/data/csv/table.ts";
import { csvBatches } from "../../../../src/data/csv/batches.ts";
import type { Schema } from "../../../../src/data/types.ts";
import { DataError, SourceError } from "../../../../src/errors.ts";
import { readCsv } from "../../../../src/files/read_csv.ts";

const MEGABYTE = 1 << 20;
const limits = { recordBytes: MEGABYTE };

const schema: Schema = {
  features: [{ kind: "numeric", name: "x", missing: "learnt" }],
  task: "regression",
  classes: [],
  extraColumns: "ignore",
  absentColumns: "missing",
};

Deno.test("a line without end is refused once it passes the limit, header or not", async () => {
  for (const start of ["", "x,y\n", 'x,y\n1,"', "x,y\n1,2\n"]) {
    for (const byte of ["a", ",", "1", '"']) {
      const piece = new Uint8Array(MEGABYTE).fill(byte.charCodeAt(0));
      const pass = createTablePass({ limits });
      let taken = 0;
      const error = assertThrows(() => {
        pass.push(new TextEncoder().encode(start));
        for (; taken < 50; taken++) pass.push(piece);
      }, DataError);
      assertEquals(error.code, "E_DATA_LIMIT", start + byte);
      // The first two lines may both be as long as the limit, and are looked at when that has doubled.
      assert(taken < 10, `${taken} MB taken`);
      await assertRejects(async () => {
        let given = 0;
        const stream = new ReadableStream<Uint8Array>({
          pull(controller) {
            if (given++ === 0) controller.enqueue(new TextEncoder().encode(start || "\n"));
            else if (given > 50) controller.close();
            else controller.enqueue(piece);
          },
        });
        for await (const batch of csvBatches(stream, schema, { limits })) {
          assert(batch.data.numRows >= 0);
        }
      }, DataError);
    }
  }
});

Deno.test("csvBatches() gives a row as soon as it is whole and none follows, however short it is beside the header", async () => {
  const pieces = ["a very long name of a column,x\n", "1,2\n", "3,4\n"];
  const seen: number[] = [];
  // The last row is sent once the one before it was given.
  const given = Promise.withResolvers<void>();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (pieces.length === 1) await given.promise;
      const piece = pieces.shift();
      if (piece === undefined) return controller.close();
      controller.enqueue(new TextEncoder().encode(piece));
    },
  }, { highWaterMark: 0 });
  for await (const { data } of csvBatches(stream, schema)) {
    seen.push(data.numRows, pieces.length);
    given.resolve();
  }
  assertEquals(seen, [1, 1, 1, 0]);
});

Deno.test("gzip that is cut, damaged or followed by something else is refused with its place", async () => {
  const text = Array.from({ length: 3000 }, (_, i) => `${i},${i * i % 97}\n`).join("");
  const packed = new Uint8Array(
    await new Response(
      new Blob([`x,y\n${text}`]).stream().pipeThrough(new CompressionStream("gzip")),
    ).arrayBuffer(),
  );
  const flipped = packed.slice();
  flipped[flipped.length - 5] ^= 1;
  const bodies = [
    packed.slice(0, 10),
    packed.slice(0, packed.length >> 1),
    packed.slice(0, packed.length - 1),
    flipped,
    new Uint8Array([...packed, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
  ];
  for (const body of bodies) {
    const error = await assertRejects(() => readCsv(body), SourceError);
    assertEquals(error.code, "E_IO_READ");
    assert(error.message.includes(`within ${body.length} bytes`), error.message);
  }
});

Deno.test("quotes and bytes that are no text are refused by line and column, or left out", () => {
  const plain = "1,a\n".repeat(300);
  const bad: [string, string][] = [
    ['2,a"b\n', "y"],
    ['2,"a"b\n', "y"],
    ["2,\xff\n", "y"],
    ["2,a\0b\n", "y"],
    ['"2,a\n', "x"],
  ];
  for (const [line, column] of bad) {
    const bytes = Uint8Array.from(`x,y\n${plain}${line}${plain}`, (char) => char.charCodeAt(0));
    const error = assertThrows(() => parseTable(bytes), DataError);
    const position = column === "x" ? 1 : 2;
    assertEquals([error.code, error.details], ["E_DATA_PARSE", { line: 302, position, column }]);
    assertEquals(parseTable(bytes, { badRows: "skip:1" }).numRows, 600);
  }
});
