/**
 * Derivatives of the pair losses beside XGBoost's and, weighted, LightGBM's (`ranking/recipe.py`).
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

/** A weighted first tree: derivatives of the rows of a leaf added up; each row is its own where no leaf is named. */
interface Weighted {
  readonly loss: string;
  readonly library: "xgboost" | "lightgbm";
  readonly rankNormalise?: boolean;
  readonly weight: number[];
  readonly leaf?: number[];
  readonly gradient: number[];
  readonly hessian: number[];
}

const found: {
  readonly version: string;
  readonly group: number[];
  readonly relevance: number[];
  readonly raw: number[];
  readonly cases: Case[];
  readonly weighted: Weighted[];
} = JSON.parse(Deno.readTextFileSync(new URL("ranking/xgboost.json", import.meta.url)));

const METRICS: { readonly [loss: string]: PairMetric } = {
  "rank:ndcg": "ndcg",
  "rank:map": "map",
  "rank:pairwise": "none",
  "lambdarank": "ndcg",
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

for (const { loss, library, rankNormalise, weight, leaf, gradient: g, hessian: h } of found.weighted) {
  Deno.test(
    `${loss} has the weighted derivatives of ${library}: normalise ${rankNormalise ?? true}`,
    () => {
      const size = found.raw.length;
      const gradient = new Float64Array(size);
      const hessian = new Float64Array(size);
      const truth = (y: number) => loss === "rank:map" ? Math.min(1, y) : y;
      lambdaLoss(METRICS[loss], { ...(rankNormalise !== undefined && { rankNormalise }), curvature: library }).gradients(
        {
          values: Float64Array.from(found.relevance, truth),
          weight: Float64Array.from(weight),
          group: Int32Array.from(found.group),
        },
        Float64Array.from(found.raw),
        gradient,
        hessian,
        0,
        size,
      );
      const total = (values: Float64Array, row: number) =>
        values.reduce(
          (sum, v, other) => sum + ((leaf === undefined ? other === row : leaf[other] === leaf[row]) ? v : 0),
          0,
        );
      for (let row = 0; row < size; row++) {
        const near = (value: number) => 3e-6 * Math.max(1, Math.abs(value));
        assertAlmostEquals(total(gradient, row), g[row], near(g[row]), `g ${row}`);
        assertAlmostEquals(total(hessian, row), h[row], near(h[row]), `h ${row}`);
      }
    },
  );
}
