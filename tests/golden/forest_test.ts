import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { outOfBag } from "../../src/algorithms/classic/forest.ts";
import { trainRandomForest } from "../../src/algorithms/classic/random_forest.ts";
import { readReference, sklearnData } from "../support/reference/classic_data.ts";
import { hasShared } from "../support/shared.ts";

const ignore = !hasShared("reference/random_forest_oob.json");
// deno-lint-ignore no-console
if (ignore) console.log("skipped: ../shared/reference is absent");

/** The counts of forest/recipe.py. */
function countsOf(n: number, t: number): number[] {
  return Array.from(
    { length: n },
    (_, i) => (i + t) % 3 > 0 ? (i * 7919 + t * 104729) % 1009 % 4 : 0,
  );
}

Deno.test({
  name: "trainRandomForest() with given bags and all features equals scikit-learn's trees",
  ignore,
  async fn() {
    const golden = JSON.parse(
      Deno.readTextFileSync(new URL("forest/sklearn.json", import.meta.url)),
    );
    const data = sklearnData("diabetes", true);
    for (const minRowsPerLeaf of [8, 10, 15]) {
      const { trees, prediction } = golden[minRowsPerLeaf];
      const model = await trainRandomForest(data, {
        trees,
        minRowsPerLeaf,
        featuresPerSplit: "all",
        cut: "midpoint",
        inbag: Array.from({ length: trees }, (_, t) => countsOf(data.numRows, t)),
      });
      const found = model.predictValue(data);
      let same = 0;
      for (let row = 0; row < data.numRows; row++) {
        if (Math.abs(found[row] - prediction[row]) < 1e-9 * prediction[row]) same++;
      }
      assertEquals(same, data.numRows, `${minRowsPerLeaf} rows a leaf`);
    }
  },
});

const TREES = 100;

for (const name of ["iris", "wine", "breast_cancer", "diabetes", "auto_mpg", "abalone"]) {
  Deno.test({
    name: `trainRandomForest() has the out-of-bag score of other forests on ${name}`,
    ignore,
    async fn() {
      const reference = readReference("random_forest_oob.json")[name];
      const regression = reference.metric === "oob R2";
      const data = sklearnData(name, regression);
      const scores: number[] = [];
      for (let seed = 1; seed <= (name === "abalone" ? 1 : 3); seed++) {
        const model = await trainRandomForest(data, {
          trees: TREES,
          seed,
          featuresPerSplit: regression ? 1 / 3 : "sqrt",
        });
        const oob = outOfBag(model)!;
        // The reference's R² and accuracy count rows without a prediction as 0: there are none.
        assertEquals(oob.rowsWithout, 0);
        scores.push(regression ? oob.metrics.r2 : oob.metrics.accuracy);
      }
      const mean = scores.reduce((a, b) => a + b) / scores.length;
      assert(
        Math.abs(mean - reference.mean) <= 3 * reference.sd,
        `${mean} against ${reference.mean} ± ${reference.sd}`,
      );
    },
  });
}

Deno.test({
  name: "trainRandomForest() gives the same bytes for any number of threads",
  ignore,
  async fn() {
    const data = sklearnData("abalone", true);
    const params = { trees: 12, seed: 5, importance: "permutation" } as const;
    const one = await trainRandomForest(data, params, { threads: 1 });
    const two = await trainRandomForest(data, params, { threads: 2 });
    assertEquals(one.info, two.info);
    assertEquals(one.ensemble.trees, two.ensemble.trees);
  },
});

Deno.test({
  name: "outOfBag() counts rows that every tree saw",
  ignore,
  async fn() {
    const data = sklearnData("iris", false);
    const model = await trainRandomForest(data, { trees: 2, seed: 1 });
    const oob = outOfBag(model)!;
    const nan = oob.predictions.data.filter((x) => Number.isNaN(x)).length / 3;
    assertEquals(oob.rowsWithout, nan);
    // Each of two bags misses a row with probability e⁻¹: about 0.4 of the rows are in both.
    assertAlmostEquals(oob.rowsWithout / data.numRows, (1 - Math.exp(-1)) ** 2, 0.12);
  },
});
