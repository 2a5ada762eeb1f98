/**
 * CatBoost's JSON model → Treeline: oblivious trees over float features.
 *
 * Prokhorenkova et al., NeurIPS 2018; layout read from catboost/catboost
 * `catboost/libs/model/model_export/json_model_helpers.cpp`. Sums are doubles, the bias comes last.
 *
 * @module
 */
import type { InputFeature } from "../../data/types.ts";
import {
  asFields,
  fieldError,
  type Fields,
  listAt,
  objectAt,
  optional,
} from "../common/document.ts";
import { createForest, finishForest } from "../common/forest.ts";
import { codeNames, featureNames, type Imported, importedSchema } from "../common/imported.ts";
import { checkLimit, type FullLimits } from "../common/limits.ts";
import { classesOf, lossOf, meaning, thresholdWarning } from "./objective.ts";
import { addTree, readFeatures } from "./trees.ts";

/** Converts a parsed CatBoost document. */
export function convertCatboost(document: unknown, limits: FullLimits): Imported {
  const root = asFields(document, "the document");
  const info = objectAt(root, "model_info");
  const list = listAt(root, "oblivious_trees");
  const { features, splits } = readFeatures(root, limits);
  const [scale, bias] = readScale(root);
  const dimension = checkLimit("the number of outputs", bias.length, limits.maxOutputs);
  const named = lossOf(info);
  const loss = named ?? "RMSE";
  const classes = classesOf(info);
  const { task, postprocess } = meaning(loss, dimension);
  if (task === "classification" && classes !== undefined) {
    const expected = Math.max(2, dimension);
    if (classes.length !== expected) {
      throw fieldError("class_params", classes, `${expected} labels`);
    }
  }
  const forest = createForest(dimension, limits);
  list.forEach((item, t) =>
    addTree(forest, asFields(item, `oblivious_trees[${t}]`), t, features, splits)
  );
  const numTrees = list.length;
  const names = featureNames(features.map((f) => f.name), features.length);
  const version = optional(info, "catboost_version_info");
  return {
    schema: importedSchema(
      names.map((name): InputFeature => ({ kind: "numeric", name, missing: "learnt" })),
      task,
      task === "classification" ? classes ?? codeNames(Math.max(2, dimension)) : [],
      features.some((f) => f.isNamed),
    ),
    ensemble: {
      trees: finishForest(forest),
      leafWidth: dimension,
      numOutputs: dimension,
      treeOutput: new Int32Array(numTrees),
      treeWeight: new Float64Array(numTrees).fill(scale),
      treesPerRound: 1,
      aggregate: "sum",
      baseScore: Float64Array.from(bias),
      postprocess,
      profile: { input: "f32", sum: "f64", base: "last", shownTest: "<=" },
    },
    format: "catboost-json",
    library: "catboost",
    ...(typeof version === "string"
      ? { version: /\d+\.\d+(\.\d+)?/.exec(version)?.[0] ?? "unknown" }
      : {}),
    notes: { loss },
    warnings: [
      ...(named === undefined ? ["The file names no loss: scores are raw"] : []),
      ...(Math.log2(Math.abs(scale)) % 1 === 0 ? [] : [
        `The file multiplies the sum of its trees by ${scale}; here each tree is multiplied, so scores may ` +
        "differ in the last bits",
      ]),
      ...(task === "classification" && dimension === 1 ? thresholdWarning(info) : []),
    ],
    sourceIds: forest.sourceId.slice(0, forest.numNodes),
  };
}

function readScale(root: Fields): [number, readonly number[]] {
  const pair = listAt(root, "scale_and_bias");
  if (pair.length !== 2) throw fieldError("scale_and_bias", pair, "a scale and a bias");
  const [scale, given] = pair;
  const bias: readonly unknown[] = Array.isArray(given) ? given : [given];
  for (const item of [scale, ...bias]) {
    if (!Number.isFinite(item)) throw fieldError("scale_and_bias", item, "finite numbers");
  }
  return [scale as number, bias.length === 0 ? [0] : bias as readonly number[]];
}
