import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { levelsOnLeft, scanCategories } from "../../../src/grow/histogram/split/category.ts";
import { createJudge, noSplit } from "../../../src/grow/histogram/split/scan.ts";
import { createMemory } from "../../../src/kernels/memory.ts";
import { twinKernels } from "../../../src/kernels/twin/twin.ts";
import { LEVEL_ENTRY_BYTES, LEVEL_WORK_BYTES } from "../../../src/kernels/types.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";
import { createRng } from "../../../src/util/rng.ts";

const [FEATURES, CELLS, PARAMS, JOINT, OUT, WORK] = [4096, 8192, 6144, 6400, 7680, 36864];
const COUNTS = 28672;
const SIDES = WORK + LEVEL_WORK_BYTES;
const [ALLOWED, SLOTS] = [7936, 5];
const BUNDLED = JOINT + 512;
const UNIT_G = 0.01;
const UNIT_H = 0.02;

/** One node: slots of up to 256 codes; who counts rows: nobody, categories, all. */
interface Case {
  readonly seed: number;
  readonly most: number;
  readonly wide: boolean;
  readonly counted: "none" | "categories" | "all";
  /** Most levels that are tried one against the rest, and most on one side. */
  readonly oneHot: number;
  readonly mostLevels: number;
}

/**
 * Fills a memory: a category, a category and a number that share codes, a category after a feature that
 * may not be split on, and a bundle of two flags and a number with missing values. Returns the sums of each feature by bin, and what the scan needs to know.
 */
function prepare(memory: ReturnType<typeof createMemory>, one: Case) {
  memory.ensure(SIDES + 320);
  const rng = createRng(one.seed);
  const { u8, u32, i32, f64 } = memory;
  const shift = one.wide ? 16 : 8;
  // The node has more than the four codes of the bundle together.
  const codes = Array.from({ length: SLOTS }, (_, i) => i === 4 ? 5 : 2 + rng.nextInt(one.most));
  const sums = codes.map((numCodes, slot) =>
    Array.from({ length: numCodes }, (_, code) => {
      const empty = rng.nextInt(3) === 0;
      const g = empty ? 0 : rng.nextInt(2000) - 1000;
      const h = empty ? 0 : 1 + rng.nextInt(1000);
      const c = empty ? 0 : 1 + rng.nextInt(40);
      const cell = CELLS + (256 * slot + code) * shift;
      if (one.wide) f64.set([g, h], cell >>> 3);
      else {
        u32[cell >>> 2] = h;
        i32[(cell >>> 2) + 1] = g;
      }
      u32[(COUNTS >>> 2) + 256 * slot + code] = c;
      return { g, h, c };
    })
  );
  // The second slot is shared by a category and a number.
  const joint = [0, 1].map(() => sums[1].map(() => rng.nextInt(6)));
  joint.forEach((bins, i) => u8.set(bins, JOINT + 256 * i));
  const bundled = [[0, 1], [2, 0], [0, 3, 4]];
  bundled.forEach((of, i) => u8.set(of, BUNDLED + 16 * i));
  const features = [
    { slot: 0, numBins: codes[0] - 1, feature: 7, joint: 0, category: 1 },
    { slot: 1, numBins: 5, feature: 3, joint: JOINT, category: 1 },
    { slot: 1, numBins: 5, feature: 9, joint: JOINT + 256, category: 0 },
    { slot: 2, numBins: codes[2] - 1, feature: 4, joint: 0, category: 1 },
    { slot: 3, numBins: codes[3] - 1, feature: 5, joint: 0, category: 1 },
    { slot: 4, numBins: 2, feature: 11, joint: BUNDLED, category: 2 },
    { slot: 4, numBins: 2, feature: 12, joint: BUNDLED + 16, category: 3 },
    { slot: 4, numBins: 2, feature: 13, joint: BUNDLED + 32, category: 2 },
  ];
  features.forEach(({ slot, numBins, feature, joint, category }, i) => {
    const at = (FEATURES + LEVEL_ENTRY_BYTES * i) >>> 2;
    const length = slot === 4 ? bundled[i - 5].length : joint === 0 ? 0 : codes[slot];
    u32.set([256 * slot, numBins, feature, joint, length, category], at);
  });
  u8.fill(1, ALLOWED, ALLOWED + 16);
  u8[ALLOWED + 4] = 0;
  const total = { gradient: rng.nextInt(4000) - 2000, hessian: 9000, count: 900 };
  const lambda = rng.nextInt(2);
  const alpha = [0, 0.3][rng.nextInt(2)];
  const leastRows = 1 + rng.nextInt(30);
  const least = one.counted === "none" ? 1 : 1 + rng.nextInt(8);
  const parent = 0.05 * rng.nextInt(10);
  const more = [one.oneHot, one.mostLevels, 10 * rng.nextFloat(), least, 2];
  const params = [total.gradient, total.hessian, UNIT_G, UNIT_H, lambda, alpha, 0.5, parent];
  f64.set([...params, leastRows, total.count, ...more], PARAMS >>> 3);
  f64.set([0, -1, -1, 0, 0, 0, 0, 0], OUT >>> 3);
  return { features, sums, joint, total, lambda, alpha, leastRows, least, parent, smooth: more[2] };
}

type Prepared = ReturnType<typeof prepare>;

/** Sums of a category by bin. */
function binsOf(one: Case, made: Prepared, slot: number, joint: number) {
  const zeros = () => new Float64Array(256);
  const bins = {
    gradient: zeros(),
    hessian: zeros(),
    count: zeros(),
    order: new Int32Array(256),
    ratios: zeros(),
    counted: one.counted !== "none",
    unitG: UNIT_G,
    unitH: UNIT_H,
  };
  made.sums[slot].forEach(({ g, h, c }, code) => {
    const bin = joint === 0 ? code : made.joint[0][code];
    bins.gradient[bin] += g;
    bins.hessian[bin] += h;
    bins.count[bin] += c;
  });
  if (!bins.counted) {
    for (let i = 0; i < 256; i++) {
      bins.count[i] = +(bins.hessian[i] !== 0 || bins.gradient[i] !== 0);
    }
  }
  return bins;
}

function paramsOf(one: Case, made: Prepared) {
  return {
    lambda: made.lambda,
    alpha: made.alpha,
    maxDeltaStep: 0,
    pathSmooth: 0,
    minChildWeight: 0.5 / (1 - 1e-9),
    minRowsPerLeaf: made.leastRows,
    maxCategoriesOneHot: one.oneHot,
    maxCategoriesPerSplit: one.mostLevels,
    catSmooth: made.smooth,
    catL2: 2,
    minRowsPerCategory: made.least,
  };
}

/** The same split by the code for any scores (`split/category.ts`), for categories only. */
function byCategories(one: Case, made: Prepared) {
  let best = noSplit();
  const params = paramsOf(one, made);
  for (const { slot, numBins, feature, joint, category } of made.features) {
    if (category !== 1 || feature === 4) continue;
    const bins = binsOf(one, made, slot, joint);
    const node = { ...made.total, lower: -Infinity, upper: Infinity, value: 0 };
    const lambda = made.lambda + (numBins - 1 > one.oneHot ? 2 : 0);
    const judge = createJudge(bins, made.total, node, made.parent, lambda, 0, params);
    const found = noSplit();
    scanCategories(bins, numBins, made.total, judge, params, found);
    found.feature = feature;
    if (
      found.gain > best.gain ||
      (found.gain === best.gain && found.gain > 0 && feature < best.feature)
    ) {
      best = { ...found };
    }
  }
  const { gain, feature, bin, kind, missingLeft, gradient, hessian, count } = best;
  return [gain, feature, bin, kind, +missingLeft, gradient, hessian, count];
}

/** Which bins of a category go left by a split, missing last. */
function sidesBy(one: Case, made: Prepared, slot: number, joint: number, split: number[]) {
  const { numBins } = made.features.find((of) => of.slot === slot)!;
  const [gain, feature, bin, kind, missingLeft, gradient, hessian, count] = split;
  const bins = binsOf(one, made, slot, joint);
  const found = {
    ...{ gain, feature, bin, kind, gradient, hessian, count },
    missingLeft: missingLeft === 1,
  };
  const left = new Set(levelsOnLeft(bins, numBins, made.total, paramsOf(one, made), found));
  const all = [...bins.hessian.subarray(0, numBins)];
  const weight = (side: boolean) =>
    all.filter((_, level) => left.has(level) === side).reduce((sum, h) => sum + h, 0);
  const unknown = weight(true) >= weight(false);
  const sides = all.map((_, level) => bins.count[level] === 0 ? unknown : left.has(level));
  const missing = bins.count[numBins] === 0
    ? hessian >= made.total.hessian - hessian
    : missingLeft === 1;
  return [...sides, missing].map(Number);
}

const CASES = fc.record({
  seed: fc.nat(),
  most: fc.constantFrom(3, 20, 254),
  wide: fc.boolean(),
  counted: fc.constantFrom("none", "categories", "all"),
  oneHot: fc.constantFrom(0, 4, 300),
  mostLevels: fc.constantFrom(1, 3, 64),
}) as fc.Arbitrary<Case>;

Deno.test("scanLevels: wasm equals its twin, and categories give what the code for any scores gives", () => {
  let found = 0;
  const split = new Set<number>();
  fc.assert(
    fc.property(CASES, (one) => {
      for (const numbers of [true, false]) {
        const results = [createMemory({ plain: true }), createMemory()].map((memory) => {
          const made = prepare(memory, one);
          if (!numbers) { for (const f of [9, 11, 12, 13]) memory.u8[ALLOWED + f] = 0; }
          const kernels = memory.wasm === undefined ? twinKernels(memory) : wasmKernels(memory);
          kernels.scanLevels(
            FEATURES,
            made.features.length,
            ALLOWED,
            CELLS,
            one.counted === "none" ? 0 : COUNTS,
            one.counted === "all" ? 1 : 0,
            one.wide ? 1 : 0,
            PARAMS,
            WORK,
            OUT,
          );
          return { made, out: [...memory.f64.subarray(OUT >>> 3, (OUT >>> 3) + 8)] };
        });
        assertEquals(results[1].out, results[0].out);
        if (results[0].out[0] > 0) found++;
        split.add(results[0].out[1]);
        if (!numbers) assertEquals(results[0].out, byCategories(one, results[0].made));
      }
    }),
    { numRuns: 500 },
  );
  assertEquals(found > 300, true);
  assertEquals([9, 11, 12, 13].filter((feature) => !split.has(feature)), []);
});

Deno.test("leftLevels: wasm equals its twin, and sides are those that the code for any scores gives", () => {
  const kinds = new Set<number>();
  fc.assert(
    fc.property(CASES, fc.constantFrom(0, 1, 4), (one, entry) => {
      const results = [createMemory({ plain: true }), createMemory()].map((memory) => {
        const made = prepare(memory, one);
        const kernels = memory.wasm === undefined ? twinKernels(memory) : wasmKernels(memory);
        const feature = FEATURES + LEVEL_ENTRY_BYTES * entry;
        const counts = one.counted === "none" ? 0 : COUNTS;
        const wide = one.wide ? 1 : 0;
        kernels.scanLevels(feature, 1, 0, CELLS, counts, 0, wide, PARAMS, WORK, OUT);
        const split = [...memory.f64.subarray(OUT >>> 3, (OUT >>> 3) + 8)];
        if (split[0] === 0) return undefined;
        kernels.leftLevels(feature, CELLS, counts, wide, PARAMS, WORK, OUT, SIDES);
        const { slot, joint, numBins } = made.features[entry];
        const sides = [...memory.u8.subarray(SIDES, SIDES + numBins + 1)];
        assertEquals(sides, sidesBy(one, made, slot, joint, split));
        kinds.add(split[3]);
        return sides;
      });
      assertEquals(results[1], results[0]);
    }),
    { numRuns: 500 },
  );
  assertEquals([...kinds].sort(), [1, 2, 3]);
});
