import { assertEquals, assertRejects } from "@std/assert";
import { parseLibsvm } from "../../../src/data/libsvm/parse.ts";
import type { LibsvmReport } from "../../../src/data/libsvm/part.ts";
import { DataError, ParameterError } from "../../../src/errors.ts";
import { readLibsvmOnThreads } from "../../../src/files/libsvm_threads.ts";
import { readData, readLibsvm } from "../../../src/files/read_data.ts";
import type { ReadTask } from "../../../src/files/read_parts.ts";
import { contents, createFakeReader } from "../../support/stand_ins/reader.ts";
import { assertChangesAreLeft } from "../../support/laws/parts.ts";
import { tempFolder } from "../../support/temp.ts";
import { startReaders } from "../../support/stand_ins/workers.ts";

/** Decimals of indices that rise in the file, and every third label with a weight. */
function table(numRows: number): string {
  return Array.from({ length: numRows }, (_, i) => {
    const label = i % 3 === 0 ? `${i % 2}:${1 + i % 5}` : i % 2;
    return `${label} 0:${i / 8} ${2 + i % 7}:${i * i % 97} ${10 + (i >> 10)}:1\n`;
  }).join("");
}

/** A run without threads: the other one is always a little late. */
const beside = { threads: 2, segmentBytes: 40, open: () => createFakeReader() };

for (const threads of [2, 3, 8]) {
  Deno.test(`readLibsvmOnThreads() reads on ${threads} threads what one reads`, async () => {
    await using folder = await tempFolder();
    const text = table(12_000);
    const path = await folder.write("a.libsvm", text);
    const answers: (LibsvmReport | undefined)[] = [];
    for (const absent of ["zero", "missing"] as const) {
      const workers = await startReaders(threads - 1, answers);
      const run = { threads, segmentBytes: 8000, open: () => workers.shift()! };
      const data = await readLibsvmOnThreads(path, { absent }, run);
      assertEquals(data && contents(data), contents(parseLibsvm(text, { absent })));
    }
    // Workers had their share of the rows.
    assertEquals(answers.some((report) => (report?.segments.length ?? 0) > 0), true);
  });
}

Deno.test("readLibsvmOnThreads() has columns and weights that only the end of a file names", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.libsvm", `${"1 0:2\n".repeat(30)}0:3 2:5\n`);
  const data = await readLibsvmOnThreads(path, { absent: "missing" }, beside);
  const column = (value: number, last: number) => [...Array<number>(30).fill(value), last];
  assertEquals(
    data?.features.map((one) => one.kind === "numeric" && [...one.values]),
    [column(2, NaN), column(NaN, NaN), column(NaN, 5)],
  );
  assertEquals([...data!.sampleWeight!], column(1, 3));
  assertEquals(data!.sparse, "missing");
});

Deno.test("readLibsvmOnThreads() has columns and weights of a row that another thread reads", async () => {
  await using folder = await tempFolder();
  for (let row = 0; row < 60; row++) {
    const text = `${"1 0:2\n".repeat(row)}0:3 2:5\n${"1 0:2\n".repeat(60 - row)}`;
    const path = await folder.write("a.libsvm", text);
    const run = { ...beside, segmentBytes: 6 };
    const data = await readLibsvmOnThreads(path, { absent: "missing" }, run);
    assertEquals(data && contents(data), contents(parseLibsvm(text, { absent: "missing" })));
  }
});

Deno.test("readLibsvmOnThreads() has the queries of all rows", async () => {
  await using folder = await tempFolder();
  const rows = Array.from({ length: 60 }, (_, i) => `${i % 3} qid:${i >> 2} 0:${i}\n`);
  const path = await folder.write("a.libsvm", rows.join(""));
  const data = await readLibsvmOnThreads(path, { absent: "zero" }, beside);
  assertEquals(data?.group && [...data.group], Array.from({ length: 60 }, (_, i) => i >> 2));
});

Deno.test("readLibsvmOnThreads() gives columns in shared memory", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.libsvm", "1 0:2 1:3\n".repeat(9));
  // Lines may be longer than segments.
  const run = { ...beside, segmentBytes: 7 };
  const data = await readLibsvmOnThreads(path, { absent: "zero" }, run);
  const buffers = data?.features.map((one) => one.kind === "numeric" && one.values.buffer);
  assertEquals(buffers?.map((buffer) => buffer instanceof SharedArrayBuffer), [true, true]);
});

Deno.test("readLibsvmOnThreads() says what was left out, once", async () => {
  await using folder = await tempFolder();
  const row = "1 0:2\n";
  const text = `${row.repeat(9)}\n0 0:x\n${row.repeat(9)}# only this\nlabel\n${row}0 3:1`;
  const path = await folder.write("a.libsvm", text);
  const said: string[] = [];
  const onWarning = (message: string) => void said.push(message);
  const options = { absent: "zero", badRows: "skip:2", onWarning } as const;
  const data = await readLibsvmOnThreads(path, options, beside);
  assertEquals([data?.numRows, data?.features.length], [20, 4]);
  assertEquals(said, ["Left out 2 bad rows, the first at line 11"]);
});

Deno.test("readLibsvmOnThreads() names the line of a weight that is wrong", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.libsvm", `${"1 0:2\n\n".repeat(30)}1:-1 0:1\n`);
  const read = () => readLibsvmOnThreads(path, { absent: "zero" }, beside);
  await assertRejects(read, DataError, "row 31 (line 61)");
});

Deno.test("readLibsvmOnThreads() reads a mark at the beginning of a line as one thread does", async () => {
  await using folder = await tempFolder();
  const lines = "1 0:2\n".repeat(1500);
  for (const text of [`\ufeff${lines}`, `${lines}\ufeff${lines}`, `${lines}\ufeff0 \ufeff0:1`]) {
    const path = await folder.write("a.libsvm", text);
    const options = { absent: "zero", badRows: "skip:1" } as const;
    const run = { ...beside, segmentBytes: 9000 };
    const data = await readLibsvmOnThreads(path, options, run);
    assertEquals(data && contents(data), contents(parseLibsvm(text, options)));
  }
});

Deno.test("readLibsvmOnThreads() leaves to one thread what is wrong, and says nothing of it", async () => {
  await using folder = await tempFolder();
  const rows = "1 0:2 1:3\n".repeat(20);
  const cases: { readonly [what: string]: string } = {
    "no label": `${rows}x 0:1\n${rows}`,
    "no index": `${rows}1 a:1\n${rows}`,
    "an index twice": `${rows}1 0:1 0:2\n${rows}`,
    "a query that is no whole number": `${rows}1 qid:0.5 0:2\n${rows}`,
    "a number beyond float64": `${rows}1 0:1e400\n${rows}`,
    "an index beyond the limit": `${rows}1 9:1\n${rows}`,
    "a line beyond the limit": `${rows}1 0:1${" ".repeat(110)}\n${rows}`,
    "wrong at the very end": `${rows}1 0`,
    "bytes that are no text": `${rows}1 0:2 # \0\n`,
    "an empty file": "",
    "no rows": "\n".repeat(100),
    "more rows than allowed": rows.repeat(5),
    "lone carriage returns": "1 0:2\r".repeat(90),
  };
  for (const [what, text] of Object.entries(cases)) {
    const bytes = new TextEncoder().encode(text).map((byte) => byte === 0 ? 0xff : byte);
    const path = await folder.write("a.libsvm", bytes);
    const said: string[] = [];
    const options = {
      absent: "zero",
      limits: { columns: 9, recordBytes: 100, rows: 99 },
      onWarning: (message: string) => void said.push(message),
    } as const;
    assertEquals(await readLibsvmOnThreads(path, options, beside), undefined, what);
    assertEquals(said, [], what);
  }
});

Deno.test("readLibsvmOnThreads() leaves more than 2 GB of values to one thread", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.libsvm", "1 99999:1\n".repeat(2700));
  const run = { ...beside, segmentBytes: 3000 };
  assertEquals(await readLibsvmOnThreads(path, { absent: "zero" }, run), undefined);
});

Deno.test("readLibsvmOnThreads() leaves packed files and addresses to one thread", async () => {
  await using folder = await tempFolder();
  const packed = new Blob(["1 0:2\n"]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const path = await folder.write("a.libsvm.gz", bytes);
  // Packed bytes are no rows either: that nobody reads them is seen by the threads.
  let opened = 0;
  const open = () => {
    opened++;
    return createFakeReader();
  };
  for (const source of [path, "data:,1 0:2"]) {
    const data = await readLibsvmOnThreads(source, { absent: "zero" }, { threads: 2, open });
    assertEquals([data, opened], [undefined, 0]);
  }
});

Deno.test("readLibsvmOnThreads() leaves a file that changes meanwhile to one thread", async () => {
  await assertChangesAreLeft(
    "",
    (value) => `${value} 0:1\n`,
    (path, options, run) => readLibsvmOnThreads(path, { ...options, absent: "zero" }, run),
  );
});

Deno.test("readLibsvmOnThreads() leaves a file to one thread where another fails while it writes", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.libsvm", table(2000));
  let wrote = 0;
  const onTask = (task: ReadTask) => {
    if (!("features" in task)) return;
    wrote++;
    throw new RangeError("no memory");
  };
  const open = () => createFakeReader({ onTask });
  const run = { threads: 2, segmentBytes: 200, open };
  assertEquals(await readLibsvmOnThreads(path, { absent: "zero" }, run), undefined);
  assertEquals(wrote, 1);
});

Deno.test("readLibsvm() reads a large file by the threads it is given", async () => {
  await using folder = await tempFolder();
  const long = `1 0:2${" ".repeat((1 << 20) - 16)}1:3\n`;
  const path = await folder.write("a.libsvm", `0 0:1\n${long.repeat(129)}`);
  const absent = "zero";
  const one = await readLibsvm(path, { absent });
  const isShared = ({ features: [a] }: typeof one) =>
    a.kind === "numeric" && a.values.buffer instanceof SharedArrayBuffer;
  assertEquals(isShared(one), false);
  for (const read of [readLibsvm, readData]) {
    const two = await read(path, { absent, threads: 2 });
    assertEquals(isShared(two), true);
    assertEquals(contents(two), contents(one));
  }
});

Deno.test("readLibsvm() on threads wants to be told what absent entries mean", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.libsvm", "1 0:2\n");
  await assertRejects(() => readLibsvmOnThreads(path, {}, beside), ParameterError, "absent");
});
