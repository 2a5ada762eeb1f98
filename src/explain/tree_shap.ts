/**
 * SHAP values of tree ensembles, path-dependent: how much each feature moved each raw score away
 * from the model's expected score. Contributions and bias add up to the raw score.
 *
 * @module
 */
import { checkModel, checkOptions } from "../door.ts";
import type { Schema } from "../data/types.ts";
import { ModelError, ParameterError } from "../errors.ts";
import type { ColumnOptions, PredictInput } from "../model/encode.ts";
import type { Model } from "../model/model.ts";
import { treesOfRounds } from "../model/rounds.ts";
import { treeDepth } from "../model/trees.ts";
import type { Ensemble } from "../model/types.ts";
import { childCount } from "./branch.ts";
import { eachEncodedBlock } from "./encoded_rows.ts";
import { createTreeExplainer } from "./shap_path.ts";
import { nodeShares } from "./shares.ts";

/**
 * Contributions of every feature to every raw score of every row. If rows have an offset, it is the
 * last feature, and its contribution is its value.
 */
export interface ShapValues {
  /** Contributions, row-major `rows × numOutputs × numFeatures`. */
  readonly values: Float64Array;
  /** Expected raw score, length `numOutputs`: the base score plus the means of the trees. */
  readonly bias: Float64Array;
  /** Number of rows. */
  readonly rows: number;
  /** Number of raw scores of a row: 1, or the number of classes or targets. */
  readonly numOutputs: number;
  /** Number of features, including the offset if rows have one. */
  readonly numFeatures: number;
  /** Names of the features in the order of the last dimension. */
  readonly features: readonly string[];
}

/** Options of {@linkcode explainShap}. */
export interface ShapOptions extends ColumnOptions {
  /**
   * Rows that decide how often each branch is taken. Needed if the model file does not store node
   * weights. @default the node weights of the training
   */
  readonly background?: PredictInput;
  /** Use only the first rounds of the ensemble. @default all */
  readonly rounds?: number;
  /**
   * Called before each tree of each row, and from time to time within a large tree, with the number
   * of finished rows. If it throws, the work ends with its error.
   */
  readonly onTree?: (rows: number) => void;
}

const MODEL_OPTIONS = { background: "any", rounds: "whole" } as const;

const ROW_OPTIONS = { columns: ["strict", "lenient"], onTree: "function" } as const;

/**
 * Explains predictions by path-dependent TreeSHAP (Lundberg et al., "From local explanations to
 * global understanding with explainable AI for trees", 2020). The contributions of a row and the bias
 * add up to its raw score.
 *
 * If a surrogate split decides for a missing value, its effect is attributed to the feature whose
 * value is missing.
 *
 * Sums are float64. For models with float32 sums (XGBoost), contributions and bias add up to the exact
 * sum of the leaves, of which the library's margin is an approximation.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` for models whose score is not a sum over trees (votes,
 * medians, minima), for linear leaves, and for models without node weights if there is no
 * `background`.
 * @throws {ModelError} `E_MODEL_SCHEMA` for rows that do not fit the model.
 *
 * @example A tree of depth 2 with leaves 0 and (2, 10), all equally likely
 * ```ts
 * import { assertAlmostEquals } from "@std/assert";
 * import { createModel } from "../model/model.ts";
 * import { createTreeBuilder, packTrees } from "../model/trees.ts";
 * const tree = createTreeBuilder();
 * tree.splitThreshold(0, 0, 0.5, 0);
 * tree.splitThreshold(2, 1, 0.5, 0);
 * [0, 1, 2, 3, 4].forEach((node) => tree.setValue(node, [[NaN, 0, NaN, 2, 10][node]]));
 * [4, 2, 2, 1, 1].forEach((cover, node) => tree.setStats(node, cover, 0));
 * const model = createModel({
 *   schema: {
 *     features: [
 *       { kind: "numeric", name: "a", missing: "learnt" },
 *       { kind: "numeric", name: "b", missing: "learnt" },
 *     ],
 *     task: "regression", classes: [], extraColumns: "ignore", absentColumns: "error",
 *   },
 *   ensemble: {
 *     trees: packTrees([tree]), leafWidth: 1, numOutputs: 1, treeOutput: new Int32Array(1),
 *     treeWeight: new Float64Array([1]), treesPerRound: 1, aggregate: "sum",
 *     baseScore: new Float64Array(1), postprocess: { name: "identity" },
 *     profile: { input: "f64", sum: "f64", base: "first", shownTest: "<=" },
 *   },
 *   info: { version: "0", algorithm: "test" },
 * });
 * const shap = explainShap(model, [{ a: 1, b: 1 }]);
 * assertAlmostEquals(shap.bias[0], 3, 1e-12);
 * assertAlmostEquals(shap.values[0], 4, 1e-12);
 * assertAlmostEquals(shap.values[1], 3, 1e-12);
 * ```
 */
export function explainShap(
  model: Model,
  input: PredictInput,
  options: ShapOptions = {},
): ShapValues {
  checkModel("explainShap", model);
  checkOptions<ShapOptions>("explainShap", options, { ...MODEL_OPTIONS, ...ROW_OPTIONS });
  const { background, rounds, ...rest } = options;
  const modelOptions = {
    ...(background !== undefined && { background }),
    ...(rounds !== undefined && { rounds }),
  };
  return createShapExplainer(model, modelOptions)(input, rest);
}

/**
 * Prepares the explanation of many inputs by one model. The work that depends only on the model is
 * done once; the function that is returned explains like {@linkcode explainShap}.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` as {@linkcode explainShap}.
 */
export function createShapExplainer(
  model: Model,
  modelOptions: Pick<ShapOptions, "background" | "rounds"> = {},
): (input: PredictInput, options?: Omit<ShapOptions, "background" | "rounds">) => ShapValues {
  checkModel("createShapExplainer", model);
  checkOptions<typeof modelOptions>("createShapExplainer", modelOptions, MODEL_OPTIONS);
  const { plan, bias } = planShap(model, modelOptions);
  const explain = createRowExplainer(plan);
  const { numOutputs } = plan.ensemble;
  const numFeatures = plan.schema.features.length;
  const width = numOutputs * numFeatures;
  const features = namesOf(plan.schema);
  return (input, options = {}) => {
    checkOptions<typeof options>("explainShap", options, ROW_OPTIONS);
    let values = new Float64Array(0);
    const { onTree } = options;
    const { rows, offset } = eachEncodedBlock(
      model,
      input,
      options,
      (numRows) => values = new Float64Array(numRows * width),
      (x, from, count) =>
        explain(
          x,
          values.subarray(from * width, (from + count) * width),
          onTree && ((row) => onTree(from + row)),
        ),
    );
    const own = { values, bias: bias.slice(), rows, numOutputs, numFeatures, features };
    return withOffset(own, offset, model);
  };
}

/**
 * The values with the offset as a feature of its own, after all others.
 *
 * @throws {ModelError} `E_MODEL_SCHEMA` where it has not one number for each raw score.
 */
export function withOffset(
  shap: ShapValues,
  offset: Float64Array | undefined,
  { info }: Pick<Model, "info">,
): ShapValues {
  if (offset === undefined) return shap;
  if (offset.length !== shap.rows * shap.numOutputs) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot add ${offset.length} offsets: expected ${shap.rows * shap.numOutputs}`,
    );
  }
  const numFeatures = shap.numFeatures + 1;
  const values = new Float64Array(shap.rows * shap.numOutputs * numFeatures);
  for (let line = 0; line < shap.rows * shap.numOutputs; line++) {
    const from = line * shap.numFeatures;
    values.set(shap.values.subarray(from, from + shap.numFeatures), line * numFeatures);
    values[line * numFeatures + shap.numFeatures] = offset[line];
  }
  return { ...shap, values, numFeatures, features: [...shap.features, info.offset ?? "offset"] };
}

/** Names of the features in the order of the last dimension. */
export function namesOf(schema: Schema): string[] {
  return schema.features.map(({ name }) => name);
}

/** All that explaining encoded rows needs: plain data, which threads can be sent. */
export interface ShapPlan {
  readonly ensemble: Ensemble;
  readonly schema: Schema;
  /** Share of every node in its parent's weight. */
  readonly share: Float64Array;
  readonly numTrees: number;
}

/** Checks that a model can be explained; the plan of its rows, and the expected scores. */
export function planShap(
  model: Model,
  options: Pick<ShapOptions, "background" | "rounds">,
): { readonly plan: ShapPlan; readonly bias: Float64Array } {
  const { ensemble, schema } = model;
  checkAdditive(ensemble);
  const numTrees = treesOfRounds(model, options.rounds);
  const share = nodeShares(model, options.background);
  const factor = treeFactors(ensemble, numTrees);
  const bias = expectedScores(model, share, factor, numTrees);
  return { plan: { ensemble, schema, share, numTrees }, bias };
}

/**
 * Adds the contributions of encoded rows to `out`, `rows × numOutputs × numFeatures`; each row is
 * explained by itself.
 */
export type RowExplainer = (
  x: Float64Array,
  out: Float64Array,
  onTree?: (rows: number) => void,
) => void;

/** Makes an explainer of encoded rows. */
export function createRowExplainer({ ensemble, schema, share, numTrees }: ShapPlan): RowExplainer {
  const { trees, numOutputs, leafWidth, treeOutput } = ensemble;
  const numFeatures = schema.features.length;
  const width = numOutputs * numFeatures;
  let depth = 0;
  for (let t = 0; t < numTrees; t++) depth = Math.max(depth, treeDepth(trees, t));
  const explainer = createTreeExplainer(ensemble, schema, share, depth);
  const factor = treeFactors(ensemble, numTrees);
  const { leaf } = trees;
  const { factors } = explainer;
  let values: Float64Array = new Float64Array(0);
  let to = 0;
  let tree = 0;
  const addScalar = (feature: number, node: number, place: number) => {
    const output = treeOutput[tree];
    values[to + output * numFeatures + feature] += factors[place] *
      factor[tree * numOutputs + output] *
      leaf[node];
  };
  const addVector = (feature: number, node: number, place: number) => {
    for (let k = 0; k < leafWidth; k++) {
      values[to + k * numFeatures + feature] += factors[place] * factor[tree * numOutputs + k] *
        leaf[node * leafWidth + k];
    }
  };
  const add = leafWidth === 1 ? addScalar : addVector;
  return (x, out, onTree) => {
    values = out;
    let r = 0;
    const look = onTree && (() => onTree(r));
    for (; r * width < out.length; r++) {
      to = r * width;
      for (tree = 0; tree < numTrees; tree++) {
        look?.();
        explainer.explain(tree, x, r * numFeatures, add, look);
      }
    }
  };
}

function checkAdditive({ aggregate, linear }: Ensemble): void {
  if (linear === undefined && (aggregate === "sum" || aggregate === "average")) return;
  const why = linear === undefined
    ? `its score is a ${aggregate} over trees`
    : "its leaves are linear models";
  throw new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot explain this model by SHAP: ${why}; expected a sum or an average of constant leaves`,
  );
}

/** Factor of each tree on each output: its weight, or its share of the weights in an average. */
function treeFactors(ensemble: Ensemble, numTrees: number): Float64Array {
  const { numOutputs, leafWidth, treeOutput, treeWeight, aggregate } = ensemble;
  const factor = new Float64Array(numTrees * numOutputs);
  const total = new Float64Array(numOutputs);
  for (let t = 0; t < numTrees; t++) {
    for (let k = 0; k < numOutputs; k++) {
      if (leafWidth === 1 && treeOutput[t] !== k) continue;
      factor[t * numOutputs + k] = treeWeight[t];
      total[k] += treeWeight[t];
    }
  }
  if (aggregate === "average") {
    for (let i = 0; i < factor.length; i++) {
      if (total[i % numOutputs] > 0) factor[i] /= total[i % numOutputs];
    }
  }
  return factor;
}

/** Base score plus the share-weighted mean of every tree. */
function expectedScores(
  { ensemble, schema }: Model,
  share: Float64Array,
  factor: Float64Array,
  numTrees: number,
): Float64Array {
  const { trees, numOutputs, leafWidth, treeOutput, baseScore } = ensemble;
  const bias = Float64Array.from(baseScore);
  const reach = new Float64Array(trees.kind.length);
  for (let t = 0; t < numTrees; t++) {
    reach[trees.treeStart[t]] = 1;
    for (let node = trees.treeStart[t]; node < trees.treeStart[t + 1]; node++) {
      const first = trees.firstChild[node];
      if (first >= 0) {
        const end = first + childCount(trees, schema, node);
        for (let child = first; child < end; child++) reach[child] = reach[node] * share[child];
        continue;
      }
      for (let k = 0; k < leafWidth; k++) {
        const output = leafWidth === 1 ? treeOutput[t] : k;
        const value = trees.leaf[node * leafWidth + k];
        bias[output] += factor[t * numOutputs + output] * reach[node] * value;
      }
    }
  }
  return bias;
}
