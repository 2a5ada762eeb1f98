import { assert, assertEquals } from "@std/assert";
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

Deno.test("shares of features are rounded to the nearest, half of one up", () => {
  const drawn = (share: number) => drawFeatures([0, 1, 2, 3, 4], share, undefined, createRng(1));
  assertEquals([0.29, 0.3, 0.5].map((share) => drawn(share).length), [1, 2, 3]);
  for (const [perNode, want] of [[0.29, 1], [0.3, 2], [0.5, 3]]) {
    const shares = { perTree: 1, perLevel: 1, perNode };
    const sampler = createColumnSampler(5, shares, undefined, createRng(1));
    assertEquals(count(sampler.allowed(0, 0, () => [])), want);
  }
});

Deno.test("drawFeatures() draws by weight: the first of two, then the second of those left", () => {
  const weights = [1, 2, 5];
  const draws = 4000;
  const seen = new Map<string, number>();
  for (let seed = 0; seed < draws; seed++) {
    for (const share of [1 / 3, 2 / 3]) {
      const drawn = drawFeatures([0, 1, 2], share, weights, createRng(seed)).join();
      seen.set(drawn, (seen.get(drawn) ?? 0) + 1);
    }
  }
  // Two are drawn in either order: of 0 and 1 one first by its share of 8, the other of what is left.
  const chances = {
    "0": 1 / 8,
    "1": 2 / 8,
    "2": 5 / 8,
    "0,1": 1 / 8 * 2 / 7 + 2 / 8 * 1 / 6,
    "0,2": 1 / 8 * 5 / 7 + 5 / 8 * 1 / 3,
    "1,2": 2 / 8 * 5 / 6 + 5 / 8 * 2 / 3,
  };
  for (const [drawn, chance] of Object.entries(chances)) {
    const off = (seen.get(drawn) ?? 0) / draws - chance;
    // Five standard deviations; seeds are fixed.
    assert(Math.abs(off) < 5 * Math.sqrt(chance * (1 - chance) / draws), `${drawn}: ${off}`);
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
