import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainRandomForest } from "../../src/algorithms/classic/random_forest.ts";
import type { Dataset } from "../../src/data/types.ts";
import type { Model } from "../../src/model/model.ts";
import { sklearnData } from "../support/reference/classic_data.ts";
import { hasShared } from "../support/shared.ts";

const ignore = !hasShared("datasets/diabetes.csv");
// deno-lint-ignore no-console
if (ignore) console.log("skipped: ../shared/datasets is absent");

function golden(name: string) {
  return JSON.parse(Deno.readTextFileSync(new URL(`forest/${name}`, import.meta.url)));
}

/** One table of `info.importance`, by feature. */
function tableOf(model: Model, kind: string): ReadonlyMap<string, number> {
  const tables = model.info.importance as unknown as { [kind: string]: [string, number][] };
  return new Map(tables[kind]);
}

/** Classes of diabetes are whether progression is above 140. */
function dataOf(name: string, regression: boolean): Dataset {
  const data = sklearnData(name, regression || name === "diabetes");
  const { target } = data;
  if (regression || target?.kind !== "regression") return data;
  const codes = Int32Array.from(target.values, (y) => y > 140 ? 1 : 0);
  return {
    ...data,
    target: { kind: "classification", name: "high", codes, classes: ["no", "yes"] },
  };
}

/** The counts of forest/recipe.py. */
function countsOf(n: number, t: number): number[] {
  return Array.from(
    { length: n },
    (_, i) => (i + t) % 3 > 0 ? (i * 7919 + t * 104729) % 1009 % 4 : 0,
  );
}

Deno.test({
  name: "impurity importance of given bags equals that of scikit-learn's trees",
  ignore,
  async fn() {
    for (const { regression, leaf, trees, importance } of golden("impurity.json").runs) {
      const data = dataOf("diabetes", regression);
      const model = await trainRandomForest(data, {
        trees,
        minRowsPerLeaf: leaf,
        featuresPerSplit: "all",
        inbag: Array.from({ length: trees }, (_, t) => countsOf(data.numRows, t)),
      });
      const found = tableOf(model, "impurity");
      data.features.forEach(({ name }, f) => {
        // Gains of nodes are kept as float32.
        assertAlmostEquals(found.get(name)!, importance[f], 1e-6 * importance[f] + 1e-12, `${name}, ${leaf} rows`);
      });
    }
  },
});

const KINDS: { readonly [mode: string]: "impurity" | "permutation" | "corrected" } = {
  "impurity": "impurity",
  "impurity_corrected": "corrected",
  "permutation": "permutation",
};

for (const run of golden("importance.json").runs) {
  Deno.test({
    name: `${run.mode} importance of forests on ${run.dataset} (${run.regression ? "numbers" : "classes"}) is ranger's`,
    ignore,
    async fn() {
      const data = dataOf(run.dataset, run.regression);
      const kind = KINDS[run.mode];
      const sums = new Float64Array(run.features.length);
      const seeds = 4;
      for (let seed = 1; seed <= seeds; seed++) {
        const model = await trainRandomForest(data, {
          trees: run.trees,
          seed,
          maxDepth: run.depth,
          featuresPerSplit: run.mtry,
          importance: kind === "impurity" ? "none" : kind,
        });
        // ranger adds up decreases over the rows of a bag, without dividing by their number.
        const scale = kind === "permutation" ? 1 : data.numRows;
        const table = tableOf(model, kind);
        run.features.forEach((name: string, f: number) => sums[f] += scale * table.get(name)! / seeds);
      }
      let square = 0;
      run.features.forEach((name: string, f: number) => {
        // The mean of four seeds beside the mean of twenty: its own deviation is sd · √(1/4 + 1/20).
        const off = (sums[f] - run.mean[f]) / (run.sd[f] * Math.sqrt(1 / 4 + 1 / 20));
        assert(Math.abs(off) < 4, `${name}: ${sums[f]} against ${run.mean[f]} ± ${run.sd[f]}`);
        square += off * off / run.features.length;
      });
      // All features together: the mean square of standard normal numbers is 1.
      // Votes that tie in a tree go to a random class there, to the first one here.
      assert(square < 4, `mean square ${square}`);
    },
  });
}

Deno.test({
  name: "corrected importance is the same for any number of threads",
  ignore,
  async fn() {
    const data = sklearnData("diabetes", true);
    const params = { trees: 60, seed: 3, importance: "corrected" } as const;
    const one = await trainRandomForest(data, params, { threads: 1 });
    const two = await trainRandomForest(data, params, { threads: 2 });
    assertEquals(one.info.importance, two.info.importance);
  },
});
