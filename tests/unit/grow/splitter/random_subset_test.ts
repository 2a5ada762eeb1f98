import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainAdaBoost } from "../../../../src/algorithms/classic/adaboost.ts";
import { trainBagging } from "../../../../src/algorithms/classic/bagging.ts";
import { trainExtraTrees } from "../../../../src/algorithms/classic/extra_trees.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import type { Model } from "../../../../src/model/model.ts";
import { createRng } from "../../../../src/util/rng.ts";

const LEVELS = 4;

/** Levels 0 to 3 of five, and some missing, over a number or three classes. */
function table(classes: boolean, missing: number): Dataset {
  const rng = createRng(4);
  const numRows = 60;
  const codes = Int32Array.from(
    { length: numRows },
    (_, row) => row < missing ? -1 : row % LEVELS,
  );
  const y = Float64Array.from(codes, (code) => (code + 2) % 3 + 2 * rng.nextFloat());
  return {
    numRows,
    features: [{ kind: "categorical", name: "c", codes, categories: ["p", "q", "r", "s", "t"] }],
    target: classes
      ? {
        kind: "classification",
        name: "y",
        codes: Int32Array.from(y),
        classes: ["0", "1", "2", "3"],
      }
      : { kind: "regression", name: "y", values: y },
  };
}

/** Levels on the left of the root of each tree. */
function rootsOf({ ensemble: { trees } }: Model): number[] {
  const sets: number[] = [];
  for (let t = 0; t + 1 < trees.treeStart.length; t++) {
    const root = trees.treeStart[t];
    if (trees.categoryAt[root] >= 0) sets.push(trees.categoryPool[trees.categoryAt[root]] & 15);
  }
  return sets;
}

/** Cost of a node by the criterion's definition. */
const COSTS: { readonly [criterion: string]: (labels: readonly number[]) => number } = {
  variance: (labels) => {
    const mean = labels.reduce((a, b) => a + b, 0) / labels.length;
    return labels.reduce((sum, y) => sum + (y - mean) ** 2, 0);
  },
  absolute: (labels) => {
    const median = labels.toSorted((a, b) => a - b)[Math.ceil(labels.length / 2) - 1];
    return labels.reduce((sum, y) => sum + Math.abs(y - median), 0);
  },
  gini: (labels) =>
    [0, 1, 2, 3].reduce((rest, k) => {
      const count = labels.filter((y) => y === k).length;
      return rest - count * count / labels.length;
    }, labels.length),
};

// Seven ways to part four levels in two: 300 of 2100 each, with a deviation of 16.
Deno.test("extra trees draw each parting of a node's levels alike", async () => {
  const data = table(false, 0);
  for (
    const model of [
      await trainExtraTrees(data, { trees: 2100, maxDepth: 1, seed: 2 }),
      await trainBagging(data, { base: "extra", trees: 2100, maxDepth: 1, oob: false, seed: 3 }),
    ]
  ) {
    const counts = new Array<number>(8).fill(0);
    for (const set of rootsOf(model)) counts[Math.min(set, 15 - set)]++;
    assertEquals(counts[0], 0);
    for (const count of counts.slice(1)) assert(Math.abs(count - 300) < 80, `${counts}`);
  }
});

for (
  const [criterion, missing] of [
    ["variance", 0],
    ["variance", 9],
    ["absolute", 0],
    ["absolute", 9],
    ["gini", 0],
    ["gini", 9],
  ] as const
) {
  Deno.test(`extra trees: gain of a drawn set by ${criterion}, ${missing} rows missing`, async () => {
    const data = table(criterion === "gini", missing);
    const { target } = data;
    const labels = Array.from(target!.kind === "regression" ? target!.values : target!.codes);
    const codes = data.features[0].kind === "categorical" ? data.features[0].codes : [];
    const model = await trainExtraTrees(data, { criterion, trees: 40, maxDepth: 1 });
    const { trees } = model.ensemble;
    const cost = COSTS[criterion];
    const decrease = (isLeft: (row: number) => boolean) =>
      cost(labels) - cost(labels.filter((_, row) => isLeft(row))) -
      cost(labels.filter((_, row) => !isLeft(row)));
    const seen = new Set<number>();
    for (let t = 0; t < 40; t++) {
      const root = trees.treeStart[t];
      const set = trees.categoryPool[trees.categoryAt[root]];
      seen.add(set & 15);
      const sides = (missing > 0 ? [0, 1] : [0]).map((side) =>
        decrease((row) => codes[row] < 0 ? side === 0 : (set >>> codes[row] & 1) === 1)
      );
      assertAlmostEquals(trees.gain[root], Math.max(...sides), 1e-5); // kept as float32
      if (missing > 0) assertEquals(trees.missing[root], sides[0] > sides[1] ? 0 : 1);
      // The fifth level is in no row: the heavier child takes it.
      const first = trees.firstChild[root];
      const heavier = trees.cover[first] - (trees.missing[root] === 0 ? missing : 0) >=
        trees.cover[first + 1] - (trees.missing[root] === 1 ? missing : 0);
      assertEquals((set >>> 4 & 1) === 1, heavier);
    }
    assert(seen.size > 5);
  });
}

for (const criterion of ["variance", "absolute"] as const) {
  Deno.test(`extra trees: missing values go to the better side of a threshold by ${criterion}`, async () => {
    const rng = createRng(6);
    const x = Float64Array.from({ length: 40 }, (_, row) => row < 12 ? NaN : rng.nextInt(9));
    const y = x.map((value) => (value === value ? value : 4) + 5 * rng.nextFloat());
    const data: Dataset = {
      numRows: 40,
      features: [{ kind: "numeric", name: "x", values: x }],
      target: { kind: "regression", name: "y", values: y },
    };
    const model = await trainExtraTrees(data, { criterion, trees: 40, maxDepth: 1 });
    const { trees } = model.ensemble;
    const cost = COSTS[criterion];
    const sidesSeen = new Set<number>();
    for (let t = 0; t < 40; t++) {
      const root = trees.treeStart[t];
      const [left, right] = [0, 1].map((side) => {
        const goesLeft = (row: number) =>
          x[row] === x[row] ? x[row] <= trees.threshold[root] : side === 0;
        const parts = [true, false].map((is) => [...y].filter((_, row) => goesLeft(row) === is));
        return cost([...y]) - cost(parts[0]) - cost(parts[1]);
      });
      assertAlmostEquals(trees.gain[root], Math.max(left, right), 1e-5); // kept as float32
      assertEquals(trees.missing[root], left > right ? 0 : 1);
      sidesSeen.add(trees.missing[root]);
    }
    assertEquals(sidesSeen.size, 2);
  });
}

Deno.test("extra trees part a single level from missing values", async () => {
  const data: Dataset = {
    numRows: 4,
    features: [{
      kind: "categorical",
      name: "c",
      codes: Int32Array.of(0, -1, 0, -1),
      categories: ["p"],
    }],
    target: { kind: "regression", name: "y", values: Float64Array.of(1, 5, 1, 5) },
  };
  const model = await trainExtraTrees(data, { trees: 3 });
  assertEquals([...model.predictValue([{ c: "p" }, { c: null }])], [1, 5]);
});

// The best of all sets of 30 levels of chance beats random thresholds nearly always.
Deno.test("extra trees do not prefer a category of chance to numbers that tell", async () => {
  const rng = createRng(8);
  const numRows = 300;
  const list = () => Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const [x, z] = [list(), list()];
  const data: Dataset = {
    numRows,
    features: [
      { kind: "numeric", name: "x", values: x },
      { kind: "numeric", name: "z", values: z },
      {
        kind: "categorical",
        name: "c",
        codes: Int32Array.from(x, () => rng.nextInt(30)),
        categories: Array.from({ length: 30 }, (_, k) => `${k}`),
      },
    ],
    target: {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(x, (v, i) => v + z[i] + rng.nextFloat() > 1.5 ? 1 : 0),
      classes: ["no", "yes"],
    },
  };
  const model = await trainExtraTrees(data, { trees: 100, featuresPerSplit: "all" });
  const { impurity } = model.info.importance as unknown as { impurity: [string, number][] };
  const [ofX, ofZ, ofC] = impurity.map(([, value]) => value);
  assert(ofC < 0.6 * Math.min(ofX, ofZ), `${ofX} ${ofZ} ${ofC}`);
});

Deno.test("trainAdaBoost() of random splits draws sets of levels", async () => {
  const models = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((seed) =>
      trainAdaBoost(table(false, 0), {
        base: "extra",
        rounds: 1,
        maxDepth: 1,
        seed,
        resample: false,
      })
    ),
  );
  assert(new Set(models.flatMap((model) => rootsOf(model))).size > 2);
});
