/**
 * How many outputs an ONNX tree ensemble has, where they start, and what follows the sums, by the rules
 * of ONNX Runtime.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import type { Ensemble, Postprocess } from "../../model/types.ts";
import { fieldError } from "../common/document.ts";
import type { OnnxTrees } from "./tree.ts";

/** What a model of trees makes of their sums. */
export interface Shape {
  readonly numOutputs: number;
  readonly aggregate: Ensemble["aggregate"];
  readonly base: readonly number[];
  readonly postprocess: Postprocess;
  /** Things a person should read. */
  readonly warnings?: readonly string[];
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

/**
 * Outputs that get a weight from every row, since all leaves of some tree name them. ONNX Runtime gives
 * 0 for the others where no leaf of a row names them, whatever their base value.
 */
function alwaysScored(source: OnnxTrees, numOutputs: number): readonly boolean[] {
  const always = new Array<boolean>(numOutputs).fill(false);
  for (const tree of source.trees) {
    let numLeaves = 0;
    const named = new Map<number, number>();
    for (let i = 0; i < tree.mode.length; i++) {
      if (tree.mode[i] !== "LEAF") continue;
      numLeaves++;
      for (const output of new Set(tree.targets[i].map((target) => target.output))) {
        named.set(output, (named.get(output) ?? 0) + 1);
      }
    }
    for (const [output, count] of named) if (count === numLeaves) always[output] = true;
  }
  return always;
}

/** Refuses a base value that ONNX Runtime drops for some rows. */
function checkBase(source: OnnxTrees, base: readonly number[]): void {
  const always = alwaysScored(source, base.length);
  base.forEach((value, output) => {
    if (value === 0 || always[output]) return;
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot import this ensemble: output ${output} has the base value ${value}, which ONNX Runtime ` +
        "drops for rows whose leaves do not name the output; expected a tree that always names it",
      { details: { output, base: value } },
    );
  });
}

/**
 * A leaf of a model of one output gives its first weight in ONNX Runtime, or, without any, the node's
 * `nodes_values`: both are refused unless they come to the same as adding up.
 */
function checkSingleWeights(source: OnnxTrees): void {
  for (const tree of source.trees) {
    for (let i = 0; i < tree.mode.length; i++) {
      if (tree.mode[i] !== "LEAF") continue;
      const { length } = tree.targets[i];
      if (length === 1 || (length === 0 && tree.value[i] === 0)) continue;
      throw new ConversionError(
        "E_CONVERT_UNSUPPORTED",
        `Cannot import tree ${tree.id}: a leaf has ${length} weights for one output; expected one`,
        { details: { tree: tree.id, node: i } },
      );
    }
  }
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
  const base = baseValues.length === numOutputs ? baseValues : new Array(numOutputs).fill(0);
  if (numOutputs === 1) checkSingleWeights(source);
  else checkBase(source, base);
  return {
    numOutputs,
    aggregate,
    base,
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
  let allAbove = true;
  for (const tree of trees) {
    for (const targets of tree.targets) {
      for (const { output, weight } of targets) {
        used.add(output);
        if (weight < 0) allPositive = false;
        if (!(weight > 0)) allAbove = false;
      }
    }
  }
  const transform = transformOf(source);
  if (numClasses > 2) {
    if (baseValues.length !== 0 && baseValues.length !== numClasses) {
      throw fieldError("base_values", baseValues, `${numClasses} numbers or none`);
    }
    // A class without any weight is out of the running for the label, where 0 might have won.
    if (baseValues.length === 0 && !allAbove && !alwaysScored(source, numClasses).every(Boolean)) {
      throw new ConversionError(
        "E_CONVERT_UNSUPPORTED",
        "Cannot import this classifier: rows may reach no weight of some class, and then ONNX Runtime " +
          "leaves it out of the label; expected weights of all classes in the leaves of a tree",
        { details: { classes: numClasses } },
      );
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
  if (used.size !== 1 || !used.has(0)) {
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot import a classifier of two classes with weights for ${
        [...used].sort().map((k) => `class ${k}`).join(" and ") || "none"
      }: ONNX Runtime takes the label from the sign of the second score then; expected weights for class 0 alone ` +
        `(CatBoost writes both: save its model with format="json")`,
      { details: { classes: [...used] } },
    );
  }
  const base = [baseValues[0] ?? 0];
  checkBase(source, base);
  // One score for both classes: after LOGISTIC and where no weight is negative a probability, else a
  // margin. The other transforms leave a single score alone.
  if (transform === "probit") {
    throw fieldError("post_transform", "PROBIT", "NONE or LOGISTIC for one score of two classes");
  }
  const name = transform === "sigmoid" ? "sigmoid" : allPositive ? "probability" : "identity";
  const warnings = transform === "sigmoid" && allPositive
    ? [
      "All weights are positive and LOGISTIC follows: scores are as ONNX Runtime 1.32 gives them (releases " +
      "before took the sums for probabilities); the label is the likelier class, where the runtime asks " +
      "for a sum above 0.5",
    ]
    : [];
  return { numOutputs: 1, aggregate: "sum", base, postprocess: { name }, warnings };
}
