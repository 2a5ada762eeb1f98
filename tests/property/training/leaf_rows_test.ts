import { assert, assertEquals } from "@std/assert";
import type { Column, Dataset } from "../../../src/data/types.ts";
import { growTree } from "../../../src/grow/grower.ts";
import { contextOf, NO_LIMITS, type TreePlan } from "../../../src/grow/plan/plan.ts";
import { createFrame } from "../../../src/grow/rows/frame.ts";
import { leafOfRow } from "../../../src/grow/tree/tree.ts";
import { HERE } from "../../../src/metric/job.ts";
import { numberRows, treeRows, treeRowsTask } from "../../../src/parallel/rows/tree_rows.ts";
import { createRng } from "../../../src/util/rng.ts";

const base = {
  splitter: "exact",
  missing: "learn",
  order: "depth-first",
  limits: NO_LIMITS,
} as const;

/** Every way in which rows are parted: thresholds, subsets, branches, surrogates, shares. */
const PLANS: readonly TreePlan[] = [
  { ...base, criterion: "gini" },
  { ...base, criterion: "variance", order: "best-first", limits: { ...NO_LIMITS, maxLeaves: 6 } },
  { ...base, criterion: "entropy", splitter: "random", featuresPerNode: 2 },
  { ...base, criterion: "gini", missing: "surrogate", maxSurrogates: 2 },
  { ...base, criterion: "entropy", missing: "fractional", splitter: "c45", minObjects: 2 },
  { ...base, criterion: "gini", missing: "fractional" },
  { ...base, criterion: "entropy", missing: "fractional", splitter: "id3" },
];

function table(seed: number): Dataset {
  const rng = createRng(seed);
  const numRows = 20 + rng.nextInt(80);
  const ints = (size: number, lacking: number) =>
    Array.from({ length: numRows }, () => rng.nextFloat() < lacking ? -1 : rng.nextInt(size));
  const features: Column[] = [5, 40].map((size) => ({
    kind: "numeric",
    name: `x${size}`,
    values: Float64Array.from(ints(size, 0.1), (v) => v < 0 ? NaN : v),
  }));
  for (const size of [3, 6]) {
    features.push({
      kind: "categorical",
      name: `c${size}`,
      codes: Int32Array.from(ints(size, 0.1)),
      categories: Array.from({ length: size }, (_, k) => `k${k}`),
    });
  }
  return {
    numRows,
    features,
    target: { kind: "regression", name: "y", values: Float64Array.from(ints(3, 0)) },
  };
}

Deno.test("numberRows() is leafOfRow() of every row, whatever the tree grew on", () => {
  let walked = 0;
  let numLeaves = 0;
  for (let seed = 0; seed < 60; seed++) {
    const data = table(seed);
    const rng = createRng(1000 + seed);
    const { values } = data.target as { readonly values: Float64Array };
    const numbered = { ...data, features: data.features.filter(({ kind }) => kind === "numeric") };
    const named = { ...data, features: data.features.filter(({ kind }) => kind !== "numeric") };
    const counts = Float64Array.from(values, () => 1 + rng.nextInt(3));
    for (const plan of PLANS) {
      const frame = createFrame(
        plan.splitter === "id3" ? named : plan.missing === "surrogate" ? numbered : data,
      );
      const classes = seed % 2 === 0 ? 2 : 3;
      const weight = seed % 3 === 0 ? {} : { weight: counts };
      const source = plan.criterion === "variance"
        ? { kind: "moment", values, ...weight } as const
        : {
          kind: "class",
          codes: Int32Array.from(values, (v) => Math.min(v, classes - 1)),
          numClasses: classes,
          ...weight,
        } as const;
      // Some rows take no part.
      const part = seed % 4 === 0 ? 1 : 0.6;
      const rows = Int32Array.from({ length: data.numRows }, (_, row) => row)
        .filter(() => rng.nextFloat() < part);
      if (rows.length < 2) continue;
      const space = treeRows(frame, plan, HERE);
      space.rows.set(rows);
      const own = space.rows.subarray(0, rows.length);
      const tree = growTree(contextOf(plan, frame, source), own, createRng(seed));
      const task = treeRowsTask(space, undefined);
      const leaves = numberRows(tree, space, (step, arg) => {
        let item = 0;
        task.run(step, () => item++, arg);
      });
      const found = space.numberOf.map((number) => leaves[number]!);
      const expected = Int32Array.from(found, (_, row) => leafOfRow(tree, row));
      assertEquals(found, expected, `seed ${seed}, ${JSON.stringify(plan)}`);
      walked += data.numRows - rows.length;
      numLeaves += tree.numNodes;
    }
  }
  assert(walked > 1000 && numLeaves > 4000, `${walked} rows walked, ${numLeaves} nodes`);
});
