import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { importFiles, pickModelFiles } from "../../../src/convert/directory.ts";
import type { ImportOptions } from "../../../src/convert/import_model.ts";
import { ConversionError } from "../../../src/errors.ts";
import { sha256Hex } from "../../../src/util/sha256.ts";
import { datasetOf, differentBits32 } from "../../support/reference/parity.ts";
import { readTable } from "../../support/reference/tables.ts";

const model = (name: string): Uint8Array =>
  Deno.readFileSync(new URL(`../../golden/models/${name}`, import.meta.url));
const row = {
  "sepal_length_cm": 5,
  "sepal_width_cm": 3,
  "petal_length_cm": 1.5,
  "petal_width_cm": 0.2,
};

Deno.test("pickModelFiles() finds the model of every engine's layout", () => {
  const cases: [string[], string[], string][] = [
    [
      ["metadata/part-00000", "metadata/_SUCCESS", "data/model", "data/.model.crc"],
      ["data/model"],
      "booster",
    ],
    [
      ["metadata/part-00000", "data/XGBoostRegressionModel"],
      ["data/XGBoostRegressionModel"],
      "booster",
    ],
    [
      ["metadata/part-00000", "complexParams/lightGBMBooster"],
      ["complexParams/lightGBMBooster"],
      "java",
    ],
    [["metadata/part-00000", "model/_SUCCESS", "model/part-00001", "model/part-00000"], [
      "model/part-00000",
      "model/part-00001",
    ], "pieces"],
    [["_SUCCESS", "part-00000-1b.txt", ".part-00000-1b.txt.crc"], ["part-00000-1b.txt"], "text"],
    [["model.ubj", "checkpoint_metadata.json"], ["model.ubj"], "bytes"],
    [["stages/0_x/metadata/part-00000", "stages/0_x/data/model", "metadata/part-00000"], [
      "stages/0_x/data/model",
    ], "booster"],
    [["anything.onnx"], ["anything.onnx"], "bytes"],
  ];
  for (const [names, paths, join] of cases) {
    const picked = pickModelFiles(names);
    assertEquals([picked.paths, picked.join], [paths, join]);
  }
});

Deno.test("pickModelFiles() refuses none and several", () => {
  assertThrows(() => pickModelFiles(["readme.md", "_SUCCESS"]), ConversionError, "no model file");
  assertThrows(() => pickModelFiles(["a.json", "b.json"]), ConversionError, "several files");
  assertThrows(
    () => pickModelFiles(["stages/0/data/model", "stages/1/data/model"]),
    ConversionError,
    "2 models",
  );
});

Deno.test("importFiles() joins JSON cut inside a token", () => {
  const json = model("xgboost-1.7.4/stumps_only_leaf/model.json");
  const pieces = new Map<string, Uint8Array>();
  const cut = 1001;
  const withBreak = new Uint8Array(cut + 1);
  withBreak.set(json.subarray(0, cut));
  withBreak[cut] = 10;
  pieces.set("model/part-00000", withBreak);
  pieces.set("model/part-00001", json.subarray(cut));
  pieces.set("metadata/part-00000", new TextEncoder().encode(`{"paramMap":{"missing":0.0}}`));
  const warnings: string[] = [];
  const joined = importFiles(pieces, { onWarning: (message) => warnings.push(message) });
  const whole = importFiles(new Map([["model.json", json]]));
  assertEquals(joined.predictRaw([row]), whole.predictRaw([row]));
  assertEquals(warnings.length, 1);
});

Deno.test("importFiles() joins the lines of a LightGBM text directory", () => {
  const text = model("lightgbm-4.6.0/rf_multiclass_iris/model.txt");
  const imported = importFiles(new Map([["part-00000-x.txt", text]]));
  assertEquals(imported.numOutputs, 3);
});

/** All files below a folder by their path relative to it. */
function filesBelow(folder: URL, prefix = ""): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const entry of Deno.readDirSync(folder)) {
    if (entry.isDirectory) {
      const below = filesBelow(new URL(`${entry.name}/`, folder), `${prefix}${entry.name}/`);
      below.forEach((bytes, path) => files.set(path, bytes));
    } else files.set(prefix + entry.name, Deno.readFileSync(new URL(entry.name, folder)));
  }
  return files;
}

const place = new URL("../../golden/directories/", import.meta.url);
const rowsOf = (file: string) => readTable(Deno.readTextFileSync(new URL(file, place))).rows;

// Written by the engines themselves, with their own raw scores: tests/golden/directories/README.md.
for (
  const [name, featureNames] of [
    ["xgboost_spark", ["age", "income", "tenure"]],
    ["xgboost_spark_early", ["age", "income", "tenure"]],
    ["xgboost_spark_range", ["age", "income", "tenure"]],
    ["ray", ["age", "income", "tenure"]],
    ...["3", "3_json", "2", "2_binary", "2_regressor", "1"].map((version) =>
      [`xgboost4j_spark_${version}`, ["age", "income", "height", "weight"]] as const
    ),
    ["synapseml", undefined],
    ["synapseml_stage", undefined],
  ] as const
) {
  Deno.test(`importFiles() takes the folder of ${name} as it lies, with equal margins`, () => {
    const files = filesBelow(new URL(`${name}/`, place));
    assertEquals(files.size >= 1, true);
    const imported = importFiles(files, featureNames === undefined ? {} : { featureNames });
    const rows = rowsOf(`${name}.input.csv`);
    const margins = rowsOf(`${name}.margin.csv`);
    assertEquals(rows.length >= 20, true);
    const scores = imported.predictRaw(datasetOf(imported, rows)).data;
    if (imported.ensemble.profile.sum === "f32") {
      assertEquals(differentBits32(scores, margins), 0);
    } else assertEquals(Array.from(scores), margins.map((row) => row[0]));
  });
}

Deno.test("importFiles() takes the SHA-256 of the file as it lies", () => {
  for (
    const [name, file] of [
      ["xgboost_spark", "model/part-00000"],
      ["xgboost4j_spark_1", "data/XGBoostClassificationModel"],
      ["synapseml_stage", "complexParams/lightGBMBooster"],
    ]
  ) {
    const files = filesBelow(new URL(`${name}/`, place));
    assertEquals(importFiles(files).info.origin?.sha256, sha256Hex(files.get(file)!));
  }
});

Deno.test("importFiles() refuses a stage that scores with a part of its trees", () => {
  const files = filesBelow(new URL("xgboost4j_spark_2/", place));
  const stage = [...files.keys()].find((name) => name.startsWith("metadata/part-"))!;
  const text = new TextDecoder().decode(files.get(stage));
  const changed = text.replace('"paramMap":{', '"paramMap":{"treeLimit":2,');
  files.set(stage, new TextEncoder().encode(changed));
  assertThrows(() => importFiles(files), ConversionError, "treeLimit is 2");
});

/** A folder with another text in its stage's metadata, and what is warned of. */
function changedStage(name: string, from: string, to: string, options: ImportOptions = {}) {
  const files = filesBelow(new URL(`${name}/`, place));
  const stage = [...files.keys()].find((path) => path.startsWith("metadata/part-"))!;
  const text = new TextDecoder().decode(files.get(stage));
  assert(text.includes(from), from);
  files.set(stage, new TextEncoder().encode(text.replace(from, to)));
  const warnings: string[] = [];
  const model = importFiles(files, { ...options, onWarning: (said) => warnings.push(said) });
  return { model, warnings };
}

Deno.test("importFiles() says that a stage of xgboost.spark scores with its first rounds", () => {
  // The best round is "4", counted from 0; two more came before training stopped.
  const early = changedStage("xgboost_spark_early", "", "");
  assertEquals([early.model.numRounds, early.model.numTrees], [5, 10]);
  assertMatch(early.warnings.join(), /^The Spark stage scores with the first 5 of 7 rounds/);
  assertEquals(changedStage("xgboost_spark_range", "", "").model.numRounds, 4);
  // [0, 0] stands for no range.
  const whole = changedStage("xgboost_spark_range", "[0,4]", "[0,0]");
  assertEquals([whole.model.numRounds, whole.warnings], [6, []]);
  assertThrows(
    () => changedStage("xgboost_spark_range", "[0,4]", "[1,4]"),
    ConversionError,
    "iteration_range is [1, 4]",
  );
});

Deno.test("importFiles() keeps as many rounds as asked, whatever the stage says", () => {
  const { model, warnings } = changedStage("xgboost_spark_early", "", "", { rounds: "all" });
  assertEquals([model.numRounds, warnings], [7, []]);
});

Deno.test("importFiles() warns of a stage whose rows start from a column", () => {
  const to = '"paramMap":{"base_margin_col":"my \\"w\\"",';
  const { warnings } = changedStage("xgboost_spark", '"paramMap":{', to);
  assertMatch(
    warnings.join(),
    /starts each row from its column "my \\"w\\"" in the place of the base/,
  );
});

Deno.test("pickModelFiles() reads the settings of the model's own stage, not of the pipeline", () => {
  const names = ["metadata/part-00000", "stages/1_x/metadata/part-00000", "stages/1_x/data/model"];
  assertEquals(pickModelFiles(names).metadata, "stages/1_x/metadata/part-00000");
});

Deno.test("importFiles() passes over the number of classes that old classifiers have in front", () => {
  // xgboost4j-spark up to 1.2 or so: `outputStream.writeInt(numClasses)` before the booster.
  const files = filesBelow(new URL("xgboost4j_spark_1/", place));
  const booster = "data/XGBoostClassificationModel";
  const plain = files.get(booster)!;
  const expected = importFiles(files).predictRaw([{ f0: 1, f1: 2, f2: 0, f3: 0 }]);
  for (const count of [2, 3, 63]) {
    files.set(booster, Uint8Array.of(0, 0, 0, count, ...plain));
    assertEquals(importFiles(files).predictRaw([{ f0: 1, f1: 2, f2: 0, f3: 0 }]), expected);
    // Boosters of the time have no "binf" in front either.
    files.set(booster, Uint8Array.of(0, 0, 0, count, ...plain.subarray(4)));
    assertEquals(importFiles(files).predictRaw([{ f0: 1, f1: 2, f2: 0, f3: 0 }]), expected);
    files.set(booster, plain.subarray(4));
    assertEquals(importFiles(files).predictRaw([{ f0: 1, f1: 2, f2: 0, f3: 0 }]), expected);
  }
});
