/**
 * Bagging and boosting of every tree learner: a bag is weights of the learner's own tree, and a
 * boosted tree is judged as the model will hear it.
 *
 * @module
 */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainAdaBoost } from "../../../src/algorithms/classic/adaboost.ts";
import { trainBagging } from "../../../src/algorithms/classic/bagging.ts";
import { trainC45 } from "../../../src/algorithms/classic/c45.ts";
import { trainCart } from "../../../src/algorithms/classic/cart.ts";
import { trainId3 } from "../../../src/algorithms/classic/id3.ts";
import { trainRandomForest } from "../../../src/algorithms/classic/random_forest.ts";
import type { Column, Dataset } from "../../../src/data/types.ts";
import { createRng } from "../../../src/util/rng.ts";

const ROWS = 160;

/** Three classes over categories and, where wanted, numbers; a share of all values missing. */
function makeData(seed: number, numbers: boolean, lacking: number): Dataset {
  const rng = createRng(seed);
  const c = [0, 1, 2].map((k) => Int32Array.from({ length: ROWS }, () => rng.nextInt(k + 2)));
  const x = [0, 1].map(() =>
    Float64Array.from({ length: ROWS }, () => Math.round(50 * rng.nextFloat()))
  );
  const codes = Int32Array.from(c[0], (code, row) => {
    const score = code + c[2][row] / 2 + (numbers ? x[0][row] / 40 : 0) + 1.2 * rng.nextFloat();
    return score < 1.3 ? 0 : score < 2.4 ? 1 : 2;
  });
  const features: Column[] = c.map((list, k) => ({
    kind: "categorical",
    name: `c${k}`,
    codes: list.map((code) => rng.nextFloat() < lacking ? -1 : code),
    categories: ["p", "q", "r", "s"].slice(0, k + 2),
  }));
  if (numbers) {
    x.forEach((values, k) =>
      features.push({
        kind: "numeric",
        name: `x${k}`,
        values: values.map((v) => rng.nextFloat() < lacking ? NaN : v),
      })
    );
  }
  return {
    numRows: ROWS,
    features,
    target: { kind: "classification", name: "y", codes, classes: ["a", "b", "c"] },
  };
}

/** Each learner as bagging has it: grown to the end. */
const LEARNERS = {
  cart: {
    data: makeData(1, true, 0.1),
    alone: (data: Dataset) => trainCart(data, { criterion: "gini", pruning: "none" }),
  },
  c45: {
    data: makeData(2, true, 0.1),
    alone: (data: Dataset) => trainC45(data, { pruning: "none", collapse: false }),
  },
  id3: {
    data: makeData(3, false, 0),
    alone: (data: Dataset) => trainId3(data, { unknown: "heavier" }),
  },
} as const;

for (const base of ["cart", "c45", "id3"] as const) {
  const { data, alone } = LEARNERS[base];
  Deno.test(`trainBagging() of ${base}: counts of a bag multiply the weights of the rows`, async () => {
    const counts = Array.from({ length: ROWS }, (_, row) => (row * 5 + 1) % 4);
    for (const weighted of [false, true]) {
      const own = Float64Array.from({ length: ROWS }, (_, row) => weighted ? 1 + row % 3 : 1);
      const given = weighted ? { ...data, sampleWeight: own } : data;
      const bagged = await trainBagging(given, { base, trees: 1, inbag: [counts], oob: false });
      const single = await alone({ ...data, sampleWeight: own.map((w, row) => w * counts[row]) });
      const { trees } = bagged.ensemble;
      const expected = single.ensemble.trees;
      assert(trees.kind.length > 5);
      for (const name of ["kind", "feature", "threshold", "firstChild", "categoryPool"] as const) {
        assertEquals(trees[name], expected[name], name);
      }
      assertEquals(trees.cover, expected.cover);
      // Gains in bags are kept as float32.
      assertEquals(trees.gain, expected.gain.map(Math.fround));
      assertEquals(bagged.predictProba(given), single.predictProba(given));
    }
  });
}

// C4.5 asks for a tenth of an even share of the rows in each branch, and no more than 25 cases
// (Quinlan 1996); 30 of 1200 rows, which differ from all others, may be parted.
Deno.test("trainAdaBoost() of c45 begins with the tree of c45: branches are weighed in cases", async () => {
  const numRows = 1200;
  const rng = createRng(6);
  const x = Float64Array.from({ length: numRows }, (_, row) => row);
  const z = Float64Array.from({ length: numRows }, () => rng.nextInt(5));
  const codes = x.map((value) => value >= 1170 || rng.nextInt(40) === 0 ? 1 : 0);
  const data: Dataset = {
    numRows,
    features: [{ kind: "numeric", name: "x", values: x }, {
      kind: "numeric",
      name: "z",
      values: z,
    }],
    target: {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(codes),
      classes: ["a", "b"],
    },
  };
  const boosted = await trainAdaBoost(data, { base: "c45", rounds: 1, maxDepth: 1 });
  const alone = await trainC45(data, { pruning: "none", collapse: false, mdl: false });
  const { feature, threshold } = alone.ensemble.trees;
  assertEquals([feature[0], threshold[0]], [0, 1169]);
  const { trees } = boosted.ensemble;
  assertEquals([trees.feature[0], trees.threshold[0]], [0, 1169]);
  assertEquals(Array.from(trees.cover), [1200, 1170, 30]);
});

Deno.test("trainBagging() of random thresholds is an extra tree, and differs from an exact one", async () => {
  const { data } = LEARNERS.cart;
  const models = await Promise.all(
    (["extra", "cart"] as const).map((base) => trainBagging(data, { base, trees: 3, seed: 4 })),
  );
  assert(
    models[0].ensemble.trees.threshold.some((t, i) => t !== models[1].ensemble.trees.threshold[i]),
  );
});

for (const base of ["cart", "extra", "c45", "id3"] as const) {
  for (const variant of ["samme", "samme.r"] as const) {
    Deno.test(`trainAdaBoost() of ${base}: ${variant} counts the mistakes that its model makes`, async () => {
      const data = makeData(5, base !== "id3", base === "id3" ? 0 : 0.25);
      const params = { base, variant, rounds: 3, maxDepth: 2, seed: 1 };
      const model = await trainAdaBoost(data, params);
      const rounds = model.info.rounds as unknown as { error: number; weight: number }[];
      assertEquals(rounds.length, 3);
      const { codes, classes } = data.target as {
        readonly codes: Int32Array;
        readonly classes: readonly string[];
      };
      const raw = [1, 2, 3].map((count) => model.predictRaw(data, { rounds: count }).data);
      let weight = new Float64Array(ROWS).fill(1 / ROWS);
      let before = 0;
      rounds.forEach(({ error, weight: alpha }, t) => {
        // What the tree adds: the average of so many trees times their weight, less that of fewer.
        const own = Array.from(
          raw[t],
          (value, i) => (value * (before + alpha) - (t > 0 ? raw[t - 1][i] * before : 0)) / alpha,
        );
        before += alpha;
        const wrong = Array.from(codes, (code, row) => {
          const said = own.slice(3 * row, 3 * row + 3);
          return said.indexOf(Math.max(...said)) === code ? 0 : 1;
        });
        const found = wrong.reduce((sum: number, is, row) => sum + is * weight[row], 0);
        // Sums of three rounds were taken apart again.
        assertAlmostEquals(error, found, 1e-10, `round ${t + 1}`);
        const next = weight.map((w, row) => {
          if (variant === "samme") return wrong[row] ? w * Math.exp(alpha) : w;
          let sum = 0;
          for (let k = 0; k < classes.length; k++) {
            sum += (k === codes[row] ? 1 : -1 / 2) * own[3 * row + k];
          }
          return w * Math.exp(-2 / 3 * sum);
        });
        const total = next.reduce((sum, w) => sum + w, 0);
        weight = next.map((w) => w / total);
      });
    });
  }
}

Deno.test("trainRandomForest() draws the features of a node alike", async () => {
  const rng = createRng(2);
  const columns = [0, 1, 2, 3].map((): Column => ({
    kind: "numeric",
    name: "",
    values: Float64Array.from({ length: 60 }, () => rng.nextFloat()),
  }));
  const data: Dataset = {
    numRows: 60,
    features: columns.map((column, k) => ({ ...column, name: `x${k}` })),
    target: {
      kind: "regression",
      name: "y",
      values: Float64Array.from({ length: 60 }, () => rng.nextFloat()),
    },
  };
  const trees = 800;
  const model = await trainRandomForest(data, { trees, featuresPerSplit: 1, maxDepth: 1, seed: 3 });
  const { feature, kind } = model.ensemble.trees;
  const counts = [0, 0, 0, 0];
  kind.forEach((is, node) => counts[feature[node]] += is === 0 ? 0 : 1);
  assertEquals(counts.reduce((a, b) => a + b), trees);
  // 200 ± 12.2 each: four standard deviations.
  for (const count of counts) assert(Math.abs(count - 200) < 49, `${counts}`);
});

Deno.test("trainAdaBoost() of c45: the second tree is that of the weights that SAMME gives after the first", async () => {
  const { data } = LEARNERS.c45;
  const { target } = data;
  assert(target?.kind === "classification");
  const given = { base: "c45", variant: "samme", maxDepth: 3 } as const;
  const first = await trainAdaBoost(data, { ...given, rounds: 1 });
  const isMissed = Array.from(
    first.predictClass(data),
    (label, row) => label !== target.classes[target.codes[row]],
  );
  const error = isMissed.filter(Boolean).length / ROWS;
  assert(error > 0 && error < 2 / 3);
  // Zhu et al. 2009: the weights of what is missed times (1 − error) / error · (classes − 1).
  const sampleWeight = Float64Array.from(
    isMissed,
    (missed) => missed ? (1 - error) / error * 2 : 1,
  );
  const second = await trainAdaBoost({ ...data, sampleWeight }, { ...given, rounds: 1 });
  const { trees } = (await trainAdaBoost(data, { ...given, rounds: 2 })).ensemble;
  const from = trees.treeStart[1];
  const expected = second.ensemble.trees;
  assert(expected.kind.length > 5);
  for (const name of ["kind", "feature", "threshold"] as const) {
    assertEquals(trees[name].slice(from), expected[name], name);
  }
  trees.cover.slice(from).forEach((cover, i) => assertAlmostEquals(cover, expected.cover[i], 1e-9));
});
