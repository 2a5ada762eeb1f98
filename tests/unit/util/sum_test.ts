import { assertEquals } from "@std/assert";
import { createSum, sum } from "../../../src/util/sum.ts";

Deno.test("sum() keeps what plain addition loses", () => {
  assertEquals(sum([1, 1e100, 1, -1e100]), 2);
  const tiny = new Float64Array(1_000_001).fill(1e-16);
  tiny[0] = 1;
  assertEquals(sum(tiny), 1.0000000001);
});

Deno.test("createSum() reports an infinite total as it is", () => {
  const total = createSum();
  total.add(Infinity);
  total.add(1);
  assertEquals(total.value(), Infinity);
});
