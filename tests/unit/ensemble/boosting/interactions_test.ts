import { assert, assertEquals } from "@std/assert";
import type { Dataset } from "../../../../src/data/types.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import type { BoostPlan } from "../../../../src/ensemble/plan.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";
import type { Trees } from "../../../../src/model/types.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** Four numbers; the target asks for splits on one of the first two beside one of the last two. */
function makeData(): Dataset {
  const rng = createRng(2);
  const columns = Array.from(
    { length: 4 },
    () => Float64Array.from({ length: 600 }, () => rng.nextInt(10)),
  );
  const [a, b, c, d] = columns;
  return {
    numRows: 600,
    features: columns.map((values, f) => ({ kind: "numeric", name: `x${f}`, values })),
    target: { kind: "regression", name: "y", values: a.map((x, i) => x * c[i] + b[i] * d[i]) },
  };
}

/** The features above each leaf. */
function pathsOf({ feature, firstChild }: Trees): number[][] {
  const above = new Map<number, number[]>();
  const paths: number[][] = [];
  feature.forEach((f, node) => {
    const path = above.get(node) ?? []; // none at a root
    if (f < 0) paths.push([...new Set(path)].toSorted());
    else {for (const child of [firstChild[node], firstChild[node] + 1]) {
        above.set(child, [...path, f]);
      }}
  });
  return paths;
}

const PLAN: BoostPlan = {
  loss: squaredLoss(),
  rounds: 4,
  learningRate: 0.5,
  seed: 1,
  maxDepth: 4,
};

const SCORES: { readonly [name: string]: Partial<BoostPlan> } = {
  "plain": {},
  "a bound on the step": { maxDeltaStep: 30 },
  "path smoothing": { pathSmooth: 2 },
  "columns drawn": { featuresPerLevel: 0.8, featuresPerNode: 0.6 },
  "columns drawn by weight": { featuresPerNode: 0.6, featureWeights: [1, 2, 3, 1] },
  "by leaf, a monotone feature": { growth: "leaf", maxLeaves: 12, monotone: [1, 0, 0, 0] },
};

for (const [name, scores] of Object.entries(SCORES)) {
  Deno.test(`features of different groups never meet on a path: ${name}`, async () => {
    const run = async (interactions?: number[][]) => {
      const plan = { ...PLAN, ...scores, ...(interactions && { interactions }) };
      return pathsOf((await boost(makeData(), plan, { threads: 1 })).ensemble.trees);
    };
    const isWithin = (path: number[]) => path.every((f) => f < 2 === path[0] < 2);
    const paths = await run([[0, 1], [2, 3]]);
    assertEquals(paths.filter((path) => !isWithin(path)), []);
    for (const group of ["0,1", "2,3"]) assert(paths.some((path) => `${path}` === group), group);
    assert(!(await run()).every(isWithin)); // they would
  });
}
