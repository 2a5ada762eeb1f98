/**
 * Every kind of awkward input through `train` and `predict`: the right thing, or an error that names
 * the place, and never half a file.
 *
 * @module
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { cli } from "../support/cli.ts";
import { tempFolder } from "../support/temp.ts";

/** Trains on `content`, then checks that only whole files are left. */
async function trainOn(content: string | Uint8Array, ...args: string[]) {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", content);
  const out = folder.file("m.tlm");
  const run = await cli(["train", data, "-t", "y", "--rounds", "5", "-o", out, ...args]);
  assertEquals(folder.names(), run.code === 0 ? ["d.csv", "m.tlm"] : ["d.csv"]);
  const value = async (rows: string) => {
    const scored = await cli(["predict", out, "-", "--kind", "value"], { stdin: rows });
    assertEquals(scored.code, 0, scored.stderr);
    return scored.stdout.trimEnd().split("\n").slice(1).map(Number);
  };
  const scores = run.code === 0 && typeof content === "string" ? await value(content) : [];
  return { ...run, scores };
}

/** Twelve rows `x,y`. */
const rows = (make: (i: number) => string, count = 12) =>
  Array.from({ length: count }, (_, i) => `${make(i)}\n`).join("");
const good = `x,y\n${rows((i) => `${i},${i > 5 ? 10 : 0}`)}`;

const REFUSED: { readonly [what: string]: readonly [string, number, ...string[]] } = {
  "an empty file": ["", 3, "E_DATA_EMPTY"],
  "a header only": ["x,y\n", 3, "E_DATA_EMPTY"],
  "a ragged row": ["x,y\n1,2\n3\n", 3, "E_DATA", "line 3"],
  "two columns of one name": ["x,x,y\n1,2,3\n", 3, "E_DATA_SHAPE", '"x"'],
  "no column of the target's name": ["x,z\n1,2\n", 3, "E_DATA_SHAPE", '"y"'],
  "a missing target": ["x,y\n1,\n2,5\n3,6\n", 3, "E_DATA_TARGET", "1"],
  "an infinite target": ["x,y\n1,Infinity\n2,5\n3,6\n", 3, "E_DATA_TARGET", "1"],
  "one class": ["x,y\n1,a\n2,a\n", 3, "E_DATA_TARGET", '"a"'],
  "an unclosed quote": ['x,y\n"1,2\n3,4\n', 3, "E_DATA", "line"],
};

for (const [what, [content, code, ...words]] of Object.entries(REFUSED)) {
  Deno.test(`train refuses ${what} and says where`, async () => {
    const run = await trainOn(content);
    assertEquals(run.code, code, run.stderr);
    for (const word of words) assertStringIncludes(run.stderr, word);
    assertEquals(run.stdout, "");
  });
}

Deno.test("train refuses gzip that ends too early", async () => {
  const stream = new Blob([good]).stream().pipeThrough(new CompressionStream("gzip"));
  const zipped = new Uint8Array(await new Response(stream).arrayBuffer());
  const run = await trainOn(zipped.slice(0, zipped.length - 12));
  assertEquals(run.code, 6, run.stderr);
  assertStringIncludes(run.stderr, "error[E_IO_READ]");
});

Deno.test("CASES H2: features without any split give the mean", async () => {
  const run = await trainOn("x,y\n1,2\n1,4\n1,6\n");
  assertEquals(run.code, 0, run.stderr);
  for (const score of run.scores) assert(Math.abs(score - 4) < 1e-6, `${score}`);
});

Deno.test("a column without any value does not matter", async () => {
  const run = await trainOn(`x,empty,y\n${rows((i) => `${i},,${i > 5 ? 10 : 0}`)}`);
  assertEquals(run.code, 0, run.stderr);
  assert(run.scores[11]! > run.scores[0]!);
});

const SAME: { readonly [what: string]: string } = {
  "a byte order mark": `\ufeff${good}`,
  "lone carriage returns": good.replaceAll("\n", "\r"),
  "semicolons": good.replaceAll(",", ";"),
  "no final newline": good.trimEnd(),
};
for (const [what, content] of Object.entries(SAME)) {
  Deno.test(`CASES L7: ${what} changes nothing`, async () => {
    const [plain, run] = [await trainOn(good), await trainOn(content)];
    assertEquals([run.code, run.scores], [0, plain.scores], run.stderr);
  });
}

Deno.test("quoted newlines belong to their cell", async () => {
  const run = await trainOn(
    `c,y\n${rows((i) => `"a\n${i % 2}",${i % 2}`, 40)}`,
    "--task",
    "regression",
  );
  assertEquals([run.code, run.scores.length], [0, 40], run.stderr);
  assert(run.scores[1]! > run.scores[0]!);
});

for (const levels of [257, 70_000]) {
  Deno.test(`${levels} categories train and score`, async () => {
    const content = `c,y\n${rows((i) => `level${i},${i % 7}`, levels)}`;
    const run = await trainOn(content, "--task", "regression");
    assertEquals([run.code, run.scores.length], [0, levels], run.stderr);
  });
}

Deno.test("CASES L2: a colon in a cell is only a colon", async () => {
  const run = await trainOn(
    `t,x,y\n${rows((i) => `2015-01-01T05:25:0${i % 10}Z,${i},${i > 5 ? 9 : 0}`)}`,
  );
  assertEquals([run.code, run.scores.length], [0, 12], run.stderr);
});

Deno.test("CASES L5: a file without a header needs a target, and takes it by position", async () => {
  const content = rows((i) => `${i},${i > 5 ? 10 : 0}`);
  const missing = await cli(["train", "-", "--header", "false"], { stdin: content });
  assertEquals(missing.code, 2);
  const found = await cli(["train", "-", "--header", "false", "-t", "1", "--json"], {
    stdin: content,
  });
  assertEquals([found.code, JSON.parse(found.stdout).target], [0, "f1"], found.stderr);
});

Deno.test("CASES L8: bad rows are named, and skipped up to a number", async () => {
  const content = `${good}oops\n`;
  const refused = await trainOn(content);
  assertEquals(refused.code, 3);
  assertStringIncludes(refused.stderr, "line 14");
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", content);
  const skipped = await cli(["train", data, "-t", "y", "--bad-rows", "skip:1", "--json"]);
  assertEquals([skipped.code, JSON.parse(skipped.stdout).rows], [0, 12], skipped.stderr);
});
