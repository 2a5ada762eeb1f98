import { assertEquals } from "@std/assert";
import {
  createColumnSampler,
  drawFeatures,
} from "../../../../src/grow/histogram/column_sampler.ts";
import { interactionRule } from "../../../../src/grow/histogram/constraints.ts";
import { createRng } from "../../../../src/util/rng.ts";

const count = (mask: Uint8Array | undefined) => mask?.reduce((a, b) => a + b);

Deno.test("drawFeatures() takes its share, at least one, never those of weight 0", () => {
  assertEquals(drawFeatures([0, 1, 2, 3], 0.5, undefined, createRng(1)).length, 2);
  assertEquals(drawFeatures([0, 1, 2, 3], 0.01, undefined, createRng(1)).length, 1);
  for (let seed = 0; seed < 50; seed++) {
    const drawn = drawFeatures([0, 1, 2, 3], 0.5, [1, 0, 1, 1], createRng(seed));
    assertEquals(drawn.includes(1), false);
  }
});

Deno.test("createColumnSampler() multiplies the shares of tree, level and node", () => {
  const shares = { perTree: 0.5, perLevel: 0.5, perNode: 0.5 };
  const sampler = createColumnSampler(16, shares, undefined, createRng(3));
  assertEquals(count(sampler.allowed(0, 0, () => [])), 2);
  // The same node gets the same features, whenever it is asked for.
  assertEquals(sampler.allowed(2, 5, () => []), sampler.allowed(2, 5, () => []));
});

Deno.test("createColumnSampler() without shares and rules allows everything", () => {
  const shares = { perTree: 1, perLevel: 1, perNode: 1 };
  assertEquals(
    createColumnSampler(3, shares, undefined, createRng(1)).allowed(0, 0, () => []),
    undefined,
  );
});

Deno.test("interactionRule() opens the groups that hold the whole path", () => {
  const rule = interactionRule([[0, 1], [1, 2, 3]], 5);
  assertEquals(rule([]), undefined);
  assertEquals(rule([1]), Uint8Array.of(1, 1, 1, 1, 0));
  assertEquals(rule([1, 2]), Uint8Array.of(0, 1, 1, 1, 0));
  assertEquals(rule([4]), Uint8Array.of(0, 0, 0, 0, 1));
});
