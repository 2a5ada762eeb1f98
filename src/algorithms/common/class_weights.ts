/**
 * Class weights: how they enter the row weights, and how their effect on the base rate is taken
 * out of a finished model.
 *
 * @module
 */
import { checkWeight } from "../../data/dataset/check.ts";
import type { Dataset } from "../../data/types.ts";
import { ParameterError } from "../../errors.ts";
import type { Loss } from "../../loss/types.ts";
import type { Ensemble } from "../../model/types.ts";
import { log } from "../../util/math.ts";
import { nearest } from "../../util/nearest.ts";

/** What a user may give. */
export interface ClassWeightParams {
  readonly positiveWeight?: number;
  readonly classWeights?: "balanced" | { readonly [name: string]: number };
}

/**
 * Factor of each class, or undefined where all are 1.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` for both parameters at once, or a target without
 * (two) classes; `E_PARAM_RANGE` for an unknown class or a factor that is not positive.
 */
export function classFactors(data: Dataset, params: ClassWeightParams): Float64Array | undefined {
  const { positiveWeight, classWeights } = params;
  if (positiveWeight === undefined && classWeights === undefined) return undefined;
  const { target } = data;
  if (positiveWeight !== undefined && classWeights !== undefined) {
    throw conflict("positiveWeight", "classWeights is set too; each weighs the classes");
  }
  if (target?.kind !== "classification") {
    const param = positiveWeight === undefined ? "classWeights" : "positiveWeight";
    throw conflict(param, "the target is not one of classes");
  }
  const { classes, codes } = target;
  if (positiveWeight !== undefined) {
    if (classes.length !== 2) {
      throw conflict("positiveWeight", `there are ${classes.length} classes; use classWeights`);
    }
    return Float64Array.of(1, positiveWeight);
  }
  if (classWeights === "balanced") {
    const totals = new Float64Array(classes.length);
    let total = 0;
    for (let row = 0; row < codes.length; row++) {
      const weight = data.sampleWeight?.[row] ?? 1;
      totals[codes[row]] += weight;
      total += weight;
    }
    const present = totals.filter((weight) => weight > 0).length;
    return totals.map((weight) => weight > 0 ? total / (present * weight) : 1);
  }
  const factors = new Float64Array(classes.length).fill(1);
  for (const [name, factor] of Object.entries(classWeights!)) {
    const code = classes.indexOf(name);
    if (code < 0 || !(factor > 0)) {
      const right = code < 0 ? nearest(name, classes) : undefined;
      throw new ParameterError(
        "E_PARAM_RANGE",
        code < 0
          ? `Cannot weigh class ${JSON.stringify(name)}: ${
            right === undefined
              ? `the classes are ${classes.join(", ")}`
              : `did you mean "${right}"?`
          }`
          : `Cannot weigh class ${JSON.stringify(name)} by ${factor}: expected a number above 0`,
        { details: { param: "classWeights", class: name, value: factor } },
      );
    }
    factors[code] = factor;
  }
  return factors;
}

function conflict(param: string, why: string): ParameterError {
  return new ParameterError("E_PARAM_CONFLICT", `Cannot use ${param}: ${why}`, {
    details: { param },
  });
}

/**
 * The dataset with each row's weight multiplied by its class's factor.
 *
 * @throws {DataError} `E_DATA_TYPE` where the products are out of the reach of weights.
 */
export function weighClasses(data: Dataset, factors: Float64Array): Dataset {
  if (data.target?.kind !== "classification") return data;
  const { codes } = data.target;
  const sampleWeight = Float64Array.from(
    codes,
    (code, row) => factors[code] * (data.sampleWeight?.[row] ?? 1),
  );
  checkWeight(sampleWeight, data.numRows, "weights by class");
  return { ...data, sampleWeight };
}

/**
 * What to add to each raw score so that probabilities answer for the data's own class shares:
 * −ln of the factor for softmax, −ln(w₁/w₀) for one logistic score (King & Zeng, "Logistic
 * Regression in Rare Events Data", 2001, prior correction).
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` for links without odds.
 */
export function priorShift(ensemble: Ensemble, factors: Float64Array): Float64Array {
  const { postprocess, numOutputs } = ensemble;
  if (factors.length === 1) return Float64Array.of(0); // the only class has all shares
  if (postprocess.name === "softmax") return factors.map((factor) => -log(factor));
  if (postprocess.name === "sigmoid" && numOutputs === 1) {
    return Float64Array.of(-log(factors[1] / factors[0]) / (postprocess.scale ?? 1));
  }
  throw noOdds(postprocess.name);
}

/**
 * Refuses, before training, a loss whose scores cannot be corrected.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT`
 */
export function checkPriorCorrection({ postprocess, numOutputs }: Loss): void {
  const { name } = postprocess;
  if (name !== "softmax" && !(name === "sigmoid" && numOutputs === 1)) throw noOdds(name);
}

function noOdds(link: string): ParameterError {
  return conflict("priorCorrection", `the link "${link}" has no odds to correct`);
}
