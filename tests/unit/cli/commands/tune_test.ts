import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { cli } from "../../../support/cli.ts";
import { type TempFolder, tempFolder } from "../../../support/temp.ts";

async function table(folder: TempFolder): Promise<string> {
  const rows = Array.from({ length: 60 }, (_, i) => `${i},${(i * 7) % 60},${i > 30 ? 4.5 : 1.5}\n`);
  return await folder.write("d.csv", `x,z,y\n${rows.join("")}`);
}

const SEARCH = ["--trials", "3", "--folds", "3", "--rounds", "5", "--threads", "1"];

Deno.test("tune --json prints the trials, best first, the same for one seed", async () => {
  await using folder = await tempFolder();
  const data = await table(folder);
  const run = (seed: string) =>
    cli(["tune", data, "-t", "y", ...SEARCH, "--only", "learningRate", "--seed", seed, "--json"]);
  const { code, stdout, stderr } = await run("1");
  assertEquals([code, stderr], [0, ""]);
  const told = JSON.parse(stdout);
  assertEquals([told.algorithm, told.metric, told.trials.length], ["boost", "rmse", 3]);
  assertEquals(told.best, told.trials[0]);
  const values = told.trials.map(({ value }: { value: number }) => value);
  assertEquals(values, values.toSorted((a: number, b: number) => a - b));
  const drawn = new Set<number>();
  for (const { params } of told.trials) {
    assertEquals(Object.keys(params).sort(), ["learningRate", "rounds"]);
    assertEquals(params.rounds, 5);
    drawn.add(params.learningRate);
  }
  assertEquals(drawn.size, 3);
  assertEquals((await run("1")).stdout, stdout);
  assert((await run("2")).stdout !== stdout);
});

Deno.test("tune prints a table, and the best setting as flags that train takes", async () => {
  await using folder = await tempFolder();
  const data = await table(folder);
  const { code, stdout } = await cli(["tune", data, "-t", "y", ...SEARCH, "-m", "mae"]);
  assertEquals(code, 0);
  const lines = stdout.trimEnd().split("\n");
  assert(/^trial +rows +mae +± +/.test(lines[0]), lines[0]);
  const best = /^best: trial (\d+), mae \S+ over 3 folds$/.exec(lines.at(-2)!);
  assertEquals(best?.[1], lines[1].trim().split(/ +/)[0]);
  const flags = lines.at(-1)!.split(" ");
  assert(flags.includes("--learning-rate") && flags.includes("--rounds"), lines.at(-1));
  const out = folder.file("m.tlm");
  const trained = await cli(["train", data, "-t", "y", ...flags, "-o", out]);
  assertEquals([trained.code, (await Deno.stat(out)).isFile], [0, true]);
});

Deno.test("tune keeps numbers by column, and prints names so that a shell leaves them alone", async () => {
  await using folder = await tempFolder();
  const rows = Array.from({ length: 60 }, (_, i) => `${i},${i > 30 ? 4.5 : 1.5}\n`);
  const data = await folder.write("d.csv", `it's,y\n${rows.join("")}`);
  const trials = folder.file("trials.jsonl");
  const args = ["tune", data, "-t", "y", ...SEARCH, "--monotone", "it's=1", "--resume", trials];
  const { code, stdout, stderr } = await cli(args);
  assertEquals(code, 0, stderr);
  // What POSIX calls a quote in quotes: end, escape, begin anew.
  assertStringIncludes(stdout, `--monotone '{"it'\\''s":1}'`);
  const again = await cli(args);
  assertEquals([again.code, again.stdout], [0, stdout]);
  assertStringIncludes(again.stderr, "going on from 3 trials");
});

Deno.test("tune asks by which metric losses are compared", async () => {
  await using folder = await tempFolder();
  const args = ["tune", await table(folder), "-t", "y", ...SEARCH, "--only", "maxDepth"];
  const search = [...args, "--range", "loss=absolute,quantile,squared", "--seed", "2"];
  const unlike = await cli(search);
  assertEquals(unlike.code, 2);
  assertStringIncludes(unlike.stderr, "error[E_PARAM_CONFLICT]: Cannot compare trials that differ");
  const alike = await cli([...search, "--metric", "mae"]);
  assertEquals(alike.code, 0, alike.stderr);
});

Deno.test("tune ends with 2 without a target, for an unknown parameter, and for no trials", async () => {
  await using folder = await tempFolder();
  const data = await table(folder);
  const noTarget = await cli(["tune", data]);
  assertEquals(noTarget.code, 2);
  assertStringIncludes(noTarget.stderr, "--target");
  const unknown = await cli(["tune", data, "-t", "y", "--only", "learnRate"]);
  assertEquals(unknown.code, 2);
  assertStringIncludes(unknown.stderr, "learnRate");
  assertEquals((await cli(["tune", data, "-t", "y", "--trials", "0"])).code, 2);
});

Deno.test("tune --range gives ranges; ranges for classes are not drawn for numbers", async () => {
  await using folder = await tempFolder();
  const data = await table(folder);
  const run = async (...more: string[]) => {
    const { code, stdout, stderr } = await cli([
      ...["tune", data, "-t", "y", "--trials", "6", "--folds", "2", "--json"],
      ...more,
    ]);
    return { code, stderr, trials: code === 0 ? JSON.parse(stdout).trials : [] };
  };
  const spans = await run("--only", "eta", "--range", "eta=0.2:0.3:log", "--range", "rounds=2,3");
  assertEquals(spans.trials.length, 6);
  for (const { params } of spans.trials) {
    assert(params.learningRate >= 0.2 && params.learningRate <= 0.3, params.learningRate);
    assert([2, 3].includes(params.rounds), params.rounds);
  }
  assertEquals((await run("--range", "eta=a:b")).code, 2);
  assertEquals((await run("--range", "eta=0.2:7")).code, 2);
  const only = ["-a", "cart", "--only", "criterion,max-depth"];
  const numbers = await run(...only);
  assertEquals(numbers.code, 0);
  for (const { params } of numbers.trials) assertEquals(Object.keys(params), ["maxDepth"]);
  const classes = await run(...only, "--task", "classification");
  for (const { params } of classes.trials) assert(["gini", "entropy"].includes(params.criterion));
});

Deno.test("tune --resume goes on from the trials that are there, and refuses those of another search", async () => {
  await using folder = await tempFolder();
  const data = await table(folder);
  const log = folder.file("trials.jsonl");
  const run = (...more: string[]) => {
    const usual = [["--trials", "3"], ["--folds", "3"]].filter(([flag]) => !more.includes(flag));
    const fixed = ["--rounds", "5", "--threads", "1", "--only", "learningRate", "--json"];
    return cli(["tune", data, "-t", "y", ...usual.flat(), ...fixed, ...more]);
  };
  const whole = await run();
  const first = await run("--resume", log);
  assertEquals([first.code, first.stdout], [0, whole.stdout]);
  const lines = (await Deno.readTextFile(log)).trimEnd().split("\n");
  assertEquals(lines.length, 4);
  // Killed after the first trial, whose value nobody but the file could know.
  const told = JSON.parse(lines[1]);
  await Deno.writeTextFile(
    log,
    `${lines[0]}\n${JSON.stringify({ ...told, value: -1, mean: { ...told.mean, rmse: -1 } })}\n`,
  );
  const again = await run("--resume", log);
  assertEquals(again.code, 0, again.stderr);
  assertStringIncludes(again.stderr, "going on from 1 trials");
  assertEquals(JSON.parse(again.stdout).best.value, -1);
  assertEquals((await Deno.readTextFile(log)).trimEnd().split("\n").length, 4);
  // More trials of the same search are fine; another search is not.
  assertEquals((await run("--resume", log, "--trials", "4")).code, 0);
  for (
    const [what, more] of [
      ["seed", ["--seed", "9"]],
      ["folds", ["--folds", "4"]],
      ["space", ["--max-depth", "2"]],
      ["metric", ["--metric", "mae"]],
    ] as const
  ) {
    const other = await run("--resume", log, ...more);
    assertEquals([what, other.code], [what, 2]);
    assertStringIncludes(other.stderr, `other ${what}`);
  }
  const longer = await folder.write("e.csv", `${await Deno.readTextFile(data)}99,1,4.5\n`);
  const moved = await cli([
    "tune",
    longer,
    "-t",
    "y",
    ...SEARCH,
    "--only",
    "learningRate",
    "--resume",
    log,
  ]);
  assertEquals(moved.code, 2);
  assertStringIncludes(moved.stderr, "other data");
  await Deno.writeTextFile(log, "not a log\n");
  assertEquals((await run("--resume", log)).code, 3);
});

Deno.test("tune --resume refuses a file that cannot be written before it trains", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", "x,y\n1,2.5\n2,3.5\n3,4.5\n4,5.5\n");
  const args = ["tune", data, "-t", "y", "--trials", "2", "--folds", "2", "--rounds", "2"];
  // So few rows are never split, which each training warns of.
  assertStringIncludes((await cli(args)).stderr, "constant");
  const { code, stderr } = await cli([...args, "--resume", folder.file("none/log")]);
  assertEquals(code, 6);
  assertStringIncludes(stderr, "its folder does not exist");
  assert(!stderr.includes("constant"), stderr);
});

Deno.test("tune refuses a second range of a parameter, and one of a parameter that is fixed", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", "x,y\n1,2\n2,3\n3,4\n4,5\n");
  const args = ["tune", data, "-t", "y", "--trials", "1", "--folds", "2"];
  for (
    const more of [
      ["--range", "maxDepth=2:4", "--range", "max_depth=3:5"],
      ["--range", "depth=2:4", "--max-depth", "3"],
      ["--range", "eta=0.1:0.2", "--set", "learning_rate=0.1"],
    ]
  ) {
    const run = await cli([...args, ...more]);
    assertEquals([run.code, run.stdout], [2, ""], run.stderr);
    assertStringIncludes(run.stderr, "already; drop one");
  }
  assertEquals((await cli([...args, "--seed", "1.5"])).code, 2);
});
