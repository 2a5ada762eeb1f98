/**
 * A model with surrogate splits of both kinds, small enough to score by hand.
 *
 * @module
 */
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import type { ModelParts } from "../../../src/model/types.ts";

/**
 * `x <= 0.5` → 1, else (`z <= 7` → 2, else 4). Where x is missing: `y <= 2` goes right and larger y
 * left; then `c`: a goes left, b right, others cannot tell; then right. Where z is missing: left.
 */
export function surrogateParts(): ModelParts {
  const tree = createTreeBuilder(1);
  const first = tree.splitThreshold(0, 0, 0.5, 1);
  const second = tree.splitThreshold(first + 1, 3, 7, 0);
  tree.setValue(first, [1]);
  tree.setValue(second, [2]);
  tree.setValue(second + 1, [4]);
  [[0, 10], [first, 4], [first + 1, 6], [second, 3], [second + 1, 3]]
    .forEach(([node, cover]) => tree.setStats(node, cover, 0));
  return {
    schema: {
      features: [
        { kind: "numeric", name: "x", missing: "learnt" },
        { kind: "numeric", name: "y", missing: "learnt" },
        {
          kind: "categorical",
          name: "c",
          missing: "learnt",
          unknown: "heavier",
          categories: ["a", "b", "d"],
        },
        { kind: "numeric", name: "z", missing: "learnt" },
      ],
      target: { name: "t" },
      task: "regression",
      classes: [],
      extraColumns: "ignore",
      absentColumns: "missing",
    },
    info: { version: "0.1.0", algorithm: "by-hand" },
    ensemble: {
      trees: packTrees([tree]),
      leafWidth: 1,
      numOutputs: 1,
      treeOutput: new Int32Array(1),
      treeWeight: Float64Array.of(1),
      treesPerRound: 1,
      aggregate: "sum",
      baseScore: new Float64Array(1),
      postprocess: { name: "identity" },
      profile: { input: "f64", sum: "f64", base: "first", shownTest: "<=" },
      surrogates: {
        start: Int32Array.of(0, 2, 2, 2, 2, 2),
        feature: Int32Array.of(1, 2),
        threshold: Float64Array.of(2, 0),
        below: Uint8Array.of(1, 0),
        categoryAt: Int32Array.of(-1, 0),
        pool: Uint8Array.of(0, 1, 255, 255),
      },
    },
  };
}
