import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { continueBoost } from "../../../../src/algorithms/update/continue.ts";
import { refitBoost } from "../../../../src/algorithms/update/refit.ts";
import { parseCsv } from "../../../../src/data/csv/parse.ts";
import { calibrate } from "../../../../src/evaluate/calibrate.ts";
import { evaluate } from "../../../../src/evaluate/evaluate.ts";
import { decodeModel, encodeModel } from "../../../../src/format/binary.ts";
import { createRng } from "../../../../src/util/rng.ts";
import { cli } from "../../../support/cli.ts";
import { tempFolder } from "../../../support/temp.ts";

/** Two classes that x parts with noise. */
function table(numRows: number, seed: number): string {
  const rng = createRng(seed);
  const lines = Array.from({ length: numRows }, () => {
    const x = rng.nextFloat();
    return `${x.toFixed(3)},${rng.nextFloat() < x ? "yes" : "no"}`;
  });
  return `x,y\n${lines.join("\n")}\n`;
}

/** A folder with a trained model and new rows. */
async function prepared() {
  const folder = await tempFolder();
  const train = await folder.write("train.csv", table(400, 1));
  const fresh = await folder.write("fresh.csv", table(300, 2));
  const model = folder.file("m.tlm");
  const run = await cli(["train", train, "--target", "y", "--rounds", "10", "--out", model, "-q"]);
  assertEquals(run.code, 0, run.stderr);
  return { folder, train, fresh, model, out: folder.file("out.tlm") };
}

const same = async (path: string, wanted: Uint8Array) =>
  assertEquals(await Deno.readFile(path), wanted);

Deno.test("calibrate writes the model that calibrate() makes, for each method", async () => {
  const { folder, fresh, model, out } = await prepared();
  await using _ = folder;
  const before = decodeModel(await Deno.readFile(model));
  for (const method of ["platt", "isotonic", "temperature"] as const) {
    const args = ["calibrate", model, fresh, "--method", method, "--out", out, "--force", "--json"];
    const run = await cli(args);
    assertEquals(run.code, 0, run.stderr);
    const told = JSON.parse(run.stdout);
    assertEquals(told.method, method);
    const data = parseCsv(await Deno.readTextFile(fresh), { target: "y" });
    const names = ["logLoss", "ece"];
    assertEquals(told.metricsBefore, evaluate(before, data, names).metrics);
    const after = decodeModel(await Deno.readFile(out));
    assertEquals(told.metrics, evaluate(after, data, names).metrics);
    await same(out, encodeModel(calibrate(before, data, method)));
  }
  assertEquals((await cli(["calibrate", model, fresh])).code, 2);
});

Deno.test("continue adds the rounds that continueBoost() adds", async () => {
  const { folder, train, model, out } = await prepared();
  await using _ = folder;
  const run = await cli(["continue", model, train, "--rounds", "5", "--out", out, "--json"]);
  assertEquals(run.code, 0, run.stderr);
  const story = JSON.parse(run.stdout);
  assertEquals([story.roundsBefore, story.rounds], [10, 15]);
  const data = parseCsv(await Deno.readTextFile(train), { target: "y" });
  const wanted = await continueBoost(decodeModel(await Deno.readFile(model)), data, { rounds: 5 });
  await same(out, encodeModel(wanted));
  const wrong = await cli(["continue", model, train, "--loss", "hinge", "--out", out, "--force"]);
  assertStringIncludes(wrong.stderr, "E_PARAM_CONFLICT");
});

Deno.test("refit keeps the splits and moves the leaves as refitBoost() does", async () => {
  const { folder, fresh, model, out } = await prepared();
  await using _ = folder;
  const run = await cli(["refit", model, fresh, "--decay", "0.5", "--out", out]);
  assertEquals(run.code, 0, run.stderr);
  const before = decodeModel(await Deno.readFile(model));
  const data = parseCsv(await Deno.readTextFile(fresh), { target: "y" });
  await same(out, encodeModel(refitBoost(before, data, { decay: 0.5 })));
  const after = decodeModel(await Deno.readFile(out));
  assertEquals(after.ensemble.trees.threshold, before.ensemble.trees.threshold);
  assert(after.ensemble.trees.leaf.some((leaf, i) => leaf !== before.ensemble.trees.leaf[i]));
  assertEquals((await cli(["refit", model, fresh, "--decay", "2", "--out", out, "-f"])).code, 2);
});

Deno.test("calibrate says when it is given the rows of training", async () => {
  const { folder, train, fresh, model, out } = await prepared();
  await using _ = folder;
  const why = async (rows: string) =>
    (await cli(["calibrate", model, rows, "--out", out, "--force"])).stderr;
  assertStringIncludes(await why(train), "the rows that the model was trained on");
  const said = await why(fresh);
  assertEquals(said.includes("trained on"), false);
  assertStringIncludes(said, "are of the rows that the map was fitted to: evaluate on others");
});

Deno.test("evaluate --folds says what it leaves out of a model that was changed", async () => {
  const { folder, fresh: data, model } = await prepared();
  await using _ = folder;
  const told = async (path: string) => {
    const run = await cli(["evaluate", path, data, "--folds", "2", "--require", "auc>=2", "-q"]);
    assertStringIncludes(run.stderr, "hint: the metrics above are means over the folds");
    return run.stderr.split("\n").find((line) => line.startsWith("warning: folds"));
  };
  assertEquals(await told(model), undefined);
  const steps = [
    ["continue", "--rounds", "1", "the rounds that continue added"],
    ["refit", "--decay", "0.5", "the values of refit"],
    ["calibrate", "--method", "isotonic", "its calibration"],
    ["shrink", "--max-size", "2kB", "the cuts of shrink"],
  ];
  const without: string[] = [];
  let last = model;
  for (const [command, flag, value, what] of steps) {
    const next = folder.file(`${command}.tlm`);
    const rows = command === "shrink" ? [] : [data];
    assertEquals((await cli([command!, last, ...rows, flag!, value!, "-o", next])).code, 0);
    without.push(what!);
    assertEquals(
      await told(next),
      `warning: folds are trained by the model's first parameters, without ${without.join(", ")}`,
    );
    last = next;
  }
});
