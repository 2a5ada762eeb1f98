/**
 * Derivatives of the ranking losses against finite differences of what they are the derivatives of.
 *
 * A lambda is the derivative of Σ |Δ| ln(1 + e^(−s·gap)) over pairs where |Δ| (and the divisors of
 * normalisation) are held fixed: Burges, MSR-TR-2010-82, section 4. Here |Δ| is found by trading the
 * two places and computing the whole metric again.
 *
 * @module
 */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { Labels } from "../../../src/data/types.ts";
import { lambdaLoss, type LambdaOptions, type PairMetric } from "../../../src/loss/lambda.ts";
import { xendcgLoss } from "../../../src/loss/xendcg.ts";
import { createRng, type Rng } from "../../../src/util/rng.ts";

// A central difference of a smooth sum near 1: error 1e-4² · f‴/6 ≈ 2e-9, rounding 1e-16/1e-4.
const STEP = 1e-4;
const FIRST = 1e-7;
// A second difference: rounding 4 · 1e-16/1e-8 of a sum of up to 60.
const SECOND = 5e-6;

/** Metric of relevance in ranked order, written out. */
function metricOf(metric: PairMetric, ranked: number[], options: LambdaOptions): number {
  if (metric === "map") {
    let hits = 0;
    let total = 0;
    ranked.forEach((y, rank) => {
      if (y > 0) total += ++hits / (rank + 1);
    });
    return total / hits;
  }
  const gain = (y: number) => options.rankGain === "linear" ? y : 2 ** y - 1;
  const dcg = (list: number[], count: number) =>
    list.slice(0, count).reduce((sum, y, rank) => sum + gain(y) / Math.log2(rank + 2), 0);
  // The ideal is cut at the truncation, the places of a pair are not.
  const ideal = dcg(ranked.toSorted((a, b) => b - a), options.rankTruncation ?? 32);
  return dcg(ranked, Infinity) / ideal;
}

interface Pair {
  readonly better: number;
  readonly worse: number;
  /** |Δ| over the divisors, as they are at the scores that the derivative is taken at. */
  readonly weight: number;
}

/** Pairs of one query (rows `from … to − 1`) with their fixed weights. */
function pairsOf(
  metric: PairMetric,
  labels: Labels,
  raw: number[],
  [from, to]: readonly [number, number],
  options: LambdaOptions,
): Pair[] {
  const { sigmoidScale: s = 1, rankTruncation = 32, rankNormalise = true } = options;
  const order = Array.from({ length: to - from }, (_, i) => from + i)
    .sort((a, b) => raw[b] - raw[a] || a - b);
  const ranked = order.map((row) => labels.values[row]);
  const spread = raw[order[0]] !== raw[order[order.length - 1]];
  const pairs: Pair[] = [];
  for (let i = 0; i < order.length; i++) {
    for (let j = i + 1; j < order.length; j++) {
      if (i >= rankTruncation || ranked[i] === ranked[j]) continue;
      const traded = ranked.with(i, ranked[j]).with(j, ranked[i]);
      const change = metric === "none"
        ? 1
        : Math.abs(metricOf(metric, traded, options) - metricOf(metric, ranked, options));
      const [better, worse] = ranked[i] > ranked[j] ? [order[i], order[j]] : [order[j], order[i]];
      const gap = Math.abs(raw[better] - raw[worse]);
      pairs.push({
        better,
        worse,
        weight: rankNormalise && spread ? change / (0.01 + gap) : change,
      });
    }
  }
  const queryWeight = labels.weight === undefined
    ? 1
    : labels.weight.slice(from, to).reduce((a, b) => a + b) / (to - from);
  const sum = pairs.reduce(
    (total, { better, worse, weight }) =>
      total + 2 * s * weight / (1 + Math.exp(s * (raw[better] - raw[worse]))),
    0,
  );
  const norm = rankNormalise && sum > 0 ? Math.log2(1 + sum) / sum : 1;
  return pairs.map((pair) => ({ ...pair, weight: pair.weight * norm * queryWeight }));
}

function surrogate(pairs: readonly Pair[], raw: readonly number[], scale: number): number {
  return pairs.reduce(
    (sum, { better, worse, weight }) =>
      sum + weight * Math.log1p(Math.exp(-scale * (raw[better] - raw[worse]))),
    0,
  );
}

/** First and second central differences by each score. */
function differences(value: (raw: number[]) => number, raw: number[]) {
  const middle = value(raw);
  return raw.map((score, i) => {
    const up = value(raw.with(i, score + STEP));
    const down = value(raw.with(i, score - STEP));
    return { first: (up - down) / (2 * STEP), second: (up - 2 * middle + down) / STEP ** 2 };
  });
}

const QUERIES = [[0, 7], [7, 10], [10, 11], [11, 16]] as const;

/** Four queries: a long one with ties of score and relevance, one of one row, a fourth of any. */
function drawCase(rng: Rng, most: number): { labels: Labels; raw: number[] } {
  const size = 16;
  const group = Int32Array.from(
    { length: size },
    (_, row) => QUERIES.findIndex(([from, to]) => from <= row && row < to),
  );
  const values = Float64Array.from({ length: size }, () => rng.nextInt(most + 1));
  values[0] = 1; // at least one relevant item in the longest query
  const raw = Array.from({ length: size }, () => 2 * rng.nextFloat() - 1);
  raw[3] = raw[5];
  const weight = Float64Array.from({ length: size }, () => 0.5 + rng.nextFloat());
  return { labels: { values, group, weight }, raw };
}

const VARIANTS: LambdaOptions[] = [
  {},
  { rankNormalise: false },
  { rankNormalise: false, rankTruncation: 2 },
  { rankTruncation: 3, sigmoidScale: 2 },
  { rankGain: "linear", sigmoidScale: 0.5 },
];

for (const metric of ["ndcg", "map", "none"] as const) {
  Deno.test(`lambdaLoss("${metric}") is the derivative of its weighted pair losses`, () => {
    const rng = createRng(11);
    for (const options of VARIANTS) {
      for (let trial = 0; trial < 5; trial++) {
        const { labels, raw } = drawCase(rng, metric === "map" ? 1 : 4);
        const pairs = QUERIES.flatMap((rows) => pairsOf(metric, labels, raw, rows, options));
        assert(pairs.length > 5);
        const gradient = new Float64Array(raw.length);
        const hessian = new Float64Array(raw.length);
        lambdaLoss(metric, options)
          .gradients(labels, Float64Array.from(raw), gradient, hessian, 0, raw.length);
        const scale = options.sigmoidScale ?? 1;
        differences((scores) => surrogate(pairs, scores, scale), raw)
          .forEach(({ first, second }, row) => {
            const where = `${JSON.stringify(options)} trial ${trial} row ${row}`;
            const size = Math.max(1, Math.abs(first), Math.abs(second));
            assertAlmostEquals(gradient[row], first, FIRST * size, `gradient, ${where}`);
            assertAlmostEquals(hessian[row], second, SECOND * size, `hessian, ${where}`);
          });
      }
    }
  });
}

Deno.test("pairwise value has the gradients as its derivative where nothing is normalised", () => {
  const { labels, raw } = drawCase(createRng(5), 3);
  const equal: Labels = { values: labels.values, group: labels.group! };
  const loss = lambdaLoss("none", { rankNormalise: false });
  const pairs =
    QUERIES.flatMap((rows) => pairsOf("none", equal, raw, rows, { rankNormalise: false })).length;
  const gradient = new Float64Array(raw.length);
  loss.gradients(equal, Float64Array.from(raw), gradient, new Float64Array(raw.length), 0, 16);
  // The value is the mean over pairs, gradients are of the sum.
  differences((scores) => pairs * loss.value(equal, Float64Array.from(scores)), raw)
    .forEach(({ first }, row) => assertAlmostEquals(gradient[row], first, 1e-6));
});

/** Cross entropy of the softmax of scores from the shares of the targets, written out. */
function crossEntropy(targets: readonly number[], scores: readonly number[]): number {
  const total = targets.reduce((a, b) => a + b, 0);
  const norm = scores.reduce((sum, score) => sum + Math.exp(score), 0);
  return targets.reduce((sum, y, i) => sum - y / total * (scores[i] - Math.log(norm)), 0);
}

Deno.test("xendcgLoss() is two corrections of a Newton step on the cross entropy", () => {
  // With H = D + E (diagonal and rest), H⁻¹g ≈ D⁻¹(g − E D⁻¹ g + (E D⁻¹)² g): the loss returns the
  // bracket and D. Bruch (WWW 2021), section 4; g and H here by finite differences.
  const rng = createRng(3);
  for (let trial = 0; trial < 20; trial++) {
    const size = 2 + rng.nextInt(6);
    const values = Float64Array.from({ length: size }, () => rng.nextInt(4));
    const draws = Array.from({ length: size }, () => rng.nextFloat());
    const raw = Array.from({ length: size }, () => 2 * rng.nextFloat() - 1);
    const targets = draws.map((draw, i) => 2 ** values[i] - draw);
    const value = (scores: number[]) => crossEntropy(targets, scores);
    const slope = (scores: number[]) => differences(value, scores).map(({ first }) => first);
    const g = slope(raw);
    const h = raw.map((score, j) => {
      const up = slope(raw.with(j, score + 1e-3));
      const down = slope(raw.with(j, score - 1e-3));
      return up.map((one, i) => (one - down[i]) / 2e-3);
    });
    const rest = (v: number[]) =>
      v.map((_, i) => v.reduce((sum, x, j) => j === i ? sum : sum + h[i][j] / h[j][j] * x, 0));
    const once = rest(g);
    const twice = rest(once);
    let next = 0;
    const gradient = new Float64Array(size);
    const hessian = new Float64Array(size);
    xendcgLoss(0, () => ({ nextFloat: () => draws[next++] }))
      .gradients(
        { values, group: new Int32Array(size) },
        Float64Array.from(raw),
        gradient,
        hessian,
        0,
        size,
      );
    assertEquals(next, size);
    for (let i = 0; i < size; i++) {
      // h by differences of differences: 1e-12/1e-3 of rounding, 1e-6 of truncation.
      assertAlmostEquals(hessian[i], h[i][i], 1e-6);
      assertAlmostEquals(
        gradient[i],
        g[i] - once[i] + twice[i],
        2e-5 * Math.max(1, Math.abs(twice[i])),
      );
    }
  }
});

// q: shares of the targets 1, 2, 4. With ε left beside the first item, of which the others have s₂ and s₃, its
// terms tend to Q, −Q and Q (Q = q₂ + q₃), and item j's to −qⱼ, sⱼQ and −sⱼQ.
Deno.test("xendcgLoss() has gradients at any score gap: the limits of its terms", () => {
  const labels = { values: Float64Array.of(0, 1, 2), group: new Int32Array(3) };
  const loss = xendcgLoss(0, () => ({ nextFloat: () => 0 }));
  for (const gap of [16, 18, 19, 25, 36, 37, 40, 700, 800, 1e300]) {
    const gradient = new Float64Array(3);
    const hessian = new Float64Array(3);
    loss.gradients(labels, Float64Array.of(gap, 0, 1), gradient, hessian, 0, 3);
    // What is left is (1 + e)e^−gap; rounding divided by it stays below 1e-7 from gap 16 on.
    const left = (1 + Math.E) * Math.exp(-gap);
    [6 / 7, -2 / 7, -4 / 7].forEach((limit, i) =>
      assertAlmostEquals(gradient[i], limit, 3 * left + 1e-7, `gap ${gap}`)
    );
    [left, Math.exp(-gap), Math.exp(1 - gap)].forEach((h, i) =>
      assertAlmostEquals(hessian[i], h, 1e-11, `gap ${gap}`)
    );
  }
});

// (E D⁻¹ v)ᵢ = −pᵢ Σ vⱼ / (1 − pⱼ) over the other items, for softmax p; what the first item leaves is summed.
Deno.test("xendcgLoss() has both corrections as long as one item has not all of the softmax", () => {
  const labels = { values: Float64Array.of(0, 1, 2), group: new Int32Array(3) };
  const loss = xendcgLoss(0, () => ({ nextFloat: () => 0 }));
  for (const gap of [2, 8, 12, 15]) {
    const weights = [1, Math.exp(-gap), Math.exp(1 - gap)];
    const total = weights[0] + weights[1] + weights[2];
    const p = weights.map((one) => one / total);
    const others = [p[1] + p[2], p[0] + p[2], p[0] + p[1]];
    const rest = (v: number[]) =>
      v.map((_, i) => v.reduce((sum, x, j) => j === i ? sum : sum - p[i] * x / others[j], 0));
    const g = p.map((one, i) => one - [1, 2, 4][i] / 7);
    const once = rest(g);
    const twice = rest(once);
    const gradient = new Float64Array(3);
    loss.gradients(labels, Float64Array.of(gap, 0, 1), gradient, new Float64Array(3), 0, 3);
    gradient.forEach((one, i) =>
      assertAlmostEquals(one, g[i] - once[i] + twice[i], 1e-7, `gap ${gap}`)
    );
  }
});

Deno.test("xendcgLoss() leads to scores whose softmax is the target's shares", () => {
  // Two items: E D⁻¹ takes (a, −a) to itself, so the bracket is g − g + g; its root is that of g.
  const loss = xendcgLoss(0, () => ({ nextFloat: () => 0 }));
  const labels = { values: Float64Array.of(0, 1), group: new Int32Array(2) };
  const raw = Float64Array.of(0, Math.log(2)); // targets 1 and 2
  const gradient = new Float64Array(2);
  loss.gradients(labels, raw, gradient, new Float64Array(2), 0, 2);
  assertAlmostEquals(gradient[0], 0, 1e-15);
  assertAlmostEquals(gradient[1], 0, 1e-15);
});

Deno.test("xendcgLoss() has the mean cross entropy of queries as its value, by their weights", () => {
  // Shares of 3 : 1 in both queries; 2^y - 1/2 is 1.5 : 0.5 and 3.5 : 0.5.
  const value = xendcgLoss(0).value(
    {
      values: Float64Array.of(1, 0, 2, 0),
      group: Int32Array.of(0, 0, 1, 1),
      weight: Float64Array.of(1, 1, 3, 3),
    },
    Float64Array.of(Math.log(3), 0, 1 + Math.log(3), 1),
  );
  const entropy = (p: number) => -(p * Math.log(3 / 4) + (1 - p) * Math.log(1 / 4));
  assertAlmostEquals(value, (entropy(3 / 4) + 3 * entropy(7 / 8)) / 4, 1e-12);
});
