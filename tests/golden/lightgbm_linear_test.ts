/**
 * Linear trees trained here with preset `lightgbm@4` against those of LightGBM 4.7.0 for the same
 * rows (linear/recipe.py): structure, cuts, terms and constants of leaves, histories, scores.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { trainBoost } from "../../src/algorithms/boost/boost.ts";
import type { Dataset } from "../../src/data/types.ts";
import { compareTree } from "../support/reference/compare_lightgbm.ts";
import { readLightgbmText } from "../support/reference/lightgbm_text.ts";

interface Case {
  readonly name: string;
  readonly params: { readonly [name: string]: unknown };
  readonly missing: boolean;
  readonly twin: boolean;
  readonly weighted: boolean;
  readonly labels: readonly number[];
  readonly metric: "l2" | "binary_logloss" | "multi_logloss" | null;
  readonly history: readonly number[];
  readonly raw: readonly number[];
  readonly text: string;
}

interface Table {
  readonly columns: readonly (readonly (number | null)[])[];
  readonly weights: readonly number[];
}

const { tables, cases }: {
  readonly tables: { readonly [name: string]: Table };
  readonly cases: readonly Case[];
} = JSON.parse(Deno.readTextFileSync(new URL("linear/lightgbm.json", import.meta.url)));

const TRAIN = 200;
const METRICS = { l2: "mse", binary_logloss: "logLoss", multi_logloss: "logLoss" } as const;

/** Rows of a case; the last column has categories 0 … 5. */
function rowsOf({ missing, twin, weighted, labels, params }: Case, from: number, to?: number): Dataset {
  const name = (flag: boolean) => flag ? "True" : "False";
  const { columns, weights } = tables[`${name(missing)} ${name(twin)}`];
  const y = labels.slice(from, to);
  const isClass = params.objective === "multiclass" || params.objective === "binary";
  return {
    numRows: y.length,
    features: columns.map((column, i) => {
      const values = column.slice(from, to).map((value) => value ?? NaN);
      return i < 4
        ? { kind: "numeric", name: `Column_${i}`, values: Float64Array.from(values) }
        : {
          kind: "categorical",
          name: `Column_${i}`,
          codes: Int32Array.from(values),
          categories: ["0", "1", "2", "3", "4", "5"],
        };
    }),
    target: isClass
      ? {
        kind: "classification",
        name: "y",
        codes: Int32Array.from(y),
        classes: Array.from(new Set(labels), String).sort(),
      }
      : { kind: "regression", name: "y", values: Float64Array.from(y) },
    ...(weighted && from === 0 ? { sampleWeight: Float64Array.from(weights.slice(0, to)) } : {}),
  };
}

const near = (found: number, wanted: number, what: string) =>
  assert(
    Math.abs(found - wanted) <= 1e-7 * Math.max(1, Math.abs(wanted)), // order of float64 sums
    `${what}: ${found} for ${wanted}`,
  );

for (const one of cases) {
  Deno.test(`trainBoost() with linearTree grows LightGBM's trees: ${one.name}`, async () => {
    const valid = rowsOf(one, TRAIN);
    const { num_class: _, ...params } = one.params;
    const history: number[] = [];
    const model = await trainBoost(rowsOf(one, 0, TRAIN), {
      preset: "lightgbm@4",
      ...params,
      rounds: 7,
      metrics: one.metric === null ? [] : [METRICS[one.metric]],
    }, { valid, onRound: ({ metrics }) => history.push(...Object.values(metrics.valid)) });
    const { trees } = readLightgbmText(one.text);
    assertEquals(model.numTrees, trees.length);
    trees.forEach((tree, t) => compareTree(model, t, tree, `${one.name} tree ${t}`));
    assert(trees.some(({ numTerms }) => numTerms.some((count) => count > 1)));
    if (one.metric !== null) {
      assertEquals(history.length, one.history.length);
      one.history.forEach((value, round) => near(history[round], value, `round ${round + 1}`));
    }
    model.predictRaw(valid).data.forEach((raw, i) => near(raw, one.raw[i], `raw ${i}`));
  });
}
