/**
 * The two encodings of trees in ONNX-ML as one record: TreeEnsembleClassifier and -Regressor
 * (opset 1 and 3: parallel lists keyed by tree and node id) and TreeEnsemble (opset 5: indices into
 * lists of nodes and leaves).
 *
 * https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsemble.html
 *
 * @module
 */
import { fieldError } from "../common/document.ts";
import { shapeError } from "../common/forest.ts";
import { checkLevel } from "../common/imported.ts";
import { checkLimit, type FullLimits } from "../common/limits.ts";
import { type OnnxNode, OnnxType } from "./graph.ts";
import {
  attributesOf,
  newTree,
  type OnnxMode,
  type OnnxTree,
  type OnnxTrees,
  unshare,
} from "./tree.ts";
import { readVersion5 } from "./trees5.ts";

/** Reads a tree node's attributes. */
export function readOnnxTrees(node: OnnxNode, limits: FullLimits): OnnxTrees {
  return node.op === "TreeEnsemble" ? readVersion5(node, limits) : readVersion1(node, limits);
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
  const seen = new Set([treeIds[0]]);
  for (let i = 1; i < n; i++) {
    if (treeIds[i] === treeIds[i - 1]) continue;
    // ONNX Runtime would begin another tree there.
    if (seen.has(treeIds[i])) {
      throw shapeError(treeIds[i], nodeIds[i], "the tree's nodes are not listed in one stretch");
    }
    seen.add(treeIds[i]);
  }
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
  const numbers64 = get("classlabels_int64s").integers;
  const labels = get("classlabels_strings").texts.length > 0
    ? get("classlabels_strings").texts
    : numbers64.map(String);
  for (const label of numbers64) checkLevel(label, "the class labels");
  const isDouble = ["nodes_values_as_tensor", `${prefix}_weights_as_tensor`]
    .some((name) => get(name).tensor?.type === OnnxType.double);
  // Only chains of equality tests share; a file must not ask for more than its size deserves.
  const mostNodes = Math.min(limits.maxNodes, 100_000 + 100 * n);
  let total = 0;
  const unshared = [...trees.values()].map((tree) => {
    const whole = unshare(tree, mostNodes - total);
    total += whole.mode.length;
    return whole;
  });
  return {
    trees: unshared,
    isDouble,
    baseValues: numbers("base_values"),
    aggregate: get("aggregate_function").text || "SUM",
    postTransform: get("post_transform").text || "NONE",
    numTargets: isClassifier ? 0 : get("n_targets").integer,
    labels: isClassifier ? labels : [],
    warnings: [],
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
  if (tree.root !== 0) throw shapeError(tree.id, 0, "the first node listed is not the root");
}
