/**
 * A loss that is a function of one label and one raw score: the shape of all but the multiclass
 * and ranking losses.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import type { Postprocess } from "../model/types.ts";
import { checkDomain, type LabelDomain, meanOf } from "./labels.ts";
import type { Loss } from "./types.ts";

/** What one needs to know of such a loss. */
export interface Pointwise {
  readonly name: string;
  readonly task: "regression" | "classification";
  readonly postprocess: Postprocess;
  readonly domain: LabelDomain;
  readonly kernel?: "squared" | "logistic";
  /** Best constant raw score. */
  readonly start: (labels: Labels) => number;
  /** Derivative of `value` by the raw score. */
  readonly gradient: (label: number, raw: number) => number;
  /** Second derivative, or the positive stand-in that the leaf step divides by. */
  readonly hessian: (label: number, raw: number) => number;
  readonly value: (label: number, raw: number) => number;
  /** Best constant to add to the raw scores of some rows, where a Newton step would mislead. */
  readonly refit?: (labels: Labels, raw: Float64Array, rows: Int32Array) => number;
}

/** Completes a pointwise description to a {@linkcode Loss} with one output. */
export function pointwiseLoss(spec: Pointwise): Loss {
  const { gradient: slope, hessian: curve, value } = spec;
  return {
    name: spec.name,
    task: spec.task,
    numOutputs: 1,
    postprocess: spec.postprocess,
    ...(spec.kernel === undefined ? {} : { kernel: spec.kernel }),
    ...(spec.refit === undefined ? {} : { refitLeaf: spec.refit }),
    checkLabels: (labels) => checkDomain(spec.name, labels, spec.domain),
    baseScore: (labels) => Float64Array.of(spec.start(labels)),
    gradients(labels, raw, gradient, hessian, from, to) {
      const { values } = labels;
      for (let row = from; row < to; row++) {
        const y = values[row];
        const f = raw[row];
        gradient[row] = slope(y, f);
        hessian[row] = curve(y, f);
      }
    },
    value: (labels, raw) => meanOf(labels, (row) => value(labels.values[row], raw[row])),
  };
}
