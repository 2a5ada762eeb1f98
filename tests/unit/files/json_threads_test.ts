import { assertEquals } from "@std/assert";
import { parseJsonLines } from "../../../src/data/records/json_lines.ts";
import type { JsonReport } from "../../../src/data/records/json_part.ts";
import { readJsonOnThreads } from "../../../src/files/json_threads.ts";
import { readJsonLines } from "../../../src/files/read_data.ts";
import type { AnyReport } from "../../../src/files/read_parts.ts";
import { contents, createFakeReader } from "../../support/stand_ins/reader.ts";
import { assertChangesAreLeft } from "../../support/laws/parts.ts";
import { tempFolder } from "../../support/temp.ts";
import { startReaders } from "../../support/stand_ins/workers.ts";

/** Numbers, words with escapes, true and false, and a key that every third row lacks. */
function table(numRows: number): string {
  return Array.from({ length: numRows }, (_, i) => {
    const sometimes = i % 3 === 0 ? "" : `, "d": ${i % 5}`;
    return `{"a": ${i / 8}, "b": "w\\n${i * i % 97}", "c": ${i % 2 === 0}${sometimes}}\n`;
  }).join("");
}

/** A run without threads: the other one is always a little late. */
const beside = {
  threads: 2,
  segmentBytes: 40,
  sampleBytes: 60,
  open: () => createFakeReader(),
};

for (const threads of [2, 3]) {
  Deno.test(`readJsonOnThreads() reads on ${threads} threads what one reads`, async () => {
    await using folder = await tempFolder();
    const text = table(60_000);
    const path = await folder.write("a.jsonl", text);
    const answers: (JsonReport | undefined)[] = [];
    const workers = await startReaders(threads - 1, answers);
    const run = { threads, segmentBytes: 2000, open: () => workers.shift()! };
    const data = await readJsonOnThreads(path, { target: "c" }, run);
    assertEquals(data && contents(data), contents(parseJsonLines(text, { target: "c" })));
    // Workers had their share of the rows.
    assertEquals(answers.some((report) => (report?.spans.length ?? 0) > 0), true);
  });
}

Deno.test("readJsonOnThreads() finds keys and kinds that the beginning does not show", async () => {
  await using folder = await tempFolder();
  const few = '{"a": 1, "b": 2}\n'.repeat(30);
  const path = await folder.write(
    "a.jsonl",
    `${few}{"z": 1, "b": "x"}\n${few}{"c": true, "1": 0}\n`,
  );
  const data = await readJsonOnThreads(path, {}, beside);
  const column = (value: number) => [...Array<number>(30).fill(value)];
  const [a, b, z, one, c] = data!.features;
  assertEquals(data!.features.map(({ name }) => name), ["a", "b", "z", "1", "c"]);
  assertEquals(a.kind === "numeric" && [...a.values], [...column(1), NaN, ...column(1), NaN]);
  assertEquals(b.kind === "categorical" && b.categories, ["2", "x"]);
  assertEquals(b.kind === "categorical" && [...b.codes], [...column(0), 1, ...column(0), -1]);
  assertEquals(z.kind === "numeric" && z.values.indexOf(1), 30);
  assertEquals(one.kind === "numeric" && one.values.indexOf(0), 61);
  assertEquals(c.kind === "categorical" && c.categories, ["true"]);
});

Deno.test("readJsonOnThreads() has keys that threads find in the order of their rows", async () => {
  await using folder = await tempFolder();
  // A new key every third row, of two in the order of their line.
  const keys = Array.from({ length: 200 }, (_, i) => [`k${997 * i % 1000}`, `l${i * 7 % 1000}`]);
  const text = keys.map(([k, l]) => `{"a": 1}\n{"a": 2}\n{"${k}": "x", "${l}": 3}\n`).join("");
  const path = await folder.write("a.jsonl", text);
  const found: number[] = [];
  const onAnswer = (answer: AnyReport | undefined) => {
    if (answer !== undefined && "found" in answer) found.push(answer.found.length);
  };
  const open = () => createFakeReader({ onAnswer });
  const run = { threads: 3, segmentBytes: 9, sampleBytes: 40, open };
  const data = await readJsonOnThreads(path, {}, run);
  assertEquals(data?.features.map(({ name }) => name), ["a", ...keys.flat()]);
  assertEquals(found.some((keys) => keys > 1), true);
});

Deno.test("readJsonOnThreads() gives columns in shared memory", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.jsonl", '{"a": 1, "b": "x"}\n'.repeat(9));
  // Lines may be longer than segments.
  const data = await readJsonOnThreads(path, {}, { ...beside, segmentBytes: 7 });
  const buffers = data?.features.map((one) =>
    one.kind === "numeric" ? one.values.buffer : one.codes.buffer
  );
  assertEquals(buffers?.map((buffer) => buffer instanceof SharedArrayBuffer), [true, true]);
});

Deno.test("readJsonOnThreads() says what was left out, once", async () => {
  await using folder = await tempFolder();
  const row = '{"a": 1, "b": 2}\n';
  const text = `${row.repeat(9)}\n{"a": [1]}\n${row.repeat(9)}{"late": 1\n${row}{"b": "x"}`;
  const path = await folder.write("a.jsonl", text);
  const said: string[] = [];
  const onWarning = (message: string) => void said.push(message);
  const data = await readJsonOnThreads(path, { badRows: "skip:2", onWarning }, beside);
  assertEquals(data?.numRows, 20);
  assertEquals(data?.features.map(({ name }) => name), ["a", "b"]);
  assertEquals(said, ["Left out 2 bad rows, the first at line 11"]);
});

Deno.test("readJsonOnThreads() leaves to one thread what is wrong, and says nothing of it", async () => {
  await using folder = await tempFolder();
  const rows = '{"a": 1, "b": "x"}\n'.repeat(20);
  const cases: { readonly [what: string]: string } = {
    "no JSON": `${rows}{"a": 1\n${rows}`,
    "nested values": `${rows}{"a": {}}\n${rows}`,
    "a key twice": `${rows}{"a": 1, "a": 1}\n${rows}`,
    "a number beyond float64": `${rows}{"a": 1e400}\n${rows}`,
    "text that is a number beyond float64": '{"a": 1, "b": "1e400"}\n'.repeat(20),
    "a line beyond the limit": `${rows}{"a": 1${" ".repeat(110)}}\n${rows}`,
    "wrong at the very end": `${rows}{"a"`,
    "a mark inside": `${rows}\ufeff{"a": 1}\n`,
    "names that repeat": `${rows}{"e\u0301": 1, "\u00e9": 2}\n`,
    "no such column": rows.replaceAll("a", "c"),
    "an empty file": "",
    "no rows": "\n".repeat(100),
    "lone carriage returns": '{"a": 1}\r'.repeat(90),
  };
  for (const [what, text] of Object.entries(cases)) {
    const path = await folder.write("a.jsonl", text);
    const said: string[] = [];
    const options = {
      types: { a: "numeric" },
      limits: { recordBytes: 100 },
      onWarning: (message: string) => void said.push(message),
    } as const;
    assertEquals(await readJsonOnThreads(path, options, beside), undefined, what);
    assertEquals(said, [], what);
  }
});

Deno.test("readJsonOnThreads() leaves a file that changes meanwhile to one thread", async () => {
  await assertChangesAreLeft("", (value) => `{"a": ${value}, "b": "x"}\n`, readJsonOnThreads);
});

Deno.test("readJsonLines() reads a large file by the threads it is given", async () => {
  await using folder = await tempFolder();
  const long = `{"a": 2,${" ".repeat((1 << 20) - 16)}"b": 3}\n`;
  const path = await folder.write("a.jsonl", `{"a": 1}\n${long.repeat(129)}`);
  const [one, two] = [await readJsonLines(path), await readJsonLines(path, { threads: 2 })];
  const isShared = ({ features: [, a] }: typeof one) =>
    a.kind === "numeric" && a.values.buffer instanceof SharedArrayBuffer;
  assertEquals([isShared(one), isShared(two)], [false, true]);
  assertEquals(contents(two), contents(one));
});
