import { assert, assertEquals, assertThrows } from "@std/assert";
import { importModel } from "../../../../src/convert/import_model.ts";
import { TreelineError } from "../../../../src/errors.ts";
import { lightgbmStump } from "../../../support/models/foreign_stumps.ts";

/** A stump on the categorical column `c` of three levels; the first goes left (value 1), else 2. */
function importLevels(pandas: string): { readonly warnings: string[]; levels: readonly string[] } {
  const text = `tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=0
objective=regression
feature_names=c
feature_infos=0:1:2

Tree=0
num_leaves=2
num_cat=1
split_feature=0
split_gain=1
threshold=0
decision_type=1
left_child=-1
right_child=-2
leaf_value=1 2
leaf_weight=1 1
leaf_count=1 1
internal_value=0
internal_weight=0
internal_count=2
cat_boundaries=0 1
cat_threshold=1
is_linear=0
shrinkage=1

end of trees

pandas_categorical:${pandas}
`;
  const warnings: string[] = [];
  const model = importModel(new TextEncoder().encode(text), {
    onWarning: (warning) => warnings.push(warning),
  });
  const [feature] = model.schema.features;
  assert(feature.kind === "categorical");
  assertEquals(model.predictRaw([{ c: feature.categories[0] }]).data[0], 1);
  assertEquals(model.predictRaw([{ c: feature.categories[1] }]).data[0], 2);
  return { warnings, levels: feature.categories };
}

Deno.test("importModel() names LightGBM's levels, and says where a CSV of pandas spells them otherwise", () => {
  assertEquals(importLevels(`[["b", "a", "c"]]`), { warnings: [], levels: ["b", "a", "c"] });
  assertEquals(importLevels("[[5, 7, -1]]"), { warnings: [], levels: ["5", "7", "-1"] });
  for (
    const [pandas, levels] of [
      ["[[1.0, 2.0, 3.0]]", ["1", "2", "3"]],
      ["[[1.5, 2.0, 1e-07]]", ["1.5", "2", "1e-7"]],
      ["[[false, true, 3]]", ["false", "true", "3"]],
    ] as const
  ) {
    const said = importLevels(pandas);
    assertEquals(said.levels, levels);
    assertEquals(said.warnings.length, 1);
    assert(said.warnings[0].includes(`"c"`));
  }
});

Deno.test("importModel() refuses levels that run together", () => {
  for (const pandas of ["[[9007199254740993, 9007199254740994, 1]]", `[["1", 1, 2]]`]) {
    assertThrows(() => importLevels(pandas), TreelineError);
  }
});

Deno.test('importModel() refuses a level called "": empty text is a missing value', () => {
  const error = assertThrows(() => importLevels(`[["", "a", "b"]]`), TreelineError);
  assertEquals(error.code, "E_CONVERT_UNSUPPORTED");
  assert(error.message.includes(`levels of "c"`), error.message);
  assertEquals(importLevels(`[[" ", "a", "b"]]`).levels, [" ", "a", "b"]); // a space is text
});

Deno.test("importModel() takes codes where pandas had fewer columns than are declared categorical", () => {
  // lgb.Dataset(frame, y, categorical_feature=["A", "B"]): A a pandas category of one level, 7; B numbers.
  const text = `tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=regression
feature_names=A B
feature_infos=none -1:0:1:2
tree_sizes=318

Tree=0
num_leaves=3
num_cat=2
split_feature=1 1
split_gain=480 160
threshold=0 1
decision_type=1 1
left_child=-1 -2
right_child=1 -3
leaf_value=1 5 9
leaf_weight=20 20 20
leaf_count=20 20 20
internal_value=5 7
internal_weight=60 40
internal_count=60 40
cat_boundaries=0 1 2
cat_threshold=1 2
is_linear=0
shrinkage=1


end of trees

parameters:
[categorical_feature: 0,1]
end of parameters

pandas_categorical:[[7, 1, 2]]
`;
  const warnings: string[] = [];
  const model = importModel(new TextEncoder().encode(text), {
    onWarning: (warning) => warnings.push(warning),
  });
  // LightGBM 4.7.0 predicts 1, 5, 9.
  const rows = [0, 1, 2].map((B) => ({ A: 7, B }));
  assertEquals([...model.predictRaw(rows).data], [1, 5, 9]);
  assertEquals(warnings.length, 1);
  assert(warnings[0].includes("level codes"), warnings[0]);
});

Deno.test("importModel() refuses a set of categories whose words are not in the tree", () => {
  const text = lightgbmStump(0, 1, 1);
  for (const bounds of ["0 2", "-1 1", "1 0"]) {
    const damaged = text.replace("cat_boundaries=0 1", `cat_boundaries=${bounds}`);
    assertThrows(
      () => importModel(new TextEncoder().encode(damaged)),
      TreelineError,
      "category set 0 is outside the tree's sets",
    );
  }
});
