import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { ParameterError } from "../../../src/errors.ts";
import { baseScoreBeside, rawOfResponse } from "../../../src/loss/base_score.ts";
import { formulaLoss } from "../../../src/loss/custom.ts";
import { lossOfRecipe } from "../../../src/loss/losses.ts";
import type { LossParams } from "../../../src/loss/params.ts";

/** Labels 480 … 519: the middle is 499.5. */
const FAR = Float64Array.from({ length: 40 }, (_, i) => 480 + i);
const SPREAD = Float64Array.from({ length: 40 }, (_, i) => ((i * 17) % 40) / 8 - 2);

const start = (name: string, values: Float64Array, offset: Float64Array, numClasses = 0) =>
  baseScoreBeside(
    lossOfRecipe({ name, numClasses, params: {} satisfies LossParams }),
    { values },
    offset,
  );

/** Each is symmetric about the middle of the labels, where Newton's steps from 0 overshoot or crawl. */
for (
  const formula of [
    "sqrt(1 + (raw - y)^2)",
    "log(400 + (raw - y)^2)",
    "softplus(raw - y) + softplus(y - raw)",
    "abs(raw - y) + square(raw - y) / 1e6",
    "(raw - y)^4",
  ]
) {
  Deno.test(`formulaLoss("${formula}") starts in the middle of labels far from 0`, () => {
    const [base] = formulaLoss(`expr: ${formula}`).baseScore({ values: FAR });
    assertAlmostEquals(base, 499.5, 1e-3);
  });
}

Deno.test("formulaLoss() starts at quantiles of labels that are thousands of steps away", () => {
  const labels = { values: FAR.map((y) => 100 * y) };
  const [median] = formulaLoss("expr: abs(raw - y)").baseScore(labels);
  assert(median >= 49_900 && median <= 50_000, `${median}`);
  // Nine times the price of being below: between the 36th and the 37th of 40.
  const [high] = formulaLoss("expr: if(raw < y, 9, 1) * abs(raw - y)").baseScore(labels);
  assert(high >= 51_500 && high <= 51_600, `${high}`);
});

Deno.test("formulaLoss() starts at the log of the mean of large and small counts", () => {
  const loss = formulaLoss("expr: exp(raw) - y*raw; link = exp");
  assertAlmostEquals(loss.baseScore({ values: FAR })[0], Math.log(499.5), 1e-9);
  const gamma = formulaLoss("expr: raw + y*exp(-raw); link = exp");
  assertAlmostEquals(
    gamma.baseScore({ values: FAR.map((y) => y / 1e6) })[0],
    Math.log(499.5e-6),
    1e-9,
  );
});

Deno.test("baseScoreBeside() of gamma is the log of the mean of y e^-offset", () => {
  for (const scale of [1e-12, 1e-5, 1, 1e9]) {
    const y = FAR.map((value) => value * scale);
    const mean = y.reduce((sum, value, i) => sum + value * Math.exp(-SPREAD[i]), 0) / 40;
    assertAlmostEquals(start("gamma", y, SPREAD)[0], Math.log(mean), 1e-9);
  }
});

Deno.test("baseScoreBeside() of poisson is the log of Σ y / Σ e^offset", () => {
  for (const scale of [1e-5, 1, 1e9]) {
    const y = FAR.map((value) => value * scale);
    const total = y.reduce((a, b) => a + b, 0);
    const exposure = SPREAD.reduce((sum, offset) => sum + Math.exp(offset), 0);
    assertAlmostEquals(start("poisson", y, SPREAD)[0], Math.log(total / exposure), 1e-9);
  }
});

Deno.test("baseScoreBeside() looks no further once it has found the start", () => {
  const values = Float64Array.from({ length: 2000 }, (_, i) => 1e6 + i * 500);
  const offset = Float64Array.from(values, (_, i) => 0.3 * (i % 7));
  const loss = lossOfRecipe({ name: "poisson", numClasses: 0, params: {} satisfies LossParams });
  let looks = 0;
  const counted: typeof loss = {
    ...loss,
    gradients: (...given) => {
      looks++;
      loss.gradients(...given);
    },
  };
  const [base] = baseScoreBeside(counted, { values }, offset);
  const sum = (numbers: Float64Array) => numbers.reduce((total, number) => total + number, 0);
  assertAlmostEquals(base, Math.log(sum(values) / sum(offset.map(Math.exp))), 1e-10);
  // A few steps that leap beyond the root, and Newton's own back to it.
  assert(looks <= 20, `${looks}`);
});

Deno.test("baseScoreBeside() of losses that flatten far away is where their slope is 0", () => {
  const slopes = {
    pseudoHuber: (x: number) => x / Math.sqrt(1 + x * x),
    fair: (x: number) => x / (1 + Math.abs(x)),
  };
  for (const [name, slope] of Object.entries(slopes)) {
    const [base] = start(name, FAR, SPREAD);
    const total = FAR.reduce((sum, y, i) => sum + slope(base + SPREAD[i] - y), 0);
    assertAlmostEquals(total, 0, 1e-8, name);
    assert(base > 480 && base < 520, `${name} ${base}`);
  }
});

Deno.test("baseScoreBeside() of softmax gives every class its share beside offsets far apart", () => {
  const codes = Float64Array.from({ length: 60 }, (_, i) => i % 3);
  const offset = Float64Array.from({ length: 180 }, (_, i) => ((i * 7919) % 61) - 30);
  const base = start("softmax", codes, offset, 3);
  const shares = [0, 0, 0];
  for (let row = 0; row < 60; row++) {
    const scores = [0, 1, 2].map((k) => base[k] + offset[3 * row + k]);
    const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
    const total = powers.reduce((a, b) => a + b, 0);
    powers.forEach((power, k) => shares[k] += power / total);
  }
  shares.forEach((share) => assertAlmostEquals(share, 20, 1e-6));
});

Deno.test("baseScoreBeside() of a ranking is 0 whatever the offsets", () => {
  const labels = { values: Float64Array.of(0, 1, 2), group: Int32Array.of(1, 1, 1) };
  for (const name of ["xendcg", "lambdaNdcg"]) {
    const loss = lossOfRecipe({ name, numClasses: 0, params: {} });
    assertEquals(baseScoreBeside(loss, labels, Float64Array.of(1, 5, -3))[0], 0);
  }
});

Deno.test("expectiles start at the same share of labels of any size", () => {
  const loss = (y: Float64Array) =>
    lossOfRecipe({ name: "expectile", numClasses: 0, params: { expectiles: [0.9] } })
      .baseScore({ values: y })[0];
  // Of 480 … 519 the 0.9-expectile e is where 0.9 Σ (y − e)⁺ = 0.1 Σ (e − y)⁺.
  const e = loss(FAR);
  const above = FAR.reduce((sum, y) => sum + Math.max(0, y - e), 0);
  const below = FAR.reduce((sum, y) => sum + Math.max(0, e - y), 0);
  assertAlmostEquals(0.9 * above, 0.1 * below, 1e-9);
  for (const scale of [1e-16, 1e-30]) {
    assertAlmostEquals(loss(FAR.map((y) => y * scale)) / scale, e, 1e-9);
  }
});

Deno.test("rawOfResponse() refuses what the link cannot give", () => {
  const loss = (name: string) => lossOfRecipe({ name, numClasses: 2, params: {} });
  for (const response of [-0.5, 1.5]) {
    assertThrows(() => rawOfResponse(loss("logistic"), response), ParameterError, "a probability");
  }
  for (const response of [0, -1]) {
    assertThrows(() => rawOfResponse(loss("poisson"), response), ParameterError, "greater than 0");
  }
  assertAlmostEquals(rawOfResponse(loss("logistic"), 0.75)[0], Math.log(3), 1e-12);
  assertAlmostEquals(rawOfResponse(loss("poisson"), 0.75)[0], Math.log(0.75), 1e-12);
});
