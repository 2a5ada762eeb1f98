/** CASES L: CSV as it comes, through the public functions and the command line. */
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { csvBatches, DataError, parseCsv, readCsv, trainBoost } from "../../mod.ts";
import { cli, type CliRun } from "../support/cli.ts";

const csv = (text: string) => text.replaceAll("|", "\n") + "\n";
const encoder = new TextEncoder();

async function withFiles(
  files: { readonly [name: string]: string | Uint8Array },
  run: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, content] of Object.entries(files)) {
      const bytes = typeof content === "string" ? encoder.encode(content) : content;
      await Deno.writeFile(`${folder}/${name}`, bytes);
    }
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(folder)) names.push(entry.name);
  return names.sort();
}

/** Data errors exit with 3 and leave nothing behind. */
function assertDataError(run: CliRun, ...parts: string[]): void {
  assertEquals(run.code, 3, run.stderr);
  assertEquals(run.stdout, "");
  for (const part of parts) assertStringIncludes(run.stderr, part);
}

Deno.test("CASES L2: timestamps with colons train as text", async () => {
  const data = parseCsv(csv("t,x,y|2015-01-01T05:25:00Z,1,0|2015-01-02T05:25:00Z,2,1"), {
    target: "y",
  });
  assertEquals(data.features.map((column) => column.kind), ["categorical", "numeric"]);
  assertEquals((await trainBoost(data, { rounds: 1 })).schema.features.length, 2);
});

Deno.test("CASES L3: a header where none was expected is a typed error", async () => {
  const data = parseCsv("1,2,0\n3,4,1\n5,6,0\n7,8,1\n", { header: false, target: 2 });
  const model = await trainBoost(data, { rounds: 1 });
  const stream = new Blob([csv("f0,f1|1,2")]).stream();
  await assertRejects(
    async () => await csvBatches(stream, model.schema, { header: false }).next(),
    DataError,
    `column "f0" at line 1: "f0" is not a number`,
  );
});

Deno.test("CASES L5: training without a target is an error, also without a header", async () => {
  await withFiles({ "d.csv": "0,0\n1,1\n" }, async (folder) => {
    const run = await cli([
      "train",
      `${folder}/d.csv`,
      "--header",
      "false",
      "--out",
      `${folder}/m.tlm`,
    ]);
    assert(run.code === 2 || run.code === 3, run.stderr);
    assertStringIncludes(run.stderr, "target");
    assertEquals(await filesIn(folder), ["d.csv"]);
  });
  await assertRejects(
    () => trainBoost(parseCsv("0,0\n1,1\n", { header: false })),
    DataError,
    "target",
  );
});

Deno.test("CASES L7: byte order mark, lone CR, semicolons and decimal commas in one file", () => {
  const data = parseCsv("\ufefffoo;y\r1,5;2\r-2,25;3\r", {
    target: "y",
    delimiter: ";",
    decimal: ",",
  });
  assertEquals(data.features, [
    { kind: "numeric", name: "foo", values: new Float64Array([1.5, -2.25]) },
  ]);
});

Deno.test("CASES L8: every parse error has a line, a column and the text; bad rows can be skipped", () => {
  const bytes = encoder.encode("a,b\n1,x\n2,y\n3,z\0\n");
  const error = assertThrows(() => parseCsv(bytes), DataError);
  assertEquals([error.details.line, error.details.column], [4, "b"]);
  assertStringIncludes(error.message, "\\u0000");
  assertEquals(parseCsv(bytes, { badRows: "skip:1" }).numRows, 2);
});

Deno.test("bad input gives a typed error from the command line, and no model", async () => {
  const gzip = new Uint8Array(
    await new Response(
      new Blob([csv("a,y|1,2|3,4|5,6")]).stream().pipeThrough(new CompressionStream("gzip")),
    ).arrayBuffer(),
  );
  const cases: { readonly [name: string]: readonly [string | Uint8Array, number, string] } = {
    "empty.csv": ["", 3, "empty"],
    "header.csv": ["a,y\n", 3, "no rows"],
    "ragged.csv": ["a,y\n1,2\n3\n", 3, "line 3"],
    "twice.csv": ["a,a,y\n1,2,3\n", 3, "columns 1 and 2"],
    "target.csv": ["a,b\n1,2\n", 3, `"y"`],
    "one.csv": ["a,y\n1,p\n2,p\n", 3, `"p"`],
    "nan.csv": ["a,y\n1,\n2,5\n", 3, "row 1"],
    "infinite.csv": ["a,y\n1,1\n2,inf\n3,7\n", 3, "row 2"],
    "quote.csv": [`a,y\n1,"2\n`, 3, "line 2"],
    "text.csv": [new Uint8Array([97, 44, 121, 10, 0xff, 44, 49, 10]), 3, "line 2"],
    "cut.csv.gz": [gzip.subarray(0, gzip.length - 9), 6, "cut.csv.gz"],
  };
  const files = Object.fromEntries(Object.entries(cases).map(([name, [bytes]]) => [name, bytes]));
  await withFiles(files, async (folder) => {
    for (const [name, [, code, part]] of Object.entries(cases)) {
      const run = await cli([
        "train",
        `${folder}/${name}`,
        "--target",
        "y",
        "--out",
        `${folder}/m.tlm`,
      ]);
      assertEquals([name, run.code], [name, code], run.stderr);
      assertStringIncludes(run.stderr, part);
    }
    assertEquals(await filesIn(folder), Object.keys(cases).sort());
  });
});

Deno.test("odd but sound input trains: BOM, CR, semicolons, quoted newlines, many categories", async () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => `c${i},${i % 2}`).join("\n");
  const inputs: { readonly [name: string]: readonly [string, number] } = {
    "bom.csv": ["\ufeffa,y\n1,0\n2,1\n3,0\n4,1\n", 1],
    "cr.csv": ["a,y\r1,0\r2,1\r3,0\r4,1", 1],
    "semicolon.csv": ["a;b;y\n1,5;2;0\n2,5;3;1\n3,5;1;0\n4,5;9;1\n", 2],
    "quoted.csv": [`a,"b\nc",y\n1,"x\ny",0\n2,"x,""z""",1\n3,"x\ny",0\n4,w,1\n`, 2],
    "257.csv": [`c,y\n${many(257)}\n`, 1],
    "70000.csv": [`c,y\n${many(70_000)}\n`, 1],
  };
  for (const [name, [text, features]] of Object.entries(inputs)) {
    const data = await readCsv(encoder.encode(text), { target: "y" });
    assertEquals([name, data.features.length], [name, features]);
    const model = await trainBoost(data, { rounds: 1 }, { threads: 1 });
    assertEquals(model.predictValue(data).every(Number.isFinite), true, name);
  }
});

Deno.test("predict stops with line and column, and writes no file", async () => {
  await withFiles({
    "train.csv": csv("a,c,y|1,p,0|2,q,1|3,p,0|4,q,1"),
    "bad.csv": csv("a,c|1,p|4O,q"),
  }, async (folder) => {
    const model = `${folder}/m.tlm`;
    const made = await cli([
      "train",
      `${folder}/train.csv`,
      "--target",
      "y",
      "--rounds",
      "2",
      "--out",
      model,
    ]);
    assertEquals(made.code, 0, made.stderr);
    const run = await cli(["predict", model, `${folder}/bad.csv`, "--out", `${folder}/scores.csv`]);
    assertDataError(run, "line 3", `"a"`, `"4O"`);
    await assertRejects(() => Deno.stat(`${folder}/scores.csv`), Deno.errors.NotFound);
  });
});
