import { assert, assertEquals } from "@std/assert";
import { layoutBins } from "../../../src/binning/binned.ts";
import { bundleCodes, findBundles } from "../../../src/binning/bundles.ts";
import { numericBins } from "../../../src/binning/bins.ts";
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
 * Two dense numbers, a category of 12 levels as 0/1 columns, and three columns that are mostly 0 and
 * otherwise number, number or missing. `conflicts` lets several of a group be away from 0 in a row.
 */
function sparseData(numRows: number, seed: number, classes: number, conflicts = false): Dataset {
  const rng = createRng(seed);
  const columns = Array.from({ length: 17 }, () => new Float64Array(numRows));
  const codes = new Int32Array(numRows);
  for (let row = 0; row < numRows; row++) {
    columns[0][row] = rng.nextFloat() * 4 - 2;
    columns[1][row] = rng.nextInt(5);
    const level = Math.floor(12 * rng.nextFloat() ** 2);
    columns[2 + level][row] = 1;
    if (conflicts) columns[2 + rng.nextInt(12)][row] = 1;
    const which = rng.nextInt(6);
    if (which < 3 || conflicts) {
      columns[14 + which % 3][row] = rng.nextInt(4) === 0 ? NaN : rng.nextInt(30) - 9;
    }
    const score = columns[0][row] * (level % 3 - 1) + (level > 6 ? 1 : 0) + (which === 1 ? 1 : 0);
    codes[row] = Math.max(0, Math.min(classes - 1, Math.round(score + 2 * rng.nextFloat() - 0.5)));
  }
  return {
    numRows,
    features: columns.map((values, f) => ({ kind: "numeric", name: `x${f}`, values })),
    target: {
      kind: "classification",
      name: "y",
      codes,
      classes: Array.from({ length: classes }, (_, k) => `${k}`),
    },
  };
}

const PLAN: BoostPlan = {
  loss: logisticLoss(),
  rounds: 4,
  learningRate: 0.3,
  seed: 3,
  maxDepth: 5,
};

async function both(data: Dataset, plan: BoostPlan, options: EngineOptions = {}): Promise<void> {
  const results = await Promise.all([true, false].map(async (bundles) => {
    const trained = await boost(data, plan, { threads: 1, ...options, bundles });
    const history = trained.history.map(({ metrics }) => metrics);
    return { ...trained, history };
  }));
  assert(
    results[0].ensemble.trees.feature.some((feature) => feature > 1),
    "a bundled feature splits",
  );
  assertEquals(results[0], results[1]);
}

Deno.test("bundled features give the trees of features apart: small data", async () => {
  await both(sparseData(3000, 1, 2), PLAN);
});

Deno.test("bundled features give the trees of features apart: packed sums, threads, row counts", async () => {
  const data = sparseData(70_000, 2, 2);
  await both(data, PLAN, { threads: 2 });
  await both(data, { ...PLAN, minRowsPerLeaf: 40, rounds: 2 });
});

Deno.test("bundled features give the trees of features apart: rows drawn, many classes, DART", async () => {
  const data = sparseData(3000, 3, 3);
  const plan: BoostPlan = { ...PLAN, loss: softmaxLoss(3), subsample: 0.7, growth: "leaf" };
  await both(data, { ...plan, maxLeaves: 20, minRowsPerLeaf: 5 });
  await both(data, {
    ...plan,
    dart: {
      dropRate: 0.5,
      skipDrop: 0,
      maxDrop: 0,
      oneDrop: true,
      dropBy: "uniform",
      dropScale: "tree",
    },
  });
});

Deno.test("bundled features give the trees of features apart: row counts where scores are not plain", async () => {
  const data = sparseData(3000, 6, 2);
  await both(data, { ...PLAN, pathSmooth: 20 });
  await both(data, { ...PLAN, maxDeltaStep: 0.4, minRowsPerLeaf: 60 });
});

Deno.test("bundled features give the scores of features apart to rows where they meet", async () => {
  const valid = sparseData(1000, 5, 2, true);
  const plan = { ...PLAN, metrics: [metricByName("logLoss")] };
  await both(sparseData(3000, 4, 2), plan, { valid });
});

Deno.test("findBundles() puts together what never meets, and nothing else", () => {
  const bins = [2, 2, 3, 2, 200, 60].map((numBins) =>
    numericBins(Float64Array.from({ length: numBins - 1 }, (_, i) => i), false)
  );
  const columns = [
    [1, 0, 0, 0, 0, 0, 0, 0],
    [0, 1, 0, 0, 0, 0, 0, 0],
    [1, 1, 0, 2, 1, 1, 1, 1], // usually 1; away from it in rows 2 and 3
    [0, 1, 0, 0, 0, 1, 0, 0], // meets the second
    [0, 0, 0, 0, 0, 0, 0, 9],
    [0, 0, 0, 0, 0, 0, 9, 0], // together with the fifth more than 256 codes
  ];
  const { space, addressOf, codesAt } = placeCodes(columns);
  const found = findBundles(space, bins, 8, addressOf);
  assertEquals(found.map(({ bundle }) => bundle.features), [[0, 1, 2, 4], [3, 5]]);
  const [{ bundle, at }] = found;
  assertEquals(bundle.usual, [0, 0, 1, 0]);
  assertEquals(bundle.first, [1, 2, 3, 5]);
  assertEquals(bundle.numCodes, 204);
  assertEquals([...codesAt(at, 8)], [1, 2, 3, 4, 0, 0, 0, 13]);
  assertEquals([...bundleCodes(bins[2], 1, 3)], [3, 0, 4, 5]);
});

Deno.test("findBundles() keeps few rows' worth of codes of features that never share a byte", () => {
  const numRows = 64;
  const bins = Array.from({ length: 100 }, () => numericBins(Float64Array.of(0.5), false));
  // Every pair meets in the first row; the last two do not.
  const columns = bins.map(() => Array.from({ length: numRows }, (_, row) => +(row === 0)));
  columns.push([0, 1, ...new Array(62).fill(0)], [0, 0, 1, ...new Array(61).fill(0)]);
  const all = [...bins, bins[0], bins[0]];
  const { space, addressOf, codesAt } = placeCodes(columns);
  const before = space.arena.mark();
  const found = findBundles(space, all, numRows, addressOf);
  assertEquals(found.map(({ bundle }) => bundle.features), [[92, 100, 101]]);
  assertEquals([...codesAt(found[0].at, 4)], [1, 2, 3, 0]);
  assert(space.arena.mark() - before <= 256 + 1024 + 9 * numRows); // tables and codes
  // Nothing stays where nothing was found.
  const alone = placeCodes(columns.slice(0, 100));
  const start = alone.space.arena.mark();
  assertEquals(findBundles(alone.space, bins, numRows, alone.addressOf), []);
  assertEquals(alone.space.arena.mark(), start);
});

Deno.test("layoutBins() gives a bundle one slot and its features a place in it", () => {
  const bins = Array.from({ length: 9 }, () => numericBins(Float64Array.of(0.5), false));
  const features = [0, 1, 2, 3, 5, 6, 7];
  const bundle = {
    features,
    usual: features.map(() => 0),
    first: features.map((_, i) => i + 1),
    numCodes: 8,
  };
  const layout = layoutBins(bins, [bundle]);
  assertEquals(layout.slots8.map((slot) => slot.features), [[4], [8], features]);
  assertEquals(layout.features8, 4);
  assertEquals(layout.places[7].position, 2);
  assertEquals(layout.places[7].bundled, { usual: 0, codes: [0, 7] });
  assertEquals(layout.apart?.slots8.length, 9);
});
