import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { loadModel } from "../../../../src/files/model_file.ts";
import { cli } from "../../../support/cli.ts";
import { tempFolder } from "../../../support/temp.ts";

/** y = 2 where x > 20, else 1; z is noise. */
const table = `x,z,y\n${
  Array.from({ length: 40 }, (_, i) => `${i},${(i * 7) % 5},${i > 20 ? 2 : 1}\n`).join("")
}`;
const exact = ["--tree-method", "exact"];

Deno.test("train writes a model that scores, and tells its story on stderr", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", table);
  const out = folder.file("m.tlm");
  const run = await cli(["train", data, "-t", "y", "--task", "regression", "-o", out, ...exact]);
  assertEquals([run.code, run.stdout], [0, ""]);
  assertStringIncludes(run.stderr, '40 rows, 2 features → "y"');
  const model = await loadModel(out);
  const [low, high] = model.predictValue([{ x: 3, z: 1 }, { x: 35, z: 1 }]);
  assert(Math.abs(low! - 1) < 1e-3 && Math.abs(high! - 2) < 1e-3, `${low} ${high}`);
});

const nameOf = ({ name }: { readonly name: string }) => name;

Deno.test("train --json prints one document with the figures of the held-out rows", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", table);
  const out = folder.file("m.tlm");
  const run = await cli(
    ["train", data, "-t", "y", "--task", "classification", "--valid-fraction", "0.25"]
      .concat(["--rounds", "20", "--json", "-o", out, ...exact]),
  );
  assertEquals(run.code, 0);
  const told = JSON.parse(run.stdout);
  assertEquals([told.rows, told.validRows, told.rounds], [30, 10, 20]);
  assertEquals([told.task, told.classes, told.features.map(nameOf)], [
    "classification",
    ["1", "2"],
    [
      "x",
      "z",
    ],
  ]);
  assertEquals(told.byteLength, (await Deno.stat(out)).size);
  assertEquals(told.metrics.accuracy, 1);
  assertEquals(told.params, { preset: "treeline@1", rounds: 20, treeMethod: "exact" });
});

Deno.test("train names columns that teach nothing, and --binned the same ones", async () => {
  await using folder = await tempFolder();
  // k and t are constant, e is missing, h and near are one value or another.
  const head = "x,k,e,h,near,t,w,y\n";
  const lines = Array.from(
    { length: 60 },
    (_, i) =>
      [i, 7, "", i % 2 ? 3 : "", i % 2 ? 1 : 1 + 2 ** -52, "same", 1 + i % 2, i % 9].join(",") +
      "\n",
  );
  const data = await folder.write("d.csv", head + lines.join(""));
  const said = '"e" is missing in all rows; "k", "t" are the same in all rows: nothing is learnt';
  for (const way of [[], ["--valid-fraction", "0.3"], ["--max-bins", "2"]]) {
    for (const binned of [[], ["--binned"]]) {
      const args = ["train", data, "-t", "y", "--weight", "w", "--rounds", "2", ...way, ...binned];
      assertStringIncludes((await cli(args)).stderr, said);
    }
  }
  // Cuts do not part values of rows that weigh nothing: of such a column nothing is said.
  const unweighed = lines.map((line, i) =>
    line.replace(",7,", `,${i % 2 ? 7 : 8},`).replace(/,\d,(\d+\n)$/, `,${i % 2},$1`)
  );
  const other = await folder.write("o.csv", head + unweighed.join(""));
  const args = ["train", other, "-t", "y", "--weight", "w", "--rounds", "2", "--binned"];
  assertEquals((await cli(args)).stderr.includes('"k"'), false);
});

Deno.test("train reads stdin and writes the same bytes to stdout as to a file", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", table);
  const args = ["-t", "y", "--rounds", "3", ...exact];
  await cli(["train", data, ...args, "-o", folder.file("m.tlm")]);
  const piped = await cli(["train", "-", ...args, "-o", "-"], { stdin: table });
  assertEquals(piped.bytes, await Deno.readFile(folder.file("m.tlm")));
});

Deno.test("train takes hyperparameters from a file, and flags win over it under any name", async () => {
  await using folder = await tempFolder();
  const config = { target: "y", "num_boost_round": 7, eta: 0.5, drop: ["z"] };
  const data = await folder.write("d.csv", table);
  const file = await folder.write("c.json", JSON.stringify(config));
  const run = await cli(
    ["train", data, "--config", file, "--learning-rate", "0.25", "--set", "max_depth=2"]
      .concat(["--json", ...exact]),
  );
  assertEquals(run.code, 0);
  const told = JSON.parse(run.stdout);
  assertEquals(told.features.map(nameOf), ["x"]);
  assertEquals(told.params, {
    preset: "treeline@1",
    rounds: 7,
    learningRate: 0.25,
    maxDepth: 2,
    treeMethod: "exact",
  });
});

Deno.test("train --binned writes the bytes of plain reading: weights, categories, a validation set, held-out rows", async () => {
  await using folder = await tempFolder();
  const row = (i: number) =>
    [
      (i * 37) % 101 / 8,
      i % 11 === 0 ? "" : (i * 7) % 300,
      `level ${i % 6}`,
      i % 13 === 5 ? "" : ((i * 37) % 101 > 50 ? 3 : 1) + (i % 6) / 4,
      1 + i % 3,
    ].join(",");
  const part = (from: number, to: number) =>
    `x,hole,text,y,w\n${
      Array.from({ length: to - from }, (_, i) => `${row(from + i)}\n`).join("")
    }`;
  const data = await folder.write("d.csv", part(0, 600));
  const valid = await folder.write("v.csv", part(600, 800));
  const args = ["train", data, "-t", "y", "--weight", "w", "--drop-missing-target"];
  const ways = [
    ["--rounds", "12", "--valid", valid, "--early-stopping-rounds", "5", "--max-bins", "32"],
    [],
    ["--rounds", "6", "--valid-fraction", "0.25", "--seed", "4"],
    ["--set", "preset=xgboost@2", "--set", "num_boost_round=4"],
  ];
  for (const way of ways) {
    const [plain, binned] = [folder.file("plain.tlm"), folder.file("binned.tlm")];
    const a = await cli([...args, ...way, "--json", "--force", "-o", plain]);
    const b = await cli([...args, ...way, "--json", "--binned", "--force", "-o", binned]);
    assertEquals([a.code, b.code], [0, 0], a.stderr + b.stderr);
    assertEquals(await Deno.readFile(binned), await Deno.readFile(plain));
    assertEquals(JSON.parse(b.stdout).metrics, JSON.parse(a.stdout).metrics);
  }
});

Deno.test("train --binned says where it makes no sense", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", table);
  const refusals: [string[], string][] = [
    [["-"], "standard input"],
    [[data, "--algorithm", "cart"], "--algorithm cart"],
  ];
  for (const [args, why] of refusals) {
    const { code, stderr } = await cli(["train", ...args, "-t", "y", "--binned"], { stdin: table });
    assertEquals(code, 2);
    assertStringIncludes(stderr, why);
  }
  const { code, stderr } = await cli(["train", data, "-t", "y", "--binned", ...exact]);
  assertEquals(code, 2);
  assertStringIncludes(stderr, "by exact splits on bins");
});

Deno.test("train needs a target, and names the nearest parameter and column", async () => {
  const failed = async (...args: string[]) => {
    const { code, stderr } = await cli(["train", "-", ...args], { stdin: table });
    return [code, stderr] as const;
  };
  const [noTarget, why] = await failed();
  assertEquals(noTarget, 2);
  assertStringIncludes(why, "--target is missing");
  const [unknownFlag, nearest] = await failed("--target", "y", "--max-dept", "3");
  assertEquals(unknownFlag, 2);
  assertStringIncludes(nearest, "--max-depth");
  const [unknownSet, did] = await failed("--target", "y", "--set", "max_dept=3");
  assertEquals(unknownSet, 2);
  assertStringIncludes(did, "maxDepth");
  assertEquals((await failed("--target", "yy"))[0], 3);
  assertEquals((await failed("--target", "y", "--learning-rate", "2"))[0], 2);
});

Deno.test("train leaves nothing half-written behind", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", "x,y\n1,\n2,3\n");
  const out = folder.file("m.tlm");
  assertEquals((await cli(["train", data, "-t", "y", "-o", out])).code, 3);
  assertEquals(folder.names(), ["d.csv"]);
  await folder.write("m.tlm", "old");
  const good = await folder.write("g.csv", table);
  const refused = await cli(["train", good, "-t", "y", "-o", out, ...exact]);
  assertEquals([refused.code, await Deno.readTextFile(out)], [6, "old"]);
});

Deno.test("train shows progress on a terminal only", async () => {
  const args = ["train", "-", "-t", "y", "--rounds", "2", "--valid-fraction", "0.2", ...exact];
  const seen = await cli(args, { stdin: table, terminal: true });
  assertStringIncludes(seen.stderr, "\rround 2/2  valid ");
  const piped = await cli(args, { stdin: table });
  assertEquals(piped.stderr.includes("\r"), false);
});

Deno.test("train --valid reads columns by the kinds they have in training", async () => {
  await using folder = await tempFolder();
  // "007" is class 1 and "7" class 0; rows held out have numbers only.
  const names = ["007", "7", "A"];
  const row = (i: number) => `${names[i % 3]},${i % 3 === 0 ? 1 : 0}\n`;
  const data = await folder.write(
    "d.csv",
    `c,y\n${Array.from({ length: 60 }, (_, i) => row(i)).join("")}`,
  );
  const held = await folder.write("v.csv", "c,y\n007,1\n7,0\n007,1\n");
  const args = ["train", data, "-t", "y", "--rounds", "20", "--valid", held, "--json"];
  const run = await cli([...args, "-o", folder.file("m.tlm")]);
  assertEquals([run.code, run.stderr.includes("warning")], [0, false], run.stderr);
  assertEquals(JSON.parse(run.stdout).metrics.accuracy, 1);
  const other = await folder.write("o.csv", "c,y\n08,1\n7,0\n");
  const told = await cli(["train", data, "-t", "y", "--valid", other, "-o", folder.file("n.tlm")]);
  assertStringIncludes(told.stderr, '"c" holds values the model never saw in 1 of 2 rows');
});

Deno.test("train --valid tells missing values of columns that the training rows have all of", async () => {
  await using folder = await tempFolder();
  const rows = Array.from(
    { length: 40 },
    (_, i) => `${i % 5 ? i : ""},${i},${i % 7 ? "abc"[i % 3] : ""},${"abc"[i % 3]},${i % 2}\n`,
  );
  const data = await folder.write("d.csv", `x,whole,c,all,y\n${rows.join("")}`);
  const held = await folder.write("v.csv", "x,whole,c,all,y\n,,,,1\n1,1,a,a,0\n");
  for (const way of [[], ["--binned"]]) {
    const args = ["train", data, "-t", "y", "--rounds", "2", "--valid", held, ...way];
    const { code, stderr } = await cli([...args, "-o", folder.file(`m${way}.tlm`)]);
    const told = stderr.split("\n").filter((line) => line.includes("never lacked"));
    assertEquals([code, told], [0, [
      'warning: "whole" is missing in 1 of 2 rows; training never lacked it',
      'warning: "all" is missing in 1 of 2 rows; training never lacked it',
    ]], stderr);
  }
});

Deno.test("train --binned gives the bytes of train with class weights, rows held out and calibration", async () => {
  await using folder = await tempFolder();
  const rows = Array.from({ length: 400 }, (_, i) => {
    const x = (i * 0.618034) % 1;
    return `${x},${(i * 0.414214) % 1},${x + (i % 7) / 10 > 0.8 ? "b" : "a"}\n`;
  });
  const data = await folder.write("d.csv", `x,z,y\n${rows.join("")}`);
  const given = ["--max-bins", "12", "--rounds", "9", "--seed", "3"];
  for (
    const more of [
      ["--class-weights", "balanced"],
      ["--early-stopping-rounds", "4"],
      ["--early-stopping-rounds", "4", "--class-weights", '{"b":3}', "--valid-fraction", "0.3"],
      ["--calibrate", "platt"],
    ]
  ) {
    const out = [folder.file("plain.tlm"), folder.file("binned.tlm")];
    for (const [i, way] of [[], ["--binned"]].entries()) {
      const args = ["train", data, "-t", "y", ...given, ...more, ...way, "-o", out[i], "--force"];
      const run = await cli(args);
      assertEquals(run.code, 0, run.stderr);
    }
    assertEquals(await Deno.readFile(out[1]), await Deno.readFile(out[0]), more.join(" "));
  }
});

Deno.test("train --metrics tells the figures that were asked for of the held-out rows", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", table);
  const held = ["train", data, "-t", "y", "--task", "regression", "--valid-fraction", "0.25"];
  const run = await cli([...held, "--rounds", "3", "--metrics", "mae,huber", "--json"]);
  assertEquals(run.code, 0, run.stderr);
  assertEquals(Object.keys(JSON.parse(run.stdout).metrics), ["mae", "huber"]);
});

Deno.test("train refuses checkpoints in the file of the model, which would be removed", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", table);
  const out = folder.file("m.tlm");
  const args = ["train", data, "-t", "y", "--rounds", "2", "-o", out, ...exact];
  const again = out.replace(/[^/]*$/, "./$&");
  for (const path of [out, again]) {
    const { code, stderr } = await cli([...args, "--checkpoint", path]);
    assertEquals(code, 2);
    assertStringIncludes(stderr, "in the file of --out");
  }
  const run = await cli([...args, "--checkpoint", `${out}.checkpoint`]);
  assertEquals([run.code, (await loadModel(out)).numRounds], [0, 2]);
});

Deno.test("train refuses a checkpoint that cannot be written before it trains, and leaves no file", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", table);
  const out = folder.file("m.tlm");
  const args = ["train", data, "-t", "y", "--rounds", "2", "-o", out, ...exact];
  // No checkpoint would be kept in two rounds: only a look beforehand can tell.
  for (const path of [folder.file("none/c"), `${data}/c`]) {
    const { code, stderr } = await cli([...args, "--checkpoint", path]);
    assertEquals(code, 6, stderr);
    assertStringIncludes(stderr, `"${path}": `);
  }
  const names = () => [...Deno.readDirSync(folder.file("."))].map(({ name }) => name).sort();
  assertEquals(names(), ["d.csv"]);
  const kept = await cli([...args, "--checkpoint", folder.file("c")]);
  assertEquals([kept.code, names()], [0, ["d.csv", "m.tlm"]]);
});

Deno.test("train says how good the model is on rows left out, or that none were", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", table);
  const told = async (...args: string[]) =>
    (await cli(["train", data, "-t", "y", "--task", "classification", ...args])).stderr;
  const none = "no row was left out to measure the model";
  assertStringIncludes(await told("--rounds", "2"), none);
  assertStringIncludes(await told("--algorithm", "cart"), none);
  for (
    const [args, line] of [
      [[], /out of fold: logLoss \d/],
      [["--rounds", "5", "--valid-fraction", "0.25"], /held out: logLoss \d/],
      [["--early-stopping-rounds", "2", "--rounds", "5"], /on heldOut: 0\.\d{4}\n/],
      [
        ["--algorithm", "random-forest", "--set", "trees=20"],
        /out of bag: logLoss \d.*accuracy \d/,
      ],
    ] as const
  ) {
    const story = await told(...args);
    assertEquals([line.test(story), story.includes(none)], [true, false], story);
  }
  const forest = ["train", data, "-t", "y", "-a", "random-forest", "--set", "trees=20", "--json"];
  const { oob } = JSON.parse((await cli(forest)).stdout);
  assertEquals(Object.keys(oob.metrics), ["rmse", "mae", "r2"]);
});

Deno.test("train doubts a model without errors, and names the column that makes it so", async () => {
  await using folder = await tempFolder();
  // Classes by a die; `late` is known only with them.
  const die = (i: number) => (i * 7919) % 101 > 50 ? "p" : "q";
  const rows = Array.from({ length: 200 }, (_, i) => `${i % 13},${die(i) + die(i)},${die(i)}\n`);
  const data = await folder.write("d.csv", `x,late,y\n${rows.join("")}`);
  const told = async (...args: string[]) =>
    (await cli(["train", data, "-t", "y", "--valid-fraction", "0.2", ...args])).stderr;
  const doubt = "make sure that no column tells the answer";
  assertStringIncludes(await told("--rounds", "100"), `${doubt}; "late" makes 100 % of the gain`);
  assertEquals((await told("--rounds", "100", "--drop", "late")).includes(doubt), false);
  // One round is far from the answer still.
  assertEquals((await told("--rounds", "1")).includes(doubt), false);
});

Deno.test("train counts one row, one feature and one class as one", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", "x,y\n1,a\n");
  const run = await cli(["train", data, "-t", "y", "--allow-single-class", "--rounds", "1"]);
  assertStringIncludes(run.stderr, '1 row, 1 feature → 1 class of "y"\n');
});
