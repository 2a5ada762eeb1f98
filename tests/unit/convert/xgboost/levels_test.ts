/** Level names of string categories, whole and cut. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { importModel } from "../../../../src/convert/import_model.ts";
import { ConversionError } from "../../../../src/errors.ts";

const file = (minor: number, names: Uint8Array, offsets: readonly number[]): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({
    version: [3, minor, 0],
    learner: {
      learner_model_param: { base_score: "0", num_class: "0", num_feature: "1" },
      objective: { name: "reg:squarederror" },
      feature_names: ["city"],
      feature_types: ["c"],
      gradient_booster: {
        name: "gbtree",
        model: {
          gbtree_model_param: { num_trees: "1" },
          tree_info: [0],
          cats: { enc: [{ offsets, values: Array.from(names) }] },
          trees: [{
            tree_param: { num_nodes: "3", size_leaf_vector: "0" },
            left_children: [1, -1, -1],
            right_children: [2, -1, -1],
            split_indices: [0, 0, 0],
            split_conditions: [0, -1, 1],
            split_type: [1, 0, 0],
            default_left: [1, 0, 0],
            categories: [1],
            categories_nodes: [0],
            categories_segments: [0],
            categories_sizes: [1],
          }],
        },
      },
    },
  }));

const bytes = new TextEncoder().encode("ÖloBonn");

Deno.test("importModel() takes level names where XGBoost 3.4 cuts them", () => {
  const warnings: string[] = [];
  const model = importModel(file(4, bytes, [0, 4, 8]), { onWarning: (w) => warnings.push(w) });
  assertEquals(warnings, []);
  assertEquals(model.predictValue([{ city: "Bonn" }, { city: "Ölo" }]), new Float64Array([1, -1]));
});

Deno.test("importModel() takes codes where XGBoost before 3.4 counted letters for bytes", () => {
  // What 3.1 to 3.3 write for ["Ölo", "Bonn"]: offsets in letters, bytes cut to as many.
  const warnings: string[] = [];
  const model = importModel(file(2, bytes.subarray(0, 7), [0, 3, 7]), {
    onWarning: (w) => warnings.push(w),
  });
  assert(warnings[0].includes('"city"') && warnings[0].includes("level codes"));
  assertEquals(warnings.length, 1); // it is told once
  assertEquals(model.predictValue([{ city: 1 }, { city: 0 }]), new Float64Array([1, -1]));
  // Names of ASCII letters are as good in 3.2 as later.
  const plain = importModel(file(2, new TextEncoder().encode("OloBonn"), [0, 3, 7]));
  assertEquals(plain.predictValue([{ city: "Bonn" }]), new Float64Array([1]));
});

Deno.test("importModel(): codes of XGBoost are float32 numbers cut to whole ones, negative ones none", () => {
  const coded = JSON.parse(new TextDecoder().decode(file(2, bytes, [0, 3, 7])));
  const { model } = coded.learner.gradient_booster;
  delete model.cats;
  Object.assign(model.trees[0], { categories: [0, 3], categories_sizes: [2] });
  const read = importModel(new TextEncoder().encode(JSON.stringify(coded)));
  // predict() of xgboost 3.2.0 with this set, right of which 1 is and left of which -1.
  const codes = [0, 1, 3, -0.5, -0.999, -1, 0.5, 2.999999999, 2.9999, 6, 1e9, NaN];
  const found = read.predictValue(codes.map((city) => ({ city })));
  assertEquals([...found], [1, -1, 1, -1, -1, -1, 1, 1, -1, -1, -1, -1]);
});

Deno.test("importModel() says where numbers are codes of levels that the file does not name", () => {
  // XGBoost 2.0.3 writes the same for a pandas column of categories 10 and 20 as for codes 0 and 1.
  const coded = JSON.parse(new TextDecoder().decode(file(0, bytes, [])));
  coded.version = [2, 0, 3];
  delete coded.learner.gradient_booster.model.cats;
  const read = (): string[] => {
    const warnings: string[] = [];
    const model = importModel(new TextEncoder().encode(JSON.stringify(coded)), {
      onWarning: (warning) => warnings.push(warning),
    });
    assertEquals(model.predictValue([{ city: 1 }, { city: 20 }])[0], 1);
    return warnings;
  };
  const [warning, ...others] = read();
  assertStringIncludes(warning, 'does not name the levels of "city": inputs are category codes');
  assertEquals(others, []);
  // Vector leaves of 2.0.3 test codes as numbers; the feature's type is still "c".
  const tree = coded.learner.gradient_booster.model.trees[0];
  Object.assign(tree, { split_type: [0, 0, 0], split_conditions: [0.5, -1, 1] });
  for (const key of ["", "_nodes", "_segments", "_sizes"]) tree[`categories${key}`] = [];
  assertEquals(read(), [warning]);
  coded.learner.feature_types = ["int"];
  assertEquals(read(), []);
});

Deno.test("importModel() refuses names that come twice, and a target with the name of a feature", () => {
  const two = JSON.parse(new TextDecoder().decode(file(2, bytes, [0, 3, 7])));
  two.learner.objective.name = "binary:logistic";
  two.learner.learner_model_param.num_feature = "2";
  two.learner.feature_names.push("x");
  two.learner.feature_types.push("float");
  delete two.learner.gradient_booster.model.cats;
  const text = new TextEncoder().encode(JSON.stringify(two));
  assertEquals(importModel(text, { classes: ["no", "yes"] }).schema.classes, ["no", "yes"]);
  for (
    const [options, message] of [
      [{ classes: ["no", "no"] }, '"no" occurs twice'],
      [{ classes: ["no"] }, "1 are given, expected 2"],
      [{ featureNames: ["a", "a"] }, '"a" occurs twice'],
      [{ featureNames: ["\u00e9", "e\u0301"] }, '"\u00e9" occurs twice'],
      [{ target: "x" }, 'a feature is named "x"'],
      [{ featureNames: ["a", "b"], target: "a" }, 'a feature is named "a"'],
    ] as const
  ) {
    const error = assertThrows(() => importModel(text, options), ConversionError, message);
    assertEquals(error.code, "E_CONVERT_UNSUPPORTED");
  }
});
