/**
 * Derivatives of the pair losses beside XGBoost's, row by row (`ranking/recipe.py`).
 *
 * @module
 */
import { assertAlmostEquals } from "@std/assert";
import { lambdaLoss, type LambdaOptions, type PairMetric } from "../../src/loss/lambda.ts";

interface Case {
  readonly loss: string;
  readonly rankNormalise: boolean;
  readonly rankTruncation: number;
  readonly rankGain: "exponential" | "linear";
  readonly gradient: number[];
  readonly hessian: number[];
}

const found: {
  readonly version: string;
  readonly group: number[];
  readonly relevance: number[];
  readonly raw: number[];
  readonly cases: Case[];
} = JSON.parse(Deno.readTextFileSync(new URL("ranking/xgboost.json", import.meta.url)));

const METRICS: { readonly [loss: string]: PairMetric } = {
  "rank:ndcg": "ndcg",
  "rank:map": "map",
  "rank:pairwise": "none",
};

for (const { loss, gradient: g, hessian: h, ...options } of found.cases) {
  const { rankNormalise, rankTruncation, rankGain } = options;
  Deno.test(
    `${loss} has the derivatives of XGBoost ${found.version}: normalise ${rankNormalise}, ` +
      `truncation ${rankTruncation}, ${rankGain} gain`,
    () => {
      const size = found.raw.length;
      const values = Float64Array.from(
        found.relevance,
        (y) => loss === "rank:map" ? Math.min(1, y) : y,
      );
      const gradient = new Float64Array(size);
      const hessian = new Float64Array(size);
      lambdaLoss(METRICS[loss], { ...options, curvature: "xgboost" } satisfies LambdaOptions)
        .gradients(
          { values, group: Int32Array.from(found.group) },
          Float64Array.from(found.raw),
          gradient,
          hessian,
          0,
          size,
        );
      for (let row = 0; row < size; row++) {
        // XGBoost sums in float32; raw scores of three digits are rounded to it first.
        assertAlmostEquals(gradient[row], g[row], 2e-6 * Math.max(1, Math.abs(g[row])), `g ${row}`);
        assertAlmostEquals(hessian[row], h[row], 2e-6 * Math.max(1, Math.abs(h[row])), `h ${row}`);
      }
    },
  );
}
