import { assert, assertEquals } from "@std/assert";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import { growTree } from "../../../../src/grow/grower.ts";
import { contextOf, NO_LIMITS, type TreePlan } from "../../../../src/grow/plan/plan.ts";
import { createFrame, type Frame } from "../../../../src/grow/rows/frame.ts";
import {
  type CodeTree,
  codeTreeSpace,
  numberOfRow,
  writeCodeTree,
} from "../../../../src/grow/tree/code_tree.ts";
import { type GrownTree, leafOfRow, leavesOf } from "../../../../src/grow/tree/tree.ts";
import { HERE } from "../../../../src/metric/job.ts";
import { createRng } from "../../../../src/util/rng.ts";

const ROWS = 400;
const rng = createRng(9);
const gap = () => rng.nextInt(6) === 0;
const x = Float64Array.from({ length: ROWS }, () => gap() ? NaN : rng.nextInt(20));
const level = Int32Array.from({ length: ROWS }, () => gap() ? -1 : rng.nextInt(40));
const values = Float64Array.from(x, (v, row) => (v || 5) + level[row] % 7 + rng.nextFloat());
const frame: Frame = createFrame(createDataset(
  [
    { kind: "numeric", name: "x", values: x },
    {
      kind: "categorical",
      name: "c",
      codes: level,
      categories: Array.from({ length: 40 }, (_, k) => `${k}`),
    },
  ],
  { kind: "regression", name: "y", values },
));

/** A tree on every other row. */
function grow(plan: Partial<TreePlan>): GrownTree {
  const context = contextOf(
    {
      criterion: "variance",
      splitter: "exact",
      missing: "learn",
      order: "depth-first",
      limits: { ...NO_LIMITS, maxDepth: 6 },
      ...plan,
    },
    frame,
    { kind: "moment", values },
  );
  return growTree(context, Int32Array.from({ length: ROWS / 2 }, (_, i) => 2 * i), createRng(1));
}

const space = (nodes = 128, words = 128): CodeTree => codeTreeSpace(HERE.ints, nodes, words);

Deno.test("rows end in a tree of codes where they end in the tree that it was written from", () => {
  const tree = grow({});
  const kinds = new Set(tree.kind);
  assert(kinds.size === 3 && leavesOf(tree).length > 20, "thresholds, sets and leaves");
  const flat = space();
  assert(writeCodeTree(tree, flat, (leaf) => leaf));
  for (let row = 0; row < ROWS; row++) {
    assertEquals(numberOfRow(flat, frame.features, row), leafOfRow(tree, row));
  }
});

Deno.test("a tree of codes is refused where it has no room, or other tests", () => {
  const tree = grow({});
  assert(!writeCodeTree(tree, space(tree.numNodes - 1), () => 0));
  assert(!writeCodeTree(tree, space(128, 1), () => 0));
  assert(!writeCodeTree(grow({ missing: "fractional" }), space(), () => 0));
  assert(!writeCodeTree(grow({ missing: "surrogate", maxSurrogates: 2 }), space(), () => 0));
});
