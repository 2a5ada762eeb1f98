/**
 * Trees with monotone constraints trained here with preset `lightgbm@4` against those of LightGBM
 * 4.7.0 for the same rows (monotone/recipe.py), and what LightGBM's own trees do to the order where
 * values are missing.
 *
 * @module
 */
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { trainBoost } from "../../src/algorithms/boost/boost.ts";
import { importModel } from "../../src/convert/import_model.ts";
import type { Dataset } from "../../src/data/types.ts";
import { proveMonotone } from "../../src/ensemble/boosting/prove_monotone.ts";
import { TrainingError } from "../../src/errors.ts";
import type { Model } from "../../src/model/model.ts";
import { NodeKind } from "../../src/model/types.ts";
import { hasShared, sharedPath } from "../support/shared.ts";

/** `[feature, threshold or categories, missing left]`, or `[value]` of a leaf; parents come first. */
type Node = readonly [number, number | readonly number[], boolean] | readonly [number];

interface Case {
  readonly name: string;
  readonly params: { readonly [name: string]: unknown };
  readonly table: "full" | "missing";
  readonly metric: "l2" | "binary_logloss";
  readonly history: readonly number[];
  readonly trees: readonly (readonly Node[])[];
}

interface Table {
  readonly columns: readonly (readonly (number | null)[])[];
  readonly labels: readonly number[];
}

interface Recipe {
  readonly directions: readonly number[];
  readonly tables: { readonly [name: string]: Table };
  readonly cases: readonly Case[];
}

const { directions, tables, cases }: Recipe = JSON.parse(
  await Deno.readTextFile(new URL("monotone/lightgbm.json", import.meta.url)),
);

/** The rows of a case; two classes are labels up to the median and above. */
function datasetOf({ table, params }: Case): Dataset {
  const { columns, labels } = tables[table];
  const sorted = labels.toSorted((a, b) => a - b);
  const median = (sorted[labels.length / 2 - 1] + sorted[labels.length / 2]) / 2;
  return {
    numRows: labels.length,
    features: columns.map((column, f) =>
      f === 4
        ? {
          kind: "categorical",
          name: `x${f}`,
          codes: Int32Array.from(column, (code) => code!),
          categories: ["0", "1", "2", "3", "4", "5"],
        }
        : {
          kind: "numeric",
          name: `x${f}`,
          values: Float64Array.from(column, (value) => value ?? NaN),
        }
    ),
    target: params.objective === "binary"
      ? {
        kind: "classification",
        name: "y",
        codes: Int32Array.from(labels, (label) => label > median ? 1 : 0),
        classes: ["0", "1"],
      }
      : { kind: "regression", name: "y", values: Float64Array.from(labels) },
  };
}

/** A tree as the recipe writes them. */
function nodesOf({ ensemble: { trees, baseScore } }: Model, tree: number): Node[] {
  const nodes: Node[] = [];
  const walk = (node: number): void => {
    const first = trees.firstChild[node];
    if (first < 0) {
      nodes.push([trees.leaf[node] + (tree === 0 ? baseScore[0] : 0)]);
      return;
    }
    const missingLeft = trees.missing[node] === 0;
    const f = trees.feature[node];
    if (trees.kind[node] === NodeKind.threshold) {
      nodes.push([f, trees.threshold[node], missingLeft]);
    } else {
      const word = trees.categoryPool[trees.categoryAt[node]];
      const set = [0, 1, 2, 3, 4, 5].filter((code) => (word >>> code & 1) === 1);
      nodes.push([f, set, missingLeft]);
    }
    walk(first);
    walk(first + 1);
  };
  walk(trees.treeStart[tree]);
  return nodes;
}

for (const given of cases) {
  Deno.test(`lightgbm@4 grows LightGBM's monotone trees: ${given.name}`, async () => {
    const data = datasetOf(given);
    const history: number[] = [];
    const model = await trainBoost(data, {
      preset: "lightgbm@4",
      ...given.params,
      rounds: 8,
      monotone: Object.fromEntries(directions.map((direction, f) => [`x${f}`, direction])),
      metrics: [given.metric === "l2" ? "mse" : "logLoss"],
      trainMetrics: true,
    }, { onRound: ({ metrics }) => history.push(...Object.values(metrics.train)) });
    assertEquals(model.numTrees, given.trees.length);
    given.trees.forEach((wanted, t) => {
      const found = nodesOf(model, t);
      assertEquals(found.length, wanted.length, `tree ${t}`);
      wanted.forEach((node, i) => {
        const at = `tree ${t} node ${i}`;
        assertEquals(found[i].length, node.length, at);
        if (node.length === 1) {
          // LightGBM keeps the scores it boosts from as float64, labels and derivatives as float32.
          assertAlmostEquals(found[i][0], node[0], 1e-5 * Math.max(1, Math.abs(node[0])), at);
          return;
        }
        // A feature without missing values has no side for them.
        const learnt = tables[given.table].columns[node[0]].includes(null);
        assertEquals(learnt ? found[i] : found[i].slice(0, 2), learnt ? node : node.slice(0, 2), at);
      });
    });
    given.history.forEach((value, round) => {
      assertAlmostEquals(history[round], value, 1e-5 * Math.max(1, value)); // as the issue has it
    });
  });
}

Deno.test({
  name: "LightGBM's advanced trees break the order where values are missing; proveMonotone() finds it",
  ignore: !hasShared(),
  fn: async () => {
    const path = sharedPath("models/lightgbm-4.6.0/monotone_advanced_auto_mpg/model.txt");
    const { ensemble } = importModel(await Deno.readFile(path));
    const monotone = [0, -1, -1, -1, 0, 1, 0];
    const { trees } = ensemble;
    const error = assertThrows(() => proveMonotone(ensemble, monotone), TrainingError);
    assertEquals(error.details.tree, 11);
    // Two cars that differ in displacement only: the larger engine must not get more miles.
    const valueOf = (row: readonly number[]) => {
      let node = trees.treeStart[11];
      while (trees.firstChild[node] >= 0) {
        const isRight = row[trees.feature[node]] > trees.threshold[node];
        node = trees.firstChild[node] + (isRight ? 1 : 0);
      }
      return trees.leaf[node];
    };
    const small = valueOf([6, 200, 100, 3500, 15, 75, 2]);
    const large = valueOf([6, 250, 100, 3500, 15, 75, 2]);
    assert(large > small);
  },
});
