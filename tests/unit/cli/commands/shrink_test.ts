import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { decodeModel, encodeModel } from "../../../../src/format/binary.ts";
import { createModel } from "../../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../../src/model/trees.ts";
import type { Json } from "../../../../src/model/types.ts";
import { cli } from "../../../support/cli.ts";
import { randomParts } from "../../../support/models/random.ts";
import { tempFolder } from "../../../support/temp.ts";

const model = createModel(randomParts({ seed: 1, trees: 40, depth: 6, numeric: 2 }));
const bytes = encodeModel(model);

Deno.test("shrink writes a file of the size asked for and says what it cost", async () => {
  await using folder = await tempFolder();
  const source = await folder.write("m.tlm", bytes);
  const rows = await folder.write("rows.csv", "x0,x1\n0.5,1\n-1,0\n,2\n0.1,-0.3\n");
  const small = folder.file("small.tlm");
  const args = ["shrink", source, "--max-size", "3.5kB", "--input", rows, "--out", small, "--json"];
  const run = await cli(args);
  assertEquals(run.stderr, "");
  const result = JSON.parse(run.stdout);
  const written = await Deno.readFile(small);
  assert(written.length <= 3500 && written.length === result.byteLength);
  assertEquals(result.measured.rows, 4);
  assert(result.measured.largest <= result.bound && result.bound > 0);
  const row = { x0: 0.5, x1: 1 };
  const change = decodeModel(written).predictRaw(row).data[0] - model.predictRaw(row).data[0];
  assert(Math.abs(change) <= result.bound);
});

Deno.test("a shrunk model says so and by how much its scores changed, all times together", async () => {
  await using folder = await tempFolder();
  const source = await folder.write("m.tlm", bytes);
  const bounds: number[] = [];
  let path = source;
  for (const size of ["3.5kB", "3kB", "2.5kB"]) {
    const small = folder.file(`${size}.tlm`);
    const run = await cli(["shrink", path, "--max-size", size, "--out", small, "--json"]);
    bounds.push(JSON.parse(run.stdout).bound);
    path = small;
    const { info } = decodeModel(await Deno.readFile(small));
    const total = bounds.reduce((sum, bound) => sum + bound);
    assert(total <= info.shrunk!.bound! && info.shrunk!.bound! < 1.03 * total);
    const told = (await cli(["inspect", small])).stdout;
    assertMatch(told, new RegExp(`shrunk +raw scores changed by at most ${info.shrunk!.bound}`));
  }
  assertEquals(bounds.every((bound) => bound > 0), true);
  // What loses no more than covers scores as before.
  const lean = folder.file("lean.tlm");
  await cli(["shrink", source, "--max-size", String(bytes.length - 1), "--out", lean]);
  assertEquals(decodeModel(await Deno.readFile(lean)).info.shrunk, undefined);
});

Deno.test("shrink measures the change on made-up rows where none are given", async () => {
  await using folder = await tempFolder();
  const source = await folder.write("m.tlm", bytes);
  const args = ["shrink", source, "--max-size", "3.5kB", "--out", folder.file("small.tlm")];
  const result = JSON.parse((await cli([...args, "--json"])).stdout);
  assertEquals(result.measured.rows, 1000);
  const { largest, mean } = result.measured;
  assert(0 < mean && mean < largest && largest <= result.bound);
  const text = (await cli([...args, "--force"])).stdout;
  assertStringIncludes(text, "largest change on 1000 made-up rows");
  assertEquals(result.prunedBy, "covers");
  assertStringIncludes(text, "%, those first that tell least of the training rows");
  assertEquals(result.omitted, ["explanations"]);
  assertStringIncludes(text, "covers and gains, which explanations need");
  assertEquals(result.byteLengthBefore, bytes.length);
});

Deno.test("shrink makes up rows that the model takes, where it refuses missing and unknown values", async () => {
  await using folder = await tempFolder();
  const parts = randomParts({ seed: 3, trees: 30, depth: 5, numeric: 2, categorical: 1 });
  const features = parts.schema.features.map((feature) =>
    feature.kind === "categorical"
      ? { ...feature, missing: "error" as const, unknown: "error" as const }
      : { ...feature, missing: "error" as const }
  );
  const strict = createModel({ ...parts, schema: { ...parts.schema, features } });
  const source = await folder.write("m.tlm", encodeModel(strict));
  const args = ["shrink", source, "--max-size", "1200", "--out", folder.file("small.tlm")];
  const run = await cli([...args, "--json"]);
  assertEquals(run.stderr, "");
  const { measured, bound, byteLength, trees } = JSON.parse(run.stdout);
  assert(byteLength <= 1200 && trees < 30);
  assertEquals(measured.rows, 1000);
  assert(0 < measured.mean && measured.largest <= bound);
});

Deno.test("shrink tells of trees that no longer keep the order of monotone", async () => {
  await using folder = await tempFolder();
  const parts = randomParts({ seed: 1, trees: 30, depth: 1, numeric: 2 });
  // Beyond x0 = 0 leaves are larger by 3, be x1 what it may; their mean there, 6.5, is less than 7.
  const tree = createTreeBuilder(1);
  const low = tree.splitThreshold(0, 0, 0, 0);
  const leaves = [low, low + 1].map((node) => tree.splitThreshold(node, 1, 0, 0));
  [7, 0].forEach((value, i) => tree.setValue(leaves[0] + i, [value]));
  [10, 3].forEach((value, i) => tree.setValue(leaves[1] + i, [value]));
  [low, low + 1, leaves[0], leaves[0] + 1, leaves[1], leaves[1] + 1].forEach((node, i) =>
    tree.setStats(node, [96, 4, 10, 86, 2, 2][i], 0)
  );
  const trees = packTrees(Array.from({ length: 30 }, () => tree));
  for (const [monotone, isBroken] of [[{ x0: 1 }, true], [["increasing", 0], true], [{}, false]]) {
    const made = createModel({
      ...parts,
      // Shrunk before: saying so again takes no more bytes.
      info: {
        ...parts.info,
        params: { monotone: monotone as Json },
        shrunk: { bound: 0.25 },
      },
      ensemble: { ...parts.ensemble, trees },
    });
    const full = encodeModel(made, { explain: false });
    const source = await folder.write("m.tlm", encodeModel(made));
    const out = folder.file("small.tlm");
    const size = String(full.length - 24);
    const args = ["shrink", source, "--max-size", size, "--out", out, "--force"];
    const { brokenTrees, pruned } = JSON.parse((await cli([...args, "--json"])).stdout);
    assert(pruned > 0 && pruned < 0.4 && (brokenTrees > 0) === isBroken);
    // Nodes on the right, of few rows, go first.
    if (isBroken) assertEquals(brokenTrees, Math.round(90 * pruned));
    const text = (await cli(args)).stdout;
    assertEquals(text.includes(`${brokenTrees} of 30 trees break the order`), isBroken);
  }
});

Deno.test("shrink answers a size that is no size with code 2, and an impossible one with 4", async () => {
  await using folder = await tempFolder();
  const source = await folder.write("m.tlm", bytes);
  const out = folder.file("s.tlm");
  const wrong = await cli(["shrink", source, "--max-size", "big", "--out", out]);
  assertEquals(wrong.code, 2);
  const impossible = await cli(["shrink", source, "--max-size", "100", "--out", out]);
  assertEquals(impossible.code, 4);
  assertStringIncludes(impossible.stderr, "E_MODEL_LIMIT");
  assertEquals(folder.names(), ["m.tlm"]);
});

Deno.test("shrink proves a bound of linear leaves in the ranges of the rows, and asks for rows", async () => {
  await using folder = await tempFolder();
  const path = (name: string) =>
    new URL(
      `../../../golden/models/lightgbm-4.6.0/linear_tree_auto_mpg_binary/${name}`,
      import.meta.url,
    ).pathname;
  const small = folder.file("small.tlm");
  const args = ["shrink", path("model.txt"), "--max-size", "4kB", "--out", small];
  const bare = await cli(args);
  assertEquals(bare.code, 4);
  assertStringIncludes(bare.stderr, "without rows");
  const run = await cli([...args, "--input", path("input.csv"), "--json"]);
  assertEquals(run.stderr, "");
  const { byteLength, bound, within, measured } = JSON.parse(run.stdout);
  assertEquals((await Deno.readFile(small)).length, byteLength);
  assert(byteLength <= 4000 && 0 < measured.mean && measured.mean < measured.largest);
  assert(measured.largest <= bound);
  // The fourth column.
  const cells = (await Deno.readTextFile(path("input.csv"))).trim().split("\n").slice(1)
    .map((line) => line.split(",")[3]).filter((cell) => cell !== "").map(Number);
  const weight = within.find(({ name }: { name: string }) => name === "weight");
  assertEquals([weight.least, weight.most], [Math.min(...cells), Math.max(...cells)]);
  const text = (await cli([...args, "--input", path("input.csv"), "--force"])).stdout;
  assertStringIncludes(text, `${weight.least} to ${weight.most}, or missing`);
  assertStringIncludes(text, "no bound: linear terms grow with their features");
});

Deno.test("shrink reads rows by the kinds of columns that the model learnt", async () => {
  await using folder = await tempFolder();
  const codes = Array.from({ length: 300 }, (_, i) => String(10 * (i * 7 % 20)).padStart(4, "0"));
  const value = (code: string, i: number) => Number(code) ** 1.5 + i % 3;
  const text = (rows: readonly string[]) =>
    `code,y\n${rows.map((code, i) => `${code},${value(code, i)}\n`).join("")}`;
  const data = await folder.write("d.csv", text(codes));
  const source = folder.file("m.tlm");
  await cli(["train", data, "-t", "y", "--rounds", "30", "--categorical", "code", "-o", source]);
  const small = folder.file("small.tlm");
  const args = ["shrink", source, "--max-size", "1kB", "--input", data, "--out", small, "--json"];
  const { measured } = JSON.parse((await cli(args)).stdout);
  const rows = codes.map((code) => ({ code }));
  const [before, after] = await Promise.all(
    [source, small].map(async (path) =>
      decodeModel(await Deno.readFile(path)).predictRaw(rows).data
    ),
  );
  const changes = codes.map((_, i) => Math.abs(before[i] - after[i]));
  assertEquals(measured.largest, Math.max(...changes));
});
