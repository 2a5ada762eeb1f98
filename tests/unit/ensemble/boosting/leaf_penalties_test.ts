/**
 * What reaches the leaves of losses whose leaves are refitted.
 *
 * @module
 */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import type { Dataset } from "../../../../src/data/types.ts";

const X = [1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5];
const Y = [1, 2, 3, 2, 5, 6, 4, 5, 9, 1, 0, 2, 7, 8, 9, 12, 20, 22, 21, 19];

const DATA: Dataset = {
  numRows: 20,
  features: [{ kind: "numeric", name: "x", values: Float64Array.from(X) }],
  target: { kind: "regression", name: "y", values: Float64Array.from(Y) },
};

const TREE = {
  rounds: 1,
  learningRate: 1,
  lambda: 0,
  growth: "leaf",
  maxDepth: 3,
  maxLeaves: 5,
  minRowsPerLeaf: 3,
  minChildWeight: 0,
} as const;

async function valuesOf(params: { readonly [name: string]: unknown }): Promise<number[]> {
  const model = await trainBoost(DATA, { ...TREE, ...params }, { threads: 1 });
  return [1, 2, 3, 4, 5].map((x) => model.predictValue({ x })[0]);
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length / 2) - 1]; // the lower one, our rule
}

Deno.test("pathSmooth pulls leaves as LightGBM 4.7.0 does", async () => {
  // num_leaves 5, max_depth 3, min_data_in_leaf 3, min_data_in_bin 1, path_smooth 4, lambda 0.
  const theirs = [4.0292307009, 4.0292307009, 2.6257142065, 7.1899999733, 14.2000002051];
  for (const treeMethod of ["hist", "lightgbm"]) {
    const ours = await valuesOf({ treeMethod, pathSmooth: 4, baseScore: 7.9 });
    // LightGBM sums gradients in float32.
    ours.forEach((value, i) => assertAlmostEquals(value, theirs[i], 1e-6, treeMethod));
  }
});

/** Labels left and right of the only split of a model. */
function sides(found: readonly number[]): readonly [left: number[], right: number[]] {
  const cut = found.findIndex((value) => value !== found[0]);
  assert(cut > 0);
  return [Y.filter((_, row) => X[row] <= cut), Y.filter((_, row) => X[row] > cut)];
}

Deno.test("pathSmooth pulls refitted leaves towards their parents, the root towards nothing", async () => {
  const s = 4;
  const start = 6;
  const root = median(Y) - start;
  const leaf = (some: number[]) => {
    const { length } = some;
    return start + (median(some) - start) * length / (length + s) + root * s / (length + s);
  };
  const params = { loss: "absolute", pathSmooth: s, baseScore: start };
  const found = await valuesOf({ ...params, maxDepth: 1 });
  const [left, right] = sides(found);
  assertAlmostEquals(found[0], leaf(left), 1e-6); // leaves are float32
  assertAlmostEquals(found[4], leaf(right), 1e-6);
  for (const value of await valuesOf({ ...params, gamma: 1e9 })) assertEquals(value, median(Y));
});

Deno.test("lambda and alpha shape the splits of refitted leaves, not their values", async () => {
  const params = { loss: "absolute", maxDepth: 1, baseScore: 6 };
  for (const penalty of [{ lambda: 20 }, { alpha: 3 }]) {
    const found = await valuesOf({ ...params, ...penalty });
    const [left, right] = sides(found);
    assertEquals([found[0], found[4]], [median(left), median(right)]);
  }
  // Beyond the sum of the signs of any part nothing is split at all.
  assertEquals(new Set(await valuesOf({ ...params, alpha: 20 })).size, 1);
});

Deno.test("maxDeltaStep bounds refitted leaves", async () => {
  const found = await valuesOf({ loss: "absolute", baseScore: 0, maxDeltaStep: 3 });
  assertEquals(Math.max(...found), 3);
});
