import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { quantileCuts, thresholdBetween } from "../../../src/binning/cuts.ts";
import { createMemory } from "../../../src/kernels/memory.ts";
import { twinKernels } from "../../../src/kernels/twin/twin.ts";
import { wasmKernels } from "../../../src/kernels/wasm.ts";
import { A, C, D, E, SPACE } from "../../support/laws/kernels.ts";

Deno.test("quantileCuts() gives each of few distinct values its own bin", () => {
  assertEquals(quantileCuts(new Float64Array([1, 1, 1, 2, 5, 5]), 8), new Float64Array([1.5, 3.5]));
});

Deno.test("quantileCuts() makes bins of about equal weight", () => {
  const sorted = Float64Array.from({ length: 1000 }, (_, i) => i);
  const cuts = quantileCuts(sorted, 10);
  assertEquals(cuts.length, 9);
  cuts.forEach((cut, i) => assert(Math.abs(cut - (100 * (i + 1) - 0.5)) <= 1, `${i}: ${cut}`));
});

Deno.test("quantileCuts() leaves a heavy value alone in its bin", () => {
  // 900 of 1000 values are 7: with 5 bins the 100 others share four bins.
  const sorted = Float64Array.from({ length: 1000 }, (_, i) => i < 50 ? i / 50 : i < 950 ? 7 : i);
  const cuts = quantileCuts(sorted, 5);
  assertEquals(cuts.length, 4);
  assert(cuts.some((cut) => cut >= 0.98 && cut < 7) && cuts.some((cut) => cut >= 7 && cut < 950));
});

/** Rows of each of the values 0, 1, 2 …, most bins, and what a bin's last value is, worked by hand. */
const CLOSINGS: [number[], number, number[]][] = [
  // A share is 5: 3 is 2 away from it, and 7 as far; the bin goes on.
  [[3, 4, 3], 2, [1]],
  // 3 is 2 away, 8 is 3.
  [[3, 5, 2], 2, [0]],
  // 6 is more than a share of 4; of the 6 rows left each of two bins has 3.
  [[6, 1, 1, 1, 1, 1, 1], 3, [0, 3]],
  // 1 + 1 are 2 of a share of 4; 2 + 9 are farther away. Of 10 rows left a share is 5: 9 stands alone.
  [[1, 1, 9, 1], 3, [1, 2]],
  // No more values than bins.
  [[9, 1, 1], 3, [0, 1]],
];

Deno.test("bins close where their rows come nearest to a share of those left, by kernels too", () => {
  for (const [rows, maxBins, lasts] of CLOSINGS) {
    const sorted = Float64Array.from(rows.flatMap((n, value) => Array(n).fill(value)));
    const halves = Float64Array.from(lasts, (last) => last + 0.5);
    assertEquals(quantileCuts(sorted, maxBins), halves);
    for (const memory of [createMemory({ plain: true }), createMemory()]) {
      memory.ensure(SPACE);
      memory.f64.set(sorted.toReversed(), A >>> 3);
      const { quantilePairs } = memory.wasm ? wasmKernels(memory) : twinKernels(memory);
      assertEquals(quantilePairs(A, sorted.length, maxBins, C, E, D), lasts.length);
      const pairs = memory.f64.subarray(D >>> 3, (D >>> 3) + 2 * lasts.length);
      assertEquals([...pairs], lasts.flatMap((last) => [last, last + 1]));
    }
  }
});

Deno.test("quantileCuts() weighs values: weight 2 equals a doubled value", () => {
  const values = Float64Array.from({ length: 400 }, (_, i) => i);
  const doubled = Float64Array.from({ length: 500 }, (_, i) => i < 200 ? i >> 1 : i - 100);
  const weight = values.map((value) => value < 100 ? 2 : 1);
  assertEquals(quantileCuts(values, 16, weight), quantileCuts(doubled, 16));
});

Deno.test("quantileCuts() ignores values of weight zero", () => {
  const weight = new Float64Array([1, 0, 1]);
  assertEquals(quantileCuts(new Float64Array([1, 2, 3]), 8, weight), new Float64Array([2]));
});

Deno.test("thresholdBetween() is a float32 number where there is one between", () => {
  assertEquals(thresholdBetween(0.1, 0.3), Math.fround(0.2));
  const low = 1;
  const high = 1 + 2 ** -52;
  assertEquals(thresholdBetween(low, high), 1);
  const t = thresholdBetween(1 + 2 ** -30, 1 + 2 ** -29);
  assert(1 + 2 ** -30 <= t && t < 1 + 2 ** -29);
});

Deno.test("thresholdBetween() is finite between infinite neighbours", () => {
  assertEquals(thresholdBetween(-Infinity, -1.7e308), -Number.MAX_VALUE);
  assertEquals(thresholdBetween(1.7e308, Infinity), 1.7e308);
  const t = thresholdBetween(5, Infinity);
  assert(t >= 5 && Number.isFinite(t));
  const u = thresholdBetween(-Infinity, 5);
  assert(u < 5 && Number.isFinite(u));
});

Deno.test("thresholdBetween() never reaches the upper neighbour, however close", () => {
  // The float32 nearest to the middle of these two is 1 itself.
  assert(thresholdBetween(1 - 2 ** -30, 1) < 1);
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }),
      fc.integer({ min: 1, max: 52 }),
      (low, bits) => {
        const high = low + Math.abs(low) * 2 ** -bits;
        fc.pre(high > low);
        for (const [a, b] of [[low, high], [-high, -low]]) {
          const t = thresholdBetween(a, b);
          assert(a <= t && t < b, `${a} <= ${t} < ${b}`);
        }
      },
    ),
  );
});
