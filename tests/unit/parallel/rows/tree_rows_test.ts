import { assert, assertEquals } from "@std/assert";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import { growTree } from "../../../../src/grow/grower.ts";
import { contextOf, NO_LIMITS, type TreePlan } from "../../../../src/grow/plan/plan.ts";
import { createFrame } from "../../../../src/grow/rows/frame.ts";
import { leafOfRow } from "../../../../src/grow/tree/tree.ts";
import { HERE } from "../../../../src/metric/job.ts";
import {
  chooseRows,
  numberRows,
  treeRows,
  treeRowsTask,
} from "../../../../src/parallel/rows/tree_rows.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** Three blocks. */
const ROWS = 9000;
const rng = createRng(2);
const gap = () => rng.nextInt(9) === 0;
const x = Float64Array.from({ length: ROWS }, () => gap() ? NaN : rng.nextInt(50));
const level = Int32Array.from({ length: ROWS }, () => gap() ? -1 : rng.nextInt(12));
const values = Float64Array.from(x, (v, row) => (v || 5) + level[row]! % 5 + rng.nextFloat());
const frame = createFrame(createDataset(
  [
    { kind: "numeric", name: "x", values: x },
    {
      kind: "categorical",
      name: "c",
      codes: level,
      categories: Array.from({ length: 12 }, (_, k) => `${k}`),
    },
  ],
  { kind: "regression", name: "y", values },
));

const PLANS: { readonly [name: string]: Partial<TreePlan> } = {
  "that threads walk": {},
  "with surrogates": { missing: "surrogate", maxSurrogates: 1 },
  "whose rows go down several branches": { missing: "fractional" },
};

for (const [name, own] of Object.entries(PLANS)) {
  Deno.test(`numberRows() tells the leaf of every row of trees ${name}`, () => {
    const plan: TreePlan = {
      criterion: "variance",
      splitter: "exact",
      missing: "learn",
      order: "depth-first",
      limits: { ...NO_LIMITS, maxDepth: 5 },
      ...own,
    };
    const space = treeRows(frame, plan, HERE);
    for (let row = 0; row < ROWS; row++) space.all[row] = row;
    const weight = new Float64Array(ROWS);
    const task = treeRowsTask(space, weight);
    // Blocks in an odd order.
    const run = (step: number, arg: number) => {
      const items = [1, 2, 0, 3];
      task.run(step, () => items.shift()!, arg);
    };
    for (let tree = 0; tree < 3; tree++) {
      weight.forEach((_, row) => weight[row] = tree < 2 ? rng.nextInt(3) : 1);
      const rows = chooseRows(space, ROWS, run);
      const expected = [...space.all].filter((row) => weight[row] > 0);
      assertEquals([...rows], expected);
      const context = contextOf(plan, frame, { kind: "moment", values, weight });
      const grown = growTree(context, rows, createRng(tree));
      const apart = plan.missing === "fractional";
      const numbers = numberRows(grown, space, run, apart);
      assert(numbers.length > 20);
      for (let row = 0; row < ROWS; row++) {
        const stands = numbers[space.numberOf[row]]!;
        if (stands >= 0) assertEquals(stands, leafOfRow(grown, row), `row ${row} of tree ${tree}`);
        else assertEquals([apart, stands], [true, -1 - row]);
      }
    }
  });
}
