import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { bootstrapRows, gossRows } from "../../../src/grow/row_sampler.ts";
import { createRng } from "../../../src/util/rng.ts";

Deno.test("bootstrapRows() draws with replacement", () => {
  const factor = new Float64Array(1000);
  bootstrapRows(1)(factor, createRng(1));
  assertEquals(factor.reduce((a, b) => a + b), 1000);
  const left = factor.filter((f) => f === 0).length;
  assert(Math.abs(left - 368) < 60, `${left}`); // 1000/e
});

Deno.test("gossRows() keeps the top and estimates sums without bias", () => {
  const rank = Float64Array.from({ length: 100 }, (_, i) => i % 10 === 0 ? 5 + i : 1 / (i + 1));
  const values = rank.map((r, i) => r * (i % 2 === 0 ? 1 : -1));
  const exact = values.reduce((a, b) => a + b);
  const factor = new Float64Array(100);
  let mean = 0;
  const runs = 10_000;
  for (let seed = 0; seed < runs; seed++) {
    gossRows(0.1, 0.2, () => rank)(factor, createRng(seed));
    for (let i = 0; i < 100; i += 10) if (factor[i] !== 1) throw new Error(`${i}`);
    values.forEach((v, i) => mean += (v * factor[i]) / runs);
  }
  assertEquals(factor.filter((f) => f > 0).length, 30);
  assertAlmostEquals(mean, exact, 0.05); // one run's standard deviation is about 1.4
});

Deno.test("gossRows() with shares of sum 1 is no sampling", () => {
  const factor = new Float64Array(10);
  gossRows(0.3, 0.7, () => Float64Array.from({ length: 10 }, (_, i) => i))(factor, createRng(1));
  assertEquals(factor, new Float64Array(10).fill(1));
});
