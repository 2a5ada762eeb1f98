import { assertEquals, assertThrows } from "@std/assert";
import { importFiles, pickModelFiles } from "../../../src/convert/directory.ts";
import { ConversionError } from "../../../src/errors.ts";
import { datasetOf, differentBits32 } from "../../support/parity.ts";
import { readTable } from "../../support/tables.ts";

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
      "bytes",
    ],
    [["metadata/part-00000", "model/_SUCCESS", "model/part-00001", "model/part-00000"], [
      "model/part-00000",
      "model/part-00001",
    ], "pieces"],
    [["_SUCCESS", "part-00000-1b.txt", ".part-00000-1b.txt.crc"], ["part-00000-1b.txt"], "text"],
    [["model.ubj", "checkpoint_metadata.json"], ["model.ubj"], "bytes"],
    [["stages/0_x/metadata/part-00000", "stages/0_x/data/model", "metadata/part-00000"], [
      "stages/0_x/data/model",
    ], "bytes"],
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

// Written by PySpark 4.3.0 with xgboost.spark of XGBoost 3.2.0, and by Ray Train 2.60.0: what
// examples/distributed/train_spark.py and train_ray.py leave, with the library's margins.
for (const name of ["xgboost_spark", "ray"]) {
  Deno.test(`importFiles() takes the folder of ${name} as it lies, with equal margins`, () => {
    const place = new URL("../../golden/directories/", import.meta.url);
    const read = (file: string) => readTable(Deno.readTextFileSync(new URL(file, place))).rows;
    const files = filesBelow(new URL(`${name}/`, place));
    assertEquals(files.size >= 1, true);
    const imported = importFiles(files, { featureNames: ["age", "income", "tenure"] });
    const rows = read(`${name}.input.csv`);
    const scores = imported.predictRaw(datasetOf(imported, rows)).data;
    assertEquals(differentBits32(scores, read(`${name}.margin.csv`)), 0);
  });
}
