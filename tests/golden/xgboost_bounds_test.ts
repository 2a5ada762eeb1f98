/**
 * Trees of the exact method where bounds act on leaves (monotone constraints, `maxDeltaStep`) beside
 * the L1 penalty, against those of XGBoost 3.2.0 (monotone/recipe_xgboost.py).
 *
 * @module
 */
// deno-lint-ignore-file camelcase
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { trainBoost } from "../../src/algorithms/boost/boost.ts";
import type { Dataset } from "../../src/data/types.ts";

interface Tree {
  readonly left_children: readonly number[];
  readonly right_children: readonly number[];
  readonly split_indices: readonly number[];
  readonly split_conditions: readonly number[];
}

interface Case {
  readonly name: string;
  readonly params: { readonly [name: string]: number | string };
  readonly labels: readonly number[];
  readonly trees: readonly Tree[];
}

const { columns, cases }: {
  readonly columns: readonly (readonly (number | null)[])[];
  readonly cases: readonly Case[];
} = JSON.parse(await Deno.readTextFile(new URL("monotone/xgboost.json", import.meta.url)));

for (const { name, params, labels, trees } of cases) {
  Deno.test(`xgboost@2 with exact splits grows XGBoost's bounded trees: ${name}`, async () => {
    const { monotone_constraints: order = "()", nthread: _, ...given } = params;
    const directions = String(order).slice(1, -1).split(",");
    const data: Dataset = {
      numRows: labels.length,
      features: columns.map((column, f) => ({
        kind: "numeric",
        name: `f${f}`,
        values: Float64Array.from(column, (value) => value ?? NaN),
      })),
      target: params.objective === "binary:logistic"
        ? { kind: "classification", name: "y", codes: Int32Array.from(labels), classes: ["0", "1"] }
        : { kind: "regression", name: "y", values: Float64Array.from(labels) },
    };
    const monotone = Object.fromEntries(directions.map((d, f) => [`f${f}`, Number(d)]));
    const model = await trainBoost(data, {
      preset: "xgboost@2",
      ...given,
      rounds: 5,
      metrics: [],
      ...(order === "()" ? {} : { monotone }),
    });
    assertEquals(model.numTrees, trees.length);
    const found = model.ensemble.trees;
    trees.forEach((wanted, t) => {
      const walk = (ours: number, theirs: number): void => {
        const at = `tree ${t} node ${theirs}`;
        const isLeaf = wanted.left_children[theirs] < 0;
        assertEquals(found.firstChild[ours] < 0, isLeaf, at);
        const number = wanted.split_conditions[theirs];
        if (isLeaf) {
          assertAlmostEquals(found.leaf[ours], number, 1e-5); // the tolerance
          return;
        }
        assertEquals(found.feature[ours], wanted.split_indices[theirs], at);
        // XGBoost sends x < t left, this x <= the float32 below t.
        assertAlmostEquals(found.threshold[ours], number, 1e-6 * Math.max(1, number), at);
        walk(found.firstChild[ours], wanted.left_children[theirs]);
        walk(found.firstChild[ours] + 1, wanted.right_children[theirs]);
      };
      walk(found.treeStart[t], 0);
    });
  });
}
