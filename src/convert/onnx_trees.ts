/**
 * The two encodings of trees in ONNX-ML as one record: TreeEnsembleClassifier and -Regressor
 * (opset 1 and 3: parallel lists keyed by tree and node id) and TreeEnsemble (opset 5: indices into
 * lists of nodes and leaves).
 *
 * https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsemble.html
 *
 * @module
 */
import { ConversionError } from "../errors.ts";
import { fieldError } from "./document.ts";
import { shapeError } from "./forest.ts";
import { checkLimit, type FullLimits } from "./limits.ts";
import { type OnnxAttribute, type OnnxNode, OnnxType } from "./onnx_graph.ts";

/** Tests of inner nodes, and leaves. */
export type OnnxMode = "LEAF" | "LEQ" | "LT" | "GTE" | "GT" | "EQ" | "NEQ";

/** One tree: nodes in the file's order. */
export interface OnnxTree {
  readonly id: number;
  readonly mode: OnnxMode[];
  readonly feature: number[];
  readonly value: number[];
  /** Child where the test holds, and where it does not; −1 at leaves. */
  readonly whenTrue: number[];
  readonly whenFalse: number[];
  readonly missingTrue: boolean[];
  readonly hitrate: number[];
  /** Output and weight of each leaf. */
  readonly targets: { readonly output: number; readonly weight: number }[][];
  root: number;
}

/** Trees and what surrounds them. */
export interface OnnxTrees {
  readonly trees: readonly OnnxTree[];
  /** Weights and thresholds are doubles. */
  readonly isDouble: boolean;
  readonly baseValues: readonly number[];
  readonly aggregate: string;
  readonly postTransform: string;
  /** Targets of a regressor; 0 for classifiers. */
  readonly numTargets: number;
  readonly labels: readonly string[];
}

const EMPTY: OnnxAttribute = {
  integer: 0,
  text: "",
  integers: [],
  floats: [],
  texts: [],
  tensor: undefined,
};

/** Reads a tree node's attributes. */
export function readOnnxTrees(node: OnnxNode, limits: FullLimits): OnnxTrees {
  return node.op === "TreeEnsemble" ? readVersion5(node, limits) : readVersion1(node, limits);
}

/** Lists of attributes, floats or `_as_tensor` doubles. */
function attributesOf(node: OnnxNode) {
  const get = (name: string): OnnxAttribute => node.attributes.get(name) ?? EMPTY;
  return {
    get,
    integers: (name: string): readonly number[] => get(name).integers,
    numbers: (name: string): readonly number[] =>
      get(`${name}_as_tensor`).tensor?.values ?? get(name).tensor?.values ?? get(name).floats,
  };
}

function newTree(id: number): OnnxTree {
  return {
    id,
    mode: [],
    feature: [],
    value: [],
    whenTrue: [],
    whenFalse: [],
    missingTrue: [],
    hitrate: [],
    targets: [],
    root: 0,
  };
}

function readVersion1(node: OnnxNode, limits: FullLimits): OnnxTrees {
  const { get, integers, numbers } = attributesOf(node);
  const treeIds = integers("nodes_treeids");
  const n = checkLimit("the number of nodes", treeIds.length, limits.maxNodes);
  const sized = <T>(name: string, list: readonly T[], isOptional = false): readonly T[] => {
    if (list.length === n || (isOptional && list.length === 0)) return list;
    throw fieldError(name, list, `a list of ${n}`);
  };
  const nodeIds = sized("nodes_nodeids", integers("nodes_nodeids"));
  const features = sized("nodes_featureids", integers("nodes_featureids"));
  const modes = sized("nodes_modes", get("nodes_modes").texts);
  const values = sized("nodes_values", numbers("nodes_values"));
  const whenTrue = sized("nodes_truenodeids", integers("nodes_truenodeids"));
  const whenFalse = sized("nodes_falsenodeids", integers("nodes_falsenodeids"));
  const tracks = sized(
    "nodes_missing_value_tracks_true",
    integers("nodes_missing_value_tracks_true"),
    true,
  );
  const hits = sized("nodes_hitrates", numbers("nodes_hitrates"), true);

  const trees = new Map<number, OnnxTree>();
  const places = new Map<number, Map<number, number>>();
  for (let i = 0; i < n; i++) {
    const id = treeIds[i];
    let tree = trees.get(id);
    let place = places.get(id);
    if (tree === undefined || place === undefined) {
      tree = newTree(id);
      place = new Map();
      trees.set(id, tree);
      places.set(id, place);
    }
    if (place.has(nodeIds[i])) throw shapeError(id, nodeIds[i], "the node is listed twice");
    place.set(nodeIds[i], tree.mode.length);
    const mode = modeNamed(modes[i], id, nodeIds[i]);
    tree.mode.push(mode);
    tree.feature.push(features[i]);
    tree.value.push(values[i]);
    tree.missingTrue.push(tracks[i] === 1);
    tree.hitrate.push(hits[i] ?? 0);
    tree.whenTrue.push(mode === "LEAF" ? -1 : whenTrue[i]);
    tree.whenFalse.push(mode === "LEAF" ? -1 : whenFalse[i]);
    tree.targets.push([]);
  }
  checkLimit("the number of trees", trees.size, limits.maxTrees);
  for (const tree of trees.values()) resolveChildren(tree, places.get(tree.id)!);

  const isClassifier = node.op === "TreeEnsembleClassifier";
  const prefix = isClassifier ? "class" : "target";
  const weights = numbers(`${prefix}_weights`);
  const targetTrees = integers(`${prefix}_treeids`);
  const targetNodes = integers(`${prefix}_nodeids`);
  const outputs = integers(`${prefix}_ids`);
  for (const list of [targetTrees, targetNodes, outputs]) {
    if (list.length !== weights.length) {
      throw fieldError(`${prefix}_ids`, list, `${weights.length} entries`);
    }
  }
  for (let i = 0; i < weights.length; i++) {
    const tree = trees.get(targetTrees[i]);
    const place = places.get(targetTrees[i])?.get(targetNodes[i]);
    if (tree === undefined || place === undefined) {
      throw shapeError(targetTrees[i], targetNodes[i], "a weight names a node that does not exist");
    }
    tree.targets[place].push({ output: outputs[i], weight: weights[i] });
  }
  const labels = get("classlabels_strings").texts.length > 0
    ? get("classlabels_strings").texts
    : get("classlabels_int64s").integers.map(String);
  const isDouble = ["nodes_values_as_tensor", `${prefix}_weights_as_tensor`]
    .some((name) => get(name).tensor?.type === OnnxType.double);
  return {
    trees: [...trees.values()],
    isDouble,
    baseValues: numbers("base_values"),
    aggregate: get("aggregate_function").text || "SUM",
    postTransform: get("post_transform").text || "NONE",
    numTargets: isClassifier ? 0 : get("n_targets").integer,
    labels: isClassifier ? labels : [],
  };
}

function modeNamed(name: string, tree: number, node: number): OnnxMode {
  const mode = name.replace("BRANCH_", "");
  if (["LEAF", "LEQ", "LT", "GTE", "GT", "EQ", "NEQ"].includes(mode)) return mode as OnnxMode;
  throw shapeError(tree, node, `the mode "${name.slice(0, 40)}" is not known`);
}

/** Node ids → places, and the one node that is nobody's child. */
function resolveChildren(tree: OnnxTree, place: ReadonlyMap<number, number>): void {
  const isChild = new Uint8Array(tree.mode.length);
  for (let i = 0; i < tree.mode.length; i++) {
    if (tree.mode[i] === "LEAF") continue;
    for (const list of [tree.whenTrue, tree.whenFalse]) {
      const at = place.get(list[i]);
      if (at === undefined) throw shapeError(tree.id, i, `its child ${list[i]} does not exist`);
      list[i] = at;
      isChild[at] = 1;
    }
  }
  tree.root = isChild.indexOf(0);
  if (tree.root < 0) throw shapeError(tree.id, 0, "the tree has no root");
  if (isChild.indexOf(0, tree.root + 1) >= 0) {
    throw shapeError(tree.id, 0, "the tree has two roots");
  }
}

const MODES_5 = ["LEQ", "LT", "GTE", "GT", "EQ", "NEQ", "MEMBER"] as const;

function readVersion5(node: OnnxNode, limits: FullLimits): OnnxTrees {
  const { get, integers, numbers } = attributesOf(node);
  const modes = numbers("nodes_modes");
  const n = modes.length;
  const splits = numbers("nodes_splits");
  const sized = (name: string): readonly number[] => {
    const list = integers(name);
    if (list.length !== n) throw fieldError(name, list, `a list of ${n}`);
    return list;
  };
  const features = sized("nodes_featureids");
  const trueNode = sized("nodes_truenodeids");
  const trueLeaf = sized("nodes_trueleafs");
  const falseNode = sized("nodes_falsenodeids");
  const falseLeaf = sized("nodes_falseleafs");
  if (splits.length !== n) throw fieldError("nodes_splits", splits, `a list of ${n}`);
  const tracks = integers("nodes_missing_value_tracks_true");
  const hits = numbers("nodes_hitrates");
  const leafOutput = integers("leaf_targetids");
  const leafWeight = numbers("leaf_weights");
  if (leafOutput.length !== leafWeight.length) {
    throw fieldError("leaf_targetids", leafOutput, "one target a weight");
  }
  const members = memberSets(modes, numbers("membership_values"));
  const roots = integers("tree_roots");
  checkLimit("the number of trees", roots.length, limits.maxTrees);
  // Only chains of equality tests repeat a subtree; nodes shared otherwise must not blow up.
  const mostNodes = Math.min(limits.maxNodes, 100_000 + 100 * n);
  let total = 0;

  /** Unfolds one tree into its own lists; sets become chains of equality tests. */
  const unfold = (id: number, root: number): OnnxTree => {
    const tree = newTree(id);
    const add = (
      mode: OnnxMode,
      feature: number,
      value: number,
      track: boolean,
      hit: number,
    ): number => {
      checkLimit("the number of unfolded nodes", ++total, mostNodes);
      tree.mode.push(mode);
      tree.feature.push(feature);
      tree.value.push(value);
      tree.missingTrue.push(track);
      tree.hitrate.push(hit);
      tree.whenTrue.push(-1);
      tree.whenFalse.push(-1);
      tree.targets.push([]);
      return tree.mode.length - 1;
    };
    // Work list: file node or leaf → slot of the parent that receives its place.
    const work: { index: number; leaf: boolean; into: number[]; at: number; depth: number }[] = [];
    const top = [0];
    // A tree that is a leaf is a node whose two branches are leaves and equal: nothing special.
    work.push({ index: root, leaf: false, into: top, at: 0, depth: 0 });
    for (let item = work.pop(); item !== undefined; item = work.pop()) {
      const { index, leaf, into, at, depth } = item;
      if (leaf) {
        if (!(index >= 0 && index < leafWeight.length)) {
          throw shapeError(id, index, "the leaf does not exist");
        }
        into[at] = add("LEAF", 0, 0, false, 0);
        tree.targets[into[at]].push({ output: leafOutput[index], weight: leafWeight[index] });
        continue;
      }
      if (!(index >= 0 && index < n)) throw shapeError(id, index, "the node does not exist");
      if (depth > n) throw shapeError(id, index, "the node is its own descendant");
      const mode = MODES_5[modes[index]];
      if (mode === undefined) throw shapeError(id, index, `mode ${modes[index]} is not known`);
      const track = tracks[index] === 1;
      const hit = hits[index] ?? 0;
      const whenTrue = {
        index: trueNode[index],
        leaf: trueLeaf[index] === 1,
        depth: depth + 1,
      };
      const whenFalse = {
        index: falseNode[index],
        leaf: falseLeaf[index] === 1,
        depth: depth + 1,
      };
      const values = mode === "MEMBER" ? members.get(index)! : [splits[index]];
      const test = mode === "MEMBER" ? "EQ" : mode;
      let slot: { into: number[]; at: number } = { into, at };
      for (let i = 0; i < values.length; i++) {
        const place = add(test, features[index], values[i], track, i === 0 ? hit : 0);
        slot.into[slot.at] = place;
        work.push({ ...whenTrue, into: tree.whenTrue, at: place });
        slot = { into: tree.whenFalse, at: place };
      }
      work.push({ ...whenFalse, into: slot.into, at: slot.at });
    }
    tree.root = top[0];
    return tree;
  };

  const aggregates = ["AVERAGE", "SUM", "MIN", "MAX"];
  const transforms = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"];
  const choice = (name: string, names: readonly string[], fallback: number): string => {
    const index = node.attributes.get(name)?.integer ?? fallback;
    if (names[index] === undefined) throw fieldError(name, index, `0 to ${names.length - 1}`);
    return names[index];
  };
  return {
    trees: roots.map((root, id) => unfold(id, root)),
    isDouble: get("leaf_weights").tensor?.type === OnnxType.double,
    baseValues: [],
    aggregate: choice("aggregate_function", aggregates, 1),
    postTransform: choice("post_transform", transforms, 0),
    numTargets: get("n_targets").integer,
    labels: [],
  };
}

/** Values of each MEMBER node: the list is cut at NaN, in order of nodes. */
function memberSets(
  modes: readonly number[],
  values: readonly number[],
): ReadonlyMap<number, number[]> {
  const sets = new Map<number, number[]>();
  let at = 0;
  for (let i = 0; i < modes.length; i++) {
    if (MODES_5[modes[i]] !== "MEMBER") continue;
    const set = new Set<number>();
    while (at < values.length && !Number.isNaN(values[at])) set.add(values[at++]);
    at++;
    if (set.size === 0) {
      throw new ConversionError(
        "E_CONVERT_UNSUPPORTED",
        `Cannot read node ${i}: it tests membership in an empty set`,
        { details: { node: i } },
      );
    }
    sets.set(i, [...set]);
  }
  return sets;
}
