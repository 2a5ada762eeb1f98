import { assertEquals } from "@std/assert";
import { HERE } from "../../../../src/metric/job.ts";
import {
  heldLeaves,
  type RefitRows,
  refitRows,
  RefitStep,
  refitTask,
} from "../../../../src/parallel/rows/refit.ts";

/** Two members, each with two trees a turn, of two outputs; ten turns. */
function rowsOf(
  leaves: Int32Array,
  gradient: readonly number[],
  more: Partial<RefitRows> = {},
): RefitRows {
  const numRows = gradient.length / 2;
  return refitRows(HERE, {
    numRows,
    numTrees: leaves.length / numRows,
    leaves,
    gradient: Float64Array.from(gradient),
    hessian: new Float64Array(2 * numRows).fill(1),
    raw: new Float64Array(4 * numRows),
    members: 2,
    outputs: Int32Array.from({ length: 20 }, (_, tree) => tree % 2),
    perTurn: 2,
    numNodes: 3,
    ...more,
  });
}

/** Has a step done, items in turn. */
function run(rows: RefitRows, step: number, first: number): void {
  let item = 0;
  refitTask(rows).run(step, () => item++, first);
}

/** Leaf of row `row` in tree `tree`: 1 or 2. */
const leafOf = (row: number, tree: number) => 1 + (row + tree) % 2;
const leavesOf = (numRows: number) =>
  Int32Array.from({ length: 20 * numRows }, (_, i) => leafOf(Math.floor(i / 20), i % 20));

Deno.test("leaves are held in the order of trees, sixteen trees at once and what is left", () => {
  // No two alike, so that leaves of another tree or row are seen.
  const rows = rowsOf(Int32Array.from({ length: 80 }, (_, i) => i), new Array(8).fill(1));
  for (let first = 0; first < 20; first += 2) {
    run(rows, RefitStep.hold, first);
    for (const tree of [first, first + 1]) {
      assertEquals(
        Array.from(heldLeaves(rows, tree)),
        [0, 1, 2, 3].map((row) => 20 * row + tree),
      );
    }
  }
});

Deno.test("sums of a leaf are added in the order of rows, those of weight 0 left out", () => {
  // Rows 0, 2 and 4 share a leaf of tree 0: 1 + 1e16 is 1e16, and 1 would be left from the other end.
  const gradient = [1, 5, 1e16, 7, -1e16, NaN, 1, 2, 3, 4, 5, 6];
  const weight = Float64Array.of(1, 2, 1, 3, 1, 0);
  const rows = rowsOf(leavesOf(6), gradient, { weight });
  for (let again = 0; again < 2; again++) {
    run(rows, RefitStep.hold, 0);
    run(rows, RefitStep.sum, 0);
    // Tree 0, output 0: leaf 1 has rows 0, 2, 4. Tree 1, output 1: leaf 1 has rows 1, 3.
    assertEquals(Array.from(rows.G), [0, 0, 2 * 5 + 3 * 7, 0, 2 * 2 + 3 * 4, 1 + 3 + 5]);
    assertEquals(Array.from(rows.H), [0, 3, 5, 0, 5, 3]);
    assertEquals(Array.from(rows.counts), [0, 3, 2, 0, 2, 3]);
  }
});

Deno.test("rows of weight 0 count where derivatives have the weights in them and are not 0", () => {
  // As of a ranking, which weighs a query by the mean of its rows; row 5 is in a query of weight 0.
  const weight = Float64Array.of(1, 2, 0, 3, 1, 0);
  const gradient = [1, 2, 4, 8, 16, 0, 1, 2, 4, 8, 16, 0];
  const hessian = Float64Array.of(1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0);
  const rows = rowsOf(leavesOf(6), gradient, { weight, hessian });
  run(rows, RefitStep.hold, 0);
  run(rows, RefitStep.sumWeighted, 0);
  assertEquals(Array.from(rows.G), [0, 1 + 4 + 16, 2 + 8, 0, 2 + 8, 1 + 4 + 16]);
  assertEquals(Array.from(rows.H), [0, 3, 2, 0, 2, 3]);
  assertEquals(Array.from(rows.counts), [0, 3, 2, 0, 2, 3]);
});

Deno.test("steps go to the scores of the turn's member, at the output of their tree", () => {
  const rows = rowsOf(leavesOf(2), [0, 0, 0, 0]);
  rows.steps.set([0, 10, 20, 0, 30, 40]);
  run(rows, RefitStep.hold, 0);
  run(rows, RefitStep.add, 2); // the second turn is the second member's
  assertEquals(Array.from(rows.raw), [0, 0, 0, 0, 10, 20, 40, 30]);
});
