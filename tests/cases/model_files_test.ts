/** CASES M1 to M11: model files prove themselves, stay small and come back whole. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import {
  ConversionError,
  decodeModel,
  encodeModel,
  exportModel,
  featureImportance,
  importModel,
  type Model,
  ModelError,
  modelFromJson,
  modelToJson,
  parseCsv,
  trainBoost,
  trainCart,
  trainRandomForest,
} from "../../mod.ts";
import { createModel } from "../../src/model/model.ts";
import { Model as ModelClass } from "../../src/model/model.ts";
import { createRng } from "../../src/util/rng.ts";
import { cli } from "../support/cli.ts";
import { randomParts } from "../support/models/random.ts";
import { smallModel } from "../support/models/small.ts";
import { lightgbmStump, xgboostStump } from "../support/models/foreign_stumps.ts";
import { tempFolder } from "../support/temp.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

Deno.test("CASES M1: children that are out of range, their own parents or shared are refused", () => {
  const lightgbm = lightgbmStump(0.5, 2);
  importModel(bytesOf(lightgbm)); // sound as it is
  // −2 is the leaf of the other side: one leaf would hang on both.
  for (const child of ["2147483647", "0", "-2147483648", "1", "-3", "-2", "0.5", "NaN"]) {
    const file = lightgbm.replace("left_child=-1", `left_child=${child}`);
    const error = assertThrows(() => importModel(bytesOf(file)), ConversionError);
    assertEquals(error.code, "E_CONVERT_SYNTAX", child);
    assertStringIncludes(error.message, "tree", child);
  }
  const xgboost = xgboostStump("0.5");
  importModel(bytesOf(xgboost));
  for (const child of [2147483647, 0, -2147483648, 3, 2, 0.5]) {
    const file = xgboost.replace('"left_children":[1,', `"left_children":[${child},`);
    assert(file !== xgboost);
    const error = assertThrows(() => importModel(bytesOf(file)), ConversionError);
    assertEquals(error.code, "E_CONVERT_SYNTAX", String(child));
  }
  // A feature that is not there, and leaves and thresholds that are no numbers.
  for (
    const [from, to] of [
      ["split_feature=0", "split_feature=1"],
      ["leaf_value=10 1", "leaf_value=nan 1"],
      ["threshold=0.5", "threshold=nan"],
      ["leaf_value=10 1", "leaf_value=10"],
    ]
  ) {
    const file = lightgbm.replace(from, to);
    assert(file !== lightgbm);
    assertThrows(() => importModel(bytesOf(file)), ConversionError, undefined, to);
  }
  const huge = lightgbm.replace("num_leaves=2", "num_leaves=1000000000");
  const error = assertThrows(() => importModel(bytesOf(huge)), ModelError);
  assertEquals(error.code, "E_MODEL_LIMIT");
  // Three nodes, beyond what the caller allows.
  for (const file of [lightgbm, xgboost]) {
    const limits = { maxNodes: 2 };
    const refused = assertThrows(() => importModel(bytesOf(file), { limits }), ModelError);
    assertEquals(refused.code, "E_MODEL_LIMIT");
    assertStringIncludes(refused.message, "number of nodes");
  }
});

Deno.test("CASES M3: a CatBoost tree of depth 2 with 3 leaves is refused", () => {
  const file = (leaves: number[], weights = leaves) => ({
    features_info: {
      float_features: [{ borders: [0.5, 1.5], feature_id: "x", feature_index: 0 }],
    },
    model_info: { params: { loss_function: { type: "RMSE" } } },
    oblivious_trees: [{
      leaf_values: leaves,
      leaf_weights: weights,
      splits: [0.5, 1.5].map((border, i) => ({
        border,
        float_feature_index: 0,
        split_index: i,
        split_type: "FloatFeature",
      })),
    }],
    scale_and_bias: [1, [0]],
  });
  const read = (...values: [number[], number[]?]) =>
    importModel(bytesOf(JSON.stringify(file(...values))));
  // The first split is the lowest bit of a leaf's number.
  assertEquals([...read([1, 2, 3, 4]).predictValue([{ x: 0 }, { x: 1 }, { x: 2 }])], [1, 2, 4]);
  for (const leaves of [[1, 2, 3], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6, 7, 8], []]) {
    const error = assertThrows(() => read(leaves), ConversionError);
    assertEquals(error.code, "E_CONVERT_SYNTAX", String(leaves));
    assertStringIncludes(error.message, `${leaves.length} leaf values, expected 4`);
  }
});

const rng = createRng(11);
const table = Array.from({ length: 3000 }, () => {
  const [a, b, c] = [rng.nextFloat(), rng.nextFloat(), rng.nextFloat()];
  const y = Math.sin(9 * a) + b * c + rng.nextFloat();
  return `${a.toFixed(4)},${b.toFixed(4)},${"pqr"[rng.nextInt(3)]},${y.toFixed(3)},${y > 1}\n`;
});
const csv = `a,b,c,y,z\n${table.join("")}`;
const numbers = parseCsv(csv, { target: "y", drop: ["z"] });
const classes = parseCsv(csv, { target: "z", drop: ["y"] });
const some = Array.from(
  { length: 200 },
  (_, i) => ({ a: i / 200, b: (i % 7) / 7, c: "pqrx"[i % 4] }),
);

Deno.test("CASES M8: a model comes back from bytes and JSON as the same class, to the last bit", async () => {
  const models = [
    await trainBoost(classes, { rounds: 10 }),
    await trainRandomForest(classes, { trees: 5 }),
    await trainCart(numbers, {}),
  ];
  for (const model of models) {
    const copies = [decodeModel(encodeModel(model)), modelFromJson(modelToJson(model))];
    for (const copy of copies) {
      assert(copy instanceof ModelClass);
      assertEquals(copy.predictRaw(some), model.predictRaw(some));
      assertEquals(copy.predictLeaf(some), model.predictLeaf(some));
      assertEquals(featureImportance(copy), featureImportance(model));
      if (model.schema.classes.length === 0) continue;
      assertEquals(copy.predictProba(some), model.predictProba(some));
      assertEquals(copy.predictClass(some), model.predictClass(some));
    }
  }
});

const numSplits = (model: Model) => model.ensemble.trees.kind.filter((kind) => kind !== 0).length;

Deno.test("CASES M9: at most 12 bytes a split in the compact form, told by section, cut to any size", async () => {
  const models = [
    await trainBoost(numbers, { rounds: 60, maxDepth: 6 }),
    await trainRandomForest(classes, { trees: 10, seed: 1 }),
  ];
  for (const model of models) {
    const compact = encodeModel(model, { explain: false, attachments: false });
    const each = compact.length / numSplits(model);
    assert(each <= 12, `${each} bytes a split of ${model.info.algorithm}`);
  }
  const file = encodeModel(models[0]);
  const shown = JSON.parse((await cli(["inspect", "-", "--json"], { stdin: file })).stdout);
  const sections: { id: string; byteLength: number }[] = shown.sections;
  const inside = sections.reduce((total, { byteLength }) => total + byteLength, 0);
  // A header of 32 bytes, an entry of 24 and up to 7 bytes of filling a section: docs/format.md.
  const outside = file.length - inside - 32 - 24 * sections.length;
  assert(outside >= 0 && outside <= 7 * sections.length, `${outside} bytes are in no section`);
  await using folder = await tempFolder();
  const [from, to] = [folder.file("m.tlm"), folder.file("small.tlm")];
  await Deno.writeFile(from, file);
  const run = await cli(["shrink", from, "--max-size", "8kB", "--out", to]);
  assertEquals(run.code, 0, run.stderr);
  assert((await Deno.stat(to)).size <= 8192);
  assertStringIncludes(run.stdout, "largest change of a raw score, proved");
});

Deno.test("CASES M10: 5,000 trees are scored; source code of more than 16 MiB is refused", () => {
  const model = createModel(randomParts({ seed: 5, trees: 5000, depth: 8, numeric: 3 }));
  const row = { x0: 0.3, x1: -0.2, x2: 1 };
  // The same walk by the words of the layout, added in the same order.
  const { baseScore, trees } = model.ensemble;
  const x = [row.x0, row.x1, row.x2];
  let total = baseScore[0];
  for (let node of trees.treeStart.slice(0, -1)) {
    while (trees.kind[node] !== 0) {
      node = trees.firstChild[node] + (x[trees.feature[node]] <= trees.threshold[node] ? 0 : 1);
    }
    total += trees.leaf[node];
  }
  assertEquals(model.predictRaw(row).data[0], total);
  const error = assertThrows(() => exportModel(model, "typescript"), ModelError);
  assertEquals(error.code, "E_MODEL_LIMIT");
  assertStringIncludes(error.message, "load the model file instead");
});

Deno.test("CASES M11: each foreign file is told what it is and what to save instead", () => {
  const model = smallModel();
  const cases: [Uint8Array, string, string][] = [
    [latin1("booster[0]:\n0:[x<1] yes=1,no=2,missing=1\n"), "XGBoost text dump", "save_model"],
    [latin1("0:[x<1] yes=1,no=2,missing=1\n\t1:leaf=1\n"), "XGBoost text dump", "save_model"],
    [latin1("0:leaf=0.5\n"), "XGBoost text dump", "save_model"],
    [latin1('[{"nodeid":0,"leaf":1}]'), "JSON dump of trees", "save_model"],
    [latin1('{"name":"tree","tree_info":[]}'), "dump_model()", "save_model"],
    [latin1('{"trees":[],"features_info":{}}'), "non-symmetric", "SymmetricTree"],
    [latin1("CBM1...."), "CatBoost binary", 'format="json"'],
    // CatBoost 1.2.10: "Can save model with text features only in cbm format".
    [latin1("CBM1...."), "CatBoost binary", "unless it has features of text"],
    [latin1("\x80\x05\x95...."), "pickle", "tools/sklearn_export.py"],
    [latin1("PK\x03\x04...."), "ZIP", "expected a model file"],
    [latin1("\x1f\x8b\x08"), "gzip", "unpack"],
    [latin1('<?xml version="1.0"?><PMML/>'), "PMML", "expected a model file"],
    // How CatBoost 1.2.10 begins its exports: C++, Python (with categories) and Core ML.
    [latin1("#include <string>\n#include <vector>\n"), "C++ code", 'format="json"'],
    [latin1("###  Model data\nclass catboost_model"), "Python code", 'format="json"'],
    [latin1("### Types to hold CTR's data\n"), "Python code", 'format="json"'],
    [latin1("\x08\x01\x12\x95\x31\x0a\x0f\x0a\x09feature_0"), "Core ML", 'format="json"'],
    [encodeModel(model), "Treeline", "decodeModel"],
    [bytesOf(modelToJson(model)), "Treeline", "modelFromJson"],
    [latin1("x,y\n1,2\n"), "no known format", "expected XGBoost"],
    [latin1("{}"), "none of the keys", '"learner"'],
  ];
  for (const [bytes, what, advice] of cases) {
    const error = assertThrows(() => importModel(bytes), ConversionError);
    assertEquals(error.code, "E_CONVERT_UNSUPPORTED", what);
    assertStringIncludes(error.message, what);
    assertStringIncludes(error.message, advice);
  }
  // Treeline's own loaders refuse all of them but their own.
  for (const [bytes, what] of cases.filter(([, what]) => what !== "Treeline")) {
    const text = new TextDecoder().decode(bytes);
    for (const load of [() => decodeModel(bytes), () => modelFromJson(text)]) {
      assertEquals(assertThrows(load, ModelError).code, "E_MODEL_MAGIC", what);
    }
  }
  assertEquals(
    assertThrows(() => decodeModel(bytesOf(modelToJson(model))), ModelError).code,
    "E_MODEL_MAGIC",
  );
});
