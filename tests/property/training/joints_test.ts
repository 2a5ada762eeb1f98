import { assert, assertEquals } from "@std/assert";
import { layoutBins } from "../../../src/binning/binned.ts";
import { categoryBins, numericBins } from "../../../src/binning/bins.ts";
import { findJoints } from "../../../src/binning/joints.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { boost } from "../../../src/ensemble/boosting/booster.ts";
import type { EngineOptions } from "../../../src/ensemble/engine/engine.ts";
import type { BoostPlan } from "../../../src/ensemble/plan.ts";
import { logisticLoss } from "../../../src/loss/logistic.ts";
import { softmaxLoss } from "../../../src/loss/softmax.ts";
import { metricByName } from "../../../src/metric/metrics.ts";
import { createRng } from "../../../src/util/rng.ts";
import { placeCodes } from "../../support/data/code_space.ts";

/**
 * A dense number, a number of 8 values, three categories of which one follows from another, with gaps;
 * `free` draws all by themselves, so that they meet as they never do otherwise.
 */
function fewCombinations(numRows: number, seed: number, classes: number, free = false): Dataset {
  const rng = createRng(seed);
  const dense = Float64Array.from({ length: numRows }, () => rng.nextFloat() * 4 - 2);
  const few = new Float64Array(numRows);
  const [a, b, c, y] = Array.from({ length: 4 }, () => new Int32Array(numRows));
  for (let row = 0; row < numRows; row++) {
    a[row] = rng.nextInt(12);
    b[row] = free ? rng.nextInt(5) : a[row] >>> 2;
    c[row] = rng.nextInt(6) - 1; // -1 is missing
    few[row] = free ? rng.nextInt(8) : (a[row] * 5) % 8;
    if (rng.nextInt(9) === 0) few[row] = NaN;
    const score = dense[row] * (a[row] % 3 - 1) + (b[row] === 1 ? 1 : 0) + (c[row] < 1 ? 1 : 0) +
      (few[row] > 3 ? 0.5 : 0);
    y[row] = Math.max(0, Math.min(classes - 1, Math.round(score + 2 * rng.nextFloat() - 0.5)));
  }
  const category = (name: string, codes: Int32Array, levels: number) => ({
    kind: "categorical" as const,
    name,
    codes,
    categories: Array.from({ length: levels }, (_, i) => `${i}`),
  });
  return {
    numRows,
    features: [
      { kind: "numeric", name: "dense", values: dense },
      category("a", a, 12),
      category("b", b, 5),
      { kind: "numeric", name: "few", values: few },
      category("c", c, 5),
    ],
    target: {
      kind: "classification",
      name: "y",
      codes: y,
      classes: Array.from({ length: classes }, (_, k) => `${k}`),
    },
  };
}

const PLAN: BoostPlan = {
  loss: logisticLoss(),
  rounds: 2,
  learningRate: 0.3,
  seed: 3,
  maxDepth: 5,
  minRowsPerCategory: 0,
};

async function both(data: Dataset, plan: BoostPlan, options: EngineOptions = {}): Promise<void> {
  const results = await Promise.all([true, false].map(async (bundles) => {
    const trained = await boost(data, plan, { threads: 1, ...options, bundles });
    return { ...trained, history: trained.history.map(({ metrics }) => metrics) };
  }));
  for (const feature of [1, 3, 4]) {
    assert(results[0].ensemble.trees.feature.includes(feature), `feature ${feature} splits`);
  }
  assertEquals(results[0], results[1]);
}

const many = fewCombinations(70_000, 1, 2);

Deno.test("features of one byte by combinations give the trees of features apart: threads, counts", async () => {
  await both(many, PLAN, { threads: 2 });
  await both(many, { ...PLAN, minRowsPerCategory: 50 });
  await both(many, { ...PLAN, minRowsPerLeaf: 40, growth: "leaf", maxLeaves: 20 });
  await both(many, { ...PLAN, maxDeltaStep: 0.4, subsample: 0.6, monotone: [1, 0, 0, 1, 0] });
  await both(many, { ...PLAN, pathSmooth: 900, minRowsPerLeaf: 400 });
});

Deno.test("features of one byte by combinations give the trees of features apart: wide sums, classes", async () => {
  // Weights so uneven that packed sums cannot hold them.
  const sampleWeight = Float64Array.from({ length: many.numRows }, (_, i) => i === 7 ? 5000 : 1);
  await both({ ...many, sampleWeight }, PLAN);
  await both(fewCombinations(66_000, 2, 3), { ...PLAN, loss: softmaxLoss(3) }, { threads: 2 });
});

Deno.test("features of one byte by combinations score rows whose combinations are new", async () => {
  const valid = fewCombinations(1000, 5, 2, true);
  await both(many, { ...PLAN, metrics: [metricByName("logLoss")] }, { valid });
});

Deno.test("findJoints() puts together features of few combinations, those of most bins first", () => {
  const numRows = 65_536;
  const cuts = (numBins: number) => Float64Array.from({ length: numBins - 1 }, (_, i) => i);
  const sizes = [40, 3, 40, 20, 200];
  const bins = sizes.map((numBins) => numericBins(cuts(numBins), false));
  const columns = sizes.map((size, f) =>
    Uint8Array.from(
      { length: numRows },
      (_, row) => f === 3 ? (row % 40) >>> 1 : Math.floor(row / [1, 40, 120, 1, 1][f]) % size,
    )
  );
  const { space, addressOf, codesAt } = placeCodes(columns);
  const find = (taken: number[]) =>
    findJoints(space, bins, numRows, addressOf, new Set(taken)).map(({ joint }) => joint.features);
  // 40 x 40 are too many; 40 x 20 are 40 here, 40 x 3 are 120; 200 bins take a byte alone.
  assertEquals(find([]), [[0, 3, 1]]);
  assertEquals(find([0]), [[2, 1]]);
  assertEquals(findJoints(space, bins, 1000, addressOf, new Set()), []);
  const [{ joint, at }] = findJoints(space, bins, numRows, addressOf, new Set());
  const codes = codesAt(at, numRows);
  assertEquals(joint.numCodes, 120);
  for (let row = 0; row < numRows; row += 97) {
    joint.features.forEach((f, i) => assertEquals(joint.bins[i][codes[row]], columns[f][row]));
  }
});

/** Groups and their numbers of combinations: each column joins the first group where 256 suffice. */
function bySets(columns: readonly Uint8Array[]): [number[], number][] {
  const combinations = (group: readonly number[]) =>
    new Set(columns[0].keys().map((row) => group.reduce((key, f) => 32 * key + columns[f][row], 0)))
      .size;
  const order = columns.map((column, feature) => ({ feature, seen: new Set(column).size }));
  order.sort((a, b) => b.seen - a.seen || a.feature - b.feature);
  const groups: number[][] = [];
  for (const { feature } of order) {
    const group = groups.find((one) => combinations([...one, feature]) <= 256);
    if (group === undefined) groups.push([feature]);
    else group.push(feature);
  }
  return groups.filter(({ length }) => length > 1).map((group) => [group, combinations(group)]);
}

Deno.test("findJoints() finds the groups that sets of combinations tell, whatever was tried before", () => {
  const numRows = 65_536;
  for (let seed = 0; seed < 4; seed++) {
    const rng = createRng(seed);
    const sizes = Array.from({ length: 10 }, () => 2 + rng.nextInt(30));
    const columns: Uint8Array[] = [];
    for (const [f, size] of sizes.entries()) {
      // A third follows from a column before, so that some fit and most do not.
      const from = f > 0 && rng.nextInt(3) === 0 ? columns[rng.nextInt(f)] : undefined;
      const draw = from === undefined
        ? () => rng.nextInt(size)
        : (_: unknown, row: number) => from[row] % size;
      columns.push(Uint8Array.from({ length: numRows }, draw));
    }
    const { space, addressOf, codesAt } = placeCodes(columns);
    const bins = sizes.map((size) =>
      numericBins(Float64Array.from({ length: size - 1 }, (_, i) => i), false)
    );
    const found = findJoints(space, bins, numRows, addressOf, new Set());
    assertEquals(found.map(({ joint }) => [joint.features, joint.numCodes]), bySets(columns));
    for (const { joint, at } of found) {
      const codes = codesAt(at, numRows);
      joint.features.forEach((f, i) => {
        assert(columns[f].every((code, row) => joint.bins[i][codes[row]] === code), `column ${f}`);
      });
    }
    assertEquals(columns.map((_, f) => codesAt(addressOf(f), numRows)), columns);
  }
});

Deno.test("layoutBins() gives joint features one slot, before those of numbers alone", () => {
  const number = numericBins(Float64Array.of(0.5), false);
  const category = categoryBins({
    kind: "categorical",
    name: "k",
    codes: new Int32Array(1),
    categories: ["x", "y"],
  });
  const joint = { features: [3, 1], bins: [[0, 1, 1], [0, 0, 1]], numCodes: 3 };
  const layout = layoutBins([number, number, number, category], [], [joint]);
  assertEquals(layout.slots8.map((slot) => slot.features), [[3, 1], [0], [2]]);
  assertEquals(layout.counted8, 4);
  assertEquals(layout.places[1].joint, [0, 0, 1]);
  assertEquals(layout.places[3].position, 0);
  assertEquals(layout.apart?.slots8.length, 4);
});
