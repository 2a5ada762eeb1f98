// deno-lint-ignore-file camelcase -- names of scikit-learn in reference files
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainCart } from "../../src/algorithms/classic/cart.ts";
import type { Model } from "../../src/model/model.ts";
import { readReference, sklearnData } from "../support/reference/classic_data.ts";
import { hasShared } from "../support/shared.ts";

const ignore = !hasShared("reference/cart/trees.json");
// deno-lint-ignore no-console
if (ignore) console.log("skipped: ../shared/reference is absent");

const CRITERIA: { readonly [name: string]: string } = {
  absolute_error: "absolute",
  friedman_mse: "variance",
};

function paramsOf(given: { readonly [name: string]: unknown }): { [name: string]: unknown } {
  const params = { ...given };
  const name = params.criterion as string | undefined;
  if (name !== undefined) params.criterion = CRITERIA[name] ?? name;
  return params;
}

/** Σ weight × impurity over leaves, from the gains of the splits. */
function leafImpurity(model: Model, rootImpurity: number): number {
  const { gain, cover } = model.ensemble.trees;
  let sum = rootImpurity * cover[0];
  for (const g of gain) sum -= g;
  return sum / cover[0];
}

Deno.test({
  name: "trainCart() equals scikit-learn's trees on the reference sets",
  ignore,
  async fn() {
    for (const reference of readReference("cart/trees.json").trees) {
      const { dataset, tree, learner, distinct_trees: distinct } = reference;
      const data = sklearnData(dataset, learner === "DecisionTreeRegressor");
      assertEquals(data.numRows, reference.rows_used);
      const model = await trainCart(data, paramsOf(reference.params));
      const { trees } = model.ensemble;
      assertEquals(trees.kind.length, tree.n_nodes, `${dataset} ${JSON.stringify(reference.params)}`);
      if (reference.same_training_leaf_impurity_for_all_seeds) {
        let expected = 0;
        let total = 0;
        for (let i = 0; i < tree.n_nodes; i++) {
          if (tree.left[i] >= 0) continue;
          const weight = reference.params.class_weight === undefined
            ? tree.n_node_samples[i]
            : tree.value[i].reduce((a: number, b: number) => a + b);
          expected += weight * tree.impurity[i];
          total += weight;
        }
        const found = leafImpurity(model, tree.impurity[0]);
        // Ties are broken at random there: the tree may differ, its impurity may not.
        assertAlmostEquals(found, expected / total, 1e-9 * Math.max(1, tree.impurity[0]), dataset);
      }
      if (distinct > 1) continue;
      const walk = (ours: number, theirs: number): void => {
        const where = `${dataset} ${JSON.stringify(reference.params)} node ${theirs}`;
        const name = trees.kind[ours] === 0 ? null : data.features[trees.feature[ours]].name;
        assertEquals(name, tree.feature[theirs], where);
        assertEquals(trees.cover[ours], tree.n_node_samples[theirs], where);
        if (name === null) {
          if (model.schema.task === "regression") {
            const value = [tree.value[theirs]].flat()[0];
            assertAlmostEquals(trees.leaf[ours], value, 1e-9 * Math.abs(value), where);
          }
          return;
        }
        assertEquals(trees.threshold[ours], tree.threshold[theirs], where);
        walk(trees.firstChild[ours], tree.left[theirs]);
        walk(trees.firstChild[ours] + 1, tree.right[theirs]);
      };
      walk(0, 0);
    }
  },
});

Deno.test({
  name: "pruneSequence() equals scikit-learn's cost-complexity pruning paths",
  ignore,
  async fn() {
    const { paths } = readReference("cart/pruning_paths.json");
    let compared = 0;
    for (const path of Object.values(paths) as Path[]) {
      if (!path.same_path_for_seeds_0_to_5) continue;
      const regression = ["diabetes", "auto_mpg", "abalone"].includes(path.dataset);
      const data = sklearnData(path.dataset, regression);
      for (const { ccp_alpha: ccpAlpha, n_leaves: leaves, train_score: score } of path.pruned) {
        const model = await trainCart(data, { ...paramsOf(path.params), ccpAlpha });
        const { kind } = model.ensemble.trees;
        assertEquals(kind.filter((k) => k === 0).length, leaves, `${path.dataset} ${ccpAlpha}`);
        const { target } = data;
        if (target?.kind === "classification") {
          const predicted = model.predictClass(data);
          const right = predicted.filter((name, row) => name === target.classes[target.codes[row]]);
          assertAlmostEquals(right.length / data.numRows, score, 1e-12);
        }
        compared++;
      }
    }
    assert(compared > 20);
  },
});

interface Path {
  readonly dataset: string;
  readonly params: { readonly [name: string]: unknown };
  readonly same_path_for_seeds_0_to_5: boolean;
  readonly pruned: readonly {
    readonly ccp_alpha: number;
    readonly n_leaves: number;
    readonly train_score: number;
  }[];
}
