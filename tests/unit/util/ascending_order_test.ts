import { assertEquals } from "@std/assert";
import { ascendingOrder } from "../../../src/util/ascending_order.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Places by comparing every pair. */
function byPairs(values: Float64Array): number[] {
  return Array.from(values.keys()).sort((a, b) => values[a] - values[b] || a - b);
}

Deno.test("ascendingOrder() puts equal numbers, 0 and -0 among them, in order of place", () => {
  const values = Float64Array.of(2, 0, 2, -0, -1, 0, Infinity, 2, -Infinity, -0, 1);
  assertEquals([...ascendingOrder(values)], [8, 4, 1, 3, 5, 9, 10, 0, 2, 7, 6]);
  assertEquals([...ascendingOrder(new Float32Array(0))], []);
  assertEquals([...ascendingOrder(Float32Array.of(3))], [0]);
});

Deno.test("ascendingOrder() is that of comparing pairs, for all lengths up to 70 and longer ones", () => {
  const rng = createRng(5);
  for (const length of [...Array(70).keys(), 511, 512, 513, 1000, 4097]) {
    const few = Float64Array.from({ length }, () => rng.nextInt(9) - 4);
    const many = Float64Array.from({ length }, () => rng.nextFloat() - 0.5);
    for (const values of [few, many, many.slice().sort(), many.slice().sort().reverse()]) {
      assertEquals([...ascendingOrder(values)], byPairs(values));
    }
  }
});
