import { assertAlmostEquals, assertEquals } from "@std/assert";
import { trainCart } from "../../../../src/algorithms/classic/cart.ts";
import type { CartParams } from "../../../../src/params/typed.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { countedRows } from "../../../support/data/counted_rows.ts";

const CLASSES = ["no", "yes"];
/**
 * Grown whole: `x <= 1.5` → no (20), else `x <= 2.5` → yes (8), else no (2). Risks 8, then 2, then
 * 0: links 2 at the second split, 6 at the root.
 */
const TRAIN = countedRows(CLASSES, [[1, 0, 20], [2, 1, 8], [3, 0, 2]]);

async function leavesOf(
  pruning: NonNullable<CartParams["pruning"]>,
  valid: Dataset,
  loss?: number[][],
) {
  const params = { pruning, ...(loss && { loss }) };
  const model = await trainCart(TRAIN, params, { valid: { held: valid } });
  assertEquals(model.info.prunedOn, "held");
  const leaves = model.ensemble.trees.kind.filter((kind) => kind === 0).length;
  return { leaves, alpha: model.info.chosenAlpha as number };
}

// Held-out rows and the leaves that lose least on them.
const CASES: [string, Dataset, number, number][] = [
  ["x = 3 is yes: 3 wrong whole, 0 without it", counted(5, 4, 3, 1), 2, 2 / 30],
  ["x = 3 is no: 0 wrong whole", counted(5, 4, 3, 0), 3, 0],
  ["no row at x = 3: a tie goes to the smaller tree", counted(5, 4, 0, 0), 2, 2 / 30],
  ["only no: the root alone is right", countedRows(CLASSES, [[1, 0, 4], [2, 0, 4]]), 1, 6 / 30],
];

function counted(first: number, second: number, third: number, code: number): Dataset {
  return countedRows(CLASSES, [[1, 0, first], [2, 1, second], [3, code, third]]);
}

for (const [name, valid, leaves, alpha] of CASES) {
  Deno.test(`pruning "validation" and "reduced-error": ${name}`, async () => {
    const best = await leavesOf("validation", valid);
    assertEquals(best.leaves, leaves);
    assertAlmostEquals(best.alpha, alpha, 1e-14);
    assertEquals((await leavesOf("reduced-error", valid)).leaves, leaves);
  });
}

Deno.test("held-out rows are weighed by the loss matrix", async () => {
  // At x = 3: 1 yes and 3 no. A leaf at the second split answers yes, which costs 3 beside 1 …
  const valid = countedRows(CLASSES, [[1, 0, 5], [2, 1, 4], [3, 0, 3], [3, 1, 1]]);
  for (const pruning of ["validation", "reduced-error"] as const) {
    assertEquals((await leavesOf(pruning, valid)).leaves, 3);
    // … and 3 beside 4 where a yes that is missed costs 4.
    assertEquals((await leavesOf(pruning, valid, [[0, 1], [4, 0]])).leaves, 2);
  }
});

Deno.test("criticalValue prunes before held-out rows do", async () => {
  // Both splits are right on these rows; they gain 0.284 and 0.32 per row (critical_value_test.ts).
  const valid = counted(5, 4, 3, 0);
  for (const pruning of ["validation", "reduced-error"] as const) {
    for (const [criticalValue, nodes] of [[0.3, 5], [0.33, 1]]) {
      const model = await trainCart(TRAIN, { pruning, criticalValue }, { valid });
      assertEquals(model.info.prunedOn, "valid");
      assertEquals(model.ensemble.trees.kind.length, nodes);
    }
  }
});

Deno.test("without a validation set, a share of the rows is held out and said so", async () => {
  for (const pruning of ["validation", "reduced-error"] as const) {
    const warnings: string[] = [];
    const model = await trainCart(TRAIN, { pruning, validShare: 0.3, seed: 2 }, {
      onWarning: (message) => warnings.push(message),
    });
    assertEquals(warnings, ["No validation set: held out 9 of 30 rows for pruning"]);
    assertEquals(model.info.prunedOn, "heldOut");
    // The tree grew on the other 21.
    assertEquals(model.ensemble.trees.cover[0], 21);
  }
});

Deno.test("held-out rows count by their weights", async () => {
  const valid = countedRows(CLASSES, [[1, 0, 5], [2, 1, 4], [3, 0, 3], [3, 1, 1]]);
  const sampleWeight = new Float64Array(valid.numRows).fill(1);
  sampleWeight[valid.numRows - 1] = 4;
  for (const pruning of ["validation", "reduced-error"] as const) {
    assertEquals((await leavesOf(pruning, { ...valid, sampleWeight })).leaves, 2);
  }
});

Deno.test("held-out rows go down categories as the model sends them, absent and new levels too", async () => {
  const rows = (levels: readonly (string | null)[], codes: readonly number[]): Dataset => {
    const categories = ["q", "p", ...levels.includes("z") ? ["z"] : []];
    return {
      numRows: levels.length,
      features: [{
        kind: "categorical",
        name: "c",
        categories,
        codes: Int32Array.from(levels, (level) => level === null ? -1 : categories.indexOf(level)),
      }],
      target: {
        kind: "classification",
        name: "y",
        classes: CLASSES,
        codes: Int32Array.from(codes),
      },
    };
  };
  const many = (level: string, count: number) => Array.from({ length: count }, () => level);
  const train = rows([...many("p", 20), ...many("q", 8)], [
    ...new Array(20).fill(0),
    ...new Array(8).fill(1),
  ]);
  // q is yes; p, and what is missing or new, goes the heavier way and is no: the split is right in all.
  const held = rows(["q", "q", "p", null, null, "z", "z"], [1, 1, 0, 0, 0, 0, 0]);
  // Here it is wrong in six of seven, the root in four.
  const wrong = rows(["q", "q", "p", null, null, "z", "z"], [0, 0, 0, 1, 1, 1, 1]);
  for (const pruning of ["validation", "reduced-error"] as const) {
    for (const [valid, nodes] of [[held, 3], [wrong, 1]] as const) {
      const model = await trainCart(train, { pruning }, { valid });
      assertEquals(model.ensemble.trees.kind.length, nodes, pruning);
    }
  }
});
