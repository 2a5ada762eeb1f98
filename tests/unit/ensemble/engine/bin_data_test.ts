import { assertEquals } from "@std/assert";
import type { Dataset } from "../../../../src/data/types.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";

Deno.test("bins close by the weights of rows, where rows have weights", async () => {
  const x = Float64Array.from({ length: 100 }, (_, row) => row);
  const data: Dataset = {
    numRows: 100,
    features: [{ kind: "numeric", name: "x", values: x }],
    target: { kind: "regression", name: "y", values: x },
    // Only the first ten rows count: five of them fill each of two bins.
    sampleWeight: Float64Array.from(x, (value) => value < 10 ? 1 : 0),
  };
  const plan = {
    loss: squaredLoss(),
    rounds: 1,
    learningRate: 1,
    seed: 1,
    maxDepth: 1,
    maxBins: 3,
  };
  for (const threads of [1, 2]) {
    const { ensemble: { trees } } = await boost(data, plan, { threads });
    assertEquals([...trees.threshold], [4.5, 0, 0]);
  }
});
