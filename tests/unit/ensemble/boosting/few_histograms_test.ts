import { assert, assertEquals } from "@std/assert";
import type { CategoricalColumn, Dataset, NumericColumn } from "../../../../src/data/types.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import type { BoostPlan } from "../../../../src/ensemble/plan.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** Numbers, some of them with gaps, and levels. */
function table(numRows = 500): Dataset {
  const rng = createRng(9);
  const numbers = Array.from({ length: 3 }, (_, f): NumericColumn => ({
    kind: "numeric",
    name: `x${f}`,
    values: Float64Array.from(
      { length: numRows },
      () => f > 0 && rng.nextInt(5) === 0 ? NaN : rng.nextFloat(),
    ),
  }));
  const levels: CategoricalColumn = {
    kind: "categorical",
    name: "k",
    codes: Int32Array.from({ length: numRows }, () => rng.nextInt(13) - 1),
    categories: [..."abcdefghijkl"],
  };
  const y = Float64Array.from(
    { length: numRows },
    (_, row) => numbers[0]!.values[row]! + (levels.codes[row]! % 3) / 2 + rng.nextFloat(),
  );
  return {
    numRows,
    features: [...numbers, levels],
    target: { kind: "regression", name: "y", values: y },
  };
}

const PLANS: { readonly [name: string]: Partial<BoostPlan> } = {
  "a level at a time": {},
  "the best leaf first": { growth: "leaf", maxLeaves: 120 },
  "features drawn at each node": { featuresPerNode: 0.6 },
  "rows counted": { minRowsPerLeaf: 3 },
};

Deno.test("trees do not depend on how many histograms there is room for", async () => {
  const data = table();
  for (const [name, own] of Object.entries(PLANS)) {
    const plan: BoostPlan = {
      loss: squaredLoss(),
      rounds: 2,
      learningRate: 0.5,
      seed: 1,
      maxDepth: 25,
      minRowsPerLeaf: 1,
      minChildWeight: 0,
      lambda: 0,
      ...own,
    };
    const usual = await boost(data, plan, { threads: 1 });
    assert(usual.ensemble.trees.leaf.length > 300, name);
    for (const threads of name === "rows counted" ? [1, 2] : [1]) {
      const least = await boost(data, plan, { threads, pool: "least" });
      assertEquals(least.ensemble, usual.ensemble, `${name}, ${threads} threads`);
    }
  }
});
