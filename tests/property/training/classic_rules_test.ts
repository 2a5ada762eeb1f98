/**
 * The first split of a classic tree beside every split there is: impurities by their definitions,
 * all thresholds, all ways to part the categories in two, missing values on either side.
 *
 * @module
 */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainCart } from "../../../src/algorithms/classic/cart.ts";
import type { CartParams } from "../../../src/params/typed.ts";
import type { Column, Dataset } from "../../../src/data/types.ts";
import { createRng, type Rng } from "../../../src/util/rng.ts";

/** A row that counts: its label and its weight. */
type Row = readonly [label: number, weight: number];

const weightOf = (rows: readonly Row[]) => rows.reduce((sum, [, w]) => sum + w, 0);

function shares(rows: readonly Row[]): number[] {
  const sums = new Map<number, number>();
  for (const [y, w] of rows) sums.set(y, (sums.get(y) ?? 0) + w);
  return [...sums.values()].map((sum) => sum / weightOf(rows));
}

/** The lower weighted median. */
function medianOf(rows: readonly Row[]): number {
  const sorted = rows.toSorted((a, b) => a[0] - b[0]);
  let below = 0;
  for (const [y, w] of sorted) {
    below += w;
    if (below >= weightOf(rows) / 2) return y;
  }
  return NaN;
}

const meanOf = (rows: readonly Row[]) =>
  rows.reduce((sum, [y, w]) => sum + w * y, 0) / weightOf(rows);

/** Weight × impurity of a node, from the definitions (Breiman et al. 1984, chapters 4 and 8). */
const COSTS: { readonly [criterion: string]: (rows: readonly Row[]) => number } = {
  gini: (rows) => weightOf(rows) * shares(rows).reduce((sum, p) => sum + p * (1 - p), 0),
  entropy: (rows) => weightOf(rows) * shares(rows).reduce((sum, p) => sum - p * Math.log2(p), 0),
  misclassification: (rows) => weightOf(rows) * (1 - Math.max(...shares(rows))),
  variance: (rows) => {
    const mean = meanOf(rows);
    return rows.reduce((sum, [y, w]) => sum + w * (y - mean) ** 2, 0);
  },
  absolute: (rows) => {
    const median = medianOf(rows);
    return rows.reduce((sum, [y, w]) => sum + w * Math.abs(y - median), 0);
  },
  poisson: (rows) => {
    const mean = meanOf(rows);
    return rows.reduce((sum, [y, w]) => sum + w * (y > 0 ? y * Math.log(y / mean) : 0), 0);
  },
};

interface Case {
  readonly criterion: NonNullable<CartParams["criterion"]>;
  readonly classes: number;
  readonly levels: number;
}

const CASES: readonly Case[] = [
  // Two classes and squared error or deviance: an order of the levels is enough, however many.
  { criterion: "gini", classes: 2, levels: 11 },
  { criterion: "entropy", classes: 2, levels: 11 },
  { criterion: "misclassification", classes: 2, levels: 9 },
  { criterion: "variance", classes: 0, levels: 11 },
  { criterion: "poisson", classes: 0, levels: 9 },
  // More classes: every set is tried.
  { criterion: "gini", classes: 3, levels: 8 },
  { criterion: "entropy", classes: 4, levels: 7 },
  { criterion: "misclassification", classes: 3, levels: 6 },
  // Medians have no such order: numbers, and two levels, which need none.
  { criterion: "absolute", classes: 0, levels: 0 },
  { criterion: "absolute", classes: 0, levels: 2 },
];

const NUM_ROWS = 36;

function makeData(
  rng: Rng,
  { criterion, classes, levels }: Case,
  weighted: boolean,
  missing = false,
): Dataset {
  const features: Column[] = [0, 1].map((k) => ({
    kind: "numeric",
    name: `x${k}`,
    values: Float64Array.from({ length: NUM_ROWS }, () => rng.nextInt(k === 0 ? 6 : 1000)),
  }));
  const codes = Int32Array.from({ length: NUM_ROWS }, () => rng.nextInt(Math.max(1, levels)));
  const lacks = () => missing && rng.nextInt(5) === 0;
  features.forEach((column) => {
    if (column.kind === "numeric") {
      column.values.forEach((_, row, values) => lacks() && (values[row] = NaN));
    }
  });
  if (levels > 0) {
    const categories = Array.from({ length: levels }, (_, k) => `k${k}`);
    const known = codes.map((code) => lacks() ? -1 : code);
    features.push({ kind: "categorical", name: "c", codes: known, categories });
  }
  const effect = Float64Array.from({ length: Math.max(1, levels) }, () => rng.nextFloat());
  const labels = Float64Array.from(codes, (code) => {
    const u = (effect[code] + rng.nextFloat()) / 2;
    if (classes > 0) return Math.floor(u * classes);
    return criterion === "poisson" ? Math.floor(u * 4) : Math.round(u * 100) / 10;
  });
  return {
    numRows: NUM_ROWS,
    features,
    target: classes > 0
      ? {
        kind: "classification",
        name: "y",
        codes: Int32Array.from(labels),
        classes: Array.from({ length: classes }, (_, k) => `${k}`),
      }
      : { kind: "regression", name: "y", values: labels },
    ...(weighted && {
      sampleWeight: Float64Array.from({ length: NUM_ROWS }, () => 1 + rng.nextInt(8) / 4),
    }),
  };
}

function rowsOf({ target, sampleWeight, numRows }: Dataset): Row[] {
  const labels = target!.kind === "classification" ? target!.codes : target!.values;
  return Array.from({ length: numRows }, (_, row) => [labels[row], sampleWeight?.[row] ?? 1]);
}

/** Rows on the left of every split of a feature in two. */
function* partsOf(column: Column): Generator<readonly boolean[]> {
  if (column.kind === "numeric") {
    for (const cut of new Set(column.values)) {
      if (cut === cut) yield Array.from(column.values, (v) => v <= cut);
      yield Array.from(column.values, (v) => v !== v || v <= cut);
    }
    return;
  }
  // Half of the sets, missing values as one more level: the others are their complements.
  const numLevels = column.categories.length + (column.codes.includes(-1) ? 1 : 0);
  for (let set = 1; set < 2 ** (numLevels - 1); set++) {
    yield Array.from(column.codes, (code) => (set >>> (code < 0 ? numLevels - 1 : code) & 1) === 1);
  }
}

/** What a split takes off; where a limit or the criterion forbids it, nothing. */
function decrease(
  rows: readonly Row[],
  left: readonly boolean[],
  { criterion }: Case,
  minRows: number,
  minWeight: number,
): number {
  const parts = [true, false].map((side) => rows.filter((_, row) => left[row] === side));
  if (parts.some((part) => part.length < minRows || weightOf(part) < minWeight)) return -Infinity;
  // A leaf of mean 0 has an infinite deviance on the first event.
  if (criterion === "poisson" && parts.some((part) => meanOf(part) === 0)) return -Infinity;
  return parts.reduce((gain, part) => gain - COSTS[criterion](part), COSTS[criterion](rows));
}

for (const one of CASES) {
  const { criterion, classes, levels } = one;
  const told = `${criterion}${classes > 0 ? ` of ${classes} classes` : ""}, ${levels} levels`;
  Deno.test(`trainCart() takes the best of all splits in two: ${told}`, async () => {
    const kinds = new Set<string>();
    for (let seed = 0; seed < 32; seed++) {
      const rng = createRng(seed);
      const data = makeData(rng, one, seed % 2 === 1, (seed >> 2 & 1) === 1);
      const minRowsPerLeaf = [1, 4][seed >> 1 & 1];
      const minWeightPerLeaf = [0, 5][seed >> 3 & 1];
      const rows = rowsOf(data);
      const gains = data.features.map((column) => {
        let best = -Infinity;
        for (const left of partsOf(column)) {
          best = Math.max(best, decrease(rows, left, one, minRowsPerLeaf, minWeightPerLeaf));
        }
        return best;
      });
      const best = Math.max(...gains);
      const model = await trainCart(data, {
        criterion,
        maxDepth: 1,
        minRowsPerLeaf,
        minWeightPerLeaf,
      });
      const { trees } = model.ensemble;
      // Sums in another order; logarithms of another library.
      const close = 1e-9 * COSTS[criterion](rows) + 1e-12;
      // Rarely no split has fewer errors than none.
      if (best <= close && criterion === "misclassification") continue;
      assert(best > close, `seed ${seed} has nothing to split`);
      assertAlmostEquals(trees.gain[0], best, close, `seed ${seed}`);
      // The split does what it says, with the rows that end there.
      const ends = model.predictLeaf(data).data;
      const left = Array.from(ends, (node) => node === 1);
      assertAlmostEquals(
        decrease(rows, left, one, minRowsPerLeaf, minWeightPerLeaf),
        best,
        close,
        `seed ${seed}`,
      );
      assertAlmostEquals(gains[trees.feature[0]], best, close);
      kinds.add(data.features[trees.feature[0]].kind);
      for (const node of [1, 2]) {
        const inside = rows.filter((_, row) => ends[row] === node);
        assertAlmostEquals(trees.cover[node], weightOf(inside), 1e-12);
        if (classes > 0) continue;
        const leaf = criterion === "absolute" ? medianOf(inside) : meanOf(inside);
        const upper = criterion === "absolute" ? -medianOf(inside.map(([y, w]) => [-y, w])) : leaf;
        // Where half the weight is on each side, any number between two labels is a median.
        assert(trees.leaf[node] >= leaf - 1e-12 && trees.leaf[node] <= upper + 1e-12);
      }
    }
    assertEquals(kinds.has("categorical"), levels > 0);
  });
}

Deno.test("minWeightPerLeaf holds where missing values go left of a median split, too", async () => {
  const data: Dataset = {
    numRows: 6,
    features: [{ kind: "numeric", name: "x", values: Float64Array.of(1, 2, 2, 2, 2, NaN) }],
    target: { kind: "regression", name: "y", values: Float64Array.of(0, 9, 9, 9, 9, 0) },
    sampleWeight: Float64Array.of(0.1, 1, 1, 1, 1, 0.1),
  };
  // The rows of label 0 weigh 0.2 together.
  for (const [minWeightPerLeaf, leaves] of [[0.15, 2], [0.25, 1]]) {
    const model = await trainCart(data, { criterion: "absolute", maxDepth: 1, minWeightPerLeaf });
    assertEquals(new Set(model.predictLeaf(data).data).size, leaves);
  }
});

Deno.test("beyond maxExhaustiveLevels the levels are ordered, and no order beats all sets", async () => {
  let worse = 0;
  const one: Case = { criterion: "gini", classes: 3, levels: 8 };
  for (let seed = 0; seed < 40; seed++) {
    const rng = createRng(seed);
    const data = makeData(rng, one, false);
    const codes = Int32Array.from({ length: NUM_ROWS }, () => rng.nextInt(3));
    const target = { kind: "classification", name: "y", codes, classes: ["a", "b", "c"] } as const;
    const only: Dataset = { ...data, target, features: data.features.slice(2) };
    const gain = async (maxExhaustiveLevels: number) =>
      (await trainCart(only, { maxDepth: 1, maxExhaustiveLevels })).ensemble.trees.gain[0];
    const [ordered, exhaustive] = [await gain(2), await gain(16)];
    assert(ordered > 0.7 * exhaustive && ordered <= exhaustive + 1e-9, `${ordered} ${exhaustive}`);
    if (ordered < exhaustive - 1e-9) worse++;
  }
  assert(worse > 0 && worse < 30, `${worse} of 40 orders miss the best set`);
});

Deno.test('leaf "median" and "mean" set what a leaf answers, whatever grew the tree', async () => {
  for (const criterion of ["variance", "absolute", "poisson"] as const) {
    const one: Case = { criterion, classes: 0, levels: 0 };
    for (let seed = 0; seed < 8; seed++) {
      const data = makeData(createRng(seed), one, seed % 2 === 1);
      const rows = rowsOf(data);
      const grow = (leaf: "auto" | "mean" | "median") =>
        trainCart(data, { criterion, leaf, maxDepth: 2 });
      const [auto, mean, median] = [await grow("auto"), await grow("mean"), await grow("median")];
      assertEquals(auto.ensemble.trees.threshold, median.ensemble.trees.threshold);
      const ends = mean.predictLeaf(data).data;
      for (const node of new Set(ends)) {
        const inside = rows.filter((_, row) => ends[row] === node);
        assertAlmostEquals(mean.ensemble.trees.leaf[node], meanOf(inside), 1e-12);
        const [low, high] = [medianOf(inside), -medianOf(inside.map(([y, w]) => [-y, w]))];
        const found = median.ensemble.trees.leaf[node];
        assertAlmostEquals(found, (low + high) / 2, 1e-12, `${criterion} ${seed}`);
        const own = criterion === "absolute" ? median : mean;
        assertEquals(auto.ensemble.trees.leaf[node], own.ensemble.trees.leaf[node]);
      }
    }
  }
});

Deno.test("minGain is the least share of the whole weight that a split must take off", async () => {
  const one: Case = { criterion: "variance", classes: 0, levels: 0 };
  for (let seed = 0; seed < 8; seed++) {
    const data = makeData(createRng(seed), one, seed % 2 === 1);
    const total = weightOf(rowsOf(data));
    const whole = (await trainCart(data)).ensemble.trees;
    for (const minGain of [0.05, 0.3, 1]) {
      const { trees } = (await trainCart(data, { minGain })).ensemble;
      trees.gain.forEach((gain, node) => {
        if (trees.kind[node] !== 0) assert(gain >= minGain * total * (1 - 1e-12));
      });
      // A node of the whole tree is split where all nodes above it and itself gain enough.
      const count = (node: number): number => {
        if (whole.kind[node] === 0 || whole.gain[node] < minGain * total) return 1;
        return 1 + count(whole.firstChild[node]) + count(whole.firstChild[node] + 1);
      };
      assertEquals(trees.kind.length, count(0), `seed ${seed}, ${minGain}`);
    }
  }
});
