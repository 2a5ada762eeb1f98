import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { Labels } from "../../../src/data/types.ts";
import { METRIC_NAMES, metricByName } from "../../../src/metric/metrics.ts";
import { reliabilityTable } from "../../../src/metric/calibration.ts";
import { labels, one, several, value } from "../../support/data/metric_values.ts";

Deno.test("auc counts ties ½, takes weights, and is NaN for one class", () => {
  const truth = labels([1, 1, 0, 0]);
  assertEquals(value("auc", truth, one([0.9, 0.8, 0.2, 0.1])), 1);
  assertEquals(value("auc", truth, one([0.5, 0.5, 0.5, 0.5])), 0.5);
  assertEquals(value("auc", truth, one([0.9, 0.3, 0.3, 0.1])), 0.875); // 1 + 1 + ½ + 1 of 4
  assertEquals(value("auc", labels([1, 1, 0, 0], [1, 3, 1, 1]), one([0.9, 0.1, 0.3, 0.1])), 0.4375);
  assert(Number.isNaN(value("auc", labels([1, 1]), one([0.1, 0.2]))));
});

Deno.test("averagePrecision and aucPr treat ties as one step and as a slope", () => {
  const truth = labels([1, 0, 1, 0]);
  // Ranks 1 0 1 0: precision 1 at recall ½, ⅔ at recall 1.
  assertAlmostEquals(value("averagePrecision", truth, one([4, 3, 2, 1])), 0.5 + 0.5 * 2 / 3, 1e-15);
  assertAlmostEquals(value("averagePrecision", truth, one([1, 1, 1, 1])), 0.5, 1e-15);
  assertAlmostEquals(value("aucPr", truth, one([1, 1, 1, 1])), 0.5, 1e-15);
  // Second positive: ∫ from 1 to 2 of t/(t+1) dt = 1 − ln 1.5.
  assertAlmostEquals(
    value("aucPr", truth, one([4, 3, 2, 1])),
    0.5 + 0.5 * (1 - Math.log(1.5)),
    1e-15,
  );
});

Deno.test("classification metrics of two classes equal hand values", () => {
  const truth = labels([1, 0, 1, 0, 1]);
  const guess = one([0.9, 0.4, 0.3, 0.6, 0.5]); // predicted 1 0 0 1 0
  const logs = Math.log(0.9) + Math.log(0.6) + Math.log(0.3) + Math.log(0.4) + Math.log(0.5);
  assertAlmostEquals(value("logLoss", truth, guess), -logs / 5, 1e-15);
  assertEquals(value("accuracy", truth, guess), 0.4);
  assertEquals(value("error", truth, guess), 0.6);
  assertEquals(value("error@0.45", truth, guess), 0.4);
  assertEquals(value("precision", truth, guess), 0.5);
  assertAlmostEquals(value("recall", truth, guess), 1 / 3, 1e-15);
  assertAlmostEquals(value("f1", truth, guess), 2 / 5, 1e-15);
  assertAlmostEquals(value("macroF1", truth, guess), (2 / 5 + 2 / 5) / 2, 1e-15);
  assertAlmostEquals(value("balancedAccuracy", truth, guess), (1 / 3 + 1 / 2) / 2, 1e-15);
  // (1·1 − 1·2) / √(2·3·2·3)
  assertAlmostEquals(value("mcc", truth, guess), -1 / 6, 1e-15);
  const squares = 0.01 + 0.16 + 0.49 + 0.36 + 0.25;
  assertAlmostEquals(value("brier", truth, guess), squares / 5, 1e-15);
});

Deno.test("topAccuracy counts ties against the row: equal probabilities know nothing", () => {
  const guess = several([[0.4, 0.4, 0.2], [1 / 3, 1 / 3, 1 / 3]]);
  assertEquals(value("topAccuracy@1", labels([0, 0]), guess), 0);
  assertEquals(value("topAccuracy@2", labels([0, 0]), guess), 0.5);
  assertEquals(value("topAccuracy@3", labels([0, 0]), guess), 1);
});

Deno.test("logLoss holds probabilities inside [1e-15, 1 − 1e-15]", () => {
  assertAlmostEquals(value("logLoss", labels([1]), one([0])), -Math.log(1e-15), 1e-12);
  assertAlmostEquals(value("logLoss", labels([0.5]), one([0.5])), Math.log(2), 1e-15);
});

Deno.test("classification metrics of several classes equal hand values", () => {
  const truth = labels([0, 1, 2]);
  const guess = several([[0.5, 0.3, 0.2], [0.6, 0.3, 0.1], [0.2, 0.2, 0.6]]);
  const logs = Math.log(0.5) + Math.log(0.3) + Math.log(0.6);
  assertAlmostEquals(value("logLoss", truth, guess), -logs / 3, 1e-15);
  assertAlmostEquals(value("accuracy", truth, guess), 2 / 3, 1e-15);
  assertEquals(value("topAccuracy@2", truth, guess), 1);
  assertAlmostEquals(value("macroF1", truth, guess), (2 / 3 + 0 + 1) / 3, 1e-15);
  // Class 1 falls below class 0 along p₁ − p₀ (−0.3 < −0.2); the other two pairs are in order.
  assertAlmostEquals(value("aucMu", truth, guess), 2 / 3, 1e-15);
});

Deno.test("metrics weigh rows: weight 2 equals a doubled row", () => {
  // Weights of crossEntropyLambda are exposures; its mean is over rows.
  const skip = new Set(["ndcg", "map", "mrr", "precisionAt", "ams", "crossEntropyLambda"]);
  for (const name of METRIC_NAMES.filter((name) => !skip.has(name))) {
    // Gamma metrics are for amounts above 0, those of survival for times (below 0: censored).
    const low = name.startsWith("gamma") ? 0.5 : name === "coxNll" ? -2 : 0;
    const p = name === "aucMu" || name === "aucOvr"
      ? [
        several([[0.6, 0.4], [0.3, 0.7], [0.2, 0.8]]),
        several([[0.6, 0.4], [0.3, 0.7], [0.3, 0.7], [0.2, 0.8]]),
      ]
      : [one([0.3, 0.6, 0.8]), one([0.3, 0.6, 0.6, 0.8])];
    const weighted = value(name, labels([low, 1, 1], [1, 2, 1]), p[0]);
    assertAlmostEquals(weighted, value(name, labels([low, 1, 1, 1]), p[1]), 1e-12, name);
  }
});

Deno.test("crossEntropyLambda equals LightGBM 4.7.0 under its own loss, with and without weights", () => {
  // objective and metric cross_entropy_lambda, one round; raw scores of predict(raw_score=True).
  const y = [0, 0.25, 1, 0.5, 0.75, 1];
  const plain = one([
    -1.129192521679897,
    -0.6223643411287507,
    0.8981200796874408,
    -0.11553619833924424,
    0.3912919293456063,
    0.8981200796874408,
  ]);
  assertAlmostEquals(value("cross_entropy_lambda", labels(y), plain), 0.47631463241250144, 1e-14);
  const exposed = one([
    -1.163838702563029,
    -0.9008940768238853,
    1.343213365683916,
    -0.14273473887800642,
    -0.4117404338402748,
    0.8783692248070165,
  ]);
  const weights = [1, 2, 0.5, 1, 3, 1];
  assertAlmostEquals(
    value("crossEntropyLambda", labels(y, weights), exposed),
    0.5291018835865886,
    1e-14,
  );
});

Deno.test("topAccuracy, klDivergence and ams read both classes of two, in one output or two", () => {
  const truth = labels([1, 0, 1]);
  const single = one([0.3, 0.6, 0.9]); // likeliest classes 0 1 1: one hit
  const pair = several([[0.7, 0.3], [0.4, 0.6], [0.1, 0.9]]);
  for (const guess of [single, pair]) {
    assertAlmostEquals(value("topAccuracy@1", truth, guess), 1 / 3, 1e-15);
    assertEquals(value("topAccuracy@2", truth, guess), 1);
    const expected = -(Math.log(0.3) + Math.log(0.4) + Math.log(0.9)) / 3;
    assertAlmostEquals(value("klDivergence", truth, guess), expected, 1e-15);
    // The best third is the last row: one signal beside the ten of the rule.
    const ams = Math.sqrt(2 * (11 * Math.log(1.1) - 1));
    assertAlmostEquals(value("ams@0.34", truth, guess), ams, 1e-14);
  }
});

Deno.test("counts and areas of a million weights of 0.1 are summed with compensation", () => {
  const numRows = 1e6;
  const truth: Labels = {
    values: Float64Array.from({ length: numRows }, (_, row) => row % 2),
    weight: new Float64Array(numRows).fill(0.1),
  };
  const response = new Float64Array(numRows).fill(0.25);
  const guess = { raw: response, response, numRows, numOutputs: 1 };
  // Plain sums of 0.1 are off by 1e-6 here, and a quarter of them by another share than the rest.
  const quarter = { ...truth, values: truth.values.map((_, row) => (row % 4 === 0 ? 1 : 0)) };
  const second = { ...guess, response: new Float64Array(numRows).fill(0.75) };
  assertAlmostEquals(metricByName("precision").value(quarter, second), 0.25, 1e-15);
  // All rows tie.
  assertAlmostEquals(metricByName("averagePrecision").value(truth, guess), 0.5, 1e-15);
  assertAlmostEquals(metricByName("auc").value(truth, guess), 0.5, 1e-15);
  assertAlmostEquals(metricByName("aucPr").value(truth, guess), 0.5, 1e-14);
  // Confidence ¼ where half the rows are of the second class.
  assertAlmostEquals(metricByName("ece").value(truth, guess), 0.25, 1e-14);
  const [bin] = reliabilityTable(truth, guess);
  assertAlmostEquals(bin.weight, 100_000, 1e-10);
  assertAlmostEquals(bin.observed, 0.5, 1e-15);
  const s = 50_000;
  const ams = Math.sqrt(2 * ((s + s + 10) * Math.log(1 + s / (s + 10)) - s));
  assertAlmostEquals(metricByName("ams@1").value(truth, guess), ams, 1e-12 * ams);
});

Deno.test("mcc does not depend on the unit of weights", () => {
  const guess = one([0.9, 0.1, 0.8, 0.7]);
  // (2 · 1 − 1 · 0) / √(3 · 2 · 2 · 1): two true positives, one true negative, one false positive.
  for (const unit of [1, 1e-90, 1e90]) {
    const found = value("mcc", labels([1, 0, 0, 1], [unit, unit, unit, unit]), guess);
    assertAlmostEquals(found, 2 / Math.sqrt(12), 1e-12, `${unit}`);
  }
  assertEquals(value("mcc", labels([1, 0], [0, 0]), one([0.9, 0.1])), 0);
});

Deno.test("metrics of classes have no figure where a score is no number and its row counts", () => {
  const names = ["accuracy", "error", "error@0.3", "topAccuracy@1", "balancedAccuracy", "f1"];
  for (const name of [...names, "macroF1", "precision", "recall", "mcc"]) {
    for (const y of [[0, 1, 1], [1, 0, 0]]) {
      assertEquals(value(name, labels(y), one([0.2, NaN, 0.8])), NaN, name);
      const known = value(name, labels([y[0], y[2]]), one([0.2, 0.8]));
      assertEquals(value(name, labels(y, [1, 0, 1]), one([0.2, NaN, 0.8])), known, name);
    }
  }
});

Deno.test("brier of several classes adds up the squares of all of them", () => {
  const guess = several([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]);
  // 0.25 + 0.09 + 0.04, and 0.81 + 0.04 + 0.49
  assertAlmostEquals(value("brier", labels([0, 0]), guess), (0.38 + 1.34) / 2, 1e-15);
});

Deno.test("brier of two classes is the square of the second one's, however many outputs tell them", () => {
  assertAlmostEquals(value("brier", labels([0, 1]), one([0.2, 0.7])), (0.04 + 0.09) / 2, 1e-15);
  const guess = several([[0.8, 0.2], [0.3, 0.7]]);
  assertAlmostEquals(value("brier", labels([0, 1]), guess), (0.04 + 0.09) / 2, 1e-15);
});

Deno.test("error@t: a probability of t is not above it", () => {
  assertEquals(value("error@0.25", labels([0, 1]), one([0.25, 0.25])), 0.5);
  assertEquals(value("error@0.25", labels([0, 1]), one([0.25, 0.5])), 0);
});

Deno.test("precision is 0 where nothing is predicted, recall NaN where nothing is true", () => {
  const weighed = labels([1, 1, 0], [0.25, 0.5, 1]);
  assertEquals(value("precision", weighed, one([0.1, 0.2, 0.3])), 0);
  assertEquals(value("recall", labels([0, 0]), one([0.9, 0.1])), NaN);
  assertAlmostEquals(value("recall", weighed, one([0.9, 0.1, 0.1])), 0.25 / 0.75, 1e-15);
  assertEquals(value("f1", labels([0, 0]), one([0.1, 0.1])), 0);
});

Deno.test("ams@1 does not part rows of one score", () => {
  // All three have s = 10, b = 20; the first alone would have b = 0.
  const truth = labels([1, 0, 0], [10, 10, 10]);
  const expected = Math.sqrt(2 * (40 * Math.log(1 + 10 / 30) - 10));
  assertAlmostEquals(value("ams@1", truth, one([0.5, 0.5, 0.5])), expected, 1e-12);
});
