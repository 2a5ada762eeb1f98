/**
 * XGBoost's legacy binary model scored straight from its bytes: shares no code with the importer.
 * The C structures are `LearnerModelParam`, `GBTreeModelParam`, `TreeParam`, `RegTree::Node` and
 * `RTreeNodeStat` of dmlc/xgboost 0.47 to 1.7, little-endian, one after the other.
 *
 * @module
 */
import { slowParts, type SlowTree, type SlowXgboost } from "./xgboost.ts";

/** Opens a model file's bytes; without version (0.x) there is one target. */
export function slowXgboostBinary(bytes: Uint8Array): SlowXgboost {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = new TextDecoder().decode(bytes.slice(0, 4)) === "binf" ? 4 : 0;
  const int = (): number => {
    at += 4;
    return view.getInt32(at - 4, true);
  };
  const float = (): number => {
    at += 4;
    return view.getFloat32(at - 4, true);
  };
  const long = (): number => {
    at += 8;
    return Number(view.getBigUint64(at - 8, true));
  };
  const text = (): string => {
    const length = long();
    at += length;
    return new TextDecoder().decode(bytes.slice(at - length, at));
  };

  float(); // base_score
  const numFeatures = int();
  const numClasses = int();
  int(); // contain_extra_attrs
  int(); // contain_eval_metrics
  const major = int();
  int(); // minor
  const numTargets = major >= 1 && major < 10 ? int() : (int(), 1);
  at += 136 - 8 * 4; // reserved
  text(); // objective
  const booster = text();

  const numTrees = int();
  at += 160 - 4; // the rest of GBTreeModelParam
  const trees = Array.from({ length: numTrees }, (): SlowTree => {
    int(); // deprecated_num_roots
    const numNodes = int();
    at += 148 - 2 * 4; // num_deleted, deprecated_max_depth, num_feature, size_leaf_vector, reserved
    const left: number[] = [];
    const right: number[] = [];
    const feature: number[] = [];
    const defaultLeft: boolean[] = [];
    const condition: number[] = [];
    for (let node = 0; node < numNodes; node++) {
      int(); // parent
      left.push(int());
      right.push(int());
      const split = int();
      feature.push(split & 0x7fffffff);
      defaultLeft.push(split < 0); // the highest bit
      condition.push(float());
    }
    at += 16 * numNodes; // loss_chg, sum_hess, base_weight, leaf_child_cnt
    return {
      left_children: left,
      right_children: right,
      split_indices: feature,
      split_conditions: condition,
      default_left: defaultLeft,
      base_weights: [],
      tree_param: { size_leaf_vector: "0" },
    };
  });
  const treeInfo = trees.map(int);
  const weights = booster === "dart" ? Array.from({ length: long() }, float) : undefined;
  return slowParts({
    numFeatures,
    numOutputs: Math.max(1, numClasses, numTargets),
    trees,
    treeInfo,
    levels: [],
    ...(weights && { weights }),
  });
}
