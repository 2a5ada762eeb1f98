import { assert, assertAlmostEquals } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import type { Dataset } from "../../../../src/data/types.ts";

const X = Float64Array.from({ length: 90 }, (_, i) => (i * 17) % 30);
const DATA: Dataset = {
  numRows: 90,
  features: [{ kind: "numeric", name: "x", values: X }],
  target: { kind: "regression", name: "y", values: X.map((x, i) => x * x / 50 + (i % 4)) },
};

/** Nothing is drawn, so all trees of a round are the same one and their average is it too. */
for (const loss of ["absolute", "quantile", "mape", "huber", "squared", "fair"]) {
  for (const more of [{ threads: 1 }, { threads: 2 }, { threads: 1, committee: 3 }]) {
    Deno.test(`parallel trees of ${loss} alike are one tree: ${JSON.stringify(more)}`, async () => {
      const { threads, ...params } = { committee: 1, ...more };
      const scores = async (parallelTrees: number) => {
        const model = await trainBoost(DATA, {
          ...{ loss, parallelTrees, rounds: 3, learningRate: 1, subsample: 1, maxDepth: 2 },
          ...(loss === "quantile" && { quantiles: [0.2, 0.7] }),
          ...params,
        }, { threads });
        return model.predictRaw(DATA).data;
      };
      const one = await scores(1);
      // Four float32 quarters of a float32 leaf are the leaf.
      (await scores(4)).forEach((score, i) => assertAlmostEquals(score, one[i], 1e-9));
    });
  }
}

Deno.test("parallel trees draw columns of their own, in any round", async () => {
  const columns = Array.from({ length: 8 }, (_, f) => X.map((x, i) => x + (i * (f + 1)) % 7));
  const features = columns.map((
    values,
    f,
  ) => ({ kind: "numeric", name: `x${f}`, values } as const));
  const model = await trainBoost({ ...DATA, features }, {
    ...{ rounds: 2, parallelTrees: 8, featuresPerTree: 1 / 8, maxDepth: 1, subsample: 1 },
    committee: 1,
  }, { threads: 1 });
  const { feature, treeStart } = model.ensemble.trees;
  const asked = Array.from({ length: 16 }, (_, t) => feature[treeStart[t]]);
  // Eight draws of one of eight are all the same once in two million.
  for (const round of [asked.slice(0, 8), asked.slice(8)]) {
    assert(new Set(round).size > 1, `${asked}`);
  }
});
