import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainLogitBoost } from "../../../../src/algorithms/classic/logitboost.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { workingResponse } from "../../../../src/parallel/rows/logitboost.ts";
import { createRng } from "../../../../src/util/rng.ts";
import { countedRows } from "../../../support/data/counted_rows.ts";

const CLASSES = ["a", "b", "c"];

/** Three classes over two numbers, overlapping. */
function noisy(): Dataset {
  const rng = createRng(11);
  const n = 150;
  const columns = [0, 1].map(() => Float64Array.from({ length: n }, () => rng.nextFloat()));
  const codes = Int32Array.from({ length: n }, (_, i) => {
    const sum = columns[0][i] - columns[1][i] + 0.6 * rng.nextFloat();
    return sum < 0 ? 0 : sum < 0.5 ? 1 : 2;
  });
  return {
    numRows: n,
    features: columns.map((values, k) => ({ kind: "numeric", name: `x${k}`, values })),
    target: { kind: "classification", name: "y", codes, classes: CLASSES },
  };
}

Deno.test("workingResponse() is the Newton step of the likelihood", () => {
  // z = (y − p) / (p (1 − p)), w = p (1 − p)
  assertEquals(workingResponse(1, 0.25, 10, false), { z: 4, w: 0.1875 });
  assertEquals(workingResponse(0, 0.5, 10, false), { z: -2, w: 0.25 });
  assertEquals(workingResponse(1, 0.125, 4, false), { z: 4, w: 0.109375 });
  // Weka: w = (y − p) / z of the clipped z.
  assertEquals(workingResponse(1, 0.125, 4, true), { z: 4, w: 0.21875 });
});

Deno.test("trainLogitBoost() takes the first Newton step of three classes", async () => {
  const data = countedRows(CLASSES, [[0, 0, 4], [1, 1, 4], [2, 2, 4]]);
  const model = await trainLogitBoost(data, { rounds: 1, maxDepth: 2, learningRate: 1 });
  // p = 1/3: z = 3 for the class, −3/2 for the others; f = (J − 1)/J · z.
  const rows = [{ x: 0 }, { x: 1 }, { x: 2 }];
  const raw = model.predictRaw(rows).data;
  [2, -1, -1, -1, 2, -1, -1, -1, 2].forEach((f, i) => assertAlmostEquals(raw[i], f, 1e-12));
  const own = Math.exp(3) / (Math.exp(3) + 2);
  assertAlmostEquals(model.predictProba(rows).data[0], own, 1e-14);
  assertEquals(model.predictClass(rows), CLASSES);
});

Deno.test("trainLogitBoost() gives probabilities of J classes that sum to one", async () => {
  const data = noisy();
  const model = await trainLogitBoost(data, { rounds: 20 });
  assertEquals([model.numOutputs, model.numRounds], [3, 20]);
  const { data: p } = model.predictProba(data);
  for (let row = 0; row < data.numRows; row++) {
    const shares = p.subarray(3 * row, 3 * row + 3);
    assertAlmostEquals(shares[0] + shares[1] + shares[2], 1, 1e-14);
    assert(shares.every((share) => share > 0 && share < 1));
  }
});

Deno.test("trainLogitBoost() lowers the log loss round by round, as it reports", async () => {
  const data = noisy();
  const { codes } = data.target as { readonly codes: Int32Array };
  const losses: number[] = [];
  const model = await trainLogitBoost(data, { rounds: 15, learningRate: 0.5 }, {
    onRound: ({ metrics }) => losses.push(metrics.train.logLoss),
  });
  assertEquals(losses.length, 15);
  let before = Math.log(3);
  losses.forEach((loss, round) => {
    assert(loss < before, `round ${round + 1}: ${loss} after ${before}`);
    before = loss;
    const { data: p } = model.predictProba(data, { rounds: round + 1 });
    let sum = 0;
    for (let row = 0; row < data.numRows; row++) sum -= Math.log(p[3 * row + codes[row]]);
    assertAlmostEquals(sum / data.numRows, loss, 1e-12);
  });
});

Deno.test("trainLogitBoost() reports a log loss of rows by their weight", async () => {
  const data = countedRows(["a", "b"], [[0, 0, 1], [0, 1, 1], [1, 1, 1]]);
  const losses: number[] = [];
  const sampleWeight = Float64Array.of(3, 1, 4);
  const params = { rounds: 1, learningRate: 1 };
  await trainLogitBoost({ ...data, sampleWeight }, params, {
    onRound: ({ metrics }) => losses.push(metrics.train.logLoss),
  });
  // p = ½: z = ±2 and w = ¼. Leaves ½ · mean z: −½ of x = 0, where 3 of 4 are a, and 1 of x = 1.
  const loss = (f: number) => Math.log1p(Math.exp(-2 * f));
  assertAlmostEquals(losses[0], (3 * loss(0.5) + loss(-0.5) + 4 * loss(1)) / 8, 1e-14);
});

Deno.test("trainLogitBoost() stops where classes are separated", async () => {
  for (const classes of [CLASSES, CLASSES.slice(0, 2)]) {
    const counts = classes.map((_, k) => [k, k, 5] as const);
    const data = countedRows(classes, counts);
    const model = await trainLogitBoost(data, { rounds: 500, maxDepth: 2 });
    assert(model.numRounds > 1 && model.numRounds < 100, `${model.numRounds} rounds`);
    const { data: p, cols } = model.predictProba(classes.map((_, k) => ({ x: k })));
    classes.forEach((_, k) => assert(p[k * cols + k] > 1 - 1e-9));
    const shorter = model.predictProba({ x: 0 }, { rounds: model.numRounds - 1 }).data;
    assert(p.every(Number.isFinite) && shorter.every(Number.isFinite));
  }
});

Deno.test("trainLogitBoost() of two classes grows one tree a round", async () => {
  const data = countedRows(["a", "b"], [[0, 0, 3], [0, 1, 1], [1, 1, 4]]);
  const model = await trainLogitBoost(data, { rounds: 3, learningRate: 0.5 });
  assertEquals([model.numOutputs, model.numTrees, model.numRounds], [1, 3, 3]);
});

Deno.test("trainLogitBoost() stops once a round raises the mean log likelihood by less than tolerance", async () => {
  const data = noisy();
  const losses: number[] = [];
  const params = { rounds: 90, learningRate: 0.5 };
  await trainLogitBoost(data, params, {
    onRound: ({ metrics }) => losses.push(metrics.train.logLoss),
  });
  const gains = losses.map((loss, round) => (round === 0 ? Math.log(3) : losses[round - 1]) - loss);
  for (const tolerance of [0.05, 0.01, 0.001]) {
    const first = gains.findIndex((gain) => gain < tolerance);
    assert(first > 0 && first < 89, `${tolerance}`);
    for (const onRound of [undefined, () => {}]) {
      const model = await trainLogitBoost(data, { ...params, tolerance }, onRound && { onRound });
      // The round that raised it by less is there; none follows.
      assertEquals(model.numRounds, first + 1, `${tolerance}`);
    }
  }
  const exact = await trainLogitBoost(data, { ...params, tolerance: 0 });
  assertEquals(exact.numRounds, 90);
});
