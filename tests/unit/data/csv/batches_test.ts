import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type BatchOptions, type CsvBatch, csvBatches } from "../../../../src/data/csv/batches.ts";
import { createScanner } from "../../../../src/data/csv/scan.ts";
import type { Schema } from "../../../../src/data/types.ts";
import { DataError, ParameterError } from "../../../../src/errors.ts";
import { streamOf as piecesOf } from "../../../support/stand_ins/pieces.ts";

const schema: Schema = {
  features: [
    { kind: "numeric", name: "x", missing: "learnt" },
    {
      kind: "categorical",
      name: "c",
      missing: "learnt",
      unknown: "heavier",
      categories: ["a", "?"],
    },
    { kind: "numeric", name: "gone", missing: "learnt" },
  ],
  target: { name: "y" },
  task: "regression",
  classes: [],
  extraColumns: "ignore",
  absentColumns: "missing",
};

function streamOf(text: string, size = text.length): ReadableStream<Uint8Array> {
  return piecesOf(new TextEncoder().encode(text), size);
}

async function batches(text: string, options: BatchOptions = {}, size = text.length) {
  const all: CsvBatch[] = [];
  for await (const batch of csvBatches(streamOf(text, size), schema, options)) all.push(batch);
  return all;
}

Deno.test("csvBatches() matches columns by name and categories by value", async () => {
  const text = "id,c,y,x\n7,a,1,1.5\n8,z,2,NA\n9,?,3,-2\n10,,4,0\n";
  const [batch] = await batches(text, { keep: ["id", "x"] });
  assertEquals(batch.data, {
    numRows: 4,
    features: [
      { kind: "numeric", name: "x", values: new Float64Array([1.5, NaN, -2, 0]) },
      {
        kind: "categorical",
        name: "c",
        codes: new Int32Array([0, 2, 1, -1]),
        categories: ["a", "?"],
      },
    ],
  });
  assertEquals(batch.kept, [["7", "8", "9", "10"], ["1.5", "NA", "-2", "0"]]);
  assertEquals(batch.keptNames, ["id", "x"]);
  assertEquals(batch.report, {
    rows: 4,
    missing: new Map([["x", 1], ["c", 1]]),
    unknown: new Map([["c", 1]]),
    absent: ["gone"],
    ignored: [],
  });
});

Deno.test("csvBatches() names the columns that the model does not use", async () => {
  const [batch] = await batches("zip,x,y\n1,2,3\n");
  assertEquals([batch.report.ignored, batch.report.absent], [["zip"], ["c", "gone"]]);
});

Deno.test("csvBatches() cuts batches of batchRows and counts rows on", async () => {
  const text = `x\n${Array.from({ length: 10 }, (_, i) => `${i}\n`).join("")}`;
  const all = await batches(text, { batchRows: 4, keep: [0] });
  assertEquals(all.map((batch) => [batch.firstRow, batch.data.numRows]), [[0, 4], [4, 4], [8, 2]]);
  assertEquals(all.flatMap((batch) => batch.kept[0]), [..."0123456789"]);
});

Deno.test("csvBatches() gives the same rows for pieces of any size", async () => {
  const text = `c,x,k\r\na,1,"p\nq"\r\n"?",2.5e-3,"r ""s"""\r\nzz,"7",é\r\n`;
  const flat = (all: CsvBatch[]) =>
    all.map(({ data, kept }) =>
      data.features.map((column) =>
        column.kind === "numeric" ? [...column.values] : [...column.codes]
      ).concat(kept as unknown as number[][])
    ).reduce((sum, part) => sum.map((column, i) => [...column, ...part[i]]));
  const whole = flat(await batches(text, { keep: ["k"] }));
  assertEquals(whole as unknown, [[1, 0.0025, 7], [0, 1, 2], ["p\nq", `r "s"`, "é"]]);
  const { length } = new TextEncoder().encode(text);
  for (let size = 1; size < length; size++) {
    assertEquals(flat(await batches(text, { keep: ["k"] }, size)), whole);
  }
});

Deno.test("csvBatches() yields what has come, without waiting for a full batch", async () => {
  let send = (_: string) => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (text) => controller.enqueue(new TextEncoder().encode(text));
    },
  });
  const reading = csvBatches(stream, schema);
  send("x,c\n1,a\n");
  assertEquals((await reading.next()).value?.data.numRows, 1);
  send("2,a\n3,a\n");
  assertEquals((await reading.next()).value?.data.numRows, 2);
  await reading.return();
});

Deno.test("csvBatches() fills batches from pieces that are there, whatever their size", async () => {
  const text = `x\n${"1\n".repeat(50)}`;
  for (const size of [2, 7, 64]) {
    const all = await batches(text, { batchRows: 20 }, size);
    assertEquals(all.map((batch) => [batch.firstRow, batch.data.numRows]), [
      [0, 20],
      [20, 20],
      [40, 10],
    ]);
  }
});

Deno.test("csvBatches() ends a batch of long rows at a megabyte of input", async () => {
  const row = `1,${"z".repeat(1000)}\n`;
  const all = await batches(`x,c\n${row.repeat(3000)}`, {}, 1 << 16);
  assertEquals(all.reduce((rows, { data }) => rows + data.numRows, 0), 3000);
  for (const { data } of all) assert(data.numRows <= ((1 << 20) + (1 << 16)) / 1000);
});

Deno.test("csvBatches() reads one piece ahead of who takes the batches, and no more", async () => {
  let pieces = 0;
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) =>
      controller.enqueue(new TextEncoder().encode(pieces++ === 0 ? "x\n1\n" : "2\n")),
    cancel: () => void (cancelled = true),
  }, { highWaterMark: 0 });
  const reading = csvBatches(stream, schema, { batchRows: 1 });
  for (let taken = 1; taken < 9; taken++) {
    assertEquals((await reading.next()).value?.firstRow, taken - 1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    assertEquals(pieces, taken + 1);
  }
  await reading.return();
  assert(cancelled);
});

Deno.test("csvBatches() is left while a read waits, and lets the input go", async () => {
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("x\n1\ntext\n")),
    cancel: () => void (cancelled = true),
  });
  await assertRejects(() => csvBatches(stream, schema).next(), DataError, "line 3");
  assert(cancelled);
});

Deno.test("csvBatches() yields the rows before a read that fails", async () => {
  let pieces = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (pieces === 3) throw new Error("unplugged");
      controller.enqueue(new TextEncoder().encode(pieces++ === 0 ? "x\n1\n" : "2\n"));
    },
  });
  const reading = csvBatches(stream, schema);
  assertEquals((await reading.next()).value?.data.numRows, 3);
  await assertRejects(() => reading.next(), Error, "unplugged");
});

Deno.test("csvBatches() of a header alone yields nothing; of nothing it fails", async () => {
  assertEquals(await batches("x,c\n"), []);
  const error = await assertRejects(() => batches(""), DataError);
  assertEquals(error.code, "E_DATA_EMPTY");
});

Deno.test("csvBatches() names line and column of text in a number column", async () => {
  const error = await assertRejects(() => batches("x,c\n1,a\n4O,b\n"), DataError);
  assertEquals(error.message, `Cannot read column "x" at line 3: "4O" is not a number`);
  const kept = await assertRejects(() => batches("x,c\n1,a\n4O,b\n", { keep: ["x"] }), DataError);
  assertEquals(kept.message, error.message);
  const all = await batches("x,c\n1,a\n4O,b\n3,?\n5\n6,a\n", { badRows: "skip:2", keep: ["c"] });
  assertEquals(all[0].data.features[0], {
    kind: "numeric",
    name: "x",
    values: new Float64Array([1, 3, 6]),
  });
  assertEquals(all[0].kept, [["a", "?", "a"]]);
});

Deno.test("csvBatches() refuses what the schema's rules refuse, with its value", async () => {
  const strict: Schema = {
    ...schema,
    features: [
      { kind: "numeric", name: "x", missing: "error" },
      { kind: "categorical", name: "c", missing: "error", unknown: "error", categories: ["a"] },
    ],
  };
  const failure = async (text: string) => {
    const error = await assertRejects(
      async () => await csvBatches(streamOf(text), strict).next(),
      DataError,
    );
    return error.message;
  };
  assertStringIncludes(
    await failure("x,c\n1,z\n"),
    `column "c" at line 2: "z" is not one of the 1`,
  );
  assertStringIncludes(await failure("x,c\n,a\n"), `column "x" at line 2: the value is missing`);
  assertStringIncludes(await failure("x,c\n1,NA\n"), `column "c" at line 2: the value is missing`);
});

Deno.test("csvBatches() reads codes of models without a vocabulary as numbers", async () => {
  const coded: Schema = {
    ...schema,
    features: [{
      kind: "categorical",
      name: "x",
      missing: "heavier",
      unknown: "heavier",
      categories: ["0", "1"],
      coded: true,
    }],
  };
  const { value } = await csvBatches(streamOf("x\n1\n2.7\n\n5\n"), coded).next();
  assertEquals(value?.data.features[0], {
    kind: "numeric",
    name: "x",
    values: new Float64Array([1, 2.7, NaN, 5]),
  });
});

Deno.test("csvBatches() of nothing yields nothing where no header is expected", async () => {
  assertEquals(await batches("", { names: ["x", "c"] }), []);
});

// The room for bytes, as scanners are made: a kernel takes time to start, and room to be fast.
Deno.test("csvBatches() reads small files in small room, and the same cells of pieces of any size", async () => {
  const roomOf = async (text: string, size?: number) => {
    const room: number[] = [];
    const rows = await batches(text, {
      createScanner(config) {
        room.push(config.inputBytes);
        return createScanner(config);
      },
    }, size);
    const xs = rows.flatMap(({ data: { features: [x] } }) =>
      x?.kind === "numeric" ? [...x.values] : []
    );
    const codes = rows.flatMap(({ data: { features: [, c] } }) =>
      c?.kind === "categorical" ? [...c.codes] : []
    );
    return { room, xs, codes };
  };
  const table = (count: number) =>
    `x,c\n${Array.from({ length: count }, (_, i) => `${i},"${i % 3 ? "a" : "?"}"\n`).join("")}`;
  const small = await roomOf(table(10));
  assertEquals(small.room, [1024]);
  assertEquals(small.xs, Array.from({ length: 10 }, (_, i) => i));
  const expected = {
    xs: Array.from({ length: 60_000 }, (_, i) => i),
    codes: Array.from({ length: 60_000 }, (_, i) => i % 3 ? 0 : 1),
  };
  for (const size of [61, 5000, 30_000, 50_000, 600_000]) {
    const { room, ...cells } = await roomOf(table(60_000), size);
    assertEquals(room.at(-1), 1 << 18, `${size}`);
    assertEquals(room.length, size < 1 << 15 ? 2 : 1, `${size}`);
    assertEquals(cells, expected, `${size}`);
  }
});

Deno.test("csvBatches() refuses cells that are no UTF-8: they are neither missing nor unknown", async () => {
  const head = new TextEncoder().encode("id,c,x\n1,a,2\n");
  // A lone 0xff as a category, as a kept column, as a number.
  for (const [column, row] of [["c", "3,\u00ff,4"], ["id", "\u00ff,a,4"], ["x", "3,a,\u00ff"]]) {
    const latin1 = Uint8Array.from(`${row}\n`, (char) => char.charCodeAt(0));
    const stream = new Blob([head, latin1]).stream();
    const error = await assertRejects(
      async () => await Array.fromAsync(csvBatches(stream, schema, { keep: ["id"] })),
      DataError,
    );
    assertEquals([error.details.line, error.details.column], [3, column], row);
    const kept: CsvBatch[] = await Array.fromAsync(
      csvBatches(new Blob([head, latin1]).stream(), schema, { keep: ["id"], badRows: "skip:1" }),
    );
    assertEquals(kept.map(({ data }) => data.numRows), [1], row);
  }
});

Deno.test("csvBatches() reads other async iterables, and ends them without waiting for more", async () => {
  let ended = false;
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      yield new TextEncoder().encode("x,c\n1,a\n");
      await promise; // the input pauses
      yield new TextEncoder().encode("2,a\n");
    } finally {
      ended = true;
    }
  }
  const open = () => pieces() as unknown as ReadableStream<Uint8Array>;
  for await (const { data } of csvBatches(open(), schema)) {
    assertEquals(data.numRows, 1);
    break;
  }
  assertEquals(ended, false);
  resolve();
  const all: CsvBatch[] = await Array.fromAsync(csvBatches(open(), schema, { keep: ["x"] }));
  assertEquals(all.flatMap(({ kept }) => kept[0]), ["1", "2"]);
  assertEquals(ended, true);
});

Deno.test("csvBatches() says what it reads where it is given something else", async () => {
  for (const given of [undefined, null, "x,c\n1,a\n", {}]) {
    await assertRejects(
      () => csvBatches(given as unknown as ReadableStream<Uint8Array>, schema).next(),
      ParameterError,
      "expected a ReadableStream",
    );
  }
});

Deno.test("csvBatches() says where the target's column is", async () => {
  const error = await assertRejects(
    () => batches("x,c,y\n1,a,2\n", { target: "y" } as unknown as BatchOptions),
    ParameterError,
  );
  assertEquals([error.code, error.details.param], ["E_PARAM_UNKNOWN", "target"]);
  assertStringIncludes(error.message, 'keep: ["name"] hands its text on');
  const [batch] = await batches("x,c,y\n1,a,2\n", { keep: ["y"] });
  assertEquals(batch.kept, [["2"]]);
  assertEquals(batch.report.ignored, []);
});
