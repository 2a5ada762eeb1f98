/**
 * TreeEnsemble of opset 5: indices into lists of nodes and leaves, and sets of members.
 *
 * https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsemble.html
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import { fieldError } from "../common/document.ts";
import { shapeError } from "../common/forest.ts";
import { checkLimit, type FullLimits } from "../common/limits.ts";
import { type OnnxNode, OnnxType } from "./graph.ts";
import { attributesOf, newTree, type OnnxMode, type OnnxTree, type OnnxTrees } from "./tree.ts";

const MODES_5 = ["LEQ", "LT", "GTE", "GT", "EQ", "NEQ", "MEMBER"] as const;

/** Reads a TreeEnsemble's attributes. */
export function readVersion5(node: OnnxNode, limits: FullLimits): OnnxTrees {
  const { get, integers, numbers } = attributesOf(node);
  const modes = numbers("nodes_modes");
  const n = modes.length;
  const splits = numbers("nodes_splits");
  const sized = (name: string): readonly number[] => {
    const list = integers(name);
    if (list.length !== n) throw fieldError(name, list, `a list of ${n}`);
    return list;
  };
  const flags = (name: string): readonly number[] => {
    const list = sized(name);
    const odd = list.find((flag) => flag !== 0 && flag !== 1);
    if (odd !== undefined) throw fieldError(name, odd, "0 or 1");
    return list;
  };
  const features = sized("nodes_featureids");
  const trueNode = sized("nodes_truenodeids");
  const trueLeaf = flags("nodes_trueleafs");
  const falseNode = sized("nodes_falsenodeids");
  const falseLeaf = flags("nodes_falseleafs");
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
  // ONNX Runtime numbers them so; the standard has SOFTMAX before LOGISTIC (`transformDoubt`).
  const transforms = ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"];
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
    warnings: doubts(get("post_transform").integer, get("n_targets").integer, members),
  };
}

/** Where ONNX Runtime and the standard part. */
function doubts(
  transform: number,
  numTargets: number,
  members: ReadonlyMap<number, readonly number[]>,
): readonly string[] {
  const warnings: string[] = [];
  if ((transform === 1 || transform === 2) && numTargets > 1) {
    warnings.push(
      `post_transform ${transform} is taken for ${
        transform === 1 ? "LOGISTIC" : "SOFTMAX"
      }, as ONNX Runtime takes it; the standard has the two the other way round`,
    );
  }
  const isBig = (set: readonly number[]): boolean =>
    set.length > 30 || set.some((value) => value < 0 || value > 30);
  if ([...members.values()].some(isBig)) {
    warnings.push(
      "Sets with members below 0 or above 30 are looked up exactly, as the standard says; ONNX Runtime " +
        "1.32 cuts the fraction off an input first: give whole numbers",
    );
  }
  return warnings;
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
