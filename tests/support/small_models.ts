/**
 * Two models small enough to score by hand.
 *
 * @module
 */
import type { Schema } from "../../src/data/types.ts";
import { createTreeBuilder, packTrees } from "../../src/model/trees.ts";
import type { Ensemble } from "../../src/model/types.ts";
import { createModel, type Model } from "../../src/model/model.ts";

/** Features `age` (missing is learnt), `job` (categories a, b) and `__proto__` (missing follows the heavier child). */
export const SMALL_SCHEMA: Schema = {
  features: [
    { kind: "numeric", name: "age", missing: "learnt" },
    {
      kind: "categorical",
      name: "job",
      missing: "learnt",
      unknown: "heavier",
      categories: ["a", "b"],
    },
    { kind: "numeric", name: "__proto__", missing: "heavier" },
  ],
  target: { name: "rich" },
  task: "classification",
  classes: ["no", "yes"],
  extraColumns: "ignore",
  absentColumns: "missing",
};

/** age <= 30 → −1 else 1 (missing: 1); job b → +0.5 else 0 (unknown, missing: 0); `__proto__` <= 0 → 0 else 2. */
export function smallEnsemble(): Ensemble {
  const age = createTreeBuilder(1);
  const young = age.splitThreshold(0, 0, 30, 1);
  age.setValue(young, [-1]);
  age.setValue(young + 1, [1]);
  const job = createTreeBuilder(1);
  const isB = job.splitSubset(0, 1, new Uint32Array([0b010]), 1);
  job.setValue(isB, [0.5]);
  job.setValue(isB + 1, [0]);
  const proto = createTreeBuilder(1);
  const low = proto.splitThreshold(0, 2, 0, 0);
  proto.setValue(low, [0]);
  proto.setValue(low + 1, [2]);
  return {
    trees: packTrees([age, job, proto]),
    leafWidth: 1,
    numOutputs: 1,
    treeOutput: new Int32Array(3),
    treeWeight: new Float64Array(3).fill(1),
    treesPerRound: 1,
    aggregate: "sum",
    baseScore: new Float64Array([0.25]),
    postprocess: { name: "sigmoid" },
    profile: { input: "f64", sum: "f64", base: "first", shownTest: "<=" },
  };
}

/** The raw score of one row, by the words above. */
export function smallRaw(age: number | null, job: string | null, proto: number | null): number {
  return 0.25 + (age !== null && age <= 30 ? -1 : 1) + (job === "b" ? 0.5 : 0) +
    (proto !== null && proto > 0 ? 2 : 0);
}

/** The model of `smallEnsemble`. */
export function smallModel(): Model {
  return createModel({
    schema: SMALL_SCHEMA,
    ensemble: smallEnsemble(),
    info: { version: "0.1.0", algorithm: "boost" },
  });
}
