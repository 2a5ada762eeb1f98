import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { rowsPerBatch } from "../../../../src/cli/commands/explain.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createModel } from "../../../../src/model/model.ts";
import { cli } from "../../../support/cli.ts";
import { randomParts } from "../../../support/models/random.ts";
import { tempFolder } from "../../../support/temp.ts";

const input = "id,x0,x1,x2,x3\n7,0.1,-0.2,0.3,-0.4\n8,-1,,-1,1\n";
const rows = [{ x0: 0.1, x1: -0.2, x2: 0.3, x3: -0.4 }, { x0: -1, x1: null, x2: -1, x3: 1 }];

Deno.test("explain gives a line a row whose cells add up to the raw score", async () => {
  await using folder = await tempFolder();
  const model = createModel(randomParts({ seed: 21 }));
  const path = await folder.write("m.tlm", encodeModel(model));
  const { code, stdout } = await cli(["explain", path, "-", "--keep", "id"], { stdin: input });
  const [header, ...lines] = stdout.trimEnd().split("\n");
  assertEquals([code, header], [0, "id,x0,x1,x2,x3,bias"]);
  const { data } = model.predictRaw(rows);
  lines.forEach((line, row) => {
    const [id, ...cells] = line.split(",").map(Number);
    assertEquals(id, 7 + row);
    // Sums of doubles in another order than the model's.
    assertAlmostEquals(cells.reduce((sum, cell) => sum + cell, 0), data[row]!, 1e-9);
  });
});

Deno.test("explain names the output of each line where there are several", async () => {
  await using folder = await tempFolder();
  const model = createModel(randomParts({ seed: 22, outputs: 3 }));
  const path = await folder.write("m.tlm", encodeModel(model));
  const { stdout } = await cli(["explain", path, "-", "--json"], { stdin: input });
  const lines: { output: string; [name: string]: string | number }[] = JSON.parse(stdout);
  const { classes } = model.schema;
  assertEquals(lines.map(({ output }) => output), [...classes, ...classes]);
  const { data } = model.predictRaw(rows);
  lines.forEach(({ output: _, ...numbers }, i) => {
    const total = Object.values(numbers).reduce<number>((sum, cell) => sum + Number(cell), 0);
    assertAlmostEquals(total, data[i]!, 1e-9);
  });
});

Deno.test("explain gives each column a name of its own", async () => {
  await using folder = await tempFolder();
  const parts = randomParts({ seed: 22, outputs: 3 });
  const features = parts.schema.features.map((feature, i) => ({
    ...feature,
    name: ["bias", "output", "bias_", "x3"][i],
  }));
  const model = createModel({ ...parts, schema: { ...parts.schema, features } });
  const path = await folder.write("m.tlm", encodeModel(model));
  const stdin = "id,bias,output,bias_,x3\n7,0.1,-0.2,0.3,-0.4\n";
  const { stdout } = await cli(["explain", path, "-"], { stdin });
  assertEquals(stdout.split("\n")[0], "output_,bias,output,bias_,x3,bias__");
  const kept = await cli(["explain", path, "-", "--keep", "x3"], { stdin });
  assertEquals([kept.code, kept.stdout], [2, ""]);
});

Deno.test("explain --method importance puts the column that decides first", async () => {
  await using folder = await tempFolder();
  const lines = Array.from({ length: 200 }, (_, i) => `${(i * 37) % 200},${i},${i > 99 ? 1 : 0}\n`);
  const data = await folder.write("d.csv", `noise,x,y\n${lines.join("")}`);
  const model = folder.file("m.tlm");
  await cli(["train", data, "-t", "y", "--rounds", "10", "-o", model]);
  const alone = JSON.parse(
    (await cli(["explain", model, "--method", "importance", "--json"])).stdout,
  );
  assertEquals(alone.importance[0].feature, "x");
  assertEquals("permutation" in alone.importance[0], false);
  const run = await cli(["explain", model, data, "--method", "importance", "--json"]);
  const { metric, importance: rows } = JSON.parse(run.stdout);
  assertEquals([run.code, metric, rows[0].feature], [0, "logLoss", "x"]);
  assertEquals(rows[0].permutation > rows[1].permutation, true);
  assertEquals((await cli(["explain", model])).code, 2);
});

/** `y` follows `code` alone, which are names; some files hold only those that look like numbers. */
const codes = Array.from({ length: 200 }, (_, i) => ["01", "02", "03", "AB"][i * 7 % 4]);
const codesCsv = (rows: readonly string[]) =>
  `code,noise,y\n${
    rows.map((code, i) => `${code},${i % 5},${code === "01" || code === "AB" ? "b" : "a"}\n`).join(
      "",
    )
  }`;

Deno.test("explain --method importance reads columns by the kinds that the model learnt", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", codesCsv(codes));
  const model = folder.file("m.tlm");
  await cli(["train", data, "-t", "y", "--rounds", "10", "-o", model]);
  const numbers = await folder.write("n.csv", codesCsv(codes.filter((code) => code !== "AB")));
  const args = ["explain", model, numbers, "--method", "importance", "--json"];
  const { importance: rows } = JSON.parse((await cli(args)).stdout);
  assertEquals(rows[0].feature, "code");
  // Rows are told apart by it alone: shuffled, two in five are on the wrong side.
  assert(rows[0].permutation > 0.3, String(rows[0].permutation));
});

Deno.test("explain --method importance takes queries and weights of rows", async () => {
  await using folder = await tempFolder();
  // The better row of two has the larger x, but where w is 0 the smaller one. It comes first in
  // every other pair of queries, so that ties are right half of the time.
  const lines = Array.from({ length: 800 }, (_, i) => {
    const query = i >> 1, weight = query % 2, y = (i ^ (query >> 1)) % 2;
    return `${query},${(query * 37) % 101 + (y === weight ? 500 : 0)},${y},${weight}\n`;
  });
  const data = await folder.write("d.csv", `q,x,y,w\n${lines.join("")}`);
  const model = folder.file("m.tlm");
  const roles = ["--group", "q", "-w", "w"];
  const train = ["train", data, "-t", "y", ...roles, "--loss", "pairwise", "--rounds", "5"];
  const trained = await cli([...train, "-o", model]);
  assertEquals(trained.code, 0, trained.stderr);
  const cost = async (flags: readonly string[]): Promise<number> => {
    const args = ["explain", model, data, "--method", "importance", "--json"];
    const run = await cli([...args, ...flags]);
    assertEquals(run.code, 0, run.stderr);
    return JSON.parse(run.stdout).importance[0].permutation;
  };
  // Right everywhere, or in half of the queries: ndcg 1 or (1 + 1 / log2 3) / 2, which chance has.
  const byChance = (1 + 1 / Math.log2(3)) / 2;
  assertAlmostEquals(await cost(["--group", "q", "-w", "w"]), 1 - byChance, 0.05);
  assertAlmostEquals(await cost(["--group", "q"]), 0, 0.05);
});

Deno.test("explain --method importance writes to --out and refuses flags it has no use for", async () => {
  await using folder = await tempFolder();
  const model = await folder.write("m.tlm", encodeModel(createModel(randomParts({ seed: 21 }))));
  const out = folder.file("i.json");
  const args = ["explain", model, "--method", "importance"];
  const written = await cli([...args, "--json", "--out", out]);
  assertEquals([written.code, written.stdout], [0, ""]);
  const printed = await cli([...args, "--json"]);
  assertEquals(await Deno.readTextFile(out), printed.stdout);
  for (const idle of [["--keep", "x0"], ["--rounds", "1"], ["--group", "id"]]) {
    assertEquals((await cli([...args, ...idle])).code, 2, idle[0]);
  }
  assertEquals((await cli(["explain", model, "-", "-w", "id"], { stdin: input })).code, 2);
});

Deno.test("explain writes so many rows at once that their numbers are no longer than a string can be", () => {
  // V8's strings have at most 2²⁹ − 24 characters, a number and its comma up to 25, a name more.
  const of = (outputs: number, numeric: number) =>
    rowsPerBatch(createModel(randomParts({ seed: 1, outputs, numeric, trees: 1, depth: 1 })));
  assertEquals([of(1, 10), of(3, 600), of(300, 500), of(1000, 1000)], [256, 256, 3, 1]);
});
