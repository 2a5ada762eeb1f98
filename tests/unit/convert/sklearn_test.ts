import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { importModel } from "../../../src/convert/import_model.ts";
import { ConversionError } from "../../../src/errors.ts";

/** A file of the exporter: two trees on a number (f0) and categories (f1). */
const text = Deno.readTextFileSync(
  new URL("../../golden/sklearn/hgb_cat_between.json", import.meta.url),
);

// deno-lint-ignore no-explicit-any -- any part of the file may be changed to anything
type Document = any;

function edited(edit: (document: Document) => void): Uint8Array {
  const document = JSON.parse(text);
  edit(document);
  return new TextEncoder().encode(JSON.stringify(document));
}

Deno.test("importModel() refuses files of the exporter that say what there is not, by their places", () => {
  importModel(edited(() => {}));
  const leaf = 3; // of tree 0, whose node 0 is of categories and node 1 of numbers
  const edits: readonly (readonly [string, (document: Document) => void])[] = [
    ["aggregate", (d) => d.aggregate = "median"],
    ["link", (d) => d.link = "cosine"],
    ["input", (d) => d.input = "f16"],
    ["tree_output[1]", (d) => d.tree_output[1] = 1],
    ["tree_output[3]", (d) => d.tree_output[3] = -1],
    ["tree_output", (d) => d.tree_output.pop()],
    ["known_categories[1]", (d) => d.known_categories[1][2] = 1.5],
    ["known_categories[1]", (d) => d.known_categories[1][2] = -1],
    ["known_categories[1]", (d) => d.known_categories[1][2] = 1e9],
    ["known_categories[1][2]", (d) => d.known_categories[1][2] = "2"],
    ["left[2]", (d) => d.trees[0].left[2] = {}],
    ["threshold", (d) => d.trees[0].threshold.pop()],
    ["feature 4", (d) => d.trees[0].feature[1] = 4],
    ["feature -1", (d) => d.trees[0].feature[1] = -1],
    ["categorical one has none", (d) => d.trees[0].categories[0] = null],
    ["numeric feature has categories", (d) => d.trees[0].categories[1] = [1]],
    ["threshold is NaN", (d) => d.trees[0].threshold[1] = null],
    ["leaf value is Infinity", (d) => d.trees[0].value[leaf] = ["inf"]],
    ["value[3]", (d) => d.trees[0].value[leaf] = [1, 2]],
  ];
  for (const [place, edit] of edits) {
    const error = assertThrows(() => importModel(edited(edit)), ConversionError, undefined, place);
    assert(error.code.startsWith("E_CONVERT_"), error.code);
    assert(error.message.includes(place), `${place}: ${error.message}`);
  }
});

Deno.test("levels that training never saw follow missing values, in files of the exporter", () => {
  const model = importModel(edited((d) => {
    d.known_categories[1] = [0, 1, 2]; // 3 to 6 have no rows
    d.trees = d.trees.slice(0, 1);
    d.tree_output = [0];
  }));
  const at = (f1: number | null) => model.predictLeaf({ f0: 0, f1, f2: 0, f3: 0 }).data[0];
  const { categories: [first, , third], missing_left: [firstLeft, , thirdLeft] } =
    JSON.parse(text).trees[0];
  assertEquals([first, firstLeft, third, thirdLeft], [[1, 2, 4, 5], 1, [2, 5], 0]);
  // Node 0 sends members, missing values and 3 and 6, which were never seen, left; node 2, which they come
  // to, sends 2 and 5 left and all else right.
  const missing = at(null);
  assertEquals([1, 3, 4, 6].map(at), new Array(4).fill(missing));
  assertEquals(at(2), at(5));
  assert(at(2) !== missing && at(0) !== missing && at(0) !== at(2));
});

Deno.test("missing values follow the heavier child where scikit-learn scores none, and are reported", () => {
  // DecisionTreeRegressor(max_depth=1) of scikit-learn 1.2.2, of 0, 1, 2 (label 0) and 3, 4 (label 9).
  const tree = {
    left: [1, -1, -1],
    right: [2, -1, -1],
    feature: [0, -2, -2],
    threshold: [2.5, -2, -2],
    "missing_left": [0, 0, 0],
    cover: [5, 3, 2],
    value: [[3.6], [0], [9]],
  };
  const read = (missing: string) =>
    importModel(edited((d) => {
      const one = { outputs: 1, base: [0], "tree_output": null, features: ["f0"], trees: [tree] };
      Object.assign(d, one, { levels: [null], known_categories: [null], missing });
    }));
  const heavier = read("heavier");
  assertEquals([...heavier.predictValue([{ f0: 2 }, { f0: 3 }, { f0: null }])], [0, 9, 0]);
  assertEquals(heavier.schema.features[0].missing, "heavier");
  assertEquals([...read("learnt").predictValue([{ f0: null }])], [9]);
  assertThrows(() => read("error"), ConversionError, '"missing"');
});

function warningsOf(bytes: Uint8Array): string[] {
  const warnings: string[] = [];
  importModel(bytes, { onWarning: (warning) => warnings.push(warning) });
  return warnings;
}

Deno.test("importModel() says where levels of scikit-learn may be false and true of rows", () => {
  // scikit-learn 1.9.1 has [0.0, 1.0] for pandas.Categorical([True, False]), as for [1.0, 0.0].
  const named = (levels: readonly string[]) =>
    warningsOf(edited((d) => {
      d.levels = [null, levels, null, null];
      d.known_categories[1] = levels.map((_, i) => i);
    }));
  assertEquals(named(["False", "True", "no"]), []);
  assertEquals(named(["0", "1", "2"]), []);
  for (const levels of [["0", "1"], ["False", "True"]]) {
    const [warning, ...others] = named(levels);
    assertStringIncludes(warning, `"f1" are called ${levels.join(" and ")}`);
    assertEquals(others, []);
  }
});

Deno.test("importModel() names levels that are numbers as rows have them, and says so of fractions", () => {
  const named = (levels: readonly unknown[]) =>
    edited((d) => {
      d.levels = [null, levels, null, null];
      d.known_categories[1] = levels.map((_, i) => i);
    });
  const codes = named([1e-7, 1e-5, 3]);
  const [, feature] = importModel(codes).schema.features;
  assertEquals(feature.kind === "categorical" && feature.categories, ["1e-7", "0.00001", "3"]);
  assertEquals(warningsOf(codes).length, 1);
  assert(warningsOf(codes)[0].includes('"f1"'));
  assertEquals(warningsOf(named([1, 3])), []);
  assertThrows(() => importModel(named([1, 2 ** 53])), ConversionError, "2^53");
});

Deno.test("importModel() says that GradientBoostingClassifier answers the second class at a score of 0", () => {
  // scikit-learn 1.9.1: predict() asks for raw >= 0. HistGradientBoostingClassifier asks for raw > 0.
  const told = (model: string, base: number) =>
    warningsOf(edited((d) => {
      Object.assign(d, { model, classes: ["a", "b"], link: "sigmoid", base: [base] });
    })).length;
  assertEquals(told("GradientBoostingClassifier", 0), 1);
  assertEquals(told("GradientBoostingClassifier", 0.25), 0);
  assertEquals(told("HistGradientBoostingClassifier", 0), 0);
});

Deno.test("importModel() gives all to the only class that scikit-learn was trained with", () => {
  // scikit-learn 1.9.1, HistGradientBoostingClassifier of 40 rows "yes": predict() says "yes" with this
  // score, and predict_proba() has two columns, 0.9999999999999978 and 2.220446049250309e-15.
  const model = importModel(edited((d) => {
    const one = { classes: ["yes"], link: "sigmoid", outputs: 1, base: [-33.74106829612311] };
    Object.assign(d, one, { trees: [], tree_output: [] });
  }));
  const rows = [{ f0: 0, f1: 0, f2: 0, f3: 0 }];
  assertEquals([...model.predictRaw(rows).data], [-33.74106829612311]);
  assertEquals(model.predictClass(rows), ["yes"]);
  assertEquals(model.predictProba(rows), { data: Float64Array.of(1), rows: 1, cols: 1 });
});
