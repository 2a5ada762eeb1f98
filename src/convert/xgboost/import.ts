/**
 * XGBoost → Treeline. Every test becomes `<=`: features and thresholds are float32 in the library, so
 * `x < t` is the same as `x <= nextDown32(t)`. Sums run in float32 from the base score on, which
 * makes margins equal to the last bit.
 *
 * Chen & Guestrin, KDD 2016; behaviour read from dmlc/xgboost `src/predictor/cpu_predictor.cc` and
 * `src/common/categorical.h`.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import type { InputFeature } from "../../data/types.ts";
import { NodeKind, type Trees } from "../../model/types.ts";
import { nextDown32 } from "../../util/float.ts";
import { fieldError } from "../common/document.ts";
import {
  addCategories,
  createForest,
  finishForest,
  type Forest,
  placeTree,
  shapeError,
} from "../common/forest.ts";
import {
  codeNames,
  featureNames,
  type Imported,
  importedCategory,
  importedSchema,
  numClasses,
} from "../common/imported.ts";
import { checkLimit, type FullLimits } from "../common/limits.ts";
import { clampBase, legacyMargin, type XgboostObjective, xgboostObjective } from "./objective.ts";
import type { XgboostSource, XgboostTree } from "./source.ts";

const MAX_CATEGORY = 2 ** 24; // categories are float32 in the library

/** Converts what an XGBoost file says. */
export function convertXgboost(source: XgboostSource, limits: FullLimits): Imported {
  const objective = xgboostObjective(source.objective);
  const numOutputs = Math.max(1, source.numClasses, source.numTargets);
  const numTrees = source.ready?.numTrees ?? source.trees.length;
  const leafWidth = vectorWidth(source, numOutputs);
  const numCategories = countCategories(source, limits);

  const { trees, sourceIds } = source.ready ?? layTrees(source, leafWidth, numCategories, limits);

  const treeOutput = new Int32Array(numTrees);
  for (let t = 0; t < numTrees; t++) {
    const output = leafWidth > 1 ? 0 : source.treeInfo[t];
    if (!(output >= 0 && output < numOutputs)) {
      throw fieldError(`tree_info[${t}]`, output, `an output from 0 to ${numOutputs - 1}`);
    }
    treeOutput[t] = output;
  }
  const treeWeight = new Float64Array(numTrees).fill(1);
  if (source.weightDrop !== undefined) {
    for (let t = 0; t < numTrees; t++) treeWeight[t] = Math.fround(source.weightDrop[t]);
  }
  const isMultiTarget = objective.task === "classification" && source.numTargets > 1;
  const task = isMultiTarget ? "regression" : objective.task;
  const given = source.featureNames;
  if (given.length > 0 && given.length !== source.numFeatures) {
    throw fieldError("feature_names", given, `${source.numFeatures} names or none`);
  }
  const names = featureNames(given, source.numFeatures);
  const bestRounds = bestRoundsOf(source);
  return {
    schema: importedSchema(
      names.map((name, i) => inputFeature(name, numCategories[i], source.levels[i])),
      task,
      task === "classification" ? codeNames(numClasses(objective.postprocess, numOutputs)) : [],
      given.length > 0,
    ),
    ensemble: {
      trees,
      leafWidth,
      numOutputs,
      treeOutput,
      treeWeight,
      treesPerRound: source.numParallelTree * (leafWidth > 1 ? 1 : numOutputs),
      aggregate: "sum",
      baseScore: baseMargin(source, numOutputs, objective),
      postprocess: objective.postprocess,
      profile: { input: "f32", sum: "f32", base: "first", shownTest: "<" },
    },
    format: source.format,
    library: "xgboost",
    version: source.version,
    notes: { objective: source.objective, attributes: Object.fromEntries(source.attributes) },
    warnings: [...levelWarning(source), ...codeWarning(source, numCategories)],
    ...(bestRounds === undefined ? {} : { bestRounds }),
    sourceIds,
    ...(source.ready === undefined ? {} : { file: source.ready.file }),
  };
}

function layTrees(
  source: XgboostSource,
  leafWidth: number,
  numCategories: Int32Array,
  limits: FullLimits,
): { readonly trees: Trees; readonly sourceIds: Int32Array } {
  let numNodes = 0;
  for (const tree of source.trees) numNodes += tree.left.length;
  checkLimit("the number of nodes", numNodes, limits.maxNodes);
  const forest = createForest(leafWidth, limits, numNodes);
  for (let t = 0; t < source.trees.length; t++) addTree(forest, source, t, numCategories);
  return { trees: finishForest(forest), sourceIds: forest.sourceId.slice(0, forest.numNodes) };
}

function levelWarning({ doubtfulLevels, version, featureNames }: XgboostSource): readonly string[] {
  if (doubtfulLevels.length === 0) return [];
  const names = doubtfulLevels.map((f) => JSON.stringify(featureNames[f] ?? `f${f}`)).join(", ");
  return [
    `XGBoost ${version} cuts level names with letters outside ASCII in the wrong places (3.4 does not): ` +
    `inputs of ${names} are level codes, in the order of the training categories`,
  ];
}

/**
 * Of levels without names: XGBoost before 3.1 keeps none, a slice loses them, and arrays of codes have none.
 * Numbers that were pandas categories (10, 20) would pass for codes (0, 1), also where trees of vector leaves
 * test a category as a number (2.0 to 3.1).
 */
function codeWarning(
  { doubtfulLevels, levels, featureNames, featureTypes }: XgboostSource,
  numCategories: Int32Array,
): readonly string[] {
  const names = Array.from(
    numCategories,
    (count, f) =>
      (count > 0 || featureTypes[f] === "c") && levels[f] === undefined &&
        !doubtfulLevels.includes(f)
        ? [JSON.stringify(featureNames[f] ?? `f${f}`)]
        : [],
  ).flat();
  if (names.length === 0) return [];
  return [
    `The file does not name the levels of ${
      names.join(", ")
    }: inputs are category codes (0, 1, …). Where ` +
    "training had a pandas category, the code of a level is its place among the categories, not its value",
  ];
}

/** Rounds up to the best one that early stopping found. */
function bestRoundsOf({ attributes }: XgboostSource): number | undefined {
  const best = attributes.get("best_iteration");
  return best !== undefined && /^\d+$/.test(best) ? Number(best) + 1 : undefined;
}

function baseMargin(
  source: XgboostSource,
  numOutputs: number,
  objective: XgboostObjective,
): Float64Array {
  const given = source.baseScore;
  if (given.length !== 1 && given.length !== numOutputs) {
    throw fieldError("base_score", given, `1 or ${numOutputs} numbers`);
  }
  return Float64Array.from({ length: numOutputs }, (_, k) => {
    const stored = Math.fround(given.length === 1 ? given[0] : given[k]);
    if (stored === UNFITTED && isUnfitted(source)) return stored;
    const base = clampBase(objective, source.version, stored);
    const margin = source.baseIsMargin ? legacyMargin(objective, base) : objective.toMargin(base);
    if (!Number.isFinite(margin)) {
      throw fieldError("base_score", base, "a score with a finite margin");
    }
    return margin;
  });
}

/** What stands for a base score that is to be found from data until it is. */
const UNFITTED = 0.5;

/**
 * A model of no rounds whose base score was to be found from data. From 3.1 on the library takes what is
 * stored (0.5) for a margin until then, before for a response as always (`Learner::InitBaseScore`). It
 * does so with any number where a file was changed by hand; that is taken for a base score that somebody
 * meant, on the response scale.
 */
function isUnfitted({ version, trees, ready, baseIsFound }: XgboostSource): boolean {
  const [major, minor = 0] = version.split(".").map(Number);
  const isLater = major > 3 || (major === 3 && minor >= 1);
  return isLater && baseIsFound !== false && (ready?.numTrees ?? trees.length) === 0;
}

function vectorWidth(source: XgboostSource, numOutputs: number): number {
  const width = source.trees[0]?.vector?.width ?? 1;
  for (const tree of source.trees) {
    if ((tree.vector?.width ?? 1) !== width) {
      throw fieldError("size_leaf_vector", tree.vector?.width, `${width} in every tree`);
    }
  }
  if (width !== 1 && width !== numOutputs) {
    throw fieldError("size_leaf_vector", width, `${numOutputs}, the number of outputs`);
  }
  return width;
}

/** K of each feature that some node tests by category, 0 for the others. */
function countCategories(source: XgboostSource, limits: FullLimits): Int32Array {
  const count = new Int32Array(source.numFeatures);
  source.levels.forEach((levels, feature) => {
    if (levels !== undefined && feature < count.length) count[feature] = levels.length;
  });
  source.trees.forEach((tree, t) => {
    if (tree.categories === undefined) return;
    const { nodes, segments, sizes, values } = tree.categories;
    if (segments.length !== nodes.length || sizes.length !== nodes.length) {
      throw shapeError(t, 0, "categories_nodes, _segments and _sizes differ in length");
    }
    let listed = 0;
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i];
      if (i > 0 && !(node > nodes[i - 1])) {
        throw shapeError(t, node, "categories_nodes are not in order, so the library skips some");
      }
      // Segments do not overlap, which also keeps a small file from asking for much work.
      listed += sizes[i];
      if (!(sizes[i] >= 0 && listed <= values.length)) {
        throw shapeError(
          t,
          node,
          `its nodes list more than the ${values.length} categories there are`,
        );
      }
      const feature = tree.feature[node];
      // Only a deleted node may name no feature; a reached one is refused when it is placed.
      if (!(feature >= 0 && feature < count.length)) continue;
      const [from, to] = [segments[i], segments[i] + sizes[i]];
      if (!(from >= 0 && sizes[i] >= 0 && to <= values.length)) {
        throw shapeError(t, node, `its categories ${from} to ${to} are outside ${values.length}`);
      }
      const levels = source.levels[feature]?.length;
      for (let j = from; j < to; j++) {
        const category = values[j];
        if (!(Number.isInteger(category) && category >= 0 && category < (levels ?? MAX_CATEGORY))) {
          throw shapeError(t, node, `${category} is not a category`);
        }
        if (category >= count[feature]) count[feature] = category + 1;
      }
      // A set without members still makes the feature categorical.
      if (count[feature] === 0) count[feature] = 1;
    }
  });
  let coded = 0;
  for (let feature = 0; feature < count.length; feature++) {
    if (source.levels[feature] === undefined) coded += count[feature];
  }
  checkLimit("the number of categories", coded, limits.maxCategories);
  return count;
}

function inputFeature(
  name: string,
  numCategories: number,
  levels: readonly string[] | undefined,
): InputFeature {
  if (numCategories === 0) return { kind: "numeric", name, missing: "learnt" };
  const category = importedCategory(name, levels, numCategories);
  return levels === undefined ? { ...category, float32Codes: true } : category;
}

function addTree(
  forest: Forest,
  source: XgboostSource,
  t: number,
  numCategories: Int32Array,
): void {
  const tree = source.trees[t];
  const start = placeTree(forest, ...childPointers(tree));
  const { kind, feature, threshold, missing, leaf, leafWidth, cover, gain, sourceId } = forest;
  const categoryIndex = indexCategories(tree);
  for (let place = start; place < forest.numNodes; place++) {
    const node = sourceId[place];
    if (tree.cover !== undefined) cover[place] = tree.cover[node];
    if (forest.firstChild[place] < 0) {
      setLeaf(leaf, place, leafWidth, tree, node, t);
      continue;
    }
    // The library steps from the first child to the one behind it; the second is where missing values go.
    if (tree.right[node] !== tree.left[node] + 1) {
      throw shapeError(
        t,
        node,
        `its children are ${tree.left[node]} and ${tree.right[node]}, expected neighbours`,
      );
    }
    const split = tree.feature[node];
    if (!(Number.isInteger(split) && split >= 0 && split < source.numFeatures)) {
      throw shapeError(t, node, `feature ${split} is outside the ${source.numFeatures} features`);
    }
    feature[place] = split;
    if (tree.gain !== undefined) gain[place] = tree.gain[node];
    const missingBranch = tree.defaultLeft[node] === 1 ? 0 : 1;
    const type = tree.splitType?.[node] ?? 0;
    if (type !== 0 && type !== 1) throw shapeError(t, node, `its split type is ${type}`);
    if (type === 1) {
      kind[place] = NodeKind.subset;
      missing[place] = missingBranch;
      const index = categoryIndex?.get(node);
      // The library reads a tree that lists none as numeric tests.
      if (index === undefined) throw shapeError(t, node, "the node has no categories");
      const words = leftSet(tree, index, numCategories[split]);
      forest.categoryAt[place] = addCategories(forest, words);
      threshold[place] = 0;
      continue;
    }
    if (numCategories[split] > 0 && tree.condition[node] === Infinity) {
      // `x < Infinity` on a categorical feature only parts missing values from the others.
      kind[place] = NodeKind.subset;
      missing[place] = missingBranch;
      forest.categoryAt[place] = addCategories(
        forest,
        leftSet(tree, undefined, numCategories[split]),
      );
      threshold[place] = 0;
      continue;
    }
    if (numCategories[split] > 0) {
      throw new ConversionError(
        "E_CONVERT_UNSUPPORTED",
        `Cannot import tree ${t}: feature ${split} is tested both as a number and as a category`,
        { details: { tree: t, node, feature: split } },
      );
    }
    kind[place] = NodeKind.threshold;
    const condition = Math.fround(tree.condition[node]);
    if (neverLess(condition)) {
      threshold[place] = Infinity; // children were swapped: everything present goes to the old right
      missing[place] = 1 - missingBranch;
    } else {
      threshold[place] = nextDown32(condition);
      missing[place] = missingBranch;
    }
  }
}

/** `x < t` holds for no x: no `<=` threshold says that, exchanged children do. */
const neverLess = (condition: number): boolean =>
  condition === -Infinity || Number.isNaN(condition);

function childPointers(tree: XgboostTree): [ArrayLike<number>, ArrayLike<number>] {
  const { left, right, condition, splitType } = tree;
  let [first, second]: ArrayLike<number>[] = [left, right];
  for (let i = 0; i < left.length; i++) {
    if (left[i] === -1 || !neverLess(condition[i]) || splitType?.[i] === 1) continue;
    if (first === left) [first, second] = [Int32Array.from(left), Int32Array.from(right)];
    (first as Int32Array)[i] = right[i];
    (second as Int32Array)[i] = left[i];
  }
  return [first, second];
}

function setLeaf(
  leaf: Float64Array,
  place: number,
  width: number,
  tree: XgboostTree,
  node: number,
  t: number,
): void {
  let value: number;
  if (tree.vector === undefined) {
    leaf[place] = value = Math.fround(tree.condition[node]);
    if (!Number.isFinite(value)) throw shapeError(t, node, `the leaf value is ${value}`);
    return;
  }
  const { by, values } = tree.vector;
  const row = by === "node" ? node : tree.right[node];
  if (!(row >= 0 && (row + 1) * width <= values.length)) {
    throw shapeError(t, node, `leaf ${row} is outside the leaf weights`);
  }
  for (let k = 0; k < width; k++) {
    leaf[place * width + k] = value = Math.fround(values[row * width + k]);
    if (!Number.isFinite(value)) throw shapeError(t, node, `the leaf value is ${value}`);
  }
}

function indexCategories(tree: XgboostTree): ReadonlyMap<number, number> | undefined {
  if (tree.categories === undefined) return undefined;
  const index = new Map<number, number>();
  for (let i = 0; i < tree.categories.nodes.length; i++) index.set(tree.categories.nodes[i], i);
  return index;
}

/** Bits of the categories that go left: all but the listed ones, unknown values included. */
function leftSet(tree: XgboostTree, index: number | undefined, numCategories: number): Uint32Array {
  const words = new Uint32Array((numCategories >>> 5) + 1).fill(0xffffffff);
  const spare = 31 - (numCategories & 31);
  words[words.length - 1] >>>= spare;
  if (index === undefined) return words;
  const { segments, sizes, values } = tree.categories!;
  for (let j = segments[index]; j < segments[index] + sizes[index]; j++) {
    words[values[j] >>> 5] &= ~(1 << (values[j] & 31));
  }
  return words;
}
