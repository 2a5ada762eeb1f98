import { assert, assertEquals } from "@std/assert";
import { bootstrapRows } from "../../../src/grow/row_sampler.ts";
import { createRng } from "../../../src/util/rng.ts";

Deno.test("bootstrapRows() draws with replacement", () => {
  const factor = new Float64Array(1000);
  bootstrapRows(1)(factor, createRng(1));
  assertEquals(factor.reduce((a, b) => a + b), 1000);
  const left = factor.filter((f) => f === 0).length;
  assert(Math.abs(left - 368) < 60, `${left}`); // 1000/e
});
