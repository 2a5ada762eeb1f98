import { assert, assertEquals } from "@std/assert";
import { drawBootstrap } from "../../../../../src/grow/histogram/gradients/row_draw.ts";
import { createRng } from "../../../../../src/util/rng.ts";

Deno.test("drawBootstrap() draws with replacement", () => {
  const factor = new Float64Array(1000);
  drawBootstrap(factor, 1, createRng(1));
  assertEquals(factor.reduce((a, b) => a + b), 1000);
  const left = factor.filter((f) => f === 0).length;
  assert(Math.abs(left - 368) < 60, `${left}`); // 1000/e
});
