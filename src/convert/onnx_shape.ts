/**
 * How many outputs an ONNX tree ensemble has, where they start, and what follows the sums, by the rules
 * of ONNX Runtime.
 *
 * @module
 */
import { ConversionError } from "../errors.ts";
import type { Ensemble, Postprocess } from "../model/types.ts";
import { fieldError } from "./document.ts";
import type { OnnxTrees } from "./onnx_trees.ts";

/** What a model of trees makes of their sums. */
export interface Shape {
  readonly numOutputs: number;
  readonly aggregate: Ensemble["aggregate"];
  readonly base: readonly number[];
  readonly postprocess: Postprocess;
}

const AGGREGATES: { readonly [name: string]: Ensemble["aggregate"] } = {
  SUM: "sum",
  AVERAGE: "average",
  MIN: "min",
  MAX: "max",
};

const TRANSFORMS: { readonly [name: string]: Postprocess["name"] } = {
  NONE: "identity",
  LOGISTIC: "sigmoid",
  SOFTMAX: "softmax",
  SOFTMAX_ZERO: "softmaxZero",
  PROBIT: "probit",
};

function transformOf(source: OnnxTrees): Postprocess["name"] {
  const name = TRANSFORMS[source.postTransform];
  if (name === undefined) {
    throw fieldError("post_transform", source.postTransform, Object.keys(TRANSFORMS).join(", "));
  }
  return name;
}

/** The shape of a regressor, or of a TreeEnsemble of opset 5. */
export function regressorShape(source: OnnxTrees): Shape {
  const numOutputs = Math.max(1, source.numTargets);
  const aggregate = AGGREGATES[source.aggregate];
  if (aggregate === undefined) {
    throw fieldError("aggregate_function", source.aggregate, Object.keys(AGGREGATES).join(", "));
  }
  const transform = transformOf(source);
  const { baseValues } = source;
  if (baseValues.length !== 0 && baseValues.length !== numOutputs) {
    throw fieldError("base_values", baseValues, `${numOutputs} numbers or none`);
  }
  return {
    numOutputs,
    aggregate,
    base: baseValues.length === numOutputs ? baseValues : new Array(numOutputs).fill(0),
    // ONNX Runtime applies no transform but PROBIT to a single output.
    postprocess: { name: numOutputs === 1 && transform !== "probit" ? "identity" : transform },
  };
}

/** The shape of a classifier. */
export function classifierShape(source: OnnxTrees): Shape {
  const { labels, baseValues, trees } = source;
  const numClasses = labels.length;
  if (numClasses < 2) throw fieldError("classlabels_int64s", labels, "two labels or more");
  const used = new Set<number>();
  let allPositive = true;
  for (const tree of trees) {
    for (const targets of tree.targets) {
      for (const { output, weight } of targets) {
        used.add(output);
        if (weight < 0) allPositive = false;
      }
    }
  }
  const transform = transformOf(source);
  if (numClasses > 2) {
    if (baseValues.length !== 0 && baseValues.length !== numClasses) {
      throw fieldError("base_values", baseValues, `${numClasses} numbers or none`);
    }
    const isProbability = transform === "identity" && allPositive &&
      baseValues.every((b) => b >= 0);
    const name = isProbability ? "probability" : transform === "sigmoid" ? "oneVsAll" : transform;
    const base = baseValues.length > 0 ? baseValues : new Array(numClasses).fill(0);
    return { numOutputs: numClasses, aggregate: "sum", base, postprocess: { name } };
  }
  if (baseValues.length > 1) {
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      "Cannot import a classifier of two classes with two base values: ONNX leaves their meaning open; expected one or none",
      { details: { baseValues } },
    );
  }
  const base = baseValues[0] ?? 0;
  if (used.size <= 1 && !used.has(1)) {
    // One score for both classes: a probability when no weight is negative, else a margin.
    if (allPositive && transform === "probit") {
      throw fieldError("post_transform", "PROBIT", "NONE or LOGISTIC for one score of two classes");
    }
    const name = allPositive ? "probability" : transform;
    return { numOutputs: 1, aggregate: "sum", base: [base], postprocess: { name } };
  }
  const name = transform === "identity" && allPositive
    ? "probability"
    : transform === "sigmoid"
    ? "oneVsAll"
    : transform;
  return { numOutputs: 2, aggregate: "sum", base: [base, 0], postprocess: { name } };
}
