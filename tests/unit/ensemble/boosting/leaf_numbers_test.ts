import { assertEquals } from "@std/assert";
import { labelsOf } from "../../../../src/data/dataset/target.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import { openEngine } from "../../../../src/ensemble/engine/engine.ts";
import type { BoostPlan } from "../../../../src/ensemble/plan.ts";
import { logisticLoss } from "../../../../src/loss/logistic.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";
import { metricByName } from "../../../../src/metric/metrics.ts";
import { createRng } from "../../../../src/util/rng.ts";

const LEVELS = 256;
const numRows = 8 * LEVELS;
const rng = createRng(5);
const height = Float64Array.from({ length: LEVELS }, () => rng.nextFloat());

/** A number of 256 values, each with a label of its own: no tree has more leaves. */
const data: Dataset = {
  numRows,
  features: [{
    kind: "numeric",
    name: "x",
    values: Float64Array.from({ length: numRows }, (_, row) => row % LEVELS),
  }],
  target: {
    kind: "regression",
    name: "y",
    values: Float64Array.from({ length: numRows }, (_, row) => height[row % LEVELS]),
  },
};

const plan: BoostPlan = {
  loss: squaredLoss(),
  rounds: 3,
  learningRate: 0.5,
  seed: 0,
  maxBins: 300,
  growth: "leaf",
  maxDepth: 0,
  minChildWeight: 0,
  lambda: 0,
};

Deno.test("leaf numbers of one byte and of four give the same trees, up to 256 leaves", async () => {
  const bytesOf = async (maxLeaves: number) => {
    const engine = await openEngine(data, labelsOf(data), [], { ...plan, maxLeaves }, {});
    engine.close();
    return engine.team.context.layout.leafBytes;
  };
  assertEquals([await bytesOf(256), await bytesOf(257)], [1, 4]);
  const grow = (maxLeaves: number, more: Partial<BoostPlan>, threads: number) =>
    boost(data, { ...plan, ...more, maxLeaves }, { threads, valid: data });
  const [one, four] = [await grow(256, {}, 1), await grow(400, {}, 1)];
  assertEquals(one.ensemble, four.ensemble);
  // Half of what is left is learnt each time, in every leaf.
  assertEquals(one.ensemble.trees.leaf.filter((leaf) => leaf !== 0).length > 255, true);
  const drawn = { subsample: 0.6, rounds: 2 };
  assertEquals((await grow(256, drawn, 2)).ensemble, (await grow(400, drawn, 2)).ensemble);
});

/** How often memory is given back at once while something trains. */
async function transfers(work: () => Promise<unknown>): Promise<number> {
  const { transfer } = ArrayBuffer.prototype;
  let count = 0;
  ArrayBuffer.prototype.transfer = function (length?: number) {
    count++;
    return transfer.call(this, length);
  };
  try {
    await work();
  } finally {
    ArrayBuffer.prototype.transfer = transfer;
  }
  return count;
}

Deno.test("boost() gives its own labels back where nobody reads them, and nobody else's", async () => {
  const codes = Int32Array.from({ length: numRows }, (_, row) => +(height[row % LEVELS] > 0.5));
  const classes: Dataset = {
    ...data,
    target: { kind: "classification", name: "y", codes, classes: ["a", "b"] },
  };
  const binary: BoostPlan = { ...plan, loss: logisticLoss(), maxLeaves: 8 };
  assertEquals(await transfers(() => boost(classes, binary, { threads: 1 })), 1);
  assertEquals(codes.length, numRows);
  // The labels of a regression are the caller's; metrics of the training rows look at them.
  const told: BoostPlan = { ...binary, trainMetrics: true, metrics: [metricByName("logLoss")] };
  assertEquals(await transfers(() => boost(classes, told, { threads: 1 })), 0);
  assertEquals(await transfers(() => boost(data, { ...plan, maxLeaves: 8 }, { threads: 1 })), 0);
  assertEquals(data.target!.kind === "regression" && data.target!.values.length, numRows);
});
