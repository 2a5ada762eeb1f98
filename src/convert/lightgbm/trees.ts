/**
 * LightGBM's trees into the forest: which feature is tested how, numeric nodes as `<=` tests, sets of
 * categories, and the linear models of leaves.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import { type LinearLeaves, NodeKind } from "../../model/types.ts";
import { addCategories, type Forest, placeTree, shapeError } from "../common/forest.ts";
import type { LightgbmSource, LightgbmTree } from "./text.ts";
import { numericNode, plainThreshold, threeThresholds, unfoldZeros, zeroPlan } from "./zero.ts";
import { checkLimit, type FullLimits } from "../common/limits.ts";

const CATEGORICAL = 1;

/** Codes from here on are no categories. */
const MAX_CATEGORY = 2 ** 31 - 1;

/** How the nodes of one feature test it. */
export interface Use {
  readonly numeric: Uint8Array;
  /** K of features tested by category, 0 for others. */
  readonly numCategories: Int32Array;
  /** 1 where zeros count as missing, 2 where some nodes become three tests (`zeroPlan`). */
  readonly zero: Uint8Array;
}

/** Which features are tested how; one feature must be tested in one way. */
export function surveyFeatures(
  source: LightgbmSource,
  numFeatures: number,
  limits: FullLimits,
): Use {
  const use: Use = {
    numeric: new Uint8Array(numFeatures),
    numCategories: new Int32Array(numFeatures),
    zero: zeroPlan(source, numFeatures),
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
    if (!(use.numeric[feature] && use.numCategories[feature] > 0)) continue;
    const name = source.featureNames[feature] ?? `f${feature}`;
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot import the model: feature "${name}" is tested both as a number and as a category; ` +
        "expected one way in all trees",
      { details: { feature: name } },
    );
  }
  return use;
}

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

/**
 * Lays one tree.
 *
 * @param mostNodes Most nodes of a tree whose nodes become three.
 */
export function addTree(
  forest: Forest,
  source: LightgbmSource,
  t: number,
  use: Use,
  mostNodes: number,
): void {
  const tree = source.trees[t];
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
  const isHard = (node: number): boolean => {
    if (node >= inner || use.zero[tree.feature[node]] !== 2) return false;
    if (tree.decision[node] & CATEGORICAL) return false;
    const test = numericNode(tree, node);
    return test !== undefined && plainThreshold(test) === undefined;
  };
  const nameOf = (node: number): string => {
    const feature = tree.feature[node];
    return source.featureNames[feature] ?? `f${feature}`;
  };
  const unfolded = tree.feature.some((_, node) => isHard(node))
    ? unfoldZeros(left, right, isHard, mostNodes, nameOf)
    : undefined;
  const start = placeTree(forest, unfolded?.left ?? left, unfolded?.right ?? right);
  for (let place = start; place < forest.numNodes; place++) {
    const at = forest.sourceId[place];
    const node = unfolded?.origin[at] ?? at;
    const part = unfolded?.part[at] ?? 0;
    const repeated = unfolded?.repeated[at] ?? 0;
    if (node >= inner) {
      const leaf = node - inner;
      forest.sourceId[place] = leaf;
      forest.leaf[place] = tree.leafValue[leaf];
      if (!Number.isFinite(forest.leaf[place])) {
        throw shapeError(t, node, `the value of leaf ${leaf} is ${tree.leafValue[leaf]}`);
      }
      // No row that does not know the feature comes to a repeated subtree (SHAP).
      forest.cover[place] = repeated === 1 ? 0 : tree.leafCount[leaf] ?? 0;
      continue;
    }
    forest.sourceId[place] = node;
    forest.cover[place] = repeated === 1 ? 0 : tree.innerCount[node] ?? 0;
    // Gains are counted once: in the last of three tests, and not in repeated subtrees.
    const isCounted = repeated === 0 && (part === 0 || part === 3);
    forest.gain[place] = isCounted ? Math.max(0, tree.gain[node] ?? 0) || 0 : 0;
    forest.feature[place] = tree.feature[node];
    if (tree.decision[node] & CATEGORICAL) addSubset(forest, place, tree, t, node, use);
    else addTest(forest, place, tree, t, node, use, part);
  }
}

function addSubset(
  forest: Forest,
  place: number,
  tree: LightgbmTree,
  t: number,
  node: number,
  use: Use,
): void {
  forest.kind[place] = NodeKind.subset;
  forest.threshold[place] = 0;
  forest.missing[place] = 1; // NaN is in no set, whatever the missing kind
  // Bit K, the unknown value's, stays clear: what is in no set goes right.
  const words = new Uint32Array((use.numCategories[tree.feature[node]] >>> 5) + 1);
  const [from, to] = setRange(tree, t, node);
  words.set(tree.categoryWords.slice(from, Math.min(to, from + words.length)));
  forest.categoryAt[place] = addCategories(forest, words);
}

/** @param part 1, 2 or 3 for one of the three tests of a node, else 0. */
function addTest(
  forest: Forest,
  place: number,
  tree: LightgbmTree,
  t: number,
  node: number,
  use: Use,
  part: number,
): void {
  if (Number.isNaN(tree.threshold[node])) throw shapeError(t, node, "the threshold is NaN");
  const test = numericNode(tree, node);
  if (test === undefined) throw shapeError(t, node, "its missing kind is not known");
  forest.kind[place] = NodeKind.threshold;
  if (part > 0) {
    forest.threshold[place] = threeThresholds(test)[part - 1];
    // Left of the first test or of the third, right of the second: the side of NaN.
    forest.missing[place] = part === 1 ? test.missing : part === 2 ? 0 : test.missing;
    return;
  }
  forest.missing[place] = test.missing;
  forest.threshold[place] = use.zero[tree.feature[node]] === 1
    ? test.threshold
    : plainThreshold(test)!;
}

/** The linear models of `linear_tree`, when any tree has them. */
export function linearLeaves(
  forest: Forest,
  source: LightgbmSource,
  use: Use,
): LinearLeaves | undefined {
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
      if (!Number.isFinite(constant[place])) {
        throw shapeError(t, leaf, `the constant of leaf ${leaf} is ${constant[place]}`);
      }
      // A leaf without terms is its constant, which need not be the value that missing terms fall back to.
      if ((starts[leaf] ?? 0) === (starts[leaf + 1] ?? 0)) forest.leaf[place] = constant[place];
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
