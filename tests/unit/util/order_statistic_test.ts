import { assertEquals } from "@std/assert";
import { orderStatistic } from "../../../src/util/order_statistic.ts";
import { createRng } from "../../../src/util/rng.ts";

/** All of them, by sorting. */
function assertSorted(values: Float64Array, indices: readonly number[]) {
  const sorted = values.slice().sort();
  for (const index of indices) assertEquals(orderStatistic(values, index), sorted[index]);
}

Deno.test("orderStatistic() is the element of the sorted values", () => {
  const rng = createRng(7);
  for (let turn = 0; turn < 200; turn++) {
    const length = 1 + rng.nextInt(40);
    const values = Float64Array.from({ length }, () => {
      const kind = rng.nextInt(6);
      return kind === 0
        ? rng.nextInt(3)
        : kind === 1
        ? rng.nextUint32() * 2 ** -1100
        : kind === 2
        ? Infinity
        : rng.nextUint32() / 2 ** rng.nextInt(64);
    });
    assertSorted(values, Array.from(values.keys()));
  }
});

Deno.test("orderStatistic() of many, of equal ones, of a part of a buffer and with NaN", () => {
  const rng = createRng(8);
  const many = Float64Array.from({ length: 50_000 }, () => (rng.nextUint32() / 2 ** 32) ** 9);
  assertSorted(many, [0, 1, 24_999, 40_000, 49_999]);
  assertSorted(new Float64Array(1000).fill(0.25), [0, 500, 999]);
  assertSorted(many.subarray(3, 1000), [0, 500, 996]);
  assertSorted(Float64Array.of(NaN, 1, Infinity, 0, NaN), [0, 1, 2, 3, 4]);
});
