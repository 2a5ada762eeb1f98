import { assertEquals } from "@std/assert";
import type { Dataset } from "../../src/data/types.ts";
import { boost } from "../../src/ensemble/booster.ts";
import type { EngineOptions } from "../../src/ensemble/engine.ts";
import type { BoostPlan } from "../../src/ensemble/plan.ts";
import { softmaxLoss } from "../../src/loss/softmax.ts";
import { createRng } from "../../src/util/rng.ts";

const CLASSES = 9; // eight are built at once, the last one by itself

/** Numbers with gaps, a category, and two flags that share a byte. */
function makeData(numRows: number): Dataset {
  const rng = createRng(3);
  const a = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const b = Float64Array.from({ length: numRows }, (_, i) => i % 11 === 0 ? NaN : rng.nextInt(40));
  const codes = Int32Array.from({ length: numRows }, () => rng.nextInt(12));
  const flag = Int32Array.from({ length: numRows }, () => rng.nextInt(10));
  const y = Int32Array.from(a, (x, i) => {
    const sum = 5 * x + (codes[i] % 3) + (flag[i] === 0 ? 2 : 0) + rng.nextFloat();
    return Math.min(CLASSES - 1, Math.floor(sum));
  });
  const isFlag = (which: number) => Float64Array.from(flag, (f) => f === which ? 1 : 0);
  return {
    numRows,
    features: [
      { kind: "numeric", name: "a", values: a },
      { kind: "numeric", name: "b", values: b },
      { kind: "categorical", name: "k", codes, categories: [..."abcdefghijkl"] },
      { kind: "numeric", name: "f", values: isFlag(0) },
      { kind: "numeric", name: "g", values: isFlag(1) },
    ],
    target: { kind: "classification", name: "y", codes: y, classes: [..."012345678"] },
  };
}

const plan: BoostPlan = {
  loss: softmaxLoss(CLASSES),
  rounds: 2,
  learningRate: 0.5,
  seed: 8,
  maxDepth: 3,
};

async function train(data: Dataset, options: EngineOptions): Promise<unknown[]> {
  const { ensemble: { trees } } = await boost(data, plan, options);
  return [trees.feature, trees.threshold, trees.leaf, trees.cover, trees.gain];
}

Deno.test("roots built at once give the trees of roots built one by one, on any threads", async () => {
  const data = makeData(66_000);
  const oneByOne = await train(data, { threads: 1, roots: false });
  for (const threads of [1, 3]) assertEquals(await train(data, { threads }), oneByOne);
});

// Gradients of so rare a class need wide histograms, which read both derivatives.
Deno.test("a class of ten rows gives the same trees with roots one by one", async () => {
  const data = makeData(66_000);
  const { codes } = data.target as { codes: Int32Array };
  for (let row = 0; row < codes.length; row++) codes[row] = row < 10 ? 3 : codes[row] % 3;
  assertEquals(await train(data, { threads: 2 }), await train(data, { threads: 2, roots: false }));
});
