import { assertEquals } from "@std/assert";
import { parseCsv } from "../../../src/data/csv/parse.ts";
import { createHeadBuffer } from "../../../src/data/csv/head_buffer.ts";
import { type PartJob, type PartReport, readPart } from "../../../src/data/csv/part.ts";
import { createControl } from "../../../src/data/reading/segments.ts";
import type { AnyReport } from "../../../src/files/read_parts.ts";
import { readCsvOnThreads } from "../../../src/files/read_threads.ts";
import { openRange } from "../../../src/runtime/ranges.ts";
import { contents, createFakeReader } from "../../support/stand_ins/reader.ts";
import { assertChangesAreLeft } from "../../support/laws/parts.ts";
import { tempFolder } from "../../support/temp.ts";
import { startReaders, workersThatFail } from "../../support/stand_ins/workers.ts";

/** A table of numbers, words and quoted lines. */
function table(numRows: number): string {
  const rows = Array.from(
    { length: numRows },
    (_, i) =>
      `${i / 8},w${i * i % 97},${i % 50 === 0 ? `"two\nlines ${i % 3}"` : i % 7},${i % 2}\n`,
  );
  return `a,b,c,y\n${rows.join("")}`;
}

for (const threads of [2, 3, 8]) {
  Deno.test(`readCsvOnThreads() reads on ${threads} threads what one reads`, async () => {
    await using folder = await tempFolder();
    const text = table(60_000);
    const path = await folder.write("a.csv", text);
    const answers: (PartReport | undefined)[] = [];
    const workers = await startReaders(threads - 1, answers);
    const open = () => workers.shift()!;
    const run = { threads, segmentBytes: 2000, open };
    const data = await readCsvOnThreads(path, { target: "y" }, run);
    assertEquals(data && contents(data), contents(parseCsv(text, { target: "y" })));
    // Workers had their share of the rows.
    assertEquals(answers.some((report) => (report?.spans.length ?? 0) > 0), true);
  });
}

Deno.test("readCsvOnThreads() gives columns in shared memory", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.csv", "a,b\n1,x\n2,y\n");
  const data = await readCsvOnThreads(path, {}, {
    threads: 2,
    open: () => createFakeReader(),
  });
  const buffers = data?.features.map((one) =>
    one.kind === "numeric" ? one.values.buffer : one.codes.buffer
  );
  assertEquals(buffers?.every((buffer) => buffer instanceof SharedArrayBuffer), true);
});

Deno.test("readCsvOnThreads() keeps no level of a line in quotes that a segment began with", async () => {
  await using folder = await tempFolder();
  // A segment of 16 bytes begins at the "row" of ghosts, which is inside of a cell.
  const text = `a,b\n${"1,x\n".repeat(40)}2,"y\n9,ghost\n3,z"\n${"4,x\n".repeat(40)}`;
  const path = await folder.write("a.csv", text);
  for (const patience of [0, 1, 3]) {
    const data = await readCsvOnThreads(path, {}, {
      threads: 3,
      segmentBytes: 8,
      open: () => createFakeReader({ patience: () => patience }),
    });
    assertEquals(data && contents(data), contents(parseCsv(text)));
    assertEquals(data?.features[1].kind === "categorical" && data.features[1].categories, [
      "x",
      "y\n9,ghost\n3,z",
    ]);
  }
});

Deno.test("readCsvOnThreads() keeps no level of a row that is left out", async () => {
  await using folder = await tempFolder();
  const text = `a,b,c\n${"1,x,u\n".repeat(9)}2,y,v\0\n${"1,x,u\n".repeat(9)}`;
  const path = await folder.write("a.csv", text);
  const said: string[] = [];
  const data = await readCsvOnThreads(
    path,
    { badRows: "skip:1", onWarning: (message) => said.push(message) },
    { threads: 2, segmentBytes: 20, open: () => createFakeReader() },
  );
  assertEquals(data?.numRows, 18);
  assertEquals(
    data?.features.map((one) => one.kind === "categorical" ? one.categories : []),
    [[], ["x"], ["u"]],
  );
  assertEquals(said, ["Left out 1 bad row, the first at line 11"]);
});

Deno.test("readCsvOnThreads() leaves to one thread what is wrong, and says nothing of it", async () => {
  await using folder = await tempFolder();
  const rows = "1,2\n".repeat(20);
  const cases: { readonly [what: string]: string } = {
    "a ragged row": `a,b\n${rows}1,2,3\n${rows}`,
    "a quote that is not closed": `a,b\n${rows}1,"2\n${rows}`,
    "a number beyond float64": `a,b\n${rows}1,1e400\n${rows}`,
    "one column": `a\n${"1\n".repeat(40)}`,
    "an empty file": "",
    "no rows": "a,b\n",
    "names that repeat": `a,a\n${rows}`,
    "lone carriage returns": `a,b\r${"1,2\r".repeat(200)}`,
  };
  for (const [what, text] of Object.entries(cases)) {
    const path = await folder.write("a.csv", text);
    const said: string[] = [];
    const options = { target: 1, onWarning: (message: string) => void said.push(message) };
    const run = { threads: 2, segmentBytes: 20, open: () => createFakeReader() };
    assertEquals(await readCsvOnThreads(path, options, run), undefined, what);
    assertEquals(said, [], what);
  }
});

Deno.test("readCsvOnThreads() leaves packed files and addresses to one thread", async () => {
  await using folder = await tempFolder();
  const packed = new Blob(["a,b\n1,2\n"]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const path = await folder.write("a.csv.gz", bytes);
  assertEquals(await readCsvOnThreads(path, {}, { threads: 2 }), undefined);
  assertEquals(await readCsvOnThreads("data:text/csv,a,b\n1,2\n", {}, { threads: 2 }), undefined);
});

Deno.test("readCsvOnThreads() reads by itself where workers do not start", async () => {
  await using folder = await tempFolder();
  const text = table(300);
  const path = await folder.write("a.csv", text);
  for (const open of workersThatFail(createFakeReader)) {
    const data = await readCsvOnThreads(path, {}, { threads: 3, segmentBytes: 100, open });
    assertEquals(data && contents(data), contents(parseCsv(text)));
  }
});

Deno.test("readCsvOnThreads() ends all workers, also when one fails with a segment in hand", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.csv", table(2000));
  let ended = 0;
  const open = (fail: boolean) => () => {
    let steps = 0;
    const patience = () => {
      if (fail && ++steps === 3) worker.onerror?.(new ErrorEvent("error", { message: "gone" }));
      return fail && steps >= 3 ? Infinity : 0;
    };
    const worker = createFakeReader({ patience });
    const { terminate } = worker;
    worker.terminate = () => {
      ended++;
      terminate();
    };
    return worker;
  };
  const run = { threads: 3, segmentBytes: 100 };
  assertEquals(await readCsvOnThreads(path, {}, { ...run, open: open(true) }), undefined);
  assertEquals(ended >= 2, true);
  ended = 0;
  assertEquals((await readCsvOnThreads(path, {}, { ...run, open: open(false) }))?.numRows, 2000);
  assertEquals(ended, 2);
});

Deno.test("readCsvOnThreads() leaves a file that changes meanwhile to one thread", async () => {
  await assertChangesAreLeft(
    "a,b\n",
    (value) => `${value},x\n`,
    (path, options, run) => readCsvOnThreads(path, { ...options, target: 0 }, run),
  );
});

Deno.test("readCsvOnThreads() leaves a file to one thread where another fails at the very end", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.csv", table(2000));
  let read = 0;
  const onAnswer = (answer: AnyReport | undefined) => {
    if (answer === undefined || !("spans" in answer)) return;
    read += answer.spans.length;
    throw new RangeError("no memory");
  };
  const open = () => createFakeReader({ onAnswer });
  const run = { threads: 2, segmentBytes: 100, open };
  assertEquals(await readCsvOnThreads(path, {}, run), undefined);
  assertEquals(read > 0, true);
});

Deno.test("readPart() tells lines of rows only where they run out of step", async () => {
  const text = `a,b\n${'1,"say ""x"""\n'.repeat(300)}2,"two\nlines"\n${"3,x\n".repeat(50)}`;
  await using folder = await tempFolder();
  const path = await folder.write("a.csv", text);
  using file = openRange(path)!;
  const bytes = new TextEncoder().encode(text);
  const { head } = createHeadBuffer({}).push(bytes)!;
  const job: PartJob = {
    format: "csv",
    head,
    options: {},
    textColumns: new Set([1]),
    size: file.size,
    segmentBytes: 1 << 20,
    control: createControl(head),
    columns: [new SharedArrayBuffer(8 * 400), new SharedArrayBuffer(4 * 400)],
  };
  const steps = readPart(job, file);
  let step = steps.next();
  while (!step.done) step = steps.next();
  assertEquals(step.value?.lines, [{ row: 0, line: 2 }, { row: 301, line: 304 }]);
});
