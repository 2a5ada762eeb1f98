import { assertEquals, assertStringIncludes } from "@std/assert";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createModel } from "../../../../src/model/model.ts";
import { cli } from "../../../support/cli.ts";
import { randomParts } from "../../../support/models/random.ts";
import { tempFolder } from "../../../support/temp.ts";

const model = createModel(randomParts({ seed: 8, outputs: 3, trees: 3 }));
const rows = [{ x0: 0.1, x1: -0.2, x2: 0.3, x3: -0.4 }, { x0: -1, x1: 1, x2: -1, x3: 1 }];

async function verify(expected: string, ...args: string[]) {
  await using folder = await tempFolder();
  const path = await folder.write("m.tlm", encodeModel(model));
  const input = await folder.write("x.csv", "x0,x1,x2,x3\n0.1,-0.2,0.3,-0.4\n-1,1,-1,1\n");
  const scores = await folder.write("y.csv", expected);
  return await cli(["verify", path, "--input", input, "--expected", scores, ...args]);
}

/** The model's raw scores as CSV; `change` is added to the last. */
function rawCsv(change = 0): string {
  const { data } = model.predictRaw(rows);
  const cells = [...data];
  cells[5]! += change;
  const line = (row: number) => cells.slice(3 * row, 3 * row + 3).join(",");
  return `${model.schema.classes.join(",")}\n${line(0)}\n${line(1)}\n`;
}

Deno.test("verify accepts scores that are equal to the last bit", async () => {
  const { code, stdout } = await verify(rawCsv(), "--kind", "raw", "--json");
  const parity = JSON.parse(stdout);
  assertEquals([code, parity.rows, parity.columns, parity.equal], [0, 2, 3, 6]);
  assertEquals([parity.failed, parity.maxAbsolute], [0, 0]);
});

Deno.test("verify matches columns by name, whatever their order", async () => {
  const swap = (line: string) => line.split(",").reverse().join(",");
  const swapped = rawCsv().trimEnd().split("\n").map(swap).join("\n");
  assertEquals((await verify(swapped, "--kind", "raw")).code, 0);
});

Deno.test("verify ends with 7 and names the place when a score differs", async () => {
  const far = await verify(rawCsv(1e-3), "--kind", "raw", "--tolerance", "1e-9");
  assertEquals(far.code, 7);
  assertStringIncludes(far.stdout, 'row 2, column "class 2"');
  assertEquals((await verify(rawCsv(1e-10), "--kind", "raw", "--tolerance", "1e-9")).code, 0);
  assertEquals((await verify(rawCsv(1e-10), "--kind", "raw")).code, 7);
});

Deno.test("verify refuses another number of rows or columns, and missing flags", async () => {
  assertEquals((await verify("a,b,c\n1,2,3\n", "--kind", "raw")).code, 3);
  assertEquals((await verify("a,b\n1,2\n3,4\n", "--kind", "raw")).code, 3);
  assertEquals((await cli(["verify", "-"], { stdin: encodeModel(model) })).code, 2);
});

Deno.test("verify names the file of the expected scores where these cannot be read", async () => {
  const run = await verify("raw\n");
  assertEquals(run.code, 3);
  assertStringIncludes(run.stderr, "it has a header and no rows (in ");
  assertStringIncludes(run.stderr, "y.csv");
});
