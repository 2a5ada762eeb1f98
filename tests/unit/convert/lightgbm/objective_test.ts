import { assertEquals, assertThrows } from "@std/assert";
import { importModel } from "../../../../src/convert/import_model.ts";
import { lightgbmObjective } from "../../../../src/convert/lightgbm/objective.ts";
import { ConversionError } from "../../../../src/errors.ts";

/** A stump as LightGBM 4.7.0 writes it, with the objective's line. */
const stump = (objective: string, leaves: readonly [number, number]): Uint8Array =>
  new TextEncoder().encode(
    "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=0\n" +
      `objective=${objective}\nfeature_names=x\nfeature_infos=[1:8]\ntree_sizes=343\n\n` +
      "Tree=0\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\nsplit_gain=14\nthreshold=4.5000000000000009\n" +
      `decision_type=2\nleft_child=-1\nright_child=-2\nleaf_value=${leaves.join(" ")}\n` +
      "leaf_weight=1 1\nleaf_count=4 4\ninternal_value=2\ninternal_weight=2\ninternal_count=8\n" +
      "is_linear=0\nshrinkage=1\n\n\nend of trees\n\nparameters:\nend of parameters\n",
  );

// LightGBM 4.7.0, reg_sqrt=true, x = 1 … 8, y = 1, 4, 9, -4, 25, 36, -9, 64: leaves and predict() of 1 and 8.
const SQRT: { readonly [objective: string]: readonly [[number, number], [number, number]] } = {
  "regression_l1 sqrt": [[2, 3.25], [4, 10.5625]],
  "fair sqrt": [[1.8446156904824416, 6.682902668872386], [3.4026070455740145, 44.66118808162166]],
  "quantile sqrt": [[5.999999642372131, 7.299999713897705], [
    35.999995708465704,
    53.289995822906576,
  ]],
  "mape sqrt": [[0.6187500059604645, -1.3812499940395355], [
    0.3828515698760748,
    -1.907851546034217,
  ]],
};

for (const [objective, [leaves, response]] of Object.entries(SQRT)) {
  Deno.test(`importModel() squares scores of LightGBM's "${objective}"`, () => {
    const model = importModel(stump(objective, leaves));
    assertEquals([...model.predictRaw([{ x: 1 }, { x: 8 }]).data], leaves);
    assertEquals([...model.predictValue([{ x: 1 }, { x: 8 }])], response);
  });
}

Deno.test("lightgbmObjective() knows sqrt where LightGBM squares, and only there", () => {
  const nameOf = (line: string) => lightgbmObjective(line).postprocess.name;
  assertEquals(nameOf("regression sqrt"), "signedSquare");
  assertEquals(nameOf("fair"), "identity");
  // Its constructors of these switch it off or replace it: regression_objective.hpp.
  assertEquals(nameOf("huber sqrt"), "identity");
  assertEquals(nameOf("poisson sqrt"), "exp");
  assertThrows(() => lightgbmObjective("fairer sqrt"), ConversionError, "fairer sqrt");
});
