// deno-lint-ignore-file camelcase -- the keys are XGBoost's
/**
 * What XGBoost 3.2.0 reads of files that it did not write: `Booster.load_model` and
 * `predict(output_margin=True)`. Nothing of it may be read otherwise here; refusing is always allowed.
 */
import { assertEquals, assertThrows } from "@std/assert";
import { importModel } from "../../../../src/convert/import_model.ts";
import { fullLimits } from "../../../../src/convert/common/limits.ts";
import { writeUbjson } from "../../../../src/convert/wire/ubjson_writer.ts";
import { readXgboostUbjson } from "../../../../src/convert/xgboost/ubjson.ts";
import { convertXgboost } from "../../../../src/convert/xgboost/import.ts";
import { ConversionError } from "../../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../../src/format/binary.ts";
import { modelFromJson, modelToJson } from "../../../../src/format/json.ts";

/** A stump `x < 0.5`: −1, else 1; missing values go left. The base score is 0. */
const FILE = JSON.stringify({
  learner: {
    feature_names: ["x"],
    feature_types: ["float"],
    gradient_booster: {
      model: {
        gbtree_model_param: { num_parallel_tree: "1", num_trees: "1" },
        iteration_indptr: [0, 1],
        tree_info: [0],
        trees: [{
          base_weights: [0, -1, 1],
          categories: [],
          categories_nodes: [],
          categories_segments: [],
          categories_sizes: [],
          default_left: [1, 0, 0],
          id: 0,
          left_children: [1, -1, -1],
          loss_changes: [1, 0, 0],
          parents: [2147483647, 0, 0],
          right_children: [2, -1, -1],
          split_conditions: [0.5, -1, 1],
          split_indices: [0, 0, 0],
          split_type: [0, 0, 0],
          sum_hessian: [2, 1, 1],
          tree_param: { num_deleted: "0", num_feature: "1", num_nodes: "3", size_leaf_vector: "1" },
        }],
      },
      name: "gbtree",
    },
    learner_model_param: { base_score: "[0E0]", num_class: "0", num_feature: "1", num_target: "1" },
    objective: { name: "reg:squarederror", reg_loss_param: {} },
  },
  version: [3, 2, 0],
});

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const change = (from: string, to: string): string => {
  const text = FILE.replace(from, () => to);
  assertEquals(text === FILE, false, from);
  return text;
};

const scores = (text: string): number[] => [
  ...importModel(encode(text)).predictRaw([{ x: 0 }, { x: 1 }, { x: null }]).data,
];

const refused = (text: string): ConversionError =>
  assertThrows(() => importModel(encode(text)), ConversionError, "", text);

Deno.test("importModel() sends missing values left in XGBoost's files where default_left is 1, and only there", () => {
  assertEquals(scores(FILE), [-1, 1, -1]);
  assertEquals(scores(change(`"default_left":[1`, `"default_left":[true`)), [-1, 1, -1]);
  for (const other of ["0", "2", "-2", "false"]) {
    assertEquals(scores(change(`"default_left":[1`, `"default_left":[${other}`)), [-1, 1, 1]);
  }
});

Deno.test("importModel() takes XGBoost's covers and gains as unknown where one is not finite", () => {
  // As the library writes curvatures of 3e37 in 40 rows.
  const text = change("[2,1,1]", "[Infinity,2e38,Infinity]");
  for (
    const [file, gain] of [[text, 1], [text.replace('changes":[1', 'changes":[NaN'), 0]] as const
  ) {
    const model = importModel(encode(file));
    for (const again of [decodeModel(encodeModel(model)), modelFromJson(modelToJson(model))]) {
      assertEquals([...again.predictRaw([{ x: 0 }, { x: 1 }]).data], [-1, 1]);
      assertEquals([...again.ensemble.trees.cover], [0, 0, 0]);
      assertEquals([...again.ensemble.trees.gain], [gain, 0, 0]);
    }
  }
});

Deno.test("importModel() refuses children of XGBoost's nodes that are not neighbours", () => {
  // The library goes to node 2 for x ≥ 0.5 whatever the second child is: that is for missing values.
  const text = change(`"right_children":[2,-1,-1]`, `"right_children":[3,-1,-1,-1]`)
    .replace(
      /"(left_children|parents|split_indices|split_conditions|default_left|split_type|sum_hessian|loss_changes|base_weights)":\[([^\]]*)\]/g,
      (_, name, list) =>
        `"${name}":[${list},${
          name === "left_children" ? -1 : name === "split_conditions" ? 7 : 0
        }]`,
    )
    .replace(`"num_nodes":"3"`, `"num_nodes":"4"`);
  assertEquals(refused(text).details, { tree: 0, node: 0 });
});

Deno.test("importModel() refuses rounds of XGBoost that leave out trees", () => {
  for (const starts of ["[1,1]", "[0,0]", "[0,2]", "[0,2,1]", "[]"]) {
    const error = refused(change(`"iteration_indptr":[0,1]`, `"iteration_indptr":${starts}`));
    assertEquals(error.details.path, "iteration_indptr");
  }
});

Deno.test("importModel() refuses numbers that XGBoost reads as others or not at all", () => {
  for (
    const [from, to] of [
      [`"[0E0]"`, `"[0x10]"`],
      [`"[0E0]"`, `"0x10"`], // 0 in the library
      [`"[0E0]"`, `" 1"`],
      [`"num_feature":"1","num_target"`, `"num_feature":"0x1","num_target"`],
      [`"num_feature":"1","num_target"`, `"num_feature":"1e0","num_target"`],
      [`"split_type":[0`, `"split_type":[257`],
    ]
  ) assertEquals(refused(change(from, to)).code, "E_CONVERT_SYNTAX");
});

Deno.test("importModel() refuses XGBoost's categorical nodes that list no categories, or are out of order", () => {
  // Without any list the library compares with the condition.
  const text = change(`"split_type":[0`, `"split_type":[1`);
  assertEquals(refused(text).details, { tree: 0, node: 0 });
  const sets = (nodes: string): string =>
    text.replace(
      `"categories":[],"categories_nodes":[],"categories_segments":[],"categories_sizes":[]`,
      () =>
        `"categories":[0,1],"categories_nodes":${nodes},"categories_segments":[0,1],"categories_sizes":[1,1]`,
    );
  assertEquals(scores(sets("[0,1]")), [1, -1, -1]);
  assertEquals(refused(sets("[1,0]")).details, { tree: 0, node: 0 }); // it never comes to node 0
});

Deno.test("importModel() refuses more or fewer names than XGBoost's file has features", () => {
  for (const names of [`["x","y"]`, `["x","y","z"]`]) {
    const error = refused(change(`"feature_names":["x"]`, `"feature_names":${names}`));
    assertEquals(error.details.path, "feature_names");
  }
  const unnamed = importModel(encode(change(`"feature_names":["x"]`, `"feature_names":[]`)));
  assertEquals(unnamed.schema.features[0].name, "f0");
});

Deno.test("importModel() takes the last of two equal keys in JSON as XGBoost does, none in UBJSON", () => {
  const name = `"name":"reg:squarederror"`;
  const double = change(name, `"name":"binary:logistic",${name}`);
  assertEquals(scores(double), [-1, 1, -1]);
  const bytes = writeUbjson(JSON.parse(change(name, `${name},"namf":"binary:logistic"`)));
  const at = new TextDecoder("latin1").decode(bytes).indexOf("namf");
  bytes[at + 3] = "e".charCodeAt(0);
  const error = assertThrows(() => importModel(bytes), ConversionError);
  assertEquals(error.code, "E_CONVERT_SYNTAX");
});

/** The stump with the arrays of a UBJSON file, read by the kernel where it takes it. */
function readByKernel(defaultLeft: number, right: number, id = 0, hessian = 0) {
  const document = JSON.parse(FILE);
  const { model } = document.learner.gradient_booster;
  const [tree] = model.trees;
  tree.id = id;
  const lists = {
    left_children: [1, -1, -1, -1],
    right_children: [right, -1, -1, -1],
    split_indices: [0, 0, 0, 0],
  };
  for (const [key, list] of Object.entries(lists)) tree[key] = Int32Array.from(list);
  for (const key of ["loss_changes", "sum_hessian", "base_weights"]) {
    tree[key] = new Float32Array(4);
  }
  tree.sum_hessian[0] = hessian;
  tree.parents = new Int32Array(4);
  tree.split_conditions = Float32Array.of(0.5, -1, 1, 7);
  tree.default_left = Uint8Array.of(defaultLeft, 0, 0, 0);
  tree.split_type = new Uint8Array(4);
  for (const key of ["categories", "categories_nodes"]) tree[key] = new Int32Array(0);
  for (const key of ["categories_segments", "categories_sizes"]) tree[key] = { int64: [] };
  const source = readXgboostUbjson(writeUbjson(document), fullLimits(), 0);
  return { source, convert: () => convertXgboost(source, fullLimits()) };
}

Deno.test("the kernel reads XGBoost's default_left, children and covers as the general reader does", () => {
  for (const [byte, missing] of [[1, 0], [0, 1], [2, 1], [255, 1]]) {
    const { source, convert } = readByKernel(byte, 2);
    assertEquals(source.ready === undefined, false);
    assertEquals([byte, convert().ensemble.trees.missing[0]], [byte, missing]);
  }
  const known = [2, Infinity].map((hessian) => {
    const { source, convert } = readByKernel(1, 2, 0, hessian);
    assertEquals(source.ready === undefined, false);
    return convert().ensemble.trees.cover[0];
  });
  assertEquals(known, [2, 0]);
  const { source, convert } = readByKernel(1, 3);
  assertEquals(source.ready, undefined);
  assertThrows(convert, ConversionError, "neighbours");
});

Deno.test("importModel() refuses XGBoost's trees that are not in the order of their numbers", () => {
  // The library puts a tree at its number and gives it the output and the weight of that place: of a
  // file whose first two trees were exchanged by hand it scores as of the file before.
  const error = refused(change(`"id":0`, `"id":1`));
  assertEquals([error.code, error.details.path], ["E_CONVERT_SYNTAX", "trees[0].id"]);
  assertEquals(scores(change(`"id":0,`, "")), [-1, 1, -1]);
});

Deno.test("the kernel leaves XGBoost's trees that are not in order to the general reader", () => {
  assertEquals(readByKernel(1, 2, 0).source.ready === undefined, false);
  for (const id of [1, 127, 200, 300, 70_000, -1]) {
    const error = assertThrows(() => readByKernel(1, 2, id), ConversionError);
    assertEquals([id, error.details.path], [id, "trees[0].id"]);
  }
});
