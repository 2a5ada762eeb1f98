/**
 * Rounds after the best one, in the file that xgboost.spark 3.2.0 left: early stopping found round 4 best
 * (counted from 0) of 7, and `xgboost_spark_early.margin.csv` is what the estimator scores.
 */
import { assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import { importModel, type ImportOptions, importParts } from "../../../src/convert/import_model.ts";
import { ConversionError } from "../../../src/errors.ts";
import { cli } from "../../support/cli.ts";
import { datasetOf, differentBits32 } from "../../support/reference/parity.ts";
import { readTable } from "../../support/reference/tables.ts";
import { tempFolder } from "../../support/temp.ts";

const place = new URL("../../golden/directories/", import.meta.url);
const path = new URL("xgboost_spark_early/model/part-00000", place);
const file = Deno.readFileSync(path);
const tableOf = (name: string) => readTable(Deno.readTextFileSync(new URL(name, place))).rows;
const rows = tableOf("xgboost_spark_early.input.csv");
const margins = tableOf("xgboost_spark_early.margin.csv");
const featureNames = ["age", "income", "tenure"];

function imported(rounds?: ImportOptions["rounds"]) {
  const warnings: string[] = [];
  const model = importModel(file, {
    featureNames,
    onWarning: (said) => warnings.push(said),
    ...(rounds === undefined ? {} : { rounds }),
  });
  return { model, warnings };
}

Deno.test("rounds: best of a plain file are those that XGBClassifier scores with", () => {
  const { model, warnings } = imported("best");
  assertEquals([model.numRounds, model.numTrees, warnings], [5, 10, []]);
  assertEquals(differentBits32(model.predictRaw(datasetOf(model, rows)).data, margins), 0);
});

Deno.test("all rounds count where nothing is said, and a warning tells the other way", () => {
  const { model, warnings } = imported();
  assertEquals(model.numRounds, 7);
  assertMatch(warnings.join(), /round 5 best, the file holds 7: all are used.*--rounds best/);
  assertNotEquals(differentBits32(model.predictRaw(datasetOf(model, rows)).data, margins), 0);
  assertEquals(imported("all").warnings, []);
});

Deno.test("so many rounds score as the whole model does with so many", () => {
  const whole = imported("all").model;
  for (const rounds of [0, 1, 6, 7]) {
    const { model, warnings } = imported(rounds);
    assertEquals([model.numRounds, warnings], [rounds, []]);
    const { parts, sourceIds } = importParts(file, { featureNames, rounds });
    assertEquals(sourceIds.length, parts.ensemble.trees.kind.length);
    const data = datasetOf(whole, rows);
    assertEquals(model.predictRaw(data), whole.predictRaw(data, { rounds }));
  }
  for (const rounds of [8, -1, 1.5]) {
    assertThrows(() => imported(rounds), ConversionError, "expected a whole number from 0 to 7");
  }
});

Deno.test("the best rounds of a file that names none are refused", () => {
  const text = new TextDecoder().decode(file).replace('"best_iteration"', '"other"');
  const bytes = new TextEncoder().encode(text);
  assertThrows(
    () => importModel(bytes, { rounds: "best" }),
    ConversionError,
    "names no best round",
  );
});

Deno.test("convert --rounds keeps them, and refuses another word", async () => {
  await using folder = await tempFolder();
  const out = folder.file("m.tlm");
  const convert = (rounds: string) =>
    cli(["convert", path.pathname, "--rounds", rounds, "--out", out, "--force"]);
  assertEquals((await convert("best")).code, 0);
  const shown = await cli(["inspect", out, "--json"]);
  assertEquals(JSON.parse(shown.stdout).info.params.rounds, { kept: 5, of: 7 });
  assertEquals((await convert("some")).code, 2);
  const own = await cli(["convert", out, "--rounds", "2", "--out", folder.file("n.tlm")]);
  assertEquals(own.code, 2);
});
