/**
 * Trees as nodes of ONNX: TreeEnsembleRegressor of opset 3, and TreeEnsemble of opset 5.
 *
 * @module
 */
import type { Model } from "../../model/model.ts";
import { type Ensemble, NodeKind } from "../../model/types.ts";
import { floor32 } from "../../util/float.ts";
import { OnnxType } from "./graph.ts";
import {
  attributeInt,
  attributeInts,
  attributeTensor,
  attributeText,
  attributeTexts,
  node,
} from "./writer.ts";

/** How the node of the trees is written. */
export interface TreesNode {
  readonly input: string;
  readonly output: string;
  /** Element type of features, thresholds, leaves and sums. */
  readonly type: number;
  readonly aggregate: Ensemble["aggregate"];
  /** The base score is no attribute of the node: trees in front hold it, or an operator adds it. */
  readonly ownBase: boolean;
}

/** Base scores that are trees of one leaf in front of the others, with their outputs. */
function baseTrees({ baseScore, profile, aggregate }: Ensemble): [number, number][] {
  if (profile.base !== "first" || aggregate !== "sum") return [];
  return Array.from(baseScore, (base, k): [number, number] => [k, base]).filter(([, b]) => b !== 0);
}

/** Leaf weights as they are added: weight × leaf, rounded as the profile says. */
function leafValue(model: Model, t: number, node: number, k: number): number {
  const { trees, leafWidth, treeWeight, profile, aggregate } = model.ensemble;
  const leaf = trees.leaf[node * leafWidth + k];
  if (aggregate === "average") return leaf;
  const value = treeWeight[t] === 1 ? leaf : treeWeight[t] * leaf;
  return profile.sum === "f32" ? Math.fround(value) : value;
}

const AGGREGATE_NAMES = { sum: "SUM", average: "AVERAGE", min: "MIN", max: "MAX" } as const;

/** A TreeEnsembleRegressor: float32 trees without sets. */
export function treeRegressor(model: Model, into: TreesNode): Uint8Array {
  const { ensemble } = model;
  const { trees, leafWidth, treeOutput, numOutputs, baseScore } = ensemble;
  const first = baseTrees(ensemble);
  const numNodes = first.length + trees.kind.length;
  const treeIds = new Int32Array(numNodes);
  const nodeIds = new Int32Array(numNodes);
  const features = new Int32Array(numNodes);
  const values = new Float64Array(numNodes);
  const modes: string[] = [];
  const whenTrue = new Int32Array(numNodes);
  const whenFalse = new Int32Array(numNodes);
  const tracks = new Int32Array(numNodes);
  const target = {
    tree: [] as number[],
    node: [] as number[],
    id: [] as number[],
    weight: [] as number[],
  };
  const addWeight = (tree: number, node: number, id: number, weight: number) => {
    target.tree.push(tree);
    target.node.push(node);
    target.id.push(id);
    target.weight.push(weight);
  };
  first.forEach(([output, base], t) => {
    treeIds[t] = t;
    modes.push("LEAF");
    addWeight(t, 0, output, base);
  });
  for (let t = 0; t + 1 < trees.treeStart.length; t++) {
    const start = trees.treeStart[t];
    for (let i = start; i < trees.treeStart[t + 1]; i++) {
      const at = first.length + i;
      treeIds[at] = first.length + t;
      nodeIds[at] = i - start;
      features[at] = Math.max(0, trees.feature[i]);
      values[at] = floor32(trees.threshold[i]);
      if (trees.kind[i] === NodeKind.leaf) {
        modes.push("LEAF");
        for (let k = 0; k < leafWidth; k++) {
          const output = leafWidth === 1 ? treeOutput[t] : k;
          addWeight(treeIds[at], i - start, output, leafValue(model, t, i, k));
        }
        continue;
      }
      modes.push(trees.kind[i] === NodeKind.equal ? "BRANCH_EQ" : "BRANCH_LEQ");
      whenTrue[at] = trees.firstChild[i] - start;
      whenFalse[at] = whenTrue[at] + 1;
      tracks[at] = trees.missing[i] === 0 ? 1 : 0;
    }
  }
  const floats = (name: string, list: ArrayLike<number>) =>
    attributeTensor(name, list, into.type, true);
  const hasBase = !into.ownBase && baseScore.some((base) => base !== 0);
  return node("TreeEnsembleRegressor", "ai.onnx.ml", [into.input], [into.output], [
    attributeText(
      "aggregate_function",
      AGGREGATE_NAMES[into.aggregate as keyof typeof AGGREGATE_NAMES],
    ),
    ...(hasBase ? [floats("base_values", baseScore)] : []),
    attributeInt("n_targets", numOutputs),
    attributeInts("nodes_falsenodeids", whenFalse),
    attributeInts("nodes_featureids", features),
    attributeInts("nodes_missing_value_tracks_true", tracks),
    attributeTexts("nodes_modes", modes),
    attributeInts("nodes_nodeids", nodeIds),
    attributeInts("nodes_treeids", treeIds),
    attributeInts("nodes_truenodeids", whenTrue),
    floats("nodes_values", values),
    attributeText("post_transform", "NONE"),
    attributeInts("target_ids", target.id),
    attributeInts("target_nodeids", target.node),
    attributeInts("target_treeids", target.tree),
    floats("target_weights", target.weight),
  ]);
}

/** Modes of opset 5. */
const LEQ = 0;
const EQ = 4;
const MEMBER = 6;

/** A TreeEnsemble of opset 5: double trees, and trees with sets. */
export function treeEnsemble5(model: Model, into: TreesNode): Uint8Array {
  const { ensemble } = model;
  const { trees, leafWidth, treeOutput, numOutputs } = ensemble;
  const isDouble = into.type === OnnxType.double;
  const lists = {
    modes: [] as number[],
    features: [] as number[],
    splits: [] as number[],
    whenTrue: [] as number[],
    trueLeaf: [] as number[],
    whenFalse: [] as number[],
    falseLeaf: [] as number[],
    tracks: [] as number[],
    members: [] as number[],
  };
  const isLeaf = (i: number): number => trees.kind[i] === NodeKind.leaf ? 1 : 0;
  const roots: number[] = [];
  const leaves: { readonly output: number; readonly weight: number }[] = [];
  const place = new Int32Array(trees.kind.length);
  const partings: [child: number, parent: number][] = [];

  /** Writes one tree for one entry of its leaves. */
  function addTree(t: number, k: number): void {
    const [from, to] = [trees.treeStart[t], trees.treeStart[t + 1]];
    roots.push(lists.modes.length);
    let at = lists.modes.length;
    for (let i = from; i < to; i++) {
      if (isLeaf(i) === 0) place[i] = at++;
      else {
        place[i] = leaves.length;
        const output = leafWidth === 1 ? treeOutput[t] : k;
        leaves.push({ output, weight: leafValue(model, t, i, k) });
      }
    }
    if (isLeaf(from) === 1) addLeafTree(place[from]);
    for (let i = from; i < to; i++) if (isLeaf(i) === 0) addNode(i);
    for (let n = roots.at(-1)!; n < at; n++) noteParting(n);
    for (const [child, parent] of partings) {
      // All numbers and missing values go on; the other branch is a leaf that no row reaches.
      lists.whenFalse[parent] = lists.modes.length;
      leaves.push(leaves[lists.whenTrue[parent]]);
      push(lists, LEQ, 0, Infinity, [child, 0, leaves.length - 1, 1], 1);
    }
    partings.length = 0;
  }

  /**
   * Notes where ONNX Runtime (1.32) would go wrong: of tests against single members or sets of one feature,
   * each the false branch of the one before, it makes one test where their true branches are leaves of
   * the same weight. It forgets what the later ones say of missing values, and gives the weights of their
   * leaves to the first node of all, which is a leaf where a base score comes first.
   */
  function noteParting(at: number): void {
    const next = lists.whenFalse[at];
    const isSet = (n: number): boolean => lists.modes[n] === MEMBER || lists.modes[n] === EQ;
    const isAlike = lists.falseLeaf[at] === 0 && isSet(at) && isSet(next) &&
      lists.features[at] === lists.features[next] && lists.trueLeaf[at] === 1 &&
      lists.trueLeaf[next] === 1 &&
      leaves[lists.whenTrue[at]].weight === leaves[lists.whenTrue[next]].weight;
    if (isAlike) partings.push([next, at]);
  }

  /** A tree that is a leaf becomes a node whose branches are that leaf. */
  function addLeafTree(leaf: number): void {
    push(lists, LEQ, 0, 0, [leaf, 1, leaf, 1], 0);
  }

  function addNode(i: number): void {
    const first = trees.firstChild[i];
    let [yes, no] = [first, first + 1];
    let mode = trees.kind[i] === NodeKind.equal ? EQ : LEQ;
    let missingTrue = trees.missing[i] === 0;
    if (trees.kind[i] === NodeKind.subset) {
      const set = membersOf(model, i);
      mode = MEMBER;
      if (set.branch === 1) {
        [yes, no] = [no, yes];
        missingTrue = !missingTrue;
      }
      if (set.codes.length === 0) {
        // Nothing is a member: a test that no code can pass.
        mode = LEQ;
      } else {
        for (const code of set.codes) lists.members.push(code);
        lists.members.push(NaN);
      }
    }
    const threshold = isDouble ? trees.threshold[i] : floor32(trees.threshold[i]);
    const split = trees.kind[i] === NodeKind.subset ? -Infinity : threshold;
    const children: Children = [place[yes], isLeaf(yes), place[no], isLeaf(no)];
    push(lists, mode, trees.feature[i], split, children, missingTrue ? 1 : 0);
  }

  const first = baseTrees(ensemble);
  // The runtime refuses a node that lists no tree: a leaf of 0 stands for none.
  if (first.length === 0 && treeOutput.length === 0) first.push([0, 0]);
  for (const [output, weight] of first) {
    roots.push(lists.modes.length);
    addLeafTree(leaves.push({ output, weight }) - 1);
  }
  for (let t = 0; t + 1 < trees.treeStart.length; t++) {
    for (let k = 0; k < leafWidth; k++) addTree(t, k);
  }
  const aggregates = ["average", "sum", "min", "max"];
  const numbers = (name: string, list: readonly number[]) =>
    attributeTensor(name, list, into.type, false);
  return node("TreeEnsemble", "ai.onnx.ml", [into.input], [into.output], [
    attributeInt("aggregate_function", aggregates.indexOf(into.aggregate)),
    attributeInts("leaf_targetids", leaves.map(({ output }) => output)),
    numbers("leaf_weights", leaves.map(({ weight }) => weight)),
    ...(lists.members.length > 0 ? [numbers("membership_values", lists.members)] : []),
    attributeInt("n_targets", numOutputs),
    attributeInts("nodes_falseleafs", lists.falseLeaf),
    attributeInts("nodes_falsenodeids", lists.whenFalse),
    attributeInts("nodes_featureids", lists.features),
    attributeInts("nodes_missing_value_tracks_true", lists.tracks),
    attributeTensor("nodes_modes", lists.modes, OnnxType.uint8, false),
    numbers("nodes_splits", lists.splits),
    attributeInts("nodes_trueleafs", lists.trueLeaf),
    attributeInts("nodes_truenodeids", lists.whenTrue),
    attributeInt("post_transform", 0),
    attributeInts("tree_roots", roots),
  ]);
}

type Children = [whenTrue: number, trueLeaf: number, whenFalse: number, falseLeaf: number];

function push(
  lists: {
    [
      name in
        | "modes"
        | "features"
        | "splits"
        | "whenTrue"
        | "trueLeaf"
        | "whenFalse"
        | "falseLeaf"
        | "tracks"
    ]: number[];
  },
  mode: number,
  feature: number,
  split: number,
  [whenTrue, trueLeaf, whenFalse, falseLeaf]: Children,
  track: number,
): void {
  lists.modes.push(mode);
  lists.features.push(feature);
  lists.splits.push(split);
  lists.whenTrue.push(whenTrue);
  lists.trueLeaf.push(trueLeaf);
  lists.whenFalse.push(whenFalse);
  lists.falseLeaf.push(falseLeaf);
  lists.tracks.push(track);
}

/** Codes of the branch that a value outside the vocabulary does not take. */
function membersOf(
  model: Model,
  node: number,
): { readonly branch: 0 | 1; readonly codes: readonly number[] } {
  const { trees } = model.ensemble;
  const feature = model.schema.features[trees.feature[node]];
  const length = feature.kind === "categorical" ? feature.categories.length : 0;
  const at = trees.categoryAt[node];
  const branchOf = (code: number): number =>
    1 - (trees.categoryPool[at + (code >>> 5)] >>> (code & 31) & 1);
  const unknown = feature.kind === "categorical" && feature.unknown === "missing"
    ? trees.missing[node]
    : branchOf(length);
  const branch = unknown === 0 ? 1 : 0;
  const codes: number[] = [];
  for (let code = 0; code < length; code++) if (branchOf(code) === branch) codes.push(code);
  return { branch, codes };
}
