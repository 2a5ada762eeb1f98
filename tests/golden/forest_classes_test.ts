import { assert, assertAlmostEquals } from "@std/assert";
import { outOfBag } from "../../src/algorithms/classic/forest.ts";
import { trainExtraTrees } from "../../src/algorithms/classic/extra_trees.ts";
import { trainRandomForest } from "../../src/algorithms/classic/random_forest.ts";
import { sklearnData } from "../support/reference/classic_data.ts";
import { hasShared } from "../support/shared.ts";

const ignore = !hasShared("datasets/wine.csv");
// deno-lint-ignore no-console
if (ignore) console.log("skipped: ../shared/datasets is absent");

function golden(name: string) {
  return JSON.parse(Deno.readTextFileSync(new URL(`forest/${name}`, import.meta.url)));
}

/** The counts of forest/extra.py. */
function countsOf(n: number, t: number): number[] {
  return Array.from(
    { length: n },
    (_, i) => (i + t) % 3 > 0 ? (i * 7919 + t * 104729) % 1009 % 4 : 0,
  );
}

Deno.test({
  name: "forests of given bags on classes average and vote as scikit-learn's trees do",
  ignore,
  async fn() {
    const { runs, rowStep } = golden("classes.json");
    for (const { dataset, classes, minRowsPerLeaf, maxDepth, bags, average, vote } of runs) {
      const data = sklearnData(dataset, false);
      const names = (data.target as { readonly classes: readonly string[] }).classes;
      for (const [aggregate, expected] of [["average", average], ["vote", vote]]) {
        const model = await trainRandomForest(data, {
          trees: bags.length,
          minRowsPerLeaf,
          maxDepth,
          aggregate,
          featuresPerSplit: "all",
          cut: "midpoint",
          inbag: bags.map((t: number) => countsOf(data.numRows, t)),
        });
        const { data: found, cols } = model.predictProba(data);
        expected.forEach((shares: number[], i: number) =>
          shares.forEach((share, k) => {
            const at = rowStep * i * cols + names.indexOf(classes[k]);
            const where = `${dataset} ${minRowsPerLeaf} ${maxDepth} ${aggregate}, row ${rowStep * i}`;
            assertAlmostEquals(found[at], share, 1e-14, where);
          })
        );
      }
    }
  },
});

for (const run of golden("extra.json").runs) {
  Deno.test({
    name: `trainExtraTrees() scores and grows as scikit-learn's extra trees on ${run.dataset}`,
    ignore,
    async fn() {
      const data = sklearnData(run.dataset, run.regression);
      const seeds = run.regression ? 2 : 4;
      let score = 0;
      let leaves = 0;
      for (let seed = 1; seed <= seeds; seed++) {
        const model = await trainExtraTrees(data, {
          trees: run.trees,
          seed,
          replace: true,
          featuresPerSplit: run.regression ? 1 / 3 : "sqrt",
        });
        const { metrics } = outOfBag(model)!;
        score += (run.regression ? metrics.r2 : metrics.accuracy) / seeds;
        const count = model.ensemble.trees.kind.filter((kind) => kind === 0).length;
        leaves += count / run.trees / seeds;
      }
      // The mean of so many seeds beside that of twelve.
      const spread = Math.sqrt(1 / seeds + 1 / 12);
      const off = (score - run.mean) / (run.sd * spread);
      assert(Math.abs(off) < 4, `score ${score} against ${run.mean} ± ${run.sd}`);
      const more = (leaves - run.leaves) / (run.leavesSd * spread);
      assert(Math.abs(more) < 4, `${leaves} leaves against ${run.leaves} ± ${run.leavesSd}`);
    },
  });
}
