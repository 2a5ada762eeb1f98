import { assertEquals } from "@std/assert";
import { leastCost } from "../../../src/util/least_cost.ts";

Deno.test("leastCost() weighs each answer by what it costs where others are true", () => {
  const costs = [0, 9, 1, 2, 0, 1, 9, 9, 0];
  // Answers cost 7 · 2 + 5 · 9 = 59, 8 · 9 + 5 · 9 = 117 and 8 + 7 = 15.
  assertEquals(leastCost(costs, [8, 7, 5], 0, 3), 2);
  // 1 · 2 + 0 = 2, 7 · 9 = 63, 7 + 1 = 8.
  assertEquals(leastCost(costs, [7, 1, 0], 0, 3), 0);
  // 7 · 2 = 14, 1 · 9 = 9, 1 + 7 = 8; and 14, 0, 7 without the first.
  assertEquals(leastCost(costs, [1, 7, 0], 0, 3), 2);
  assertEquals(leastCost(costs, [0, 7, 0], 0, 3), 1);
});

Deno.test("leastCost() reads shares at a place and a stride", () => {
  const costs = [0, 1, 3, 0];
  // Pairs (0.8, 0.2): 0.6 against 0.8; (0.7, 0.3): 0.9 against 0.7.
  assertEquals(leastCost(costs, [0.8, 0.2, 0.7, 0.3], 0, 2), 0);
  assertEquals(leastCost(costs, [0.8, 0.2, 0.7, 0.3], 2, 2), 1);
  assertEquals(leastCost(costs, [0.8, 0.7, 0.2, 0.3], 0, 2, 2), 0);
  assertEquals(leastCost(costs, [0.8, 0.7, 0.2, 0.3], 1, 2, 2), 1);
});

Deno.test("leastCost() takes the first of equal classes, whatever rounding says", () => {
  for (let k = 1; k < 200; k++) {
    // k rows at cost 1 beside one row at cost k, as shares.
    const shares = [k / (k + 1), 1 / (k + 1)];
    assertEquals(leastCost([0, 1, k, 0], shares, 0, 2), 0, `${k}`);
  }
  assertEquals(leastCost([0, 0, 0, 0], [0.5, 0.5], 0, 2), 0);
});
