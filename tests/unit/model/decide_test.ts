import { assertEquals } from "@std/assert";
import { decideAbove } from "../../../src/model/decide.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import { numbersModel } from "../../support/models/small.ts";

/** Stumps on column `a`, one for each pair of leaves: where it lies below the threshold, and above. */
function stumps(
  leaves: readonly (readonly [number, number])[],
  baseScore = 0,
  sum: "f32" | "f64" = "f64",
): Model {
  const { schema, ensemble, info } = numbersModel();
  const trees = leaves.map(([below, above]) => {
    const tree = createTreeBuilder(1);
    const left = tree.splitThreshold(0, 0, 0, 1);
    tree.setValue(left, [below]);
    tree.setValue(left + 1, [above]);
    return tree;
  });
  return createModel({
    schema,
    info,
    ensemble: {
      ...ensemble,
      baseScore: Float64Array.of(baseScore),
      profile: { ...ensemble.profile, sum },
      trees: packTrees(trees),
      treeOutput: new Int32Array(trees.length),
      treeWeight: new Float64Array(trees.length).fill(1),
    },
  });
}

Deno.test("decideAbove() walks no tree more than it must, on either side of the threshold", () => {
  const model = stumps(Array.from({ length: 10 }, () => [-1, 1]));
  // After t trees of ±1 the others add at most 10 − t: five leave 0 within reach, six do not.
  const of = (a: number, threshold: number) => {
    const { above, treesWalked, treesTotal } = decideAbove(model, { a, b: 0 }, threshold);
    return [above[0], treesWalked, treesTotal];
  };
  assertEquals([of(1, 0), of(-1, 0)], [[1, 6, 10], [0, 6, 10]]);
  // 9.5: one tree of −1 leaves 8; all ten of 1 are needed.
  assertEquals([of(-1, 9.5), of(1, 9.5)], [[0, 1, 10], [1, 10, 10]]);
  assertEquals([of(1, 11), of(-1, -11)], [[0, 0, 10], [1, 0, 10]]);
  const both = decideAbove(model, [{ a: 1, b: 0 }, { a: -1, b: 0 }], 0);
  assertEquals([[...both.above], both.treesWalked, both.treesTotal], [[1, 0], 12, 20]);
});

Deno.test("decideAbove() allows for how the full sum is rounded, whichever trees it skips", () => {
  // In their order 0.1 + 0.2 + 0.3 + 0 is 0.6000000000000001, from the other end it is 0.6.
  const model = stumps([0.1, 0.2, 0.3, 0].map((value) => [value, value]));
  assertEquals([...decideAbove(model, { a: 1, b: 0 }, 0.6).above], [1]);
});

Deno.test("decideAbove() answers as a float32 sum does that overflows, or that starts below its numbers", () => {
  const a = { a: 1, b: 0 };
  // 3e38 + 3e38 is infinite in float32, and stays so.
  const large = stumps([3e38, 3e38, -3e38].map((value) => [value, value]), 0, "f32");
  assertEquals(large.predictRaw(a).data, Float64Array.of(Infinity));
  assertEquals([1e39, 1e300, Infinity].map((t) => decideAbove(large, a, t).above[0]), [1, 1, 0]);
  // The first sum rounds 1e-46 to 0, since the smallest float32 above it is 1.4e-45.
  const small = stumps([[0, 0], [0, 0]], 1e-46, "f32");
  assertEquals(small.predictRaw(a).data, Float64Array.of(0));
  assertEquals([...decideAbove(small, a, 0).above], [0]);
});
