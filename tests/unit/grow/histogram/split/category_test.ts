import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { Dataset } from "../../../../../src/data/types.ts";
import { boost } from "../../../../../src/ensemble/boosting/booster.ts";
import { levelsOnLeft, scanCategories } from "../../../../../src/grow/histogram/split/category.ts";
import { createJudge, noSplit } from "../../../../../src/grow/histogram/split/scan.ts";
import { nodeScore, type ScoreParams } from "../../../../../src/grow/histogram/split/score.ts";
import { SplitKind } from "../../../../../src/kernels/types.ts";
import { squaredLoss } from "../../../../../src/loss/squared.ts";
import { createRng, type Rng } from "../../../../../src/util/rng.ts";

const [UNIT_G, UNIT_H] = [0.5, 0.25];

/** Sums of a level, or of a side. */
interface Side {
  g: number;
  h: number;
  c: number;
}

const sumOf = (levels: readonly Side[]): Side =>
  levels.reduce((a, b) => ({ g: a.g + b.g, h: a.h + b.h, c: a.c + b.c }), { g: 0, h: 0, c: 0 });

/** Levels of a node, some without rows; missing rows come last. */
function drawLevels(rng: Rng, numLevels: number): Side[] {
  return Array.from({ length: numLevels + 1 }, () => {
    if (rng.nextInt(5) === 0) return { g: 0, h: 0, c: 0 };
    return { g: rng.nextInt(81) - 40, h: 1 + rng.nextInt(40), c: 1 + rng.nextInt(9) };
  });
}

/**
 * Sets of levels that may stand on the left: each that has rows enough by itself, or the first and the
 * last of them in order of their mean gradient, to whose second derivatives as much is added as has the
 * mean of the node.
 */
function setsOf(levels: readonly Side[], numLevels: number, params: ScoreParams): number[][] {
  const rows = Math.max(1, params.minRowsPerCategory);
  const enough = [...levels.keys()].filter((l) => l < numLevels && levels[l].c >= rows);
  if (numLevels - 1 <= params.maxCategoriesOneHot) return enough.map((level) => [level]);
  const all = sumOf(levels);
  const mean = (all.g * UNIT_G) / (all.h * UNIT_H);
  const ratio = ({ g, h }: Side) =>
    (g * UNIT_G + params.catSmooth * mean) / (h * UNIT_H + params.catSmooth);
  const order = enough.toSorted((a, b) => ratio(levels[a]) - ratio(levels[b]) || a - b);
  const sizes = [...order.keys()].map((i) => i + 1).slice(0, params.maxCategoriesPerSplit);
  return sizes.flatMap((size) => [order.slice(0, size), order.slice(-size)]);
}

/** What a set of levels gains, with missing values on the left or not; 0 where it is not allowed. */
function gainOf(
  levels: readonly Side[],
  numLevels: number,
  set: readonly number[],
  missingLeft: boolean,
  params: ScoreParams,
): number {
  const isLeft = (level: number) => level === numLevels ? missingLeft : set.includes(level);
  const sides = [true, false].map((left) => sumOf(levels.filter((_, l) => isLeft(l) === left)));
  if (sides.some(({ c, h }) => c < params.minRowsPerLeaf || h * UNIT_H < params.minChildWeight)) {
    return 0;
  }
  const one = numLevels - 1 <= params.maxCategoriesOneHot;
  const lambda = params.lambda + (one ? 0 : params.catL2);
  const score = ({ g, h }: Side, l2: number) =>
    Math.max(0, Math.abs(g * UNIT_G) - params.alpha) ** 2 / (h * UNIT_H + l2);
  return score(sides[0], lambda) + score(sides[1], lambda) - score(sumOf(levels), params.lambda);
}

const PARAMS: ScoreParams = {
  lambda: 1,
  alpha: 0,
  maxDeltaStep: 0,
  pathSmooth: 0,
  minChildWeight: 0.5,
  minRowsPerLeaf: 1,
  maxCategoriesOneHot: 1,
  maxCategoriesPerSplit: 64,
  catSmooth: 10,
  catL2: 1,
  minRowsPerCategory: 0,
};

const CASES: [string, Partial<ScoreParams>, number][] = [
  ["sets", {}, 9],
  ["sets of few levels", { maxCategoriesPerSplit: 2 }, 9],
  ["levels in the order of their own means", { catSmooth: 0, catL2: 0 }, 9],
  ["levels with rows enough", { minRowsPerCategory: 4, minRowsPerLeaf: 12 }, 9],
  ["an L1 penalty", { alpha: 6 }, 9],
  ["more levels than are sorted by insertion", {}, 70],
  ["one level against the rest", { maxCategoriesOneHot: 5, catL2: 30 }, 6],
  ["one level against the rest, rows enough", { maxCategoriesOneHot: 5, minRowsPerCategory: 5 }, 6],
  ["sets of one level more", { maxCategoriesOneHot: 4, catL2: 30 }, 6],
];

for (const [what, params, numLevels] of CASES) {
  Deno.test(`scanCategories() finds the best of all sets written out: ${what}`, () => {
    const all = { ...PARAMS, ...params };
    let splits = 0;
    for (let seed = 0; seed < 200; seed++) {
      const levels = drawLevels(createRng(seed), numLevels);
      const { g: gradient, h: hessian, c: count } = sumOf(levels);
      if (count === 0) continue;
      const node = { gradient, hessian, count, lower: -Infinity, upper: Infinity, value: 0 };
      const real = { ...node, gradient: gradient * UNIT_G, hessian: hessian * UNIT_H };
      const sums = {
        gradient: Float64Array.from(levels, ({ g }) => g),
        hessian: Float64Array.from(levels, ({ h }) => h),
        count: Float64Array.from(levels, ({ c }) => c),
        order: new Int32Array(numLevels),
        ratios: new Float64Array(numLevels),
        counted: true,
        unitG: UNIT_G,
        unitH: UNIT_H,
      };
      const lambda = all.lambda + (numLevels - 1 > all.maxCategoriesOneHot ? all.catL2 : 0);
      const judge = createJudge(sums, node, real, nodeScore(real, all), lambda, 0, all);
      // As left by the feature before.
      const found = { ...noSplit(), gain: 1e9, kind: SplitKind.threshold };
      scanCategories(sums, numLevels, node, judge, all, found);
      const gains = setsOf(levels, numLevels, all).flatMap((set) =>
        [false, true].map((missingLeft) => gainOf(levels, numLevels, set, missingLeft, all))
      );
      const most = Math.max(0, ...gains);
      assertAlmostEquals(found.gain, most, 1e-9, `seed ${seed}`);
      if (most === 0) continue;
      splits++;
      const left = [...levelsOnLeft(sums, numLevels, node, all, found)];
      const gain = gainOf(levels, numLevels, left, found.missingLeft, all);
      assertAlmostEquals(gain, most, 1e-9, `levels of seed ${seed}`);
      const side = sumOf(
        [...left, ...(found.missingLeft ? [numLevels] : [])].map((l) => levels[l]),
      );
      assertEquals([found.gradient, found.hessian, found.count], [side.g, side.h, side.c]);
    }
    assert(splits > 100, `${splits} splits`);
  });
}

/** Rows of eleven categories and their targets; some have no category. */
function drawRows(
  rng: Rng,
  numRows: number,
): { readonly codes: Int32Array; readonly y: Float64Array } {
  const codes = Int32Array.from(
    { length: numRows },
    () => Math.floor(12 * rng.nextFloat() ** 2) - 1,
  );
  const y = Float64Array.from(
    codes,
    (code) => (code > 7 ? 9 * rng.nextFloat() : 0) + 3 * rng.nextFloat(),
  );
  return { codes, y };
}

const ROOTS: Partial<ScoreParams>[] = [
  {},
  { catSmooth: 0, catL2: 0 },
  { catSmooth: 40, catL2: 9 },
  { maxCategoriesPerSplit: 2 },
  { minRowsPerCategory: 5, minRowsPerLeaf: 30 },
  { maxCategoriesOneHot: 11, catL2: 30 },
  { maxCategoriesOneHot: 11, minRowsPerCategory: 7 },
  { alpha: 4, lambda: 3, minChildWeight: 30 },
];

const WAYS: [string, number, number][] = [
  ["by the kernel", 11, 0],
  ["of two bytes", 300, 0],
  ["with any scores", 11, 1e9],
];

for (const [how, numCategories, limit] of WAYS) {
  Deno.test(`boost() splits categories by the best of all sets written out, ${how}`, async () => {
    for (const [i, params] of [...ROOTS, ...ROOTS, ...ROOTS, ...ROOTS].entries()) {
      const { codes, y } = drawRows(createRng(i), 80);
      const categories = Array.from({ length: numCategories }, (_, level) => `${level}`);
      const data: Dataset = {
        numRows: y.length,
        features: [{ kind: "categorical", name: "c", codes, categories }],
        target: { kind: "regression", name: "y", values: y },
      };
      const all = { ...PARAMS, ...params };
      const { ensemble: { trees } } = await boost(data, {
        ...all,
        maxDeltaStep: limit,
        loss: squaredLoss(),
        rounds: 1,
        learningRate: 1,
        seed: 1,
        maxDepth: 1,
      });
      // A bin is of unknown levels. Derivatives of squared loss: what is too much, and 1.
      const numLevels = categories.length + 1;
      const levels = Array.from({ length: numLevels + 1 }, () => ({ g: 0, h: 0, c: 0 }));
      const mean = y.reduce((sum, value) => sum + value) / y.length;
      codes.forEach((code, row) => {
        const level = levels[code < 0 ? numLevels : code];
        level.g += (mean - y[row]) / UNIT_G;
        level.h += 1 / UNIT_H;
        level.c++;
      });
      const gains = setsOf(levels, numLevels, all).flatMap((set) =>
        [false, true].map((missingLeft) => gainOf(levels, numLevels, set, missingLeft, all))
      );
      const most = Math.max(...gains);
      assert(most > 0);
      // Gains are kept in float32.
      assertAlmostEquals(trees.gain[0], most, 1e-5, JSON.stringify(params));
      const left = categories.flatMap((_, level) =>
        (trees.categoryPool[trees.categoryAt[0] + (level >> 5)] >>> (level & 31)) & 1 ? [level] : []
      );
      const gain = gainOf(levels, numLevels, left, trees.missing[0] === 0, all);
      assertAlmostEquals(gain, most, 1e-9, JSON.stringify(params));
    }
  });
}

Deno.test("boost() splits on what gains most of a number and of categories of few and of many levels", async () => {
  const rng = createRng(4);
  const numRows = 60;
  const values = Float64Array.from({ length: numRows }, (_, row) => row % 2);
  const column = (says: boolean) =>
    Int32Array.from(values, (value) => 2 * rng.nextInt(3) + (says ? value : rng.nextInt(2)));
  const category = (name: string, codes: Int32Array, numLevels: number) => {
    const categories = Array.from({ length: numLevels }, (_, level) => `${level}`);
    return { kind: "categorical" as const, name, codes, categories };
  };
  for (const best of [0, 1, 2]) {
    const { ensemble } = await boost({
      numRows,
      features: [
        { kind: "numeric", name: "x", values: Float64Array.from(column(best === 0), (x) => x & 1) },
        category("few", column(best === 1), 6),
        category("many", column(best === 2), 300),
      ],
      target: { kind: "regression", name: "y", values },
    }, { loss: squaredLoss(), rounds: 1, learningRate: 1, seed: 1, maxDepth: 1 });
    assertEquals(ensemble.trees.feature[0], best);
  }
});
