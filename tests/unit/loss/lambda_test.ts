import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import type { Labels } from "../../../src/data/types.ts";
import { DataError } from "../../../src/errors.ts";
import { lambdaLoss, type LambdaOptions, type PairMetric } from "../../../src/loss/lambda.ts";
import { xendcgLoss } from "../../../src/loss/xendcg.ts";
import { metricByName } from "../../../src/metric/metrics.ts";
import { createRng } from "../../../src/util/rng.ts";

function query(values: number[], group = values.map(() => 0)): Labels {
  return { values: Float64Array.from(values), group: Int32Array.from(group) };
}

function derivatives(metric: PairMetric, labels: Labels, scores: number[], options: LambdaOptions) {
  const gradient = new Float64Array(scores.length);
  const hessian = new Float64Array(scores.length);
  lambdaLoss(metric, options)
    .gradients(labels, Float64Array.from(scores), gradient, hessian, 0, scores.length);
  return { gradient, hessian };
}

function assertClose(found: ArrayLike<number>, wanted: number[], tolerance: number): void {
  wanted.forEach((value, i) => assertAlmostEquals(found[i], value, tolerance));
}

// ALGORITHMS 6.2: labels 0, 1, 2 with scores .3, .2, .1.
const TOY = query([0, 1, 2]);
const SCORES = [0.3, 0.2, 0.1];

Deno.test("lambdaLoss() equals the toy values without normalisation", () => {
  const { gradient, hessian } = derivatives("ndcg", TOY, SCORES, { rankNormalise: false });
  assertClose(gradient, [0.2805080966, -0.01550110044, -0.26500699616], 1e-10);
  assertClose(hessian, [0.127601514521, 0.043332913128, 0.120238169195], 1e-12);
});

Deno.test("lambdaLoss() equals the toy values normalised by score gap", () => {
  // The sheet stops before the query norm log2(1 + Σλ)/Σλ; Σλ is twice the sum of pair lambdas.
  const gaps = [1.566757795393, -0.140919094905, -1.425838700488];
  const { gradient, hessian } = derivatives("ndcg", TOY, SCORES, {});
  const plainSum = derivativesSum();
  const norm = Math.log2(1 + plainSum) / plainSum;
  assertClose(gradient, gaps.map((value) => value * norm), 1e-10);
  assertClose(
    hessian,
    [0.717358420779, 0.393935573891, 0.650418917818].map((value) => value * norm),
    1e-10,
  );
});

/** Σλ over both sides of the toy's pairs, each divided by 0.01 + gap. */
function derivativesSum(): number {
  const gains = [0, 1, 3];
  const discount = (rank: number) => 1 / Math.log2(rank + 2);
  const ideal = 3 + discount(1);
  let total = 0;
  for (const [i, j] of [[0, 1], [0, 2], [1, 2]]) {
    const gap = SCORES[j] - SCORES[i]; // the later row is better and scores lower
    const delta = (gains[j] - gains[i]) * Math.abs(discount(i) - discount(j)) / ideal;
    total += 2 * delta / (0.01 + Math.abs(gap)) / (1 + Math.exp(gap));
  }
  return total;
}

Deno.test("ndcg of the toy is 0.58688267143572", () => {
  const raw = Float64Array.from(SCORES);
  const found = metricByName("ndcg").value(TOY, {
    raw,
    response: raw,
    numRows: 3,
    numOutputs: 1,
  });
  assertAlmostEquals(found, 0.58688267143572, 1e-13);
});

Deno.test("lambdaLoss() doubles the curvature as XGBoost does", () => {
  const ours = derivatives("ndcg", TOY, SCORES, { rankNormalise: false }).hessian;
  const theirs = derivatives("ndcg", TOY, SCORES, { rankNormalise: false, curvature: "xgboost" });
  assertClose(theirs.hessian, [...ours].map((h) => 2 * h), 1e-15);
});

Deno.test("lambdaLoss() gradients of a query sum to zero; no relevant pair, no gradient", () => {
  for (const metric of ["ndcg", "map", "none"] as const) {
    const labels = query([2, 0, 1, 0, 0, 1, 3, 3], [0, 0, 0, 0, 0, 1, 2, 2]);
    const { gradient, hessian } = derivatives(metric, labels, [1, 2, 3, 4, 5, 1, 0, 1], {});
    assertAlmostEquals(gradient.slice(0, 5).reduce((a, b) => a + b), 0, 1e-12);
    assert(gradient[0] < 0 && hessian.slice(0, 3).every((h) => h > 0));
    assertEquals([...gradient.slice(5), ...hessian.slice(5)], [0, 0, 0, 0, 0, 0]);
  }
});

Deno.test("lambdaLoss('map') weighs a pair by the change of average precision", () => {
  const rng = createRng(3);
  for (let trial = 0; trial < 50; trial++) {
    const size = 2 + rng.nextInt(6);
    const values = Array.from({ length: size }, () => rng.nextInt(2));
    const scores = Array.from({ length: size }, (_, i) => size - i + 0.0);
    if (new Set(values).size < 2) continue;
    const { gradient } = derivatives("map", query(values), scores, {
      rankNormalise: false,
      rankTruncation: 100,
    });
    const map = (labels: number[]) => {
      let hits = 0;
      let total = 0;
      labels.forEach((y, rank) => {
        if (y > 0) total += ++hits / (rank + 1);
      });
      return total / hits;
    };
    const wanted = new Float64Array(size);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        if (!(values[i] > values[j])) continue;
        const swapped = [...values];
        [swapped[i], swapped[j]] = [swapped[j], swapped[i]];
        const change = Math.abs(map(swapped) - map(values));
        const lambda = change / (1 + Math.exp(scores[i] - scores[j]));
        wanted[i] -= lambda;
        wanted[j] += lambda;
      }
    }
    assertClose(gradient, [...wanted], 1e-12);
  }
});

Deno.test("lambdaLoss() refuses labels without queries, negative or too large ones", () => {
  const code = (run: () => void) => assertThrows(run, DataError).code;
  const loss = lambdaLoss("ndcg");
  assertEquals(code(() => loss.checkLabels({ values: Float64Array.of(1) })), "E_DATA_SHAPE");
  assertEquals(code(() => loss.checkLabels(query([1, -1]))), "E_DATA_TARGET");
  assertEquals(code(() => loss.checkLabels(query([32]))), "E_DATA_TARGET");
  lambdaLoss("ndcg", { rankGain: "linear" }).checkLabels(query([32]));
});

Deno.test("xendcgLoss() draws anew each round, alike for a seed, and sums to zero", () => {
  const labels = query([2, 0, 1, 0, 1], [0, 0, 0, 1, 2]);
  const raw = Float64Array.of(0.1, 0.5, -0.2, 0, 3);
  const run = (seed: number) => {
    const loss = xendcgLoss(seed);
    return [1, 2].map((round) => {
      const gradient = new Float64Array(5);
      loss.gradients(labels, raw, gradient, new Float64Array(5), 0, 5, round);
      return [...gradient];
    });
  };
  assertEquals(run(7), run(7));
  const [first, second] = run(7);
  assert(first[0] !== second[0] && first[0] !== run(8)[0][0]);
  assertEquals(first.slice(3), [0, 0]); // single items
  assert(first[0] < 0 && first[1] > 0);
});

Deno.test("xendcgLoss() learns relevance between whole numbers, and refuses what overflows", () => {
  const draws = () => ({ nextFloat: () => 0.5 });
  const gradient = new Float64Array(2);
  xendcgLoss(0, draws).gradients(
    query([0.5, 0]),
    new Float64Array(2),
    gradient,
    gradient.slice(),
    0,
    2,
  );
  // Shares ½ and target t: a = ½ − t, and of two items the corrections are −a and a.
  const t = (Math.SQRT2 - 0.5) / Math.SQRT2;
  assertClose(gradient, [0.5 - t, t - 0.5], 1e-15);
  const code = (y: number) =>
    assertThrows(() => xendcgLoss(0).checkLabels(query([y, 1])), DataError).code;
  assertEquals([code(1001), code(-1)], ["E_DATA_TARGET", "E_DATA_TARGET"]);
});

Deno.test("xendcgLoss() tells the loss of relevance between whole numbers", () => {
  // Softmax 3/4, 1/4; targets 2^y less 1/2, the mean of the draws, over their sum.
  const raw = Float64Array.of(Math.log(3), 0);
  const [a, b] = [Math.SQRT2 - 0.5, 0.5];
  const expected = -(a * Math.log(3 / 4) + b * Math.log(1 / 4)) / (a + b);
  assertAlmostEquals(xendcgLoss(0).value(query([0.5, 0]), raw), expected, 1e-14);
});

Deno.test("xendcgLoss() weighs queries by the mean of their rows, as LightGBM each row by its own", () => {
  const labels = query([2, 0, 1, 0, 1], [0, 0, 0, 1, 1]);
  const weight = Float64Array.of(0.5, 2, 0, 1, 3);
  const run = (own: Labels, curvature: "treeline" | "lightgbm") => {
    const [gradient, hessian] = [new Float64Array(5), new Float64Array(5)];
    const raw = Float64Array.of(0.1, 0.5, -0.2, 0, 3);
    xendcgLoss(3, undefined, curvature).gradients(own, raw, gradient, hessian, 0, 5);
    return [...gradient, ...hessian];
  };
  const plain = run(labels, "treeline");
  const of = (row: number) => weight[row % 5];
  const mean = (row: number) => row % 5 < 3 ? 2.5 / 3 : 2;
  assertClose(run({ ...labels, weight }, "treeline"), plain.map((v, row) => v * mean(row)), 1e-15);
  assertClose(run({ ...labels, weight }, "lightgbm"), plain.map((v, row) => v * of(row)), 1e-6);
});

Deno.test("ranking metrics equal hand values and treat empty queries as asked", () => {
  const labels = query([0, 1, 1, 0, 0, 2], [0, 0, 0, 1, 1, 2]);
  const raw = Float64Array.of(3, 2, 1, 1, 0, 0);
  const value = (name: string, emptyGroup: "skip" | "one" | "zero" = "skip") =>
    metricByName(name, { emptyGroup })
      .value(labels, { raw, response: raw, numRows: 6, numOutputs: 1 });
  const d = (rank: number) => 1 / Math.log2(rank + 2);
  const first = (d(1) + d(2)) / (d(0) + d(1));
  assertAlmostEquals(value("ndcg"), (first + 1) / 2, 1e-14);
  assertAlmostEquals(value("ndcg", "one"), (first + 2) / 3, 1e-14);
  assertAlmostEquals(value("ndcg", "zero"), (first + 1) / 3, 1e-14);
  assertAlmostEquals(value("ndcg-"), (first + 1) / 3, 1e-14);
  assertAlmostEquals(value("ndcg@1"), 0.5, 1e-14);
  assertAlmostEquals(value("map"), ((1 / 2 + 2 / 3) / 2 + 1) / 2, 1e-14);
  assertAlmostEquals(value("precisionAt@2"), (0.5 + 1) / 2, 1e-14);
  assertAlmostEquals(value("mrr"), (0.5 + 1) / 2, 1e-14);
});

Deno.test("ams is the significance of the best share of rows", () => {
  const raw = Float64Array.of(4, 3, 2, 1);
  const labels = { values: Float64Array.of(1, 1, 0, 0), weight: Float64Array.of(5, 5, 100, 100) };
  const found = metricByName("ams@0.5")
    .value(labels, { raw, response: raw, numRows: 4, numOutputs: 1 });
  assertAlmostEquals(found, Math.sqrt(2 * (20 * Math.log(2) - 10)), 1e-12);
});
