import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { train } from "../../../../src/algorithms/train.ts";
import { exportModel } from "../../../../src/convert/export_model.ts";
import { float32Model, float32Problems } from "../../../../src/convert/common/export_rounding.ts";
import { importModel } from "../../../../src/convert/import_model.ts";
import { datasetFromRows } from "../../../../src/data/records/rows.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { ConversionError, ParameterError } from "../../../../src/errors.ts";
import { createModel, type Model } from "../../../../src/model/model.ts";
import { randomParts } from "../../../support/models/random.ts";

const reasons = (model: Model): readonly string[] =>
  float32Problems(model).map(({ feature, reason }) => `${feature ?? ""}: ${reason}`);

Deno.test("float32Problems() names features compared as float64, and sums in float64", () => {
  const model = createModel(randomParts({ seed: 1, numeric: 2, trees: 5 }));
  assertEquals(reasons(model), [
    "x0: its values are compared as float64, not rounded to float32",
    "x1: its values are compared as float64, not rounded to float32",
    ": leaves are added in float64",
  ]);
  assertEquals(reasons(float32Model(model)), []);
});

/** Trees of a single leaf. */
function handModel(leaves: readonly number[], base: number): Model {
  const { ensemble, ...parts } = randomParts({ seed: 1, trees: leaves.length, depth: 0 });
  return createModel({
    ...parts,
    ensemble: {
      ...ensemble,
      trees: { ...ensemble.trees, leaf: Float64Array.from(leaves) },
      baseScore: Float64Array.of(base),
    },
  });
}

// By hand: 24 bits hold 2²⁴ = 16777216 and not 2²⁴ + 1, nor 1 + 2⁻²⁴.
const SUMS: readonly (readonly [string, readonly number[], number, boolean])[] = [
  ["ones", [1, 1, 1], 0, true],
  ["up to 2²⁴", [2 ** 24 - 1, 1], 0, true],
  ["beyond 2²⁴", [2 ** 24, 1], 0, false],
  ["far apart", [1, 2 ** -24], 0, false],
  ["as near as 24 bits reach", [1 - 2 ** -24, 2 ** -24], 0, true],
  ["base far from the leaf", [2 ** -24], 1, false],
  ["one leaf and no base", [Math.fround(0.1)], 0, true],
  ["a leaf beyond float32", [0.1], 0, false],
  ["signs that cancel only here", [2 ** 24, -(2 ** 24)], 1, false],
  ["the smallest number", [2 ** -149, 2 ** -149], 0, true],
  ["less than the smallest", [2 ** -150], 0, false],
];
for (const [what, leaves, base, isExact] of SUMS) {
  Deno.test(`float32 sums are ${isExact ? "" : "not "}exact: ${what}`, () => {
    const found = reasons(handModel(leaves, base)).filter((reason) => reason.includes("added"));
    assertEquals(found, isExact ? [] : [": leaves are added in float64"]);
  });
}

Deno.test("one base score of several that needs more than float32 is named", () => {
  for (
    const [baseScore, named] of [[[0.5, 0.1], true], [[0.1, 0.5], true], [[2, 0.5], false]] as const
  ) {
    const parts = randomParts({ seed: 4, outputs: 2, trees: 3 });
    const ensemble = { ...parts.ensemble, baseScore: Float64Array.from(baseScore) };
    const found = reasons(createModel({ ...parts, ensemble }));
    assertEquals(found.includes(": the base score needs more than float32"), named, `${baseScore}`);
  }
});

Deno.test("a base score that is added last is another float32 sum", () => {
  const parts = randomParts({ seed: 4, profile: { input: "f32", sum: "f32", base: "last" } });
  assertEquals(reasons(createModel(parts)), [": the base score is added after the trees"]);
});

Deno.test("exportModel() rounds only when asked, and says what that changed", () => {
  const model = createModel(randomParts({ seed: 6, categorical: 1, f32: false, weights: true }));
  for (const format of ["xgboost-json", "xgboost-ubj"] as const) {
    const error = assertThrows(() => exportModel(model, format), ConversionError);
    assertEquals(error.code, "E_CONVERT_UNSUPPORTED");
    assertStringIncludes(String(error.details.hint), "--rounding float32");
    assertEquals(error.details.features, ["x0", "x1", "x2", "x3"]);
    const { bytes, difference, differenceOnFloat32Rows } = exportModel(model, format, {
      rounding: "float32",
    });
    // Rows beside a threshold fall on its other side; float32 rows only see rounded leaves: at most
    // a unit in the last place of sums up to 8 for each of 6 trees, twice (leaf and sum).
    assert(difference > 0.01);
    assert(differenceOnFloat32Rows > 0 && differenceOnFloat32Rows < 12 * 2 ** -21);
    const rows = [{ x0: 0.1, x1: null, x2: -0.4, x3: 0.9 }];
    const back = importModel(bytes).predictRaw(rows, { columns: "lenient" });
    assertEquals(back, float32Model(model).predictRaw(rows, { columns: "lenient" }));
  }
});

Deno.test("the exact method is advice for numbers alone, and says so itself", async () => {
  const numeric = { kind: "numeric", name: "x", values: Float64Array.of(0.1, 2, 3, 4) } as const;
  const levels = {
    kind: "categorical",
    name: "c",
    codes: Int32Array.of(0, 1, 0, 1),
    categories: ["a", "b"],
  } as const;
  const target = { kind: "regression", name: "y", values: Float64Array.of(0.1, 1, 2, 3) } as const;
  const spec = { rounds: 1, minRowsPerLeaf: 1 } as const;
  const hintOf = async (features: Dataset["features"]) => {
    const model = await train({ numRows: 4, features, target }, spec);
    return String(
      assertThrows(() => exportModel(model, "xgboost-ubj"), ConversionError).details.hint,
    );
  };
  const advice = `; preset "xgboost@2" with treeMethod "exact" trains in XGBoost's own arithmetic`;
  const rounding = await hintOf([numeric, levels]);
  assertStringIncludes(rounding, "--rounding float32");
  assertEquals(await hintOf([numeric]), rounding + advice);
  const exact = { ...spec, preset: "xgboost@2", treeMethod: "exact" } as const;
  await train({ numRows: 4, features: [numeric], target }, exact);
  const refused = await assertRejects(
    () => train({ numRows: 4, features: [numeric, levels], target }, exact),
    ParameterError,
  );
  assertEquals(
    refused.message,
    'Cannot use treeMethod "exact" with categorical column "c": expected treeMethod "hist", or numbers alone',
  );
});

Deno.test("rounding is no advice where something else stands in the way, or float32 has only infinity", () => {
  const average = createModel(randomParts({ seed: 6, aggregate: "average" }));
  const error = assertThrows(() => exportModel(average, "xgboost-ubj"), ConversionError);
  assertEquals(error.details.hint, undefined);
  assertThrows(
    () => exportModel(handModel([1e300], 0), "xgboost-ubj", { rounding: "float32" }),
    ConversionError,
    "leaves need more than float32",
  );
});

Deno.test("models of preset xgboost@2 are exact in XGBoost's files, or refused", async () => {
  const rows = Array.from({ length: 300 }, (_, i) => ({
    a: Math.sin(i) * 3,
    b: Math.cos(i * 1.7),
    y: Math.sin(i) + Math.cos(i * 1.7) ** 2 > 0.6 ? "yes" : "no",
  }));
  const params = { preset: "xgboost@2", rounds: 10 } as const;
  const hist = await train(datasetFromRows(rows, { target: "y" }), params);
  const refused = assertThrows(() => exportModel(hist, "xgboost-ubj"), ConversionError);
  assertEquals(refused.details.features, ["a", "b"]);
  assertEquals(exportModel(hist, "onnx").difference, 0);
  const exact = await train(datasetFromRows(rows, { target: "y" }), {
    ...params,
    treeMethod: "exact",
  });
  for (const format of ["xgboost-ubj", "xgboost-json", "onnx"] as const) {
    const { bytes, difference } = exportModel(exact, format);
    assertEquals(difference, 0);
    const back = importModel(bytes).predictRaw(rows, { columns: "lenient" });
    assertEquals(back, exact.predictRaw(rows, { columns: "lenient" }));
  }
});

Deno.test("a base score beyond float32 is named, where all else is float32", () => {
  const { ensemble, ...parts } = randomParts({
    seed: 4,
    profile: { input: "f32", sum: "f32", base: "first" },
  });
  const model = createModel({
    ...parts,
    ensemble: { ...ensemble, baseScore: Float64Array.of(0.1) },
  });
  assertEquals(reasons(model), [": the base score needs more than float32"]);
  assertEquals(reasons(float32Model(model)), []);
});

Deno.test("codes of categories that XGBoost cuts otherwise take --rounding float32", () => {
  const fields =
    "num_leaves=2 num_cat=1 split_feature=0 threshold=0 decision_type=1 left_child=-1 " +
    "right_child=-2 leaf_value=1~2 cat_boundaries=0~1 cat_threshold=5 shrinkage=1";
  const head = "tree version=v4 num_class=1 num_tree_per_iteration=1 max_feature_idx=0 " +
    "objective=regression feature_names=c feature_infos=0:1:2";
  const text = `${head.replaceAll(" ", "\n")}\n\nTree=0\n${
    fields.replaceAll(" ", "\n")
  }\n\nend of trees\n`;
  const model = importModel(new TextEncoder().encode(text.replaceAll("~", " ")));
  const rows = [0, 1, 2, -0.5, -0.999, -1, 0.5, 1.9999999999, 2.9999, 6, NaN].map((c) => ({ c }));
  // predict() of lightgbm 4.7.0: 1 for codes 0 and 2. Leaves are whole, so float32 adds them exactly.
  assertEquals([...model.predictValue(rows)], [1, 2, 1, 1, 1, 2, 1, 2, 1, 2, 2]);
  const error = assertThrows(() => exportModel(model, "xgboost-json"), ConversionError);
  assertEquals(error.details.features, ["c"]);
  assertStringIncludes(String(error.details.hint), "--rounding float32");
  // predict() of xgboost 3.2.0 with the file: codes below zero are none, 1.9999999999 is 2.
  const { bytes } = exportModel(model, "xgboost-json", { rounding: "float32" });
  assertEquals([...importModel(bytes).predictValue(rows)], [1, 2, 1, 2, 2, 2, 1, 1, 1, 2, 2]);
  assertEquals([...float32Model(model).predictValue(rows)], [1, 2, 1, 2, 2, 2, 1, 1, 1, 2, 2]);
});
