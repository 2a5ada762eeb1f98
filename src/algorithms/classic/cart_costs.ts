/**
 * Priors and losses of CART: how they enter row weights, split rules and risks.
 *
 * Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, section 4.4.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import { ParameterError } from "../../errors.ts";
import type { LossMatrix } from "../../grow/prune/risk.ts";

/** What priors and losses come to. */
export interface Costs {
  /** Row weights that give the classes their prior shares; absent without priors. */
  readonly weight?: Float64Array;
  /** Prior over share in the data of each class: `weight` over the row's own; absent without priors. */
  readonly priorFactors?: readonly number[];
  /** Factor of each class inside the split rule; absent for equal losses. */
  readonly factors?: readonly number[];
  /** Loss of predicting `j` for `i` at `i × numClasses + j`; absent for 0 and 1. */
  readonly loss?: LossMatrix;
}

/** @throws {ParameterError} `E_PARAM_CONFLICT` or `E_PARAM_RANGE`. */
export function costsOf(
  data: Dataset,
  params: { readonly priors?: { readonly [name: string]: number }; readonly loss?: unknown },
): Costs {
  if (params.priors === undefined && params.loss === undefined) return {};
  const { target } = data;
  if (target?.kind !== "classification") {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      "Cannot use priors or loss: the target is not one of classes",
      { details: { param: params.priors === undefined ? "loss" : "priors" } },
    );
  }
  const { codes, classes } = target;
  const shares = new Float64Array(classes.length);
  let total = 0;
  for (let row = 0; row < data.numRows; row++) {
    const w = data.sampleWeight?.[row] ?? 1;
    shares[codes[row]] += w;
    total += w;
  }
  for (let k = 0; k < shares.length; k++) shares[k] /= total;
  const priors = params.priors === undefined ? shares : priorsOf(classes, params.priors);
  const loss = params.loss === undefined ? undefined : lossOf(classes, params.loss);
  const priorFactors = Array.from(priors, (prior, k) => prior / shares[k]);
  return {
    ...(params.priors !== undefined && {
      priorFactors,
      weight: Float64Array.from(
        codes,
        (code, row) => (data.sampleWeight?.[row] ?? 1) * priorFactors[code],
      ),
    }),
    ...(loss !== undefined && { loss, factors: factorsOf(loss, priors, classes.length) }),
  };
}

function priorsOf(
  classes: readonly string[],
  given: { readonly [name: string]: number },
): Float64Array {
  const priors = Float64Array.from(classes, (name) => given[name] ?? NaN);
  let sum = 0;
  for (const prior of priors) sum += prior;
  const known = Object.keys(given).every((name) => classes.includes(name));
  if (!known || !priors.every((p) => p > 0) || Math.abs(sum - 1) > 1e-6) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use priors ${JSON.stringify(given)}: expected a positive share for each of ${
        classes.join(", ")
      }, summing to 1`,
      { details: { param: "priors", value: given } },
    );
  }
  return priors;
}

function lossOf(classes: readonly string[], given: unknown): LossMatrix {
  const n = classes.length;
  const rows = Array.isArray(given) ? given : [];
  const flat = rows.flat();
  const square = rows.length === n && rows.every((row) => Array.isArray(row) && row.length === n);
  const good = square && flat.every((x, i) => {
    const number = typeof x === "number" && Number.isFinite(x);
    return number && (i % (n + 1) === 0 ? x === 0 : x > 0);
  });
  if (!good) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use loss ${JSON.stringify(given)}: expected ${n} rows of ${n} positive numbers ` +
        "with 0 on the diagonal",
      { details: { param: "loss", value: given } },
    );
  }
  return Float64Array.from(flat as number[]);
}

/** Altered priors π'_i ∝ π_i Σ_j L(i, j), as factors on the classes' own weights. */
function factorsOf(loss: LossMatrix, priors: Float64Array, n: number): number[] {
  const sums = Array.from({ length: n }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += loss[i * n + j];
    return sum;
  });
  let total = 0;
  for (let i = 0; i < n; i++) total += priors[i] * sums[i];
  return sums.map((sum) => sum / total);
}
