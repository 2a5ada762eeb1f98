import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import {
  type BinSums,
  createJudge,
  noSplit,
  scanNumeric,
} from "../../../../../src/grow/histogram/split/scan.ts";
import {
  isPlain,
  nodeScore,
  type NodeSums,
  nodeValue,
  plainScore,
  type ScoreParams,
} from "../../../../../src/grow/histogram/split/score.ts";
import { createMemory } from "../../../../../src/kernels/memory.ts";
import { twinKernels } from "../../../../../src/kernels/twin/twin.ts";
import { SplitKind } from "../../../../../src/kernels/types.ts";
import { wasmKernels } from "../../../../../src/kernels/wasm.ts";
import { createRng, type Rng } from "../../../../../src/util/rng.ts";

const [UNIT_G, UNIT_H] = [0.5, 0.25];

const PARAMS: ScoreParams = {
  lambda: 1,
  alpha: 0,
  maxDeltaStep: 0,
  pathSmooth: 0,
  minChildWeight: 0.5,
  minRowsPerLeaf: 1,
  maxCategoriesOneHot: 4,
  maxCategoriesPerSplit: 32,
  catSmooth: 10,
  catL2: 10,
  minRowsPerCategory: 100,
};

/** Sums of some bins, or of a side. */
interface Side {
  g: number;
  h: number;
  c: number;
}

const sumOf = (bins: readonly Side[]): Side =>
  bins.reduce((a, b) => ({ g: a.g + b.g, h: a.h + b.h, c: a.c + b.c }), { g: 0, h: 0, c: 0 });

/** The same of all bins, as they are scanned, in units. */
function binSums(bins: readonly Side[], counted: boolean, unitG: number, unitH: number): BinSums {
  return {
    gradient: Float64Array.from(bins, ({ g }) => g),
    hessian: Float64Array.from(bins, ({ h }) => h),
    count: Float64Array.from(bins, ({ c }) => c),
    order: new Int32Array(0),
    ratios: new Float64Array(0),
    counted,
    unitG,
    unitH,
  };
}

/** Bins of a feature, some empty; the last holds missing rows. */
function drawBins(rng: Rng, numBins: number): Side[] {
  const draw = () => ({ g: rng.nextInt(41) - 20, h: 1 + rng.nextInt(30), c: 1 + rng.nextInt(5) });
  const empty = { g: 0, h: 0, c: 0 };
  return Array.from({ length: numBins + 1 }, () => rng.nextInt(4) === 0 ? empty : draw());
}

/** What a side would answer. */
function answer(side: Side, node: NodeSums, params: ScoreParams): number {
  const g = side.g * UNIT_G;
  let value = -Math.sign(g) * Math.max(0, Math.abs(g) - params.alpha) /
    (side.h * UNIT_H + params.lambda);
  const most = params.maxDeltaStep || Infinity;
  if (Math.abs(value) > most) value = Math.sign(value) * most;
  const s = params.pathSmooth;
  if (s > 0) value = (side.c * value + s * node.value) / (side.c + s);
  return Math.min(node.upper, Math.max(node.lower, value));
}

/** Twice the loss that a value takes away. */
function decrease({ g, h }: Side, value: number, { lambda, alpha }: ScoreParams): number {
  return -2 *
    (g * UNIT_G * value + (h * UNIT_H + lambda) * value ** 2 / 2 + alpha * Math.abs(value));
}

/** Gain of every candidate that is allowed, by `bin` and `missingLeft`. */
function gainsOf(
  bins: readonly Side[],
  node: NodeSums,
  params: ScoreParams,
  direction: number,
  counted: boolean,
): Map<string, number> {
  const numBins = bins.length - 1;
  const missing = bins[numBins];
  const gains = new Map<string, number>();
  for (let bin = 0; bin < numBins; bin++) {
    for (const missingLeft of [false, true]) {
      const left = bins.slice(0, bin + 1);
      const right = bins.slice(bin + 1, numBins);
      (missingLeft ? left : right).push(missing);
      const sides = [sumOf(left), sumOf(right)];
      if (sides.some(({ h }) => h * UNIT_H < params.minChildWeight)) continue;
      if (counted && sides.some(({ c }) => c < params.minRowsPerLeaf)) continue;
      const [low, high] = sides.map((side) => answer(side, node, params));
      // Missing values alone have no place in the order.
      const isApart = !missingLeft && sumOf(bins.slice(bin + 1, numBins)).h === 0;
      if (!isApart && (high - low) * direction < 0) continue;
      const score = decrease(sides[0], low, params) + decrease(sides[1], high, params);
      const gain = score - decrease(sumOf(bins), node.value, params);
      if (gain > 1e-9) gains.set(`${bin} ${missingLeft}`, gain);
    }
  }
  return gains;
}

const MEMORIES = [createMemory({ plain: true }), createMemory()];
const [CELLS, COUNTS, SCAN, OUT] = [8192, 16384, 20480, 24576];
for (const memory of MEMORIES) memory.ensure(65536);

/** The best split by the kernels: gain, bin, missing on the left, sums of the left. */
function byKernels(
  bins: readonly Side[],
  node: NodeSums,
  parentScore: number,
  params: ScoreParams,
  counted: boolean,
  [unitG, unitH]: readonly [number, number],
): number[][] {
  return MEMORIES.flatMap((memory) =>
    [0, 1].map((wide) => {
      const { f64, i32, u32 } = memory;
      bins.forEach(({ g, h, c }, bin) => {
        if (wide === 1) f64.set([g, h], (CELLS >>> 3) + 2 * bin);
        else {
          u32[(CELLS >>> 2) + 2 * bin] = h;
          i32[(CELLS >>> 2) + 2 * bin + 1] = g;
        }
        u32[(COUNTS >>> 2) + bin] = c;
      });
      const { lambda, alpha, minChildWeight, minRowsPerLeaf } = params;
      const limits = [lambda, alpha, minChildWeight, parentScore, minRowsPerLeaf, node.count];
      f64.set([node.gradient, node.hessian, unitG, unitH, ...limits], SCAN >>> 3);
      const { scanThresholds } = memory.wasm ? wasmKernels(memory) : twinKernels(memory);
      scanThresholds(CELLS, counted ? COUNTS : 0, wide, bins.length - 1, SCAN, OUT);
      return [...f64.subarray(OUT >>> 3, (OUT >>> 3) + 6)];
    })
  );
}

function check(seed: number, params: ScoreParams, direction: number, counted: boolean): boolean {
  const rng = createRng(seed);
  const numBins = 2 + rng.nextInt(7);
  const bins = drawBins(rng, numBins);
  const total = sumOf(bins);
  const bounded = direction !== 0;
  const node: NodeSums = {
    gradient: total.g,
    hessian: total.h,
    count: total.c,
    lower: bounded ? -0.6 : -Infinity,
    upper: bounded ? 0.5 : Infinity,
    value: 0,
  };
  // What the node answers itself; by the root's rule, that of the node above is not known.
  node.value = answer(total, node, { ...params, pathSmooth: 0 });
  const sums = binSums(bins, counted, UNIT_G, UNIT_H);
  const real = { ...node, gradient: node.gradient * UNIT_G, hessian: node.hessian * UNIT_H };
  const parentScore = nodeScore(real, params);
  const judge = createJudge(sums, node, real, parentScore, params.lambda, direction, params);
  // As left by the feature before.
  const found = { ...noSplit(), gain: 1e9, kind: SplitKind.high };
  scanNumeric(sums, numBins, judge, found);
  const gains = gainsOf(bins, node, params, direction, counted);
  const most = Math.max(0, ...gains.values());
  if (isPlain(params)) {
    const { gain, bin, missingLeft, gradient, hessian, count } = found;
    const same = gain > 0
      ? [gain, bin, +missingLeft, gradient, hessian, count]
      : [0, -1, 0, 0, 0, 0];
    for (const one of byKernels(bins, node, parentScore, params, counted, [UNIT_G, UNIT_H])) {
      assertEquals(one, same, `seed ${seed}`);
    }
  }
  assertAlmostEquals(found.gain, most, 1e-9, `seed ${seed}`);
  assertEquals(found.kind, SplitKind.threshold);
  if (most === 0) return false;
  assertAlmostEquals(gains.get(`${found.bin} ${found.missingLeft}`)!, most, 1e-9, `seed ${seed}`);
  const left = bins.slice(0, found.bin + 1);
  if (found.missingLeft) left.push(bins[numBins]);
  const { g, h, c } = sumOf(left);
  assertEquals([found.gradient, found.hessian, found.count], [g, h, counted ? c : 0]);
  const missing = bins[numBins];
  const hasMissing = missing.g !== 0 || missing.h !== 0 || (counted && missing.c > 0);
  if (!hasMissing) assertEquals(found.missingLeft, h >= total.h - h, "the heavier child");
  return true;
}

/** Gains of the only split of two bins, by all that scan. */
function gainsOfTwo(bins: readonly Side[], params: ScoreParams): number[] {
  const { g: gradient, h: hessian, c: count } = sumOf(bins);
  const node = { gradient, hessian, count, lower: -Infinity, upper: Infinity, value: 0 };
  const sums = binSums(bins, false, 1, 0.5);
  const real = { ...node, hessian: hessian * 0.5 };
  const parentScore = nodeScore(real, params);
  const judge = createJudge(sums, node, real, parentScore, params.lambda, 0, params);
  const found = noSplit();
  scanNumeric(sums, 2, judge, found);
  const kernels = byKernels(bins, node, parentScore, params, false, [1, 0.5]);
  return [found.gain, ...kernels.map(([gain]) => gain)];
}

Deno.test("scans take no gain that is but rounding", () => {
  const params = { ...PARAMS, lambda: 0, minChildWeight: 0 };
  for (let k = 1; k <= 200; k++) {
    // Both bins have the same ratio, as has the node: nothing is gained.
    const bins = [{ g: 1, h: 7, c: 1 }, { g: k, h: 7 * k, c: k }, { g: 0, h: 0, c: 0 }];
    assertEquals(gainsOfTwo(bins, params), [0, 0, 0, 0, 0], `${k}`);
  }
});

Deno.test("scans take a gain of four in ten billion of the scores", () => {
  const params = { ...PARAMS, lambda: 0, minChildWeight: 0 };
  const [g, h] = [100_000, 1_000_000];
  const bins = [{ g: g + 2, h, c: 1 }, { g: g - 2, h, c: 1 }, { g: 0, h: 0, c: 0 }];
  // (g + 2)²/H + (g − 2)²/H − (2g)²/2H of H = h/2: 8/H, where the scores are 2g²/H.
  for (const gain of gainsOfTwo(bins, params)) assertAlmostEquals(gain, 16 / h, 1e-10);
});

Deno.test("nodeValue() and plainScore() of sums written out", () => {
  const value = (g: number, h: number, lambda: number, params: Partial<ScoreParams> = {}) =>
    nodeValue(g, h, 6, -9, 9, 1, lambda, { ...PARAMS, ...params });
  assertEquals(value(2, 0.5, 0), -4);
  assertEquals(value(2, 0.5, 0.5), -2);
  assertEquals(value(-3, 0.5, 0.5, { alpha: 1 }), 2);
  assertEquals(value(0.5, 1, 0, { alpha: 1 }), 0);
  assertEquals(value(2, 0, 0), 0); // no curvature: no step
  assertEquals(value(2, 0.125, 0), -9);
  assertEquals(value(-2, 0.5, 0, { maxDeltaStep: 3 }), 3);
  // Six rows say −4 and two of smoothing say 1.
  assertEquals(value(2, 0.5, 0, { pathSmooth: 2 }), -2.75);
  assertEquals(plainScore(2, 0.5, 0, 0), 8);
  assertEquals(plainScore(-2, 0.5, 0.5, 1), 1);
  assertEquals(plainScore(2, 0, 0, 0), 0);
  assertEquals(isPlain({ ...PARAMS, alpha: 3 }), true);
  for (const limit of [{ maxDeltaStep: 1 }, { pathSmooth: 1 }, { monotone: [0] }]) {
    assertEquals(isPlain({ ...PARAMS, ...limit }), false);
  }
});

const CASES: [string, Partial<ScoreParams>, number][] = [
  ["plain", {}, 0],
  ["L1 penalty", { alpha: 4 }, 0],
  ["a bound on the step", { maxDeltaStep: 0.4, alpha: 1.5 }, 0],
  ["path smoothing", { pathSmooth: 3 }, 0],
  ["increasing, between bounds", { monotone: [1] }, 1],
  ["decreasing, between bounds, L1 penalty", { monotone: [-1], alpha: 2 }, -1],
];

for (const [what, params, direction] of CASES) {
  Deno.test(`scanNumeric() finds the best of all splits written out: ${what}`, () => {
    let splits = 0;
    for (let seed = 0; seed < 300; seed++) {
      for (const minRowsPerLeaf of [1, 4]) {
        // Smoothing asks how many rows there are.
        const counted = minRowsPerLeaf > 1 || (params.pathSmooth ?? 0) > 0;
        const all = { ...PARAMS, ...params, minRowsPerLeaf };
        if (check(seed, all, direction, counted)) splits++;
      }
    }
    assert(splits > 200, `${splits} splits`);
  });
}
