import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { chooseDropped, scaleWeights } from "../../../../src/ensemble/boosting/dart.ts";
import type { DartPlan } from "../../../../src/ensemble/plan.ts";
import { createRng, forkRng } from "../../../../src/util/rng.ts";

const plan: DartPlan = {
  dropRate: 0.5,
  skipDrop: 0,
  maxDrop: 0,
  oneDrop: false,
  dropBy: "uniform",
  dropScale: "tree",
};

Deno.test("scaleWeights() follows the closed forms of XGBoost and LightGBM", () => {
  const weights = [1, 1, 0.5];
  // Two dropped, η = 0.1: new 1/(k+η), dropped · k/(k+η).
  const tree = scaleWeights(weights, [0, 2], plan, 0.1);
  [2 / 2.1, 1, 0.5 * 2 / 2.1, 1 / 2.1].forEach((w, i) => assertAlmostEquals(tree[i], w, 1e-15));
  const forest = scaleWeights(weights, [0, 2], { ...plan, dropScale: "forest" }, 0.1);
  [1 / 1.1, 1, 0.5 / 1.1, 1 / 1.1].forEach((w, i) => assertAlmostEquals(forest[i], w, 1e-15));
  const lightgbm = scaleWeights(weights, [0, 2], { ...plan, dropScale: "lightgbm" }, 0.1);
  [2 / 3, 1, 1 / 3, 1 / 3].forEach((w, i) => assertAlmostEquals(lightgbm[i], w, 1e-15));
});

Deno.test("scaleWeights() leaves weights alone when nothing was dropped", () => {
  assertEquals(scaleWeights([0.4, 1], [], plan, 0.1), new Float64Array([0.4, 1, 1]));
});

Deno.test("chooseDropped() drops at the rate, at most maxDrop, at least one with oneDrop", () => {
  const weights = new Array(40).fill(1);
  let total = 0;
  for (let seed = 0; seed < 200; seed++) {
    total += chooseDropped(weights, plan, createRng(seed)).length;
    const few = chooseDropped(weights, { ...plan, maxDrop: 3 }, createRng(seed));
    assert(few.length <= 3 && few.every((round, i) => i === 0 || round > few[i - 1]));
    const one = { ...plan, dropRate: 0, oneDrop: true };
    assertEquals(chooseDropped(weights, one, createRng(seed)).length, 1);
  }
  // 8000 draws at ½: standard deviation 45.
  assert(Math.abs(total - 4000) < 250, `${total}`);
});

Deno.test("chooseDropped() drops nothing in rounds that skip", () => {
  let skipped = 0;
  for (let i = 0; i < 400; i++) {
    const found = chooseDropped([1, 1, 1, 1, 1, 1, 1, 1], {
      ...plan,
      dropRate: 1,
      skipDrop: 0.25,
    }, forkRng(1, i));
    if (found.length === 0) skipped++;
  }
  assert(Math.abs(skipped - 100) < 45, `${skipped}`);
});

Deno.test("chooseDropped() by weight drops a round at rate · n · weight / Σ weights", () => {
  // XGBoost's sample_type "weighted": 0.25 · 2 · 3/4 and 0.25 · 2 · 1/4.
  const weighted = { ...plan, dropRate: 0.25, dropBy: "weighted" } as const;
  const counts = [0, 0];
  for (let i = 0; i < 4000; i++) {
    for (const round of chooseDropped([3, 1], weighted, forkRng(2, i))) counts[round]++;
  }
  // Standard deviations 31 and 21.
  assert(Math.abs(counts[0] - 1500) < 150 && Math.abs(counts[1] - 500) < 105, `${counts}`);
});

Deno.test("chooseDropped() by weight draws the one of oneDrop by weight, as XGBoost does", () => {
  const one = { ...plan, dropRate: 0, oneDrop: true, dropBy: "weighted" } as const;
  const counts = [0, 0, 0];
  for (let i = 0; i < 4000; i++) {
    for (const round of chooseDropped([5, 0, 3], one, forkRng(2, i))) counts[round]++;
  }
  // 5/8 and 3/8 of 4000, standard deviation 31.
  assert(Math.abs(counts[0] - 2500) < 155 && counts[1] === 0, `${counts}`);
  assertEquals(counts[0] + counts[2], 4000);
});

Deno.test("chooseDropped() has nothing to drop before the first round", () => {
  assertEquals(chooseDropped([], { ...plan, oneDrop: true }, createRng(1)), []);
});
