/**
 * Models of a tree or two, built by hand.
 *
 * @module
 */
import type { Schema } from "../../../src/data/types.ts";
import { TreelineError } from "../../../src/errors.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import { createTreeBuilder, packTrees, type TreeBuilder } from "../../../src/model/trees.ts";
import type { Ensemble, ModelParts } from "../../../src/model/types.ts";

/** Arithmetic of Treeline's own models. */
export const F64 = { input: "f64", sum: "f64", base: "first", shownTest: "<=" } as const;

/** A regression on `x` unless `schema` and `ensemble` say otherwise. */
export function modelOf(
  builders: readonly TreeBuilder[],
  schema: Partial<Schema>,
  ensemble: Partial<Ensemble> = {},
): Model {
  const parts: ModelParts = {
    schema: {
      features: [{ kind: "numeric", name: "x", missing: "learnt" }],
      target: { name: "y" },
      task: "regression",
      classes: [],
      extraColumns: "ignore",
      absentColumns: "missing",
      ...schema,
    },
    info: { version: "0", algorithm: "test" },
    ensemble: {
      trees: packTrees(builders),
      leafWidth: 1,
      numOutputs: 1,
      treeOutput: new Int32Array(builders.length),
      treeWeight: new Float64Array(builders.length).fill(1),
      treesPerRound: 1,
      aggregate: "sum",
      baseScore: new Float64Array(1),
      postprocess: { name: "identity" },
      profile: F64,
      ...ensemble,
    },
  };
  return createModel(parts);
}

/** x <= threshold ? low : high, missing to `missing`. */
export function stump(threshold: number, low: number, high: number, missing = 0): TreeBuilder {
  const tree = createTreeBuilder();
  const first = tree.splitThreshold(0, 0, threshold, missing);
  tree.setValue(first, [low]);
  tree.setValue(first + 1, [high]);
  return tree;
}

/** The code of an error, or its text. */
export function code(error: unknown): string {
  return error instanceof TreelineError ? error.code : String(error);
}
