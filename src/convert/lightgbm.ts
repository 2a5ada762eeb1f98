/**
 * LightGBM → Treeline. Tests are `<=` on doubles already; what differs is missing values: a node of
 * kind *none* reads NaN as 0 (so its side is fixed at import), *zero* sends NaN and |x| ≤ 1e-35 to
 * the default side, *NaN* sends NaN there. Categories in the set go left, all else goes right.
 *
 * Ke et al., NeurIPS 2017; behaviour read from lightgbm-org/LightGBM `include/LightGBM/tree.h`.
 *
 * @module
 */
import { ConversionError } from "../errors.ts";
import type { InputFeature } from "../data/types.ts";
import { type LinearLeaves, NodeKind } from "../model/types.ts";
import { fieldError } from "./document.ts";
import {
  addCategories,
  createForest,
  finishForest,
  type Forest,
  placeTree,
  shapeError,
} from "./forest.ts";
import { codeNames, featureNames, type Imported, importedSchema } from "./imported.ts";
import { lightgbmObjective } from "./lightgbm_objective.ts";
import type { LightgbmSource, LightgbmTree } from "./lightgbm_text.ts";
import { checkLimit, type FullLimits } from "./limits.ts";

const CATEGORICAL = 1;
const DEFAULT_LEFT = 2;
const MISSING_ZERO = 1;
const MISSING_NAN = 2;
const MAX_CATEGORY = 2 ** 31 - 1;

/** How the nodes of one feature test it. */
interface Use {
  readonly numeric: Uint8Array;
  /** K of features tested by category, 0 for others. */
  readonly numCategories: Int32Array;
  /** Some node of the feature treats zero as missing, or treats it as an ordinary value. */
  readonly zero: Uint8Array;
  readonly notZero: Uint8Array;
}

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
  for (let t = 0; t < numTrees; t++) addTree(forest, source.trees[t], t, use);
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
      objective.task === "classification" ? codeNames(Math.max(2, numOutputs)) : [],
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

/** Which features are tested how; one feature must be tested in one way. */
function surveyFeatures(source: LightgbmSource, numFeatures: number, limits: FullLimits): Use {
  const use: Use = {
    numeric: new Uint8Array(numFeatures),
    numCategories: new Int32Array(numFeatures),
    zero: new Uint8Array(numFeatures),
    notZero: new Uint8Array(numFeatures),
  };
  source.trees.forEach((tree, t) => {
    const sizes = new Map<number, number>(); // categories of each set: nodes may share one
    for (let node = 0; node < tree.feature.length; node++) {
      const feature = tree.feature[node];
      if (!(Number.isInteger(feature) && feature >= 0 && feature < numFeatures)) {
        throw shapeError(t, node, `feature ${feature} is outside the ${numFeatures} features`);
      }
      if ((tree.decision[node] & CATEGORICAL) === 0) {
        use.numeric[feature] = 1;
        if (missingKind(tree, node) === MISSING_ZERO) use.zero[feature] = 1;
        else use.notZero[feature] = 1;
        continue;
      }
      const set = tree.threshold[node];
      const most = sizes.get(set) ?? setSize(tree, t, node);
      sizes.set(set, most);
      use.numCategories[feature] = Math.max(use.numCategories[feature], most);
    }
  });
  source.featureInfos.forEach((info, feature) => {
    // "-1:0:2" lists the categories seen in training; "[0:1]" is a range and "none" is unused.
    if (feature >= numFeatures || use.numCategories[feature] === 0 || info.startsWith("[")) return;
    for (const code of info.split(":").map(Number)) {
      if (code >= use.numCategories[feature] && code < MAX_CATEGORY) {
        use.numCategories[feature] = checkLimit(
          "the number of categories",
          code + 1,
          limits.maxCategoryWords,
        );
      }
    }
  });
  const coded = use.numCategories.reduce((sum, count) => sum + count, 0);
  checkLimit("the number of categories", coded, limits.maxCategories);
  for (let feature = 0; feature < numFeatures; feature++) {
    const problem = use.numeric[feature] && use.numCategories[feature] > 0
      ? "both as a number and as a category"
      : use.zero[feature] && use.notZero[feature]
      ? "with zero as missing in some nodes and as a value in others"
      : undefined;
    if (problem === undefined) continue;
    const name = source.featureNames[feature] ?? `f${feature}`;
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot import the model: feature "${name}" is tested ${problem}; expected one way in all trees`,
      { details: { feature: name } },
    );
  }
  return use;
}

const missingKind = (tree: LightgbmTree, node: number): number => (tree.decision[node] >> 2) & 3;

/** Where the words of a categorical node's set are; its threshold is the index of the set. */
function setRange(tree: LightgbmTree, t: number, node: number): readonly [number, number] {
  const index = tree.threshold[node];
  const from = tree.categoryBounds[index];
  const to = tree.categoryBounds[index + 1];
  const isRange = Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to;
  if (!(isRange && to <= tree.categoryWords.length)) {
    throw shapeError(t, node, `category set ${index} is outside the tree's sets`);
  }
  return [from, to];
}

/** 1 + the largest category of a node's set; 1 for a set without members. */
function setSize(tree: LightgbmTree, t: number, node: number): number {
  const [from, to] = setRange(tree, t, node);
  for (let at = to - 1; at >= from; at--) {
    const word = tree.categoryWords[at];
    if (word !== 0) return (at - from) * 32 + 32 - Math.clz32(word);
  }
  return 1;
}

function inputFeature(
  name: string,
  use: Use,
  feature: number,
  levels: readonly string[] | undefined,
): InputFeature {
  const numCategories = use.numCategories[feature];
  if (numCategories > 0 || levels !== undefined) {
    return {
      kind: "categorical",
      name,
      missing: "learnt",
      unknown: "heavier",
      categories: levels ?? codeNames(numCategories),
      ...(levels === undefined ? { coded: true } : {}),
    };
  }
  return {
    kind: "numeric",
    name,
    missing: "learnt",
    ...(use.zero[feature] ? { zeroIsMissing: true } : {}),
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
  const columns = [declared, seen].find((list) =>
    list.length === lists.length &&
    list.every((feature, i) =>
      feature < numFeatures && !use.numeric[feature] &&
      use.numCategories[feature] <= lists[i].length
    )
  );
  if (columns === undefined) {
    warnings.push(
      `The file lists the levels of ${lists.length} pandas columns but not which ones they are: ` +
        "categorical inputs are level codes",
    );
    return levels;
  }
  columns.forEach((feature, i) => {
    const names = lists[i].map((level) => String(level));
    levels.set(feature, names);
    // Sets are stored up to their last member; the vocabulary is what K has to cover.
    use.numCategories[feature] = names.length;
  });
  return levels;
}

function addTree(forest: Forest, tree: LightgbmTree, t: number, use: Use): void {
  const inner = tree.numLeaves - 1;
  // One numbering for both kinds: inner nodes first, then leaves.
  const left = new Int32Array(inner + tree.numLeaves).fill(-1);
  const right = new Int32Array(inner + tree.numLeaves).fill(-1);
  const child = (value: number): number => value < 0 ? inner + ~value : value < inner ? value : -2;
  for (let node = 0; node < inner; node++) {
    left[node] = child(tree.left[node]);
    right[node] = child(tree.right[node]);
    if (left[node] === -1) left[node] = -2; // "no child" is not a child
  }
  const start = placeTree(forest, left, right);
  for (let place = start; place < forest.numNodes; place++) {
    const node = forest.sourceId[place];
    if (node >= inner) {
      const leaf = node - inner;
      forest.sourceId[place] = leaf;
      forest.leaf[place] = tree.leafValue[leaf];
      if (!Number.isFinite(forest.leaf[place])) {
        throw shapeError(t, node, `the value of leaf ${leaf} is ${tree.leafValue[leaf]}`);
      }
      forest.cover[place] = tree.leafCount[leaf] ?? 0;
      continue;
    }
    forest.cover[place] = tree.innerCount[node] ?? 0;
    forest.gain[place] = Math.max(0, tree.gain[node] ?? 0) || 0;
    forest.feature[place] = tree.feature[node];
    if (tree.decision[node] & CATEGORICAL) {
      forest.kind[place] = NodeKind.subset;
      forest.threshold[place] = 0;
      forest.missing[place] = 1; // NaN is in no set, whatever the missing kind
      // Bit K, the unknown value's, stays clear: what is in no set goes right.
      const words = new Uint32Array((use.numCategories[tree.feature[node]] >>> 5) + 1);
      const [from, to] = setRange(tree, t, node);
      words.set(tree.categoryWords.slice(from, Math.min(to, from + words.length)));
      forest.categoryAt[place] = addCategories(forest, words);
      continue;
    }
    const threshold = tree.threshold[node];
    if (Number.isNaN(threshold)) throw shapeError(t, node, "the threshold is NaN");
    forest.kind[place] = NodeKind.threshold;
    forest.threshold[place] = threshold;
    const kind = missingKind(tree, node);
    if (kind > MISSING_NAN) throw shapeError(t, node, `missing kind ${kind} is not known`);
    const missingLeft = kind === MISSING_ZERO || kind === MISSING_NAN
      ? (tree.decision[node] & DEFAULT_LEFT) !== 0
      : 0 <= threshold;
    forest.missing[place] = missingLeft ? 0 : 1;
  }
}

/** The linear models of `linear_tree`, when any tree has them. */
function linearLeaves(forest: Forest, source: LightgbmSource, use: Use): LinearLeaves | undefined {
  if (!source.trees.some((tree) => tree.linear !== undefined)) return undefined;
  const constant = new Float64Array(forest.numNodes);
  const termStart = new Int32Array(forest.numNodes + 1);
  const features: number[] = [];
  const coefficients: number[] = [];
  source.trees.forEach((tree, t) => {
    const starts = tree.linear === undefined ? [] : termStarts(tree.linear, t);
    for (let place = forest.treeStart[t]; place < forest.treeStart[t + 1]; place++) {
      termStart[place] = features.length;
      if (forest.firstChild[place] >= 0) continue;
      const leaf = forest.sourceId[place];
      constant[place] = tree.linear?.constant[leaf] ?? forest.leaf[place];
      for (let i = starts[leaf] ?? 0; i < (starts[leaf + 1] ?? 0); i++) {
        const feature = tree.linear!.feature[i];
        if (!(feature >= 0 && feature < use.numeric.length) || use.numCategories[feature] > 0) {
          throw shapeError(
            t,
            leaf,
            `a leaf has a term of feature ${feature}, which is not numeric`,
          );
        }
        features.push(feature);
        coefficients.push(tree.linear!.coefficient[i]);
      }
    }
  });
  termStart[forest.numNodes] = features.length;
  return {
    constant,
    termStart,
    termFeature: Int32Array.from(features),
    termCoefficient: Float64Array.from(coefficients),
  };
}

/** Where each leaf's terms begin in the tree's lists. */
function termStarts(linear: NonNullable<LightgbmTree["linear"]>, t: number): number[] {
  const starts = [0];
  for (const count of linear.count) starts.push(starts.at(-1)! + count);
  const total = starts.at(-1)!;
  if (total !== linear.feature.length || total !== linear.coefficient.length) {
    throw shapeError(
      t,
      0,
      `its leaves announce ${total} terms, the lists hold ${linear.feature.length}`,
    );
  }
  return starts;
}
