/**
 * The raw score that training starts from: the loss's best constant, a user's number through the
 * link, or, where rows have offsets, the best constant beside them.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import { log } from "../util/math.ts";
import { createSum } from "../util/sum.ts";
import { logit } from "./labels.ts";
import type { Loss } from "./types.ts";

/**
 * A response as a raw score.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` where the link cannot give the response.
 */
export function rawOfResponse(loss: Loss, response: number): Float64Array {
  const { name, scale = 1 } = loss.postprocess;
  const refuse = (expected: string): never => {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use baseScore ${response} with loss "${loss.name}": expected ${expected}`,
      { details: { param: "baseScore", value: response } },
    );
  };
  const filled = (raw: number) => new Float64Array(loss.numOutputs).fill(raw);
  switch (name) {
    case "exp":
      return filled(response > 0 ? log(response) : refuse("a number greater than 0"));
    case "sigmoid":
    case "oneVsAll":
      // XGBoost holds 0 and 1 away from the ends by 1e-6.
      return filled(
        response >= 0 && response <= 1
          ? logit(Math.min(1 - 1e-6, Math.max(1e-6, response))) / scale
          : refuse("a probability"),
      );
    default:
      return filled(response);
  }
}

/**
 * The best constant raw scores beside the rows' own offsets, by Newton steps (or the loss's own
 * leaf rule), which end when no output moves by more than 1e-10.
 *
 * @param offset Row-major `numRows × numOutputs`.
 * @param mostSteps Steps after which it ends anyway. @default 100
 */
export function baseScoreBeside(
  loss: Loss,
  labels: Labels,
  offset: Float64Array,
  mostSteps = 100,
): Float64Array {
  const { numOutputs } = loss;
  const numRows = labels.values.length;
  const base = new Float64Array(numOutputs);
  const raw = new Float64Array(numRows * numOutputs);
  const gradient = new Float64Array(raw.length);
  const hessian = new Float64Array(raw.length);
  const rows = Int32Array.from({ length: numRows }, (_, row) => row);
  for (let step = 0; step < mostSteps; step++) {
    for (let k = 0; k < numOutputs; k++) {
      for (let row = 0; row < numRows; row++) {
        raw[k * numRows + row] = base[k] + offset[row * numOutputs + k];
      }
    }
    let moved = 0;
    if (loss.refitLeaf === undefined) loss.gradients(labels, raw, gradient, hessian, 0, numRows);
    for (let k = 0; k < numOutputs; k++) {
      const change = loss.refitLeaf?.(labels, raw, rows, k) ??
        newtonStep(
          gradient,
          hessian,
          k * numRows,
          numRows,
          loss.weighted ? undefined : labels.weight,
        );
      base[k] += change;
      moved = Math.max(moved, Math.abs(change));
    }
    if (moved <= 1e-10) break;
  }
  return base;
}

/**
 * Where XGBoost 2 starts: one Newton step from raw score 0; several classes start alike. Losses
 * whose leaves are refitted, and rankings, start as they do here.
 */
export function xgboostStart(loss: Loss, labels: Labels): Float64Array {
  if (loss.refitLeaf !== undefined || loss.task === "ranking") return loss.baseScore(labels);
  if (loss.numOutputs > 1) return new Float64Array(loss.numOutputs).fill(0.5);
  return baseScoreBeside(loss, labels, new Float64Array(labels.values.length), 1);
}

function newtonStep(
  gradient: Float64Array,
  hessian: Float64Array,
  at: number,
  numRows: number,
  weight: Float64Array | undefined,
): number {
  const g = createSum();
  const h = createSum();
  for (let row = 0; row < numRows; row++) {
    const w = weight?.[row] ?? 1;
    g.add(w * gradient[at + row]);
    h.add(w * hessian[at + row]);
  }
  return h.value() > 0 ? -g.value() / h.value() : 0;
}
