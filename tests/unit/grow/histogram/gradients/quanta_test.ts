import { assert, assertEquals } from "@std/assert";
import { chooseQuanta } from "../../../../../src/grow/histogram/gradients/quanta.ts";

Deno.test("chooseQuanta() keeps sums of packed gradients in 32 bits", () => {
  for (const numRows of [70_000, 1e6, 2e7]) {
    for (const share of [1, 0.1, 0.01]) {
      const stats = {
        maxG: 3,
        sumG: 3 * share * numRows,
        maxH: 0.25,
        sumH: 0.25 * share * numRows,
      };
      const { packG, packH } = chooseQuanta(stats, numRows);
      // Each row may be rounded up by one.
      assert(stats.sumG * packG + numRows < 2 ** 31);
      assert(stats.sumH * packH + numRows < 2 ** 32);
      assert(3 * packG <= 32767 && 0.25 * packH <= 65535);
    }
  }
});

Deno.test("chooseQuanta() keeps sums of fixed gradients exact in float64", () => {
  for (const numRows of [10, 1e5, 1e7]) {
    for (const max of [1e-300, 1e-5, 1, 3.7e12]) {
      const { fixG } = chooseQuanta({ maxG: max, sumG: max, maxH: 1, sumH: 1 }, numRows);
      assert(max * fixG * numRows <= 2 ** 53, `${max} ${numRows}`);
      if (max > 1e-200) assert(max * fixG > 2 ** 20, `${max} ${numRows}`);
      assertEquals(Math.log2(fixG) % 1, 0);
    }
  }
});

Deno.test("chooseQuanta() goes wide for small data and for heavy tails", () => {
  const even = { maxG: 1, sumG: 3e5, maxH: 0.25, sumH: 2e5 };
  assertEquals(chooseQuanta(even, 1e6).wide, false);
  assertEquals(chooseQuanta({ ...even, sumG: 3e3 }, 1e4).wide, true);
  assertEquals(chooseQuanta({ ...even, maxG: 1e6 }, 1e6).wide, true);
});

Deno.test("chooseQuanta() makes equal second derivatives a whole number of quanta", () => {
  const { packH } = chooseQuanta({ maxG: 1, sumG: 1e5, maxH: 1, sumH: 1e6 }, 1e6);
  assertEquals(packH % 1, 0);
});
