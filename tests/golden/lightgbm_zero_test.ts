/**
 * Trees with `zeroAsMissing` and preset `lightgbm@4` against those of LightGBM 4.7.0 for the same rows
 * (lightgbm_runs/recipe_zero.py), metric histories and scores included.
 *
 * @module
 */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { trainBoost } from "../../src/algorithms/boost/boost.ts";
import { compareRunTree, type RunColumns, runData, type RunNode } from "../support/reference/lightgbm_runs.ts";

interface Case {
  readonly name: string;
  readonly params: { readonly [name: string]: unknown };
  readonly table: string;
  readonly labels: readonly number[];
  readonly metric: "l2" | "binary_logloss";
  readonly history: readonly number[];
  readonly raw: readonly number[];
  readonly trees: readonly (readonly RunNode[])[];
}

const { tables, cases }: {
  readonly tables: { readonly [name: string]: RunColumns };
  readonly cases: readonly Case[];
} = JSON.parse(
  await Deno.readTextFile(new URL("lightgbm_runs/zero.json", import.meta.url)),
);

for (const { name, params, table, labels, metric, history, raw, trees } of cases) {
  Deno.test(`lightgbm@4 grows LightGBM's trees where zero is missing: ${name}`, async () => {
    const data = runData(tables[table], labels, {
      binary: params.objective === "binary",
      categories: [6],
    });
    const found: number[] = [];
    const warnings: string[] = [];
    const model = await trainBoost(data, {
      preset: "lightgbm@4",
      ...params,
      rounds: 8,
      metrics: [metric === "l2" ? "mse" : "logLoss"],
      trainMetrics: true,
    }, {
      onRound: ({ metrics }) => found.push(...Object.values(metrics.train)),
      onWarning: (warning) => warnings.push(warning),
    });
    assertEquals(model.numTrees, trees.length);
    trees.forEach((tree, t) => compareRunTree(model, t, tree));
    history.forEach((value, round) => {
      assertAlmostEquals(found[round], value, 1e-5 * Math.max(1, value)); // as the issue has it
    });
    const scores = model.predictRaw(data).data;
    raw.forEach((value, row) => {
      assertAlmostEquals(scores[row], value, 1e-5 * Math.max(1, Math.abs(value)), `row ${row}`);
    });
    assertEquals(warnings.some((text) => text.includes("x4")), table === "lowest");
    assertEquals(warnings.some((text) => text.includes("at least 2 rows")), name.startsWith("one"));
  });
}
