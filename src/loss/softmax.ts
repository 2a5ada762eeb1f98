/**
 * Losses for several classes: softmax cross entropy, and one logistic loss a class.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { exp, log, logSumExp, sigmoid, softplus } from "../util/math.ts";
import { createSum } from "../util/sum.ts";
import { checkDomain, type LabelDomain, logit, meanOf } from "./labels.ts";
import type { Loss } from "./types.ts";
import type { Curvature } from "./params.ts";

const MIN_HESSIAN = 1e-16;

/** Labels are class codes. */
function codesBelow(numClasses: number): LabelDomain {
  return {
    test: (y) => Number.isInteger(y) && y >= 0 && y < numClasses,
    text: `a class code from 0 to ${numClasses - 1}`,
  };
}

/** Weighted share of each class. */
function classShares(labels: Labels, numClasses: number): Float64Array {
  if (labels.weight === undefined && labels.counts?.length === numClasses) {
    return Float64Array.from(labels.counts, (count) => count / labels.values.length);
  }
  if (labels.weight === undefined) {
    const counts = new Float64Array(numClasses);
    for (let row = 0; row < labels.values.length; row++) counts[labels.values[row]]++;
    return counts.map((count) => count / labels.values.length);
  }
  const totals = Array.from({ length: numClasses }, createSum);
  const total = createSum();
  labels.values.forEach((code, row) => {
    const weight = labels.weight![row];
    totals[code].add(weight);
    total.add(weight);
  });
  return Float64Array.from(totals, (sum) => sum.value() / total.value());
}

/**
 * Softmax cross entropy with one output a class: g = p − y.
 *
 * The diagonal p (1 − p) of the Hessian is multiplied to bound the full one: by 2 as XGBoost does,
 * or by K / (K − 1) as LightGBM does.
 */
export function softmaxLoss(numClasses: number, curvature: Curvature = "treeline"): Loss {
  const factor = curvature === "lightgbm" ? numClasses / (numClasses - 1) : 2;
  return {
    name: "softmax",
    task: "classification",
    numOutputs: numClasses,
    postprocess: { name: "softmax" },
    kernel: "softmax",
    curvatureFactor: factor,
    checkLabels: (labels) => checkDomain("softmax", labels, codesBelow(numClasses)),
    baseScore: (labels) =>
      classShares(labels, numClasses).map((share) => log(Math.max(share, 1e-15))),
    gradients(labels, raw, gradient, hessian, from, to) {
      const numRows = labels.values.length;
      for (let row = from; row < to; row++) {
        let largest = -Infinity;
        for (let k = 0; k < numClasses; k++) {
          largest = Math.max(largest, raw[k * numRows + row]);
        }
        let total = 0;
        for (let k = 0; k < numClasses; k++) {
          const e = exp(raw[k * numRows + row] - largest);
          gradient[k * numRows + row] = e;
          total += e;
        }
        for (let k = 0; k < numClasses; k++) {
          const at = k * numRows + row;
          const p = gradient[at] / total;
          gradient[at] = labels.values[row] === k ? p - 1 : p;
          hessian[at] = Math.max(factor * (p * (1 - p)), MIN_HESSIAN);
        }
      }
    },
    value: (labels, raw) =>
      meanOf(labels, (row) => {
        const numRows = labels.values.length;
        return logSumExp(raw, row, numClasses, numRows) - raw[labels.values[row] * numRows + row];
      }),
  };
}

/**
 * One logistic loss a class (one against the rest), each with its own trees.
 *
 * @param normalise Whether probabilities are divided by their sum; LightGBM's are not.
 * @param scale Factor s of the sigmoids, p = σ(s f).
 */
export function oneVsAllLoss(numClasses: number, normalise: boolean, scale = 1): Loss {
  return {
    name: "oneVsAll",
    task: "classification",
    numOutputs: numClasses,
    postprocess: { name: "oneVsAll", normalise, ...(scale === 1 ? {} : { scale }) },
    checkLabels: (labels) => checkDomain("oneVsAll", labels, codesBelow(numClasses)),
    baseScore: (labels) => classShares(labels, numClasses).map((share) => logit(share) / scale),
    gradients(labels, raw, gradient, hessian, from, to) {
      const numRows = labels.values.length;
      for (let k = 0; k < numClasses; k++) {
        for (let row = from; row < to; row++) {
          const p = sigmoid(scale * raw[k * numRows + row]);
          gradient[k * numRows + row] = scale * (labels.values[row] === k ? p - 1 : p);
          hessian[k * numRows + row] = Math.max(scale * scale * (p * (1 - p)), MIN_HESSIAN);
        }
      }
    },
    value: (labels, raw) =>
      meanOf(labels, (row) => {
        let total = 0;
        for (let k = 0; k < numClasses; k++) {
          const f = scale * raw[k * labels.values.length + row];
          total += softplus(f) - (labels.values[row] === k ? f : 0);
        }
        return total;
      }),
  };
}
