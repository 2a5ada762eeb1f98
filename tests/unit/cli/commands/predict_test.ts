import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createModel } from "../../../../src/model/model.ts";
import { cli } from "../../../support/cli.ts";
import { randomParts, randomRows } from "../../../support/models/random.ts";
import { tempFolder } from "../../../support/temp.ts";

const three = createModel(randomParts({ seed: 5, outputs: 3, categorical: 1, trees: 4 }));
const one = createModel(randomParts({ seed: 6, trees: 3 }));

/** Rows as CSV with an id in front and the columns in reverse order. */
function csvOf(model: typeof one, count: number): string {
  const names = model.schema.features.map(({ name }) => name).reverse();
  const rows = randomRows(model.schema, count, 9).map((row, id) =>
    [id, ...names.map((name) => row[name] ?? "")].join(",")
  );
  return `${["id", ...names].join(",")}\n${rows.join("\n")}\n`;
}

/** The rows that {@linkcode csvOf} writes, as the library reads them. */
function rowsOf(model: typeof one, count: number) {
  return randomRows(model.schema, count, 9);
}

async function predict(model: typeof one, stdin: string, ...args: string[]) {
  await using folder = await tempFolder();
  const path = await folder.write("m.tlm", encodeModel(model));
  const run = await cli(["predict", path, "-", ...args], { stdin });
  return { ...run, lines: run.stdout.trimEnd().split("\n") };
}

Deno.test("predict names its columns by kind and gives the library's scores", async () => {
  const stdin = csvOf(three, 7);
  const rows = rowsOf(three, 7);
  const classes = three.schema.classes;
  const raw = await predict(three, stdin, "--kind", "raw");
  assertEquals(raw.lines[0], classes.join(","));
  assertEquals(raw.lines.slice(1).flatMap((line) => line.split(",").map(Number)), [
    ...three.predictRaw(rows).data,
  ]);
  const proba = await predict(three, stdin, "--kind", "proba");
  assertEquals(proba.lines[0], classes.join(","));
  assertEquals(proba.lines.slice(1).flatMap((line) => line.split(",").map(Number)), [
    ...three.predictProba(rows).data,
  ]);
  const label = await predict(three, stdin);
  assertEquals(label.lines, ["prediction", ...three.predictClass(rows)]);
  const leaf = await predict(three, stdin, "--kind", "leaf");
  assertEquals(leaf.lines[0]!.split(",").length, three.numTrees);
  assertEquals(leaf.lines.slice(1).flatMap((line) => line.split(",").map(Number)), [
    ...three.predictLeaf(rows).data,
  ]);
});

Deno.test("predict gives one column `prediction` or `raw` for one output", async () => {
  const stdin = csvOf(one, 5);
  const value = await predict(one, stdin);
  assertEquals(value.lines[0], "prediction");
  assertEquals(value.lines.slice(1).map(Number), [...one.predictValue(rowsOf(one, 5))]);
  assertEquals((await predict(one, stdin, "--kind", "raw")).lines[0], "raw");
  const proba = await predict(one, stdin, "--kind", "proba");
  assertEquals([proba.code, proba.stdout], [2, ""]);
});

Deno.test("predict --keep copies columns in front, as they stand in the file", async () => {
  const { lines } = await predict(one, "x3,id,x2,x1,x0\n1,007,.5,2,1e0\n", "--keep", "id,x0");
  assertEquals(lines[0], "id,x0,prediction");
  assertEquals(lines[1]!.split(",").slice(0, 2), ["007", "1e0"]);
});

Deno.test("predict --keep refuses a column that the scores have, or that comes twice", async () => {
  const stdin = "x3,id,x2,x1,x0,prediction\n1,007,.5,2,1e0,9\n";
  for (const more of [["--keep", "id,prediction"], ["--keep", "id,x0,id"]]) {
    for (const json of [[], ["--json"]]) {
      const { code, stdout, stderr } = await predict(one, stdin, ...more, ...json);
      assertEquals([code, stdout], [2, ""]);
      assertStringIncludes(stderr, more[1]!.endsWith("id") ? '"id" twice' : '"prediction"');
    }
  }
  // Without a header nobody looks a score up by its name.
  const plain = await predict(one, "1,2,3,4\n", "--header", "none", "--keep", "x0,x0");
  assertEquals([plain.code, plain.stdout.slice(0, 4)], [0, "1,1,"]);
});

Deno.test("predict --json prints one array of rows by name", async () => {
  const stdin = csvOf(one, 3);
  const { stdout } = await predict(one, stdin, "--json", "--keep", "id");
  const expected = [...one.predictValue(rowsOf(one, 3))];
  assertEquals(
    JSON.parse(stdout),
    expected.map((prediction, id) => ({ id: String(id), prediction })),
  );
});

Deno.test("predict --header none: one line out for each line in, columns in the model's order", async () => {
  const rows = rowsOf(one, 4);
  const names = one.schema.features.map(({ name }) => name);
  const stdin = rows.map((row) => names.map((name) => row[name] ?? "").join(",")).join("\n");
  const { lines } = await predict(one, stdin, "--header", "none");
  assertEquals(lines.map(Number), [...one.predictValue(rows)]);
});

Deno.test("predict says what is absent and unknown, and refuses it with --columns strict", async () => {
  const stdin = "x0,x1,x2,x3,c0,extra\n1,2,3,4,new,9\n";
  const lenient = await predict(three, stdin);
  assertEquals(lenient.code, 0);
  assertStringIncludes(lenient.stderr, '"c0" holds values the model never saw in 1 of 1 rows');
  const strict = await predict(three, stdin, "--columns", "strict");
  assertEquals(strict.code, 4);
  assertStringIncludes(strict.stderr, "extra");
});

Deno.test("predict prints only the header for a file without rows, and fails on an empty one", async () => {
  const names = one.schema.features.map(({ name }) => name).join(",");
  assertEquals((await predict(one, `${names}\n`)).stdout, "prediction\n");
  const empty = await predict(one, "");
  assertEquals(empty.code, 3);
  assertStringIncludes(empty.stderr, "error[E_DATA_EMPTY]");
});

Deno.test("predict leaves no file behind when a row is wrong", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("m.tlm", encodeModel(one));
  const names = one.schema.features.map(({ name }) => name).join(",");
  const stdin = `${names}\n1,2,3,4\n1,2,3\n`;
  const run = await cli(["predict", path, "-", "--out", folder.file("p.csv")], { stdin });
  assertEquals([run.code, folder.names()], [3, ["m.tlm"]]);
  assertStringIncludes(run.stderr, "line 3");
});

Deno.test("predict --rounds is the run that ended there, also of DART; kept rounds are refused", async () => {
  await using folder = await tempFolder();
  const lines = Array.from({ length: 60 }, (_, i) => `${i},${(i * 7) % 11}`);
  const data = await folder.write("d.csv", `x,y\n${lines.join("\n")}\n`);
  const train = (out: string, rounds: string, ...more: string[]) =>
    cli(["train", data, "-t", "y", "--task", "regression", "--rounds", rounds, ...more, "-o", out]);
  const drop = ["--drop-rate", "0.5", "--one-drop", "true"];
  const dart = folder.file("dart.tlm");
  const dart4 = folder.file("dart4.tlm");
  assertEquals((await train(dart, "8", ...drop)).code, 0);
  assertEquals((await train(dart4, "4", ...drop)).code, 0);
  const kept = folder.file("kept.tlm");
  const stop = ["--early-stopping-rounds", "8", "--keep-all", "true", "--learning-rate", "1"];
  assertEquals((await train(kept, "8", ...stop, "--valid-fraction", "0.4")).code, 0);
  for (const command of ["predict", "explain"]) {
    const part = await cli([command, dart, data, "--rounds", "4"]);
    assertEquals(part.code, 0);
    assertEquals(part.stdout, (await cli([command, dart4, data])).stdout);
    assert(part.stdout !== (await cli([command, dart, data])).stdout);
    assertEquals((await cli([command, kept, data, "--rounds", "8"])).code, 2);
    assertEquals((await cli([command, kept, data])).code, 0);
    assertEquals((await cli([command, dart, data, "--rounds", "8"])).code, 0);
    assertEquals((await cli([command, kept, data, "--rounds", "1"])).code, 0);
  }
});

Deno.test("predict prints the same with any number of threads", async () => {
  const stdin = csvOf(three, 6000);
  for (const kind of ["class", "proba", "leaf"]) {
    const alone = await predict(three, stdin, "--kind", kind, "--keep", "id");
    assertEquals(alone.lines.length, 6001);
    const shared = await predict(three, stdin, "--kind", kind, "--keep", "id", "--threads", "3");
    assertEquals(shared.stdout, alone.stdout);
    assertEquals(shared.code, 0);
  }
  const wrong = await predict(three, stdin, "--threads", "0");
  assertEquals(wrong.code, 2);
});

Deno.test("predict ends at the same row with any number of threads, after the same rows", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("m.tlm", encodeModel(one));
  const lines = csvOf(one, 40_000).trimEnd().split("\n");
  const data = folder.file("d.csv"); // read in pieces of 256 kB
  const run = async (at: number | undefined, threads: string, ...more: string[]) => {
    await folder.write(
      "d.csv",
      `${lines.map((line, i) => i === at ? "1,2" : line).join("\n")}\n`,
    );
    return await cli(["predict", path, data, "--threads", threads, ...more]);
  };
  const whole = await run(undefined, "1");
  assertEquals(whole.stdout.split("\n").length, 40_002);
  for (const at of [1, 20_000, 40_000]) {
    const alone = await run(at, "1");
    assertEquals(alone.code, 3);
    assertStringIncludes(alone.stderr, `line ${at + 1}: expected`);
    assert(whole.stdout.startsWith(alone.stdout));
    assertEquals(alone.stdout !== "", at > 1);
    for (const threads of ["2", "3"]) {
      const { code, stdout, stderr } = await run(at, threads);
      assertEquals([code, stdout, stderr], [3, alone.stdout, alone.stderr]);
      await run(at, threads, "--out", folder.file("p.csv"));
      assertEquals(folder.names(), ["d.csv", "m.tlm"]);
    }
  }
});

Deno.test("predict takes for missing what train did, and inspect shows it", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/m.tlm`;
  const table = "x,c,y\n-999,u,9\n-999,u,9\n1,a,1\n2,b,2\n";
  const flags = ["-t", "y", "--missing=-999,u", "--rounds", "5", "--min-rows-per-leaf", "1"];
  const trained = await cli(["train", "-", ...flags, "--out", path], { stdin: table });
  assertEquals(trained.code, 0, trained.stderr);
  assertStringIncludes((await cli(["inspect", path])).stdout, 'missing     "", "-999", "u"');
  const marked = await cli(["predict", path, "-"], { stdin: "x,c\n-999.0,u\n" });
  const empty = await cli(["predict", path, "-"], { stdin: "x,c\n,\n" });
  assertEquals([marked.code, marked.stdout], [0, empty.stdout]);
});

Deno.test("predict and explain warn of missing values where training had none, and of unknown ones", async () => {
  await using folder = await tempFolder();
  const row = (i: number) => `${i % 5 ? i : ""},${i},${"ab"[i % 2]},${i % 2 ? "p" : "q"}\n`;
  const rows = Array.from({ length: 40 }, (_, i) => row(i)).join("");
  const model = folder.file("m.tlm");
  const data = await folder.write("d.csv", `holes,x,c,y\n${rows}`);
  await cli(["train", data, "-t", "y", "--rounds", "3", "-o", model]);
  const fresh = await folder.write("n.csv", "holes,x,c\n,1,a\n,,z\n,2,\n");
  for (const command of ["predict", "explain"]) {
    const { code, stderr } = await cli([command, model, fresh]);
    assertEquals(
      [code, stderr.trimEnd().split("\n")],
      [0, [
        'warning: "x" is missing in 1 of 3 rows; training never lacked it',
        'warning: "c" is missing in 1 of 3 rows; training never lacked it',
        'warning: "c" holds values the model never saw in 1 of 3 rows',
      ]],
    );
  }
  const { stderr } = await cli(["predict", model, fresh, "--verbose"]);
  assertStringIncludes(stderr, '"holes" is missing in 3 of 3 rows\n');
});
