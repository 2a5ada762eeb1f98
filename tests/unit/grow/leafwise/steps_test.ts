import { assertEquals } from "@std/assert";
import { evenSteps, limitSteps, stepSides } from "../../../../src/grow/leafwise/steps.ts";
import { createRng } from "../../../../src/util/rng.ts";

Deno.test("limitSteps() bounds each bin of a range, as an array of bins does", () => {
  const rng = createRng(4);
  for (let trial = 0; trial < 300; trial++) {
    const numBins = 2 + rng.nextInt(7);
    const isLower = rng.nextInt(2) === 0;
    const [tighter, none] = isLower ? [Math.max, -Infinity] : [Math.min, Infinity];
    const steps = evenSteps(none);
    const bins = new Array<number>(numBins).fill(none);
    for (let k = 0; k < 5; k++) {
      const start = rng.nextInt(numBins);
      const end = start + 1 + rng.nextInt(numBins - start);
      const value = rng.nextInt(6);
      limitSteps(steps, value, { start, end, numBins }, tighter);
      for (let bin = start; bin < end; bin++) bins[bin] = tighter(bins[bin], value);
    }
    const { left, right } = stepSides(steps, tighter);
    bins.forEach((_, bin) => {
      assertEquals(right(bin), tighter(...bins.slice(bin)));
      if (bin > 0) assertEquals(left(bin), tighter(...bins.slice(0, bin)));
    });
  }
});

Deno.test("limitSteps() bounds what LightGBM bounds where a range holds no bin", () => {
  const range = { start: 2, end: 2, numBins: 6 };
  // Where a step begins at the start, all of it; otherwise nothing but a step without a bin.
  const known = { from: [0, 2, 4], bound: [1, 2, 3] };
  limitSteps(known, 9, range, Math.max);
  assertEquals(known, { from: [0, 2, 4], bound: [1, 9, 3] });
  const other = { from: [0, 4], bound: [1, 3] };
  limitSteps(other, 9, range, Math.max);
  assertEquals(other, { from: [0, 2, 2, 4], bound: [1, 9, 1, 3] });
});
