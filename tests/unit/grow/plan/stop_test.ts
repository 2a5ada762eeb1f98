import { assertAlmostEquals, assertEquals } from "@std/assert";
import { trainCart } from "../../../../src/algorithms/classic/cart.ts";
import { trainId3 } from "../../../../src/algorithms/classic/id3.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { chiSquareTail } from "../../../../src/grow/plan/stop.ts";
import { countedRows } from "../../../support/data/counted_rows.ts";

Deno.test("chiSquareTail() equals the closed forms of even degrees of freedom", () => {
  for (const x of [1e-6, 0.3, 1, 2.9, 3, 4.1, 10, 40, 200]) {
    let term = 1;
    let sum = 0;
    for (let k = 0; k < 12; k++) {
      sum += term;
      term *= x / 2 / (k + 1);
      const expected = Math.exp(-x / 2) * sum;
      assertAlmostEquals(chiSquareTail(x, 2 * k + 2) / expected, 1, 1e-10);
    }
  }
});

Deno.test("chiSquareTail() gives the critical values of printed tables", () => {
  const cases = [
    [3.841458820694124, 1, 0.05],
    [6.6348966010212145, 1, 0.01],
    [7.814727903251179, 3, 0.05],
    [11.344866730144373, 3, 0.01],
    [11.070497693516351, 5, 0.05],
  ];
  for (const [x, k, p] of cases) assertAlmostEquals(chiSquareTail(x, k), p, 1e-12);
  assertEquals(chiSquareTail(0, 3), 1);
});

/** 2 × 2 table (8 4; 4 8), `times` over: χ² = 24 · (64 − 16)² / 12⁴ = 2.6667 · times. */
function table(times: number): Dataset {
  const [big, small] = [8 * times, 4 * times];
  return countedRows(["no", "yes"], [[0, 0, big], [0, 1, small], [1, 0, small], [1, 1, big]]);
}

Deno.test("stop chi-square vetoes splits above the level, in CART and ID3", async () => {
  // p = 0.1025 for one, 0.0209 for two.
  const cases = [[1, 0.05, 1], [1, 0.1, 1], [1, 0.105, 3], [2, 0.05, 3], [2, 0.02, 1], [
    2,
    0.021,
    3,
  ]];
  for (const [times, significance, nodes] of cases) {
    const data = table(times);
    const params = { stop: "chi-square", significance } as const;
    assertEquals((await trainCart(data, params)).ensemble.trees.kind.length, nodes);
    const [x] = data.features;
    const codes = Int32Array.from((x as { readonly values: Float64Array }).values);
    const levels: Dataset = {
      ...data,
      features: [{ kind: "categorical", name: "x", codes, categories: ["a", "b"] }],
    };
    assertEquals((await trainId3(levels, params)).ensemble.trees.kind.length, nodes);
  }
});
