/**
 * Two models small enough to score by hand.
 *
 * @module
 */
import type { Schema } from "../../../src/data/types.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import type { Ensemble } from "../../../src/model/types.ts";
import { createModel, type Model } from "../../../src/model/model.ts";

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
  age.setStats(0, 10, 3);
  age.setStats(young, 4, 0);
  age.setStats(young + 1, 6, 0);
  const job = createTreeBuilder(1);
  const isB = job.splitSubset(0, 1, new Uint32Array([0b010]), 1);
  job.setValue(isB, [0.5]);
  job.setValue(isB + 1, [0]);
  job.setStats(0, 10, 2);
  job.setStats(isB, 5, 0);
  job.setStats(isB + 1, 5, 0);
  const proto = createTreeBuilder(1);
  const low = proto.splitThreshold(0, 2, 0, 0);
  proto.setValue(low, [0]);
  proto.setValue(low + 1, [2]);
  proto.setStats(0, 10, 1);
  proto.setStats(low, 8, 0);
  proto.setStats(low + 1, 2, 0);
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

/** The same with names and categories that are read from the right, some with marks at their ends. */
export function hebrewModel(): Model {
  const names = ["גיל (שנים)", "وظيفة", "הכנסה_שנתית"];
  return createModel({
    schema: {
      ...SMALL_SCHEMA,
      features: SMALL_SCHEMA.features.map((feature, f) =>
        feature.kind === "numeric"
          ? { ...feature, name: names[f] }
          : { ...feature, name: names[f], categories: ["مهندس (أول)", "רופא"] }
      ),
      target: { name: "עשיר?" },
      classes: ["לא (no)", "כן"],
    },
    ensemble: smallEnsemble(),
    info: { version: "0.1.0", algorithm: "boost" },
  });
}

/** Features `a` and `b`, numbers; 10 where a <= 2, else 20 (missing: 20). Regression. */
export function numbersModel(low = 10): Model {
  const tree = createTreeBuilder(1);
  const left = tree.splitThreshold(0, 0, 2, 1);
  tree.setValue(left, [low]);
  tree.setValue(left + 1, [20]);
  tree.setStats(0, 4, 1);
  tree.setStats(left, 1, 0);
  tree.setStats(left + 1, 3, 0);
  return createModel({
    schema: {
      features: [
        { kind: "numeric", name: "a", missing: "learnt" },
        { kind: "numeric", name: "b", missing: "learnt" },
      ],
      target: { name: "y" },
      task: "regression",
      classes: [],
      extraColumns: "ignore",
      absentColumns: "missing",
    },
    ensemble: {
      ...smallEnsemble(),
      trees: packTrees([tree]),
      treeOutput: new Int32Array(1),
      treeWeight: new Float64Array([1]),
      baseScore: new Float64Array(1),
      postprocess: { name: "identity" },
    },
    info: { version: "0.1.0", algorithm: "boost" },
  });
}

/** One feature `job` (a, b): 1 for b, else 2. Regression. */
export function textModel(): Model {
  const tree = createTreeBuilder(1);
  const isB = tree.splitSubset(0, 0, new Uint32Array([0b010]), 1);
  tree.setValue(isB, [1]);
  tree.setValue(isB + 1, [2]);
  const numbers = numbersModel();
  return createModel({
    schema: { ...numbers.schema, features: [SMALL_SCHEMA.features[1]] },
    ensemble: { ...numbers.ensemble, trees: packTrees([tree]) },
    info: numbers.info,
  });
}
