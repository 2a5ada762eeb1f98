import { assertEquals, assertStringIncludes } from "@std/assert";
import { cli } from "../../../support/cli.ts";
import { type TempFolder, tempFolder } from "../../../support/temp.ts";

async function trained(folder: TempFolder): Promise<string> {
  const rows = Array.from({ length: 40 }, (_, i) => `${i},${i > 20 ? "b" : "a"}\n`).join("");
  const data = await folder.write("d.csv", `x,y\n${rows}`);
  const out = folder.file("m.tlm");
  await cli(["train", data, "-t", "y", "--tree-method", "exact", "-o", out]);
  return out;
}

Deno.test("evaluate --json prints rows, task and metrics by camelCase name", async () => {
  await using folder = await tempFolder();
  const model = await trained(folder);
  // Columns in another order, classes in another order, one of four rows wrong on purpose.
  const data = await folder.write("t.csv", "y,x\nb,30\na,3\na,5\na,35\n");
  const { code, stdout, stderr } = await cli(["evaluate", model, data, "--json"]);
  const told = JSON.parse(stdout);
  assertEquals([code, stderr], [0, ""]);
  assertEquals([told.rows, told.task, told.metrics.accuracy], [4, "classification", 0.75]);
  assertEquals(typeof told.metrics.logLoss, "number");
  // Pairs (b, a) ranked right: x = 30 against 3 and 5, and a tie with 35: 2.5 of 3.
  assertEquals(Math.round(told.metrics.auc * 6) / 6, 2.5 / 3);
});

Deno.test("evaluate prints the reliability table, unless metrics without ece are named", async () => {
  await using folder = await tempFolder();
  const model = await trained(folder);
  const data = await folder.write("t.csv", "x,y\n30,b\n3,a\n5,a\n35,a\n");
  const { calibration: { bins, ece } } = JSON.parse(
    (await cli(["evaluate", model, data, "--json"])).stdout,
  );
  // Two rows near 0, neither "b"; two near 1, one of them "b".
  assertEquals(
    bins.map(({ weight, observed }: { weight: number; observed: number }) => [weight, observed]),
    [[2, 0], [2, 0.5]],
  );
  const lines = (await cli(["evaluate", model, data])).stdout.trimEnd().split("\n");
  const told = lines.find((line) => line.startsWith("ece "))!;
  assertEquals(Math.abs(Number(told.split(/ +/)[1]) - ece) < 1e-3, true);
  assertEquals(lines.at(-3)!.split(/  +/), ['probability of "b"', "mean", "came true", "rows"]);
  assertEquals(
    lines.slice(-2).map((line) => line.split(/  +/)).map((
      [span, , share, rows],
    ) => [span, share, rows]),
    [["0.0 to 0.1", "0", "2"], ["0.9 to 1.0", "0.5", "2"]],
  );
  const named = await cli(["evaluate", model, data, "--metrics", "accuracy"]);
  assertEquals(named.stdout, "rows      4\naccuracy  0.75\n");
});

Deno.test("CASES K5: evaluate tells of queries without a relevant item, and of those with ties", async () => {
  await using folder = await tempFolder();
  const rows = Array.from({ length: 40 }, (_, i) => `${i >> 2},${i % 4},${i % 4}\n`).join("");
  const model = folder.file("m.tlm");
  const trained = await folder.write("d.csv", `q,x,y\n${rows}`);
  const learn = ["--loss", "lambdarank", "--rounds", "3", "--min-child-weight", "0"];
  await cli(["train", trained, "-t", "y", "--group", "q", ...learn, "-o", model]);
  // Right, no relevant item, one score for relevance 2 and 0, one score for like relevance.
  const data = await folder.write(
    "t.csv",
    "q,x,y\na,0,0\na,3,1\nb,1,0\nb,2,0\nc,2,2\nc,2,0\nd,2,1\nd,2,1\n",
  );
  const run = (...flags: string[]) =>
    cli(["evaluate", model, data, "-t", "y", "--group", "q", "--json", ...flags]);
  const { stdout, stderr } = await run();
  assertEquals(JSON.parse(stdout).queries, { count: 4, withoutRelevant: 1, tied: 1 });
  assertStringIncludes(stderr, "1 of 4 queries have no relevant item: they are left out");
  assertStringIncludes(stderr, "1 of 4 queries have one score for rows of different relevance");
  const zero = await run("--metrics", "ndcg@2-", "--require", "ndcg@2->=0.7");
  assertEquals([zero.code, JSON.parse(zero.stdout).metrics], [0, { "ndcg@2-": 0.75 }]);
  assertEquals(zero.stderr.includes("no relevant item"), false);
  const numbers = await run("--metrics", "rmse");
  assertEquals([numbers.stderr, "queries" in JSON.parse(numbers.stdout)], ["", false]);
});

Deno.test("evaluate --require ends with 7 when a bound does not hold", async () => {
  await using folder = await tempFolder();
  const model = await trained(folder);
  const data = await folder.write("t.csv", "x,y\n30,b\n3,a\n35,a\n");
  const run = (rule: string) => cli(["evaluate", model, data, "--require", rule]);
  assertEquals((await run("accuracy>=0.6")).code, 0);
  const failed = await run("accuracy>=0.7");
  assertEquals(failed.code, 7);
  assertStringIncludes(failed.stderr, "error[E_CHECK_FAILED]");
  assertStringIncludes(failed.stdout, "accuracy");
  assertEquals((await run("accuracy=0.7")).code, 2);
  assertEquals((await run("rmsee>=0.7")).code, 2);
});

Deno.test("evaluate --require takes a metric by any of its names, as --metrics does", async () => {
  await using folder = await tempFolder();
  const model = await trained(folder);
  const data = await folder.write("t.csv", "x,y\n30,b\n3,a\n35,a\n");
  const run = async (...args: string[]) => (await cli(["evaluate", model, data, ...args])).code;
  // One pair of (b, a) is ranked right, one is a tie: 0.75.
  assertEquals([await run("--require", "AUC>=0.7"), await run("--require", "roc_auc>=0.8")], [
    0,
    7,
  ]);
  assertEquals(await run("-m", "AUC", "--require", "auc>=0.7"), 0);
});

Deno.test("evaluate --require measures what is not among the metrics asked for", async () => {
  await using folder = await tempFolder();
  const model = await trained(folder);
  const data = await folder.write("t.csv", "x,y\n30,b\n3,a\n35,a\n");
  const run = async (...args: string[]) => {
    const { code, stdout } = await cli(["evaluate", model, data, "--json", ...args]);
    return [code, Object.keys(JSON.parse(stdout).metrics)];
  };
  // One of two rows called "b" is one, and none is missed: precision 1/2, recall 1, f1 2/3.
  const task = ["logLoss", "auc", "accuracy"];
  assertEquals(await run("--require", "f1>=0.66"), [0, [...task, "f1"]]);
  assertEquals(await run("--require", "f1>=0.67"), [7, [...task, "f1"]]);
  assertEquals(await run("-m", "error", "--require", "ece<=1"), [0, ["error", "ece"]]);
});

Deno.test("evaluate refuses metrics that cannot be computed before it scores or warns", async () => {
  await using folder = await tempFolder();
  const rows = Array.from({ length: 40 }, (_, i) => `${i},${i % 7}.5\n`).join("");
  const data = await folder.write("d.csv", `x,y\n${rows}`);
  const prices = folder.file("prices.tlm");
  await cli(["train", data, "-t", "y", "--rounds", "2", "-o", prices]);
  for (const folds of [[], ["--folds", "2"]]) {
    const run = await cli(["evaluate", prices, data, "--require", "f1>=0.5", ...folds]);
    assertEquals([run.code, run.stdout], [2, ""]);
    // The rows of training would be told of, and each fold.
    assertStringIncludes(run.stderr.split("\n")[0]!, "error[E_PARAM_CONFLICT]");
    assertStringIncludes(run.stderr, '"f1": the target at row 2 is 1.5, expected a class');
    assertStringIncludes(run.stderr, "those that can be are rmse, mse, mae,");
    assertEquals(/\b(logLoss|ndcg|auc)\b/.test(run.stderr), false);
  }
  // Of a model alone it is known before there is any data, and of a name before there is a model.
  const model = await trained(folder);
  const none = folder.file("none.csv");
  const outputs = await cli(["evaluate", model, none, "-m", "aucMu"]);
  assertStringIncludes(outputs.stderr, '"aucMu": the model has 1 output, expected one a class');
  // A list of none would measure nothing.
  for (const empty of ["", ","]) {
    const nothing = await cli(["evaluate", model, folder.file("d.csv"), "-m", empty]);
    assertEquals([nothing.code, nothing.stdout], [2, ""]);
  }
  const misspelt = await cli(["evaluate", model, none, "-m", "aucMu,acuracy"]);
  assertStringIncludes(misspelt.stderr, 'did you mean "accuracy"');
});

Deno.test("evaluate refuses a class the model does not know", async () => {
  await using folder = await tempFolder();
  const model = await trained(folder);
  const data = await folder.write("t.csv", "x,y\n30,b\n3,c\n");
  const { code, stderr } = await cli(["evaluate", model, data]);
  assertEquals(code, 3);
  assertStringIncludes(stderr, '"c"');
});

Deno.test("evaluate --folds trains again on the folds of the file", async () => {
  await using folder = await tempFolder();
  const model = await trained(folder);
  const run = await cli(["evaluate", model, folder.file("d.csv"), "--folds", "4", "--json"]);
  const told = JSON.parse(run.stdout);
  assertEquals([run.code, told.rows, told.folds.length], [0, 40, 4]);
  const tested = told.folds.map((fold: { rows: number }) => fold.rows);
  assertEquals(tested.reduce((sum: number, rows: number) => sum + rows, 0), 40);
  const mean = told.folds.reduce(
    (sum: number, { metrics }: { metrics: { accuracy: number } }) => sum + metrics.accuracy,
    0,
  ) / 4;
  assertEquals(told.metrics.accuracy, mean);
});

Deno.test("evaluate --folds trains on the columns of the model alone", async () => {
  await using folder = await tempFolder();
  // `twin` is the target by another name, as what is known only afterwards; x says nothing.
  const rows = Array.from({ length: 60 }, (_, i) => {
    const y = i * 7 % 10 < 5 ? "b" : "a";
    return `${i % 3},${y === "b" ? 1 : 0},${y}\n`;
  });
  const data = await folder.write("d.csv", `x,twin,y\n${rows.join("")}`);
  const plain = await folder.write(
    "p.csv",
    `x,y\n${rows.map((row) => row.replace(/,\d/, "")).join("")}`,
  );
  const model = folder.file("m.tlm");
  await cli(["train", data, "-t", "y", "--drop", "twin", "--rounds", "3", "-o", model]);
  const folds = async (file: string) =>
    JSON.parse((await cli(["evaluate", model, file, "--folds", "3", "--json"])).stdout);
  const told = await folds(data);
  assertEquals(told.metrics.auc < 0.8, true, `${told.metrics.auc}`);
  assertEquals(told, await folds(plain));
  const lacking = await folder.write("l.csv", "z,y\n1,a\n2,b\n1,a\n2,b\n");
  const run = await cli(["evaluate", model, lacking, "--folds", "2"]);
  assertEquals(run.code, 4);
  assertStringIncludes(run.stderr, 'without column "x"');
});

Deno.test("evaluate --folds gives the same result on any number of threads", async () => {
  await using folder = await tempFolder();
  const model = await trained(folder);
  const run = (threads: string) =>
    cli(["evaluate", model, folder.file("d.csv"), "--folds", "3", "--json", "--threads", threads]);
  const one = await run("1");
  assertEquals(one.code, 0, one.stderr);
  assertEquals((await run("2")).stdout, one.stdout);
});

Deno.test("evaluate tells values the model never saw", async () => {
  await using folder = await tempFolder();
  const rows = Array.from({ length: 40 }, (_, i) => `${"ab"[i % 2]},${i % 2}\n`).join("");
  const data = await folder.write("d.csv", `c,y\n${rows}`);
  const model = folder.file("m.tlm");
  await cli(["train", data, "-t", "y", "--rounds", "2", "-o", model]);
  const known = await cli(["evaluate", model, await folder.write("k.csv", `c,y\n${rows}a,0\n`)]);
  assertEquals([known.code, known.stderr], [0, ""]);
  const odd = await folder.write("o.csv", "c,y\nA,0\nB,1\na,0\n");
  const run = await cli(["evaluate", model, odd]);
  assertStringIncludes(run.stderr, '"c" holds values the model never saw in 2 of 3 rows');
});

Deno.test("evaluate --seed is a whole number, and asks for --folds", async () => {
  const args = ["evaluate", "m.tlm", "d.csv", "--seed"];
  for (const more of [["3"], ["1.5", "--folds", "2"], ["-1", "--folds", "2"]]) {
    const run = await cli([...args, ...more]);
    assertEquals([run.code, run.stderr.includes("--seed")], [2, true], run.stderr);
  }
});

Deno.test("evaluate says when it is given the rows of training, in whatever order, and not for others", async () => {
  await using folder = await tempFolder();
  const row = (i: number) => `${(i * 37) % 101},${"abc"[i % 3]},${i % 2 ? "p" : "q"}`;
  const rows = Array.from({ length: 100 }, (_, i) => row(i));
  const file = (name: string, lines: readonly string[]) =>
    folder.write(name, `x,c,y\n${lines.join("\n")}\n`);
  const data = await file("d.csv", rows);
  const model = folder.file("m.tlm");
  await cli(["train", data, "-t", "y", "--rounds", "2", "-o", model]);
  const doubts = async (path: string, ...more: string[]) => {
    const run = await cli(["evaluate", model, path, ...more]);
    assertEquals(run.code, 0, run.stderr);
    return run.stderr.includes("the rows that the model was trained on");
  };
  assertEquals(await doubts(data), true);
  assertEquals(await doubts(await file("turned.csv", rows.toReversed())), true);
  assertEquals(await doubts(data, "--folds", "2"), false);
  assertEquals(await doubts(await file("fewer.csv", rows.slice(1))), false);
  // As many rows, of which one has another number or another level.
  const instead = (line: string) => file("other.csv", [line, ...rows.slice(1)]);
  assertEquals(await doubts(await instead("500,a,q")), false);
  assertEquals(await doubts(await instead("0,b,q")), false);
});

Deno.test("evaluate says that a part of the file was trained on, whatever was held out", async () => {
  await using folder = await tempFolder();
  const rows = (y: (i: number) => string, from = 0) =>
    Array.from({ length: 150 }, (_, i) => `${((i + from) * 37) % 301},${y(i)}\n`).join("");
  for (const y of [(i: number) => "pqq"[i % 3]!, (i: number) => String(i % 7)]) {
    const data = await folder.write("d.csv", `x,y\n${rows(y)}`);
    const other = await folder.write("o.csv", `x,y\n${rows(y, 1)}`);
    for (const [share, percent] of [["0.2", "80 %"], ["0.3333", "67 %"], ["0.05", "95 %"]]) {
      const model = folder.file("m.tlm");
      const args = ["train", data, "-t", "y", "--rounds", "2", "--valid-fraction", share!];
      await cli([...args, "--seed", "5", "--force", "-o", model]);
      const told = (await cli(["evaluate", model, data])).stderr;
      assertStringIncludes(
        told,
        `${percent} of these look like the rows that the model was trained`,
      );
      assertEquals((await cli(["evaluate", model, other])).stderr.includes("of these look"), false);
    }
  }
});

Deno.test("evaluate and calibrate know the rows of training where some weigh 0, all or a part of them", async () => {
  await using folder = await tempFolder();
  const row = (i: number) => `${(i * 37) % 301},${i % 4 === 1 ? 0 : 1},${"pqq"[i % 3]}\n`;
  const table = (from: number) =>
    `x,w,y\n${Array.from({ length: 150 }, (_, i) => row(i + from)).join("")}`;
  const data = await folder.write("d.csv", table(0));
  const other = await folder.write("o.csv", table(1));
  const model = folder.file("m.tlm");
  const told = async (path: string, ...command: string[]) =>
    (await cli([...command, model, path, "--weight", "w"])).stderr;
  const base = ["train", data, "-t", "y", "--weight", "w", "--rounds", "2", "--force", "-o", model];
  // LightGBM's trees count such rows, the others leave them out.
  for (const way of [[], ["--preset", "lightgbm@4", "--tree-method", "lightgbm"]]) {
    await cli([...base, ...way]);
    assertStringIncludes(await told(data, "evaluate"), "these look like the rows that the model");
    const calibrate = ["calibrate", "--force", "--out", folder.file("c.tlm")];
    assertStringIncludes(await told(data, ...calibrate), "the rows that the model was trained on");
    assertEquals(await told(other, "evaluate"), "");
    await cli([...base, ...way, "--valid-fraction", "0.2"]);
    assertStringIncludes(await told(data, "evaluate"), "80 % of these look like the rows");
    assertEquals(await told(other, "evaluate"), "");
  }
});

Deno.test("evaluate knows the rows that a calibration was fitted to", async () => {
  await using folder = await tempFolder();
  const table = (from: number) =>
    `x,y\n${
      Array.from({ length: 150 }, (_, i) => `${((i + from) * 37) % 301},${"pqq"[i % 3]}\n`).join("")
    }`;
  const data = await folder.write("d.csv", table(0));
  const heldOut = await folder.write("h.csv", table(1));
  const other = await folder.write("o.csv", table(2));
  const [model, calibrated] = [folder.file("m.tlm"), folder.file("c.tlm")];
  await cli(["train", data, "-t", "y", "--rounds", "2", "-o", model]);
  const told = async (path: string) => (await cli(["evaluate", calibrated, path])).stderr;
  for (const threads of ["1", "2"]) {
    const run = ["--threads", threads, "--force", "-o", calibrated];
    await cli(["calibrate", model, heldOut, ...run]);
    assertStringIncludes(
      await told(heldOut),
      "these look like the rows that the calibration was fitted to: expect worse logLoss and ece",
    );
    assertStringIncludes(await told(data), "the rows that the model was trained on");
    assertEquals(await told(other), "");
  }
  assertEquals((await cli(["evaluate", model, heldOut])).stderr, "");
});

Deno.test("evaluate knows the rows of training of more rows than statistics are of, all or a part", async () => {
  await using folder = await tempFolder();
  const table = (numRows: number, from: number) =>
    `x,y\n${
      Array.from({ length: numRows }, (_, i) => `${((i + from) * 37) % 8009},${"pqq"[i % 3]}\n`)
        .join("")
    }`;
  const data = await folder.write("d.csv", table(5000, 0));
  const others = [table(5000, 1), table(4096, 0), table(4999, 0)];
  const model = folder.file("m.tlm");
  const train = ["train", data, "-t", "y", "--rounds", "2", "--force", "-o", model];
  const told = async (path: string) => (await cli(["evaluate", model, path])).stderr;
  await cli(train);
  assertStringIncludes(await told(data), "these look like the rows that the model was trained on");
  for (const other of others) assertEquals(await told(await folder.write("o.csv", other)), "");
  await cli([...train, "--valid-fraction", "0.15"]);
  assertStringIncludes(await told(data), "85 % of these look like the rows");
  assertEquals(await told(await folder.write("o.csv", others[0])), "");
});

Deno.test("evaluate knows all rows that taught a model which was continued and refitted", async () => {
  await using folder = await tempFolder();
  const table = (numRows: number, levels: string) =>
    `x,c,y\n${
      Array.from({ length: numRows }, (_, i) =>
        `${(i * 37) % 301},${levels[i % levels.length]},${"pqq"[i % 3]}\n`).join("")
    }`;
  const [first, second, third, never] = [
    await folder.write("1.csv", table(150, "ab")),
    await folder.write("2.csv", table(120, "abc")), // a new level
    await folder.write("3.csv", table(90, "ab")),
    await folder.write("4.csv", table(100, "ab")),
  ];
  const told = async (model: string, path: string) =>
    (await cli(["evaluate", folder.file(model), path])).stderr.includes("these look like the rows");
  const out = (name: string) => ["--force", "-o", folder.file(name)];
  await cli(["train", first!, "-t", "y", "--rounds", "2", ...out("a")]);
  await cli(["continue", folder.file("a"), second!, "--rounds", "2", ...out("b")]);
  await cli(["refit", folder.file("b"), third!, ...out("c")]);
  await cli(["refit", folder.file("c"), first!, ...out("d")]);
  const known = async (model: string) => [
    await told(model, first!),
    await told(model, second!),
    await told(model, third!),
    await told(model, never!),
  ];
  assertEquals(await known("a"), [true, false, false, false]);
  assertEquals(await known("b"), [true, true, false, false]);
  assertEquals(await known("c"), [true, true, true, false]);
  assertEquals(await known("d"), [true, true, true, false]);
  // A share of the first rows, too.
  await cli(["train", first!, "-t", "y", "--rounds", "2", "--valid-fraction", "0.2", ...out("a")]);
  await cli(["continue", folder.file("a"), second!, "--rounds", "2", ...out("b")]);
  const part = await cli(["evaluate", folder.file("b"), first!]);
  assertStringIncludes(part.stderr, "80 % of these look like the rows");
});

Deno.test("evaluate scores one query, of which no part can have been held out", async () => {
  await using folder = await tempFolder();
  const rows = (count: number, query: (i: number) => number) =>
    "q,x,y\n" + Array.from({ length: count }, (_, i) => `${query(i)},${i},${i % 3}\n`).join("");
  const data = await folder.write("d.csv", rows(100, (i) => Math.floor(i / 20)));
  const model = folder.file("m.tlm");
  await cli(["train", data, "-t", "y", "--group", "q", "--rounds", "2", "-o", model]);
  const one = await folder.write("one.csv", rows(150, () => 1));
  const { code, stderr } = await cli(["evaluate", model, one, "--group", "q"]);
  assertEquals([code, stderr], [0, ""]);
});

Deno.test("evaluate tells missing values where training had none", async () => {
  await using folder = await tempFolder();
  const row = (i: number) => `${i % 5 ? i : ""},${i},${"ab"[i % 2]},${i % 2 ? "p" : "q"}\n`;
  const rows = Array.from({ length: 40 }, (_, i) => row(i)).join("");
  const model = folder.file("m.tlm");
  const head = "holes,x,c,y\n";
  await cli(["train", await folder.write("d.csv", head + rows), "-t", "y", "-o", model]);
  const fresh = await folder.write("n.csv", `${head},1,,p\n,,a,q\n,2,,q\n`);
  const run = await cli(["evaluate", model, fresh]);
  assertStringIncludes(run.stderr, '"x" is missing in 1 of 3 rows; training never lacked it');
  assertStringIncludes(run.stderr, '"c" is missing in 2 of 3 rows; training never lacked it');
  assertEquals(run.stderr.includes('"holes"'), false, run.stderr);
});
