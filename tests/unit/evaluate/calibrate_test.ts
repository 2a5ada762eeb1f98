import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { createDataset } from "../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { DataError, ParameterError } from "../../../src/errors.ts";
import {
  calibrate,
  calibrateScores,
  CALIBRATION_METHODS,
  fallingMaps,
} from "../../../src/evaluate/calibrate.ts";
import { fitIsotonic, fitPlatt, fitTemperature } from "../../../src/evaluate/calibrate_fit.ts";
import { evaluate } from "../../../src/evaluate/evaluate.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { createRng } from "../../../src/util/rng.ts";

function noisy(seed: number, numRows: number, numClasses: number): Dataset {
  const rng = createRng(seed);
  const x = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const codes = Int32Array.from(
    x,
    (v) => rng.nextFloat() < 0.6 ? Math.floor(v * numClasses) : rng.nextInt(numClasses),
  );
  const classes = Array.from({ length: numClasses }, (_, k) => `c${k}`);
  return createDataset(
    [{ kind: "numeric", name: "x", values: x }],
    { kind: "classification", name: "y", codes, classes },
  );
}

for (const numClasses of [2, 3]) {
  for (const method of CALIBRATION_METHODS) {
    Deno.test(`calibrate() by ${method} repairs an overfitted model of ${numClasses} classes`, async () => {
      const model = await trainBoost(noisy(1, 200, numClasses), {
        rounds: 100,
        learningRate: 0.5,
        minChildWeight: 0,
      });
      const fixed = calibrate(model, noisy(2, 1500, numClasses), method);
      const fresh = noisy(3, 1500, numClasses);
      const [before, after] = [evaluate(model, fresh), evaluate(fixed, fresh)];
      assert(after.metrics.logLoss < 0.9 * before.metrics.logLoss);
      assert(after.calibration!.ece < 0.5 * before.calibration!.ece);
      const p = fixed.predictProba(fresh);
      for (let row = 0; row < 50; row++) {
        const sum = p.data.slice(row * numClasses, (row + 1) * numClasses).reduce((a, b) => a + b);
        assertAlmostEquals(sum, 1, 1e-12);
      }
      const again = decodeModel(encodeModel(fixed));
      assertEquals(again.predictProba(fresh).data, p.data);
    });
  }
}

Deno.test("fitPlatt() is the optimum of its own likelihood", () => {
  const scores = Float64Array.of(-2, -1, -0.5, 0, 0.3, 1, 2, 2.5);
  const truth = [0, 0, 1, 0, 1, 0, 1, 1];
  const fitted = fitPlatt({ scores, truth });
  assert(fitted.method === "platt");
  const cost = (a: number, b: number) =>
    scores.reduce((sum, score, i) => {
      const t = truth[i] === 1 ? 5 / 6 : 1 / 6;
      const f = a * score + b;
      return sum + Math.log1p(Math.exp(f)) - t * f;
    }, 0);
  const best = cost(fitted.a, fitted.b);
  for (const [da, db] of [[1e-3, 0], [-1e-3, 0], [0, 1e-3], [0, -1e-3]]) {
    assert(cost(fitted.a + da, fitted.b + db) > best);
  }
});

Deno.test("fitIsotonic() pools equal scores first, then violators", () => {
  const scores = Float64Array.of(0.1, 0.2, 0.2, 0.3, 0.4, 0.5);
  // Pooled: 0.1 → 1, 0.2 → ½, 0.3 → 0, then 1 ½ ½ 0 → ½ over four rows; 0.4 and 0.5 → 1.
  const fitted = fitIsotonic({ scores, truth: [1, 1, 0, 0, 1, 1] });
  assertEquals(fitted, { method: "isotonic", x: [0.1, 0.3, 0.4, 0.5], y: [0.5, 0.5, 1, 1] });
});

Deno.test("fitTemperature() finds the factor that scores were multiplied by", () => {
  const rng = createRng(4);
  const margin = Float64Array.from({ length: 20000 }, () => 4 * rng.nextFloat() - 2);
  const codes = margin.map((m) => rng.nextFloat() < 1 / (1 + Math.exp(-m)) ? 1 : 0);
  const fitted = fitTemperature(margin.map((m) => 3 * m), codes, 1, 1);
  assert(fitted.method === "temperature");
  assertAlmostEquals(fitted.t, 3, 0.15);
});

Deno.test("fitTemperature() finds the best factor of scores far apart", () => {
  // Rows of the true classes 2, 1, 2; all but the last lose by hundreds.
  const rows = [[-213, -285, 157], [273, -178, -279], [-222, 177, 37]];
  const codes = [2, 1, 2];
  const raw = Float64Array.from([0, 1, 2].flatMap((k) => rows.map((row) => row[k])));
  const cost = (t: number) =>
    rows.reduce((sum, row, i) => {
      const most = Math.max(...row);
      const rest = row.reduce((total, z) => total + Math.exp((z - most) / t), 0);
      return sum + Math.log(rest) + (most - row[codes[i]]) / t;
    }, 0);
  const fitted = fitTemperature(raw, codes, 3, 1);
  assert(fitted.method === "temperature");
  const best = Array.from({ length: 4000 }, (_, i) => Math.exp(i / 300))
    .reduce((a, b) => cost(b) < cost(a) ? b : a);
  assertAlmostEquals(fitted.t / best, 1, 0.01); // 658; it was 4, with 47 times the loss
  assert(cost(fitted.t) <= cost(best));
});

Deno.test("fitPlatt() finds the same map of small scores", () => {
  const scores = Float64Array.of(-2, -1, -0.5, 0, 0.3, 1, 2, 2.5);
  const truth = [0, 0, 1, 0, 1, 0, 1, 1];
  const fitted = fitPlatt({ scores, truth });
  assert(fitted.method === "platt");
  for (const factor of [1e-3, 1e-6, 1e-9]) {
    const small = fitPlatt({ scores: scores.map((score) => score * factor), truth });
    assert(small.method === "platt");
    assertAlmostEquals(small.a * factor, fitted.a, 1e-6);
    assertAlmostEquals(small.b, fitted.b, 1e-6);
  }
});

Deno.test("calibrate() refuses models without probabilities", async () => {
  const data = createDataset([{ kind: "numeric", name: "x", values: Float64Array.of(1, 2) }], {
    kind: "regression",
    name: "y",
    values: Float64Array.of(1, 2),
  });
  const model = await trainBoost(data, { rounds: 1 });
  assertThrows(() => calibrate(model, data), ParameterError);
});

Deno.test("calibrateScores() refuses scores that no map can be fitted to, by their row", async () => {
  const model = await trainBoost(noisy(1, 60, 2), { rounds: 2, committee: 1 });
  const labels = { values: Float64Array.of(0, 1, 1) };
  for (const method of CALIBRATION_METHODS) {
    const error = assertThrows(
      () => calibrateScores(model, Float64Array.of(0.5, NaN, 1), labels, method),
      ParameterError,
    );
    assertEquals([error.code, error.details], ["E_PARAM_CONFLICT", { row: 2 }], method);
  }
  const infinite = Float64Array.of(-Infinity, 0, Infinity);
  assertThrows(() => calibrateScores(model, infinite, labels, "platt"), ParameterError);
  assertThrows(() => calibrateScores(model, infinite, labels, "temperature"), ParameterError);
  // Of these only the order counts: 0, then the two of class 1.
  const { calibration } = calibrateScores(model, infinite, labels, "isotonic");
  assertEquals(calibration, [{ method: "isotonic", x: [0, 0.5, 1], y: [0, 1, 1] }]);
});

Deno.test("calibrateScores() refuses rows of one class, which say nothing of the others", async () => {
  const model = await trainBoost(noisy(1, 60, 2), { rounds: 2, committee: 1 });
  const scores = Float64Array.of(-1, 0.5, 1);
  for (const method of CALIBRATION_METHODS) {
    for (const code of [0, 1]) {
      const labels = { values: new Float64Array(3).fill(code) };
      const error = assertThrows(() => calibrateScores(model, scores, labels, method), DataError);
      assertEquals(error.code, "E_DATA_TARGET");
      assertEquals(error.message.includes(JSON.stringify(model.schema.classes[code])), true);
    }
  }
});

Deno.test("calibrateScores() does not count classes whose rows weigh nothing", async () => {
  const model = await trainBoost(noisy(1, 60, 2), { rounds: 2, committee: 1 });
  const scores = Float64Array.of(-1, 0.5, 1);
  const values = Float64Array.of(0, 1, 1);
  const weighed = (...weight: number[]) => ({ values, weight: Float64Array.from(weight) });
  for (const method of CALIBRATION_METHODS) {
    for (
      const [labels, found] of [
        [weighed(0, 2, 1), 'is "c1"'],
        [weighed(0, 0, 0), "no row weighs anything"],
        [{ values: new Float64Array(0) }, "no row weighs anything"],
      ] as const
    ) {
      const error = assertThrows(() => calibrateScores(model, scores, labels, method), DataError);
      assertEquals(error.code, "E_DATA_TARGET");
      assertEquals(error.message.includes(found), true);
    }
    calibrateScores(model, scores, weighed(1, 0, 1), method);
  }
});

Deno.test("Platt's map that falls is told, and refused for models that keep an order", async () => {
  const data = noisy(1, 200, 2);
  const spec = { rounds: 5, committee: 1, maxDepth: 2 };
  const free = await trainBoost(data, spec);
  const held = await trainBoost(data, { ...spec, monotone: { x: "increasing" } });
  const unbound = await trainBoost(data, { ...spec, monotone: { x: "none" } });
  const raw = Float64Array.of(-1, -0.5, 0.5, 1);
  const against = { values: Float64Array.of(1, 1, 0, 0) };
  const along = { values: Float64Array.of(0, 0, 1, 1) };
  for (const model of [free, unbound]) {
    assertEquals(fallingMaps(calibrateScores(model, raw, along, "platt")), undefined);
    const turned = calibrateScores(model, raw, against, "platt");
    assert(fallingMaps(turned)?.startsWith('Platt\'s map of "c1" falls'));
  }
  calibrateScores(held, raw, along, "platt");
  const error = assertThrows(() => calibrateScores(held, raw, against, "platt"), ParameterError);
  assertEquals(error.code, "E_PARAM_CONFLICT");
  for (const method of ["isotonic", "temperature"] as const) {
    assertEquals(fallingMaps(calibrateScores(held, raw, against, method)), undefined);
  }
});

/** Area by its definition: share of pairs of the two classes in order, ties by half. */
function areaOf(scores: readonly number[], codes: ArrayLike<number>): number {
  let pairs = 0;
  let right = 0;
  scores.forEach((a, i) =>
    scores.forEach((b, j) => {
      if (codes[i] !== 1 || codes[j] !== 0) return;
      pairs++;
      right += a > b ? 1 : a === b ? 0.5 : 0;
    })
  );
  return right / pairs;
}

Deno.test("evaluate() ranks by what the model answers where a calibration ties or turns raw scores", async () => {
  const model = await trainBoost(noisy(1, 300, 2), { rounds: 5, maxDepth: 3 });
  const fresh = noisy(3, 500, 2);
  const { codes } = fresh.target as { readonly codes: Int32Array };
  const area = (of: typeof model) => {
    const { data, cols } = of.predictProba(fresh);
    return areaOf(Array.from(codes, (_, row) => data[row * cols + 1]), codes);
  };
  const isotonic = calibrate(model, noisy(2, 400, 2), "isotonic");
  assert(area(isotonic) !== area(model)); // it has ties
  const swapped = fresh.target as { readonly codes: Int32Array; readonly kind: "classification" };
  const turned = calibrate(model, {
    ...fresh,
    target: { ...swapped, name: "y", classes: ["c0", "c1"], codes: codes.map((code) => 1 - code) },
  }, "platt");
  assert(area(turned) < 0.5); // it falls
  for (const one of [model, isotonic, turned]) {
    assertAlmostEquals(evaluate(one, fresh, ["auc"]).metrics.auc, area(one), 1e-12);
  }
});
