/**
 * Treeline → ONNX: one TreeEnsembleRegressor (or TreeEnsemble of opset 5, where sets of categories are
 * tested and for scores in float64) gives the raw scores, standard operators apply the link and look up the label.
 *
 * Outputs: `raw` (rows × outputs), `value` after the link, and for classifiers `probabilities`
 * (rows × classes) and `label`. The one input `X` is rows × features; categories are their codes, any
 * other number is a value outside the vocabulary, NaN is missing. The order of features, the levels
 * and the link are in the model's metadata.
 *
 * Models with float32 features compute in float32; others take double tensors. ONNX leaves the order of
 * a sum to the runtime, so scores agree to rounding, and the base score comes last.
 *
 * @module
 */
import type { Model } from "../model/model.ts";
import { type Ensemble, NodeKind, type Postprocess } from "../model/types.ts";
import { floor32 } from "../util/float.ts";
import { VERSION } from "../util/version.ts";
import { type ExportProblem, exportProblems, refuseProblems } from "./export_problems.ts";
import { onnxLink } from "./export_onnx_link.ts";
import {
  attributeInt,
  attributeInts,
  attributeTensor,
  attributeText,
  attributeTexts,
  type GraphParts,
  node,
  tensorValue,
  valueInfo,
} from "./onnx_writer.ts";
import { OnnxType } from "./onnx_graph.ts";
import { bytesField, integerField, message } from "./protobuf_writer.ts";

const AGGREGATES = ["sum", "average", "min", "max"] as const;

function problemsOf(model: Model): readonly ExportProblem[] {
  const { ensemble } = model;
  const { treeWeight, aggregate } = ensemble;
  const isFloat = ensemble.profile.input === "f32";
  const links: Postprocess["name"][] = [
    "identity",
    "exp",
    "sigmoid",
    "softmax",
    "oneVsAll",
    "hinge",
    "signedSquare",
    "log1pExp",
    "proportions",
    "probability",
  ];
  const problems = [...exportProblems(model, {
    subset: true,
    equal: true,
    multiway: false,
    float32: isFloat,
    float32Leaves: ensemble.profile.sum === "f32",
    aggregates: AGGREGATES,
    links,
    zeroIsMissing: false,
  })];
  if (aggregate === "average") {
    if (treeWeight.some((weight) => weight !== treeWeight[0])) {
      problems.push({ reason: "the average is weighted" });
    }
    if (ensemble.leafWidth === 1 && ensemble.numOutputs > 1) {
      problems.push({ reason: "each output averages trees of its own" });
    }
    if (ensemble.leafWidth > 1) problems.push(...setsUnderAverage(model));
  }
  return problems;
}

/**
 * Sets need the trees of opset 5, whose leaves have one output each: a tree of several outputs is
 * written once for each, which a sum does not notice, but an average over trees does.
 */
function setsUnderAverage({ ensemble, schema }: Model): readonly ExportProblem[] {
  const { kind, feature } = ensemble.trees;
  const names = new Set<string>();
  kind.forEach((k, node) => {
    if (k === NodeKind.subset) names.add(schema.features[feature[node]].name);
  });
  return [...names].map((name) => ({
    feature: name,
    reason: "it is tested by sets of categories where leaves of several outputs are averaged",
  }));
}

/** Writes a model as ONNX. */
export function exportOnnx(model: Model): Uint8Array<ArrayBuffer> {
  refuseProblems("ONNX", problemsOf(model));
  const { ensemble, schema } = model;
  const isDouble = ensemble.profile.input === "f64";
  const isTrees5 = usesTrees5(ensemble);
  const graph: GraphParts = { nodes: [], initializers: [] };
  graph.nodes.push(isTrees5 ? treeEnsemble5(model, isDouble) : treeRegressor(model, isDouble));
  const rawType = givesDouble(ensemble) ? OnnxType.double : OnnxType.float;
  // The trees of opset 5 have no base values.
  if (baseIsAdded(ensemble)) {
    graph.initializers.push(
      tensorValue("base", [1, ensemble.numOutputs], rawType, ensemble.baseScore),
    );
    graph.nodes.push(node("Add", "", ["trees", "base"], ["raw"], []));
  }
  const outputs = [
    valueInfo("raw", rawType, ensemble.numOutputs),
    ...onnxLink(graph, ensemble, schema, rawType),
  ];
  const graphBytes = message(
    ...graph.nodes.map((bytes) => bytesField(1, bytes)),
    bytesField(2, "treeline"),
    ...graph.initializers.map((bytes) => bytesField(5, bytes)),
    bytesField(
      11,
      valueInfo("X", isDouble ? OnnxType.double : OnnxType.float, schema.features.length),
    ),
    ...outputs.map((bytes) => bytesField(12, bytes)),
  );
  const opset = (domain: string, version: number) =>
    bytesField(8, message(bytesField(1, domain), integerField(2, version)));
  const property = (key: string, value: string) =>
    bytesField(14, message(bytesField(1, key), bytesField(2, value)));
  return message(
    integerField(1, isTrees5 ? 10 : 8),
    bytesField(2, "treeline"),
    bytesField(3, VERSION),
    bytesField(7, graphBytes),
    opset("", isTrees5 ? 21 : 15),
    opset("ai.onnx.ml", isTrees5 ? 5 : 3),
    property("treeline.schema", JSON.stringify(schema)),
    property("treeline.postprocess", JSON.stringify(ensemble.postprocess)),
    property("treeline.base", JSON.stringify(Array.from(ensemble.baseScore))),
  );
}

/**
 * Whether the trees are those of opset 5 (`TreeEnsemble`): only they have sets, and scores in float64.
 * Their leaves have one output each, so only a sum may have several outputs; the rest stays with opset 3.
 */
function usesTrees5({ trees, profile, aggregate, numOutputs }: Ensemble): boolean {
  if (trees.kind.includes(NodeKind.subset)) return true;
  return profile.input === "f64" && (aggregate === "sum" || numOutputs === 1);
}

/** Whether raw scores leave the file as float64: TreeEnsembleRegressor gives float32 whatever its input. */
export function givesDouble(ensemble: Ensemble): boolean {
  return ensemble.profile.input === "f64" && usesTrees5(ensemble);
}

/**
 * Whether the base score is added by an operator of its own: the trees of opset 5 have none, and ONNX
 * Runtime drops that of an output without a tree.
 */
function baseIsAdded(ensemble: Ensemble): boolean {
  const { baseScore, numOutputs, leafWidth, treeOutput } = ensemble;
  if (!baseScore.some((base) => base !== 0)) return false;
  if (usesTrees5(ensemble)) return true;
  if (numOutputs === 1 || leafWidth > 1) return false;
  const used = new Set(treeOutput);
  return baseScore.some((base, output) => base !== 0 && !used.has(output));
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

function treeRegressor(model: Model, isDouble: boolean): Uint8Array {
  const { ensemble } = model;
  const { trees, leafWidth, treeOutput, numOutputs, baseScore } = ensemble;
  const numNodes = trees.kind.length;
  const treeIds = new Int32Array(numNodes);
  const nodeIds = new Int32Array(numNodes);
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
  for (let t = 0; t + 1 < trees.treeStart.length; t++) {
    const start = trees.treeStart[t];
    for (let i = start; i < trees.treeStart[t + 1]; i++) {
      treeIds[i] = t;
      nodeIds[i] = i - start;
      if (trees.kind[i] === NodeKind.leaf) {
        modes.push("LEAF");
        for (let k = 0; k < leafWidth; k++) {
          target.tree.push(t);
          target.node.push(i - start);
          target.id.push(leafWidth === 1 ? treeOutput[t] : k);
          target.weight.push(leafValue(model, t, i, k));
        }
        continue;
      }
      modes.push(trees.kind[i] === NodeKind.equal ? "BRANCH_EQ" : "BRANCH_LEQ");
      whenTrue[i] = trees.firstChild[i] - start;
      whenFalse[i] = whenTrue[i] + 1;
      tracks[i] = trees.missing[i] === 0 ? 1 : 0;
    }
  }
  const type = isDouble ? OnnxType.double : OnnxType.float;
  const tensor = (name: string, values: ArrayLike<number>) =>
    attributeTensor(isDouble ? `${name}_as_tensor` : name, values, type, !isDouble);
  const isAdded = baseIsAdded(ensemble);
  return node("TreeEnsembleRegressor", "ai.onnx.ml", ["X"], [isAdded ? "trees" : "raw"], [
    attributeText(
      "aggregate_function",
      AGGREGATE_NAMES[ensemble.aggregate as keyof typeof AGGREGATE_NAMES],
    ),
    ...(!isAdded && baseScore.some((base) => base !== 0) ? [tensor("base_values", baseScore)] : []),
    attributeInt("n_targets", numOutputs),
    attributeInts("nodes_falsenodeids", whenFalse),
    attributeInts("nodes_featureids", trees.feature.map((feature) => Math.max(0, feature))),
    attributeInts("nodes_missing_value_tracks_true", tracks),
    attributeTexts("nodes_modes", modes),
    attributeInts("nodes_nodeids", nodeIds),
    attributeInts("nodes_treeids", treeIds),
    attributeInts("nodes_truenodeids", whenTrue),
    tensor("nodes_values", isDouble ? trees.threshold : trees.threshold.map(floor32)),
    attributeText("post_transform", "NONE"),
    attributeInts("target_ids", target.id),
    attributeInts("target_nodeids", target.node),
    attributeInts("target_treeids", target.tree),
    tensor("target_weights", target.weight),
  ]);
}

/** Modes of opset 5. */
const LEQ = 0;
const EQ = 4;
const MEMBER = 6;

function treeEnsemble5(model: Model, isDouble: boolean): Uint8Array {
  const { ensemble } = model;
  const { trees, leafWidth, treeOutput, numOutputs, aggregate } = ensemble;
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
  const leaves: { readonly node: number; readonly tree: number; readonly k: number }[] = [];
  const place = new Int32Array(trees.kind.length);

  /** Writes one tree for one entry of its leaves. */
  function addTree(t: number, k: number): void {
    const [from, to] = [trees.treeStart[t], trees.treeStart[t + 1]];
    roots.push(lists.modes.length);
    let at = lists.modes.length;
    for (let i = from; i < to; i++) {
      if (isLeaf(i) === 0) place[i] = at++;
      else {
        place[i] = leaves.length;
        leaves.push({ node: i, tree: t, k });
      }
    }
    // A tree that is a leaf becomes a node whose branches are that leaf.
    if (isLeaf(from) === 1) push(lists, LEQ, 0, 0, [place[from], 1, place[from], 1], 0);
    for (let i = from; i < to; i++) if (isLeaf(i) === 0) addNode(i);
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
      } else lists.members.push(...set.codes, NaN);
    }
    const threshold = isDouble ? trees.threshold[i] : floor32(trees.threshold[i]);
    const split = trees.kind[i] === NodeKind.subset ? -Infinity : threshold;
    const children: Children = [place[yes], isLeaf(yes), place[no], isLeaf(no)];
    push(lists, mode, trees.feature[i], split, children, missingTrue ? 1 : 0);
  }

  for (let t = 0; t + 1 < trees.treeStart.length; t++) {
    for (let k = 0; k < leafWidth; k++) addTree(t, k);
  }
  const type = isDouble ? OnnxType.double : OnnxType.float;
  const aggregates = ["average", "sum", "min", "max"];
  return node("TreeEnsemble", "ai.onnx.ml", ["X"], [baseIsAdded(ensemble) ? "trees" : "raw"], [
    attributeInt("aggregate_function", aggregates.indexOf(aggregate)),
    attributeInts(
      "leaf_targetids",
      leaves.map(({ tree, k }) => leafWidth === 1 ? treeOutput[tree] : k),
    ),
    attributeTensor(
      "leaf_weights",
      leaves.map((leaf) => leafValue(model, leaf.tree, leaf.node, leaf.k)),
      type,
      false,
    ),
    ...(lists.members.length > 0
      ? [attributeTensor("membership_values", lists.members, type, false)]
      : []),
    attributeInt("n_targets", numOutputs),
    attributeInts("nodes_falseleafs", lists.falseLeaf),
    attributeInts("nodes_falsenodeids", lists.whenFalse),
    attributeInts("nodes_featureids", lists.features),
    attributeInts("nodes_missing_value_tracks_true", lists.tracks),
    attributeTensor("nodes_modes", lists.modes, OnnxType.uint8, false),
    attributeTensor("nodes_splits", lists.splits, type, false),
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
