import { assertEquals } from "@std/assert";
import type { Dataset } from "../../../src/data/types.ts";
import { boost } from "../../../src/ensemble/boosting/booster.ts";
import type { EngineOptions } from "../../../src/ensemble/engine/engine.ts";
import type { BoostPlan, CheckpointState } from "../../../src/ensemble/plan.ts";
import type { RoundReport } from "../../../src/ensemble/types.ts";
import { softmaxLoss } from "../../../src/loss/softmax.ts";
import { logLoss } from "../../../src/metric/classification.ts";
import { createRng } from "../../../src/util/rng.ts";

const CLASSES = 9; // eight are built at once, the last one by itself

/** Numbers with gaps, a category, and two flags that share a byte. */
function makeData(numRows: number, classes = CLASSES): Dataset {
  const rng = createRng(3);
  const a = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const b = Float64Array.from({ length: numRows }, (_, i) => i % 11 === 0 ? NaN : rng.nextInt(40));
  const codes = Int32Array.from({ length: numRows }, () => rng.nextInt(12));
  const flag = Int32Array.from({ length: numRows }, () => rng.nextInt(10));
  const y = Int32Array.from(a, (x, i) => {
    const sum = 5 * x + (codes[i] % 3) + (flag[i] === 0 ? 2 : 0) + rng.nextFloat();
    return Math.min(classes - 1, Math.floor(sum * classes / CLASSES));
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
    target: {
      kind: "classification",
      name: "y",
      codes: y,
      classes: [..."0123456789abc"].slice(0, classes),
    },
  };
}

const plan: BoostPlan = {
  loss: softmaxLoss(CLASSES),
  rounds: 2,
  learningRate: 0.5,
  seed: 8,
  maxDepth: 3,
};

async function train(
  data: Dataset,
  options: EngineOptions,
  other: Partial<BoostPlan> = {},
): Promise<unknown[]> {
  const { ensemble: { trees } } = await boost(data, { ...plan, ...other }, options);
  return [trees.feature, trees.threshold, trees.leaf, trees.cover, trees.gain];
}

Deno.test("roots built at once give the trees of roots built one by one, on any threads", async () => {
  const data = makeData(66_000);
  const oneByOne = await train(data, { threads: 1, roots: false });
  for (const threads of [1, 3]) assertEquals(await train(data, { threads }), oneByOne);
  assertEquals(await train(data, { threads: 2, kernels: "twin" }), oneByOne);
});

// Eight and then five at once.
Deno.test("roots beyond the first eight are of the derivatives of their own classes", async () => {
  const data = makeData(66_000, 13);
  const many = { loss: softmaxLoss(13), rounds: 1 };
  const oneByOne = await train(data, { threads: 1, roots: false }, many);
  assertEquals(await train(data, { threads: 2 }, many), oneByOne);
});

// Watched scores must be right after each round; else the next gradients add the leaves to them.
Deno.test("trees do not depend on when leaves are added to the scores", async () => {
  const data = makeData(66_000);
  const late = await train(data, { threads: 2 });
  const told: { readonly [set: string]: { readonly [metric: string]: number } }[] = [];
  const onRound = ({ metrics }: RoundReport) => void told.push(metrics);
  const watching = { trainMetrics: true, metrics: [logLoss()] };
  assertEquals(await train(data, { threads: 1, valid: data, onRound }, watching), late);
  assertEquals(told.length, plan.rounds);
  // Scores of validation sets follow the trees at once.
  for (const { train, valid } of told) assertEquals(train, valid);
  let state: CheckpointState | undefined;
  await train(data, { threads: 2 }, {
    rounds: 1,
    checkpoint: { every: 1, save: (saved) => (state = saved, Promise.resolve()) },
  });
  assertEquals(await train(data, { threads: 2 }, { resume: state! }), late);
});

// Gradients of so rare a class need wide histograms, which read both derivatives.
Deno.test("a class of ten rows gives the trees of derivatives in float64", async () => {
  const data = makeData(66_000);
  const { codes } = data.target as { codes: Int32Array };
  for (let row = 0; row < codes.length; row++) codes[row] = row < 10 ? 3 : codes[row] % 3;
  const found = await train(data, { threads: 2 });
  assertEquals(await train(data, { threads: 2, roots: false }), found);
  const exact = await train(data, { threads: 2, roots: false, signed: false });
  assertEquals(exact.slice(0, 2), found.slice(0, 2));
  const [leaves, covers] = [2, 3].map((field) => found[field] as Float64Array);
  const near = (x: number, want: number) => {
    // Derivatives are within 1e-6, see gradient_kernels_test; sums of both signs, of derivatives of at most 1.
    if (!(Math.abs(x - want) <= 2e-6 * (1 + Math.abs(want)))) throw new Error(`${x}, ${want}`);
  };
  (exact[2] as Float64Array).forEach((leaf, i) => near(leaves[i], leaf));
  (exact[3] as Float64Array).forEach((cover, i) => near(covers[i], cover));
});

// Seven trees: each thread grows some by itself, and who is done first sees to the leaves of any.
Deno.test("leaves have the same values whichever thread gives them theirs", async () => {
  const data = makeData(66_000, 7);
  const seven = { loss: softmaxLoss(7), rounds: 3, maxDepth: 5, gamma: 20, postPrune: true };
  const alone = await train(data, { threads: 1 }, seven);
  for (const threads of [2, 3, 8]) assertEquals(await train(data, { threads }, seven), alone);
  assertEquals(await train(data, { threads: 2, levels: false }, seven), alone);
});
