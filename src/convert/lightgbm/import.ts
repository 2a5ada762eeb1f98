/**
 * LightGBM → Treeline. Tests are `<=` on doubles already; what differs is zeros and missing values,
 * which `zero.ts` settles; `trees.ts` lays the trees. Categories in the set go left,
 * all else goes right.
 *
 * Ke et al., NeurIPS 2017; behaviour read from lightgbm-org/LightGBM `include/LightGBM/tree.h`.
 *
 * @module
 */
import type { InputFeature } from "../../data/types.ts";
import { fieldError } from "../common/document.ts";
import { createForest, finishForest } from "../common/forest.ts";
import {
  checkLevel,
  codeNames,
  featureNames,
  type Imported,
  importedCategory,
  importedSchema,
  numClasses,
  writtenOtherwise,
} from "../common/imported.ts";
import { lightgbmObjective } from "./objective.ts";
import type { LightgbmSource } from "./text.ts";
import { addTree, linearLeaves, surveyFeatures, type Use } from "./trees.ts";
import { checkLimit, type FullLimits } from "../common/limits.ts";

/** Converts what a LightGBM file says. */
export function convertLightgbm(source: LightgbmSource, limits: FullLimits): Imported {
  const objective = lightgbmObjective(source.objective);
  const numFeatures = checkLimit(
    "the number of features",
    source.maxFeature + 1,
    limits.maxFeatures,
  );
  const numOutputs = checkLimit(
    "the number of outputs",
    source.treesPerIteration,
    limits.maxOutputs,
  );
  const numTrees = source.trees.length;
  if (numOutputs < 1 || numTrees % numOutputs !== 0) {
    throw fieldError("num_tree_per_iteration", numOutputs, `a divisor of ${numTrees} trees`);
  }
  if (numOutputs !== source.numClasses || numOutputs !== (objective.outputs ?? numOutputs)) {
    throw fieldError(
      "num_tree_per_iteration",
      numOutputs,
      `${objective.outputs ?? source.numClasses}, the outputs of the objective and num_class`,
    );
  }
  const use = surveyFeatures(source, numFeatures, limits);
  let numNodes = 0;
  for (const tree of source.trees) numNodes += 2 * tree.numLeaves - 1;
  const forest = createForest(
    1,
    limits,
    checkLimit("the number of nodes", numNodes, limits.maxNodes),
  );
  const warnings: string[] = [];
  const levels = pandasLevels(source, use, warnings);
  // Nodes that become three repeat their subtrees; that must not blow up.
  const mostNodes = Math.min(limits.maxNodes, 100_000 + 20 * numNodes);
  for (let t = 0; t < numTrees; t++) addTree(forest, source, t, use, mostNodes);
  checkLimit("the number of unfolded nodes", forest.numNodes, mostNodes);
  const linear = linearLeaves(forest, source, use);
  if (
    source.averageOutput && source.version === "v2" && objective.postprocess.name !== "identity"
  ) {
    warnings.push(
      "A random forest of LightGBM before 2.3: its leaves may be probabilities already; the response " +
        "is what LightGBM 4.6 gives for this file",
    );
  }
  if (source.objective.trim() === "") {
    warnings.push("The file names no objective (a custom one was used): scores are raw");
  }
  const names = featureNames(source.featureNames, numFeatures);
  return {
    schema: importedSchema(
      names.map((name, i) => inputFeature(name, use, i, levels.get(i))),
      objective.task,
      objective.task === "classification"
        ? codeNames(numClasses(objective.postprocess, numOutputs))
        : [],
      source.featureNames.length > 0,
    ),
    ensemble: {
      trees: finishForest(forest),
      leafWidth: 1,
      numOutputs,
      treeOutput: Int32Array.from({ length: numTrees }, (_, t) => t % numOutputs),
      treeWeight: new Float64Array(numTrees).fill(1),
      treesPerRound: numOutputs,
      aggregate: source.averageOutput ? "average" : "sum",
      baseScore: new Float64Array(numOutputs),
      postprocess: objective.postprocess,
      profile: { input: "f64", sum: "f64", base: "first", shownTest: "<=" },
      ...(linear === undefined ? {} : { linear }),
    },
    format: "lightgbm-text",
    library: "lightgbm",
    version: source.version,
    notes: { objective: source.objective },
    warnings,
    sourceIds: forest.sourceId.slice(0, forest.numNodes),
  };
}

function inputFeature(
  name: string,
  use: Use,
  feature: number,
  levels: readonly string[] | undefined,
): InputFeature {
  const numCategories = use.numCategories[feature];
  if (numCategories > 0 || levels !== undefined) {
    return importedCategory(name, levels, numCategories);
  }
  return {
    kind: "numeric",
    name,
    missing: "learnt",
    ...(use.zero[feature] === 1 ? { zeroIsMissing: true } : {}),
  };
}

/** Level names of pandas columns; the lists follow the categorical columns in order. */
function pandasLevels(
  source: LightgbmSource,
  use: Use,
  warnings: string[],
): ReadonlyMap<number, readonly string[]> {
  const levels = new Map<number, readonly string[]>();
  const lists = source.pandasCategorical;
  if (lists === null || lists.length === 0) return levels;
  const numFeatures = use.numeric.length;
  const declared = (source.parameters.get("categorical_feature") ?? "").split(",")
    .filter((item) => /^\d+$/.test(item)).map(Number);
  const seen: number[] = [];
  for (let feature = 0; feature < numFeatures; feature++) {
    const info = source.featureInfos[feature] ?? "none";
    if (use.numCategories[feature] > 0 || (info !== "none" && !info.startsWith("["))) {
      seen.push(feature);
    }
  }
  // Of more declared columns than lists some hold codes, and nothing says which.
  const columns = declared.length > 0 ? declared : seen;
  const fits = columns.length === lists.length &&
    columns.every((feature, i) =>
      feature < numFeatures && !use.numeric[feature] &&
      use.numCategories[feature] <= lists[i].length
    );
  if (!fits) {
    warnings.push(
      `The file lists the levels of ${lists.length} pandas columns but not which ones they are: ` +
        "categorical inputs are level codes",
    );
    return levels;
  }
  const odd: string[] = [];
  columns.forEach((feature, i) => {
    const name = JSON.stringify(source.featureNames[feature] ?? `f${feature}`);
    for (const level of lists[i]) checkLevel(level, `the levels of ${name}`);
    const names = lists[i].map((level) => String(level));
    const isOdd = (level: unknown): boolean =>
      typeof level === "boolean" || (typeof level === "number" && source.pandasDecimals === true);
    if (lists[i].some(isOdd)) odd.push(name);
    levels.set(feature, names);
    // Sets are stored up to their last member; the vocabulary is what K has to cover.
    use.numCategories[feature] = names.length;
  });
  warnings.push(...writtenOtherwise(odd));
  return levels;
}
