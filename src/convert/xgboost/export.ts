// deno-lint-ignore-file camelcase -- the field names are XGBoost's
/**
 * Treeline → XGBoost JSON or UBJSON. `x <= t` becomes `x < nextUp32(t)`, sets of categories list what
 * goes right, weights of trees become DART's, leaves of several outputs become a tree each, and a
 * base score that the objective's link cannot give exactly becomes constant trees in front.
 *
 * XGBoost rounds features to float32 and sums in float32. A model that computes otherwise is refused,
 * so margins of the real library equal the model's, bit for bit.
 *
 * @module
 */
import type { InputFeature } from "../../data/types.ts";
import type { Model } from "../../model/model.ts";
import { NodeKind } from "../../model/types.ts";
import { floor32, nextUp32 } from "../../util/float.ts";
import { refuseForXgboost } from "./export_problems.ts";
import { type UbjsonValue, writeUbjson } from "../wire/ubjson_writer.ts";

/** Writes a model as XGBoost JSON. */
export function exportXgboostJson(model: Model): string {
  return toJson(xgboostDocument(model));
}

/** Writes a model as XGBoost UBJSON. */
export function exportXgboostUbj(model: Model): Uint8Array<ArrayBuffer> {
  return writeUbjson(xgboostDocument(model));
}

/** JSON of a document. XGBoost tells integers from floats by their spelling, so floats have an "E". */
function toJson(value: UbjsonValue): string {
  if (value instanceof Float32Array) return `[${Array.from(value, jsonFloat).join(",")}]`;
  if (ArrayBuffer.isView(value)) return `[${(value as Int32Array).join(",")}]`;
  if (Array.isArray(value)) return `[${value.map(toJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = value as { readonly [key: string]: UbjsonValue };
  if (Array.isArray(fields.int64)) return `[${fields.int64.join(",")}]`;
  if (Array.isArray(fields.float32)) return `[${fields.float32.map(jsonFloat).join(",")}]`;
  const entries = Object.entries(fields).map(([key, item]) =>
    `${JSON.stringify(key)}:${toJson(item)}`
  );
  return `{${entries.join(",")}}`;
}

/** A float32 in its shortest scientific spelling; infinities as the bare tokens XGBoost reads. */
function jsonFloat(x: number): string {
  return Number.isFinite(x) ? shortest(x) : x > 0 ? "Infinity" : "-Infinity";
}

/** Trees of one output in the order XGBoost adds them. */
interface Flat {
  readonly trees: UbjsonValue[];
  readonly info: number[];
  readonly weights: number[];
}

function xgboostDocument(model: Model): UbjsonValue {
  refuseForXgboost(model);
  const { ensemble, schema } = model;
  const { numOutputs, leafWidth, treesPerRound } = ensemble;
  const flat: Flat = { trees: [], info: [], weights: [] };
  const base = baseScore(model);
  for (let k = 0; k < numOutputs && base.constants; k++) {
    addConstant(flat, k, Math.fround(ensemble.baseScore[k]), schema.features.length);
  }
  const numTrees = ensemble.treeWeight.length;
  for (let t = 0; t < numTrees; t++) {
    for (let k = 0; k < leafWidth; k++) {
      addTree(
        flat,
        model,
        t,
        leafWidth === 1 ? ensemble.treeOutput[t] : k,
        leafWidth === 1 ? 0 : k,
      );
    }
  }
  const perRound = treesPerRound * leafWidth;
  const isDart = ensemble.treeWeight.some((weight) => weight !== 1);
  const rounds: number[] = [0];
  if (base.constants) rounds.push(numOutputs);
  for (let t = rounds.at(-1)! + perRound; t <= flat.trees.length; t += perRound) rounds.push(t);
  const hasLevels = schema.features.some((f) => f.kind === "categorical" && f.coded !== true);
  const gbtree: UbjsonValue = {
    model: {
      ...(hasLevels ? { cats: levelsOf(schema.features) } : {}),
      gbtree_model_param: {
        // One tree of each output is what counts as parallel; irregular rounds are in the list below.
        num_parallel_tree: String(base.constants ? 1 : Math.max(1, perRound / numOutputs)),
        num_trees: String(flat.trees.length),
      },
      iteration_indptr: rounds,
      tree_info: flat.info,
      trees: flat.trees,
    },
    name: "gbtree",
  };
  const isMulti = ensemble.postprocess.name === "softmax";
  return {
    learner: {
      attributes: {},
      feature_names: schema.features.map((feature) => feature.name),
      feature_types: schema.features.map((feature) =>
        feature.kind === "categorical" ? "c" : "float"
      ),
      gradient_booster: isDart
        ? { gbtree, name: "dart", weight_drop: { float32: flat.weights } }
        : gbtree,
      learner_model_param: {
        base_score: base.text,
        boost_from_average: "0",
        num_class: isMulti ? String(numOutputs) : "0",
        num_feature: String(schema.features.length),
        num_target: isMulti ? "1" : String(numOutputs),
      },
      objective: objectiveOf(model),
    },
    version: hasLevels ? [3, 1, 0] : [2, 1, 0],
  };
}

/**
 * A base score whose margin is exact: the number itself under the identity, else the one with margin
 * zero and constant trees in front of the others.
 */
function baseScore({ ensemble }: Model): { readonly text: string; readonly constants: boolean } {
  const margins = Array.from(ensemble.baseScore, Math.fround);
  const isUniform = margins.every((margin) => margin === margins[0]);
  const link = ensemble.postprocess.name;
  const isIdentity = link === "identity" || link === "softmax" || link === "hinge";
  if (isIdentity && isUniform) return { text: shortest(margins[0]), constants: false };
  const zero = isIdentity ? 0 : link === "exp" ? 1 : 0.5;
  return { text: shortest(zero), constants: margins.some((margin) => margin !== 0) };
}

/** As XGBoost writes it: scientific, in float32's shortest digits. */
function shortest(x: number): string {
  let text = x.toExponential();
  for (let digits = 0; digits <= 9; digits++) {
    const shorter = x.toExponential(digits);
    if (Math.fround(Number(shorter)) === x) {
      text = shorter;
      break;
    }
  }
  return text.replace("e", "E").replace("E+", "E");
}

function objectiveOf({ ensemble, schema, info }: Model): UbjsonValue {
  const regression = { scale_pos_weight: "1" };
  switch (ensemble.postprocess.name) {
    case "sigmoid":
    case "oneVsAll":
      return {
        name: schema.task === "classification" ? "binary:logistic" : "reg:logistic",
        reg_loss_param: regression,
      };
    case "softmax":
      return {
        name: "multi:softprob",
        softmax_multiclass_param: { num_class: String(ensemble.numOutputs) },
      };
    case "exp":
      return info.params?.objective === "reg:gamma"
        ? { name: "reg:gamma" }
        : { name: "count:poisson", poisson_regression_param: { max_delta_step: "0.7" } };
    case "hinge":
      return { name: "binary:hinge" };
    default:
      return { name: "reg:squarederror", reg_loss_param: regression };
  }
}

/** Level names as XGBoost 3.1 stores them: UTF-8 bytes and offsets, and the order of the names. */
function levelsOf(features: readonly InputFeature[]): UbjsonValue {
  const encoder = new TextEncoder();
  const segments = [0];
  const sorted: number[] = [];
  const enc = features.map((feature): UbjsonValue => {
    const levels = feature.kind === "categorical" ? feature.categories : [];
    const encoded = levels.map((level) => encoder.encode(level));
    const offsets = [0];
    for (const bytes of encoded) offsets.push(offsets.at(-1)! + bytes.length);
    const order = levels.map((_, i) => i).sort((a, b) => compareBytes(encoded[a], encoded[b]));
    for (const i of order) sorted.push(i);
    segments.push(segments.at(-1)! + levels.length);
    const values = new Int8Array(offsets.at(-1)!);
    encoded.forEach((bytes, i) => values.set(bytes, offsets[i]));
    return { offsets: Int32Array.from(levels.length === 0 ? [] : offsets), values };
  });
  return { enc, feature_segments: Int32Array.from(segments), sorted_idx: Int32Array.from(sorted) };
}

/** The library's order: its characters are signed bytes. */
function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i] !== b[i]) return (a[i] << 24) - (b[i] << 24);
  }
  return a.length - b.length;
}

function addConstant(flat: Flat, output: number, value: number, numFeatures: number): void {
  flat.info.push(output);
  flat.weights.push(1);
  flat.trees.push(treeFields(flat.trees.length, numFeatures, {
    left: new Int32Array([-1]),
    right: new Int32Array([-1]),
    parent: new Int32Array([2147483647]),
    feature: new Int32Array(1),
    condition: new Float32Array([value]),
    defaultLeft: new Uint8Array(1),
    splitType: new Uint8Array(1),
    cover: new Float32Array(1),
    gain: new Float32Array(1),
    categories: { nodes: [], segments: [], sizes: [], values: [] },
  }));
}

interface TreeArrays {
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly parent: Int32Array;
  readonly feature: Int32Array;
  readonly condition: Float32Array;
  readonly defaultLeft: Uint8Array;
  readonly splitType: Uint8Array;
  readonly cover: Float32Array;
  readonly gain: Float32Array;
  readonly categories: {
    readonly nodes: number[];
    readonly segments: number[];
    readonly sizes: number[];
    readonly values: number[];
  };
}

/** The sets in the order of their nodes: XGBoost reads past its memory where they are in another. */
function sortSets({ nodes, segments, sizes, values }: TreeArrays["categories"]) {
  const sorted: TreeArrays["categories"] = { nodes: [], segments: [], sizes: [], values: [] };
  for (const i of nodes.map((_, at) => at).sort((a, b) => nodes[a] - nodes[b])) {
    sorted.nodes.push(nodes[i]);
    sorted.segments.push(sorted.values.length);
    sorted.sizes.push(sizes[i]);
    for (let j = segments[i]; j < segments[i] + sizes[i]; j++) sorted.values.push(values[j]);
  }
  return sorted;
}

function treeFields(id: number, numFeatures: number, tree: TreeArrays): UbjsonValue {
  const categories = sortSets(tree.categories);
  return {
    base_weights: tree.condition.map((value, i) => tree.left[i] < 0 ? value : 0),
    categories: Int32Array.from(categories.values),
    categories_nodes: Int32Array.from(categories.nodes),
    categories_segments: { int64: categories.segments },
    categories_sizes: { int64: categories.sizes },
    default_left: tree.defaultLeft,
    id,
    left_children: tree.left,
    loss_changes: tree.gain,
    parents: tree.parent,
    right_children: tree.right,
    split_conditions: tree.condition,
    split_indices: tree.feature,
    split_type: tree.splitType,
    sum_hessian: tree.cover,
    tree_param: {
      num_deleted: "0",
      num_feature: String(numFeatures),
      num_nodes: String(tree.left.length),
      size_leaf_vector: "1",
    },
  };
}

function addTree(flat: Flat, model: Model, t: number, output: number, entry: number): void {
  const { ensemble, schema } = model;
  const { trees, leafWidth } = ensemble;
  const start = trees.treeStart[t];
  const n = trees.treeStart[t + 1] - start;
  const tree: TreeArrays = {
    left: new Int32Array(n).fill(-1),
    right: new Int32Array(n).fill(-1),
    parent: new Int32Array(n).fill(2147483647),
    feature: new Int32Array(n),
    condition: new Float32Array(n),
    defaultLeft: new Uint8Array(n),
    splitType: new Uint8Array(n),
    cover: new Float32Array(n),
    gain: new Float32Array(n),
    categories: { nodes: [], segments: [], sizes: [], values: [] },
  };
  // The library takes the right child to be the one after the left, so where branches trade places
  // the nodes do too. Parents come first, so a node's place is known when it is met.
  const place = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const node = start + i;
    const id = place[i];
    tree.cover[id] = trees.cover[node];
    tree.gain[id] = trees.gain[node];
    if (trees.kind[node] === NodeKind.leaf) {
      tree.condition[id] = trees.leaf[node * leafWidth + entry];
      continue;
    }
    const first = trees.firstChild[node] - start;
    const feature = trees.feature[node];
    tree.feature[id] = feature;
    let leftBranch: 0 | 1 = 0;
    if (trees.kind[node] === NodeKind.threshold) {
      const threshold = trees.threshold[node];
      if (threshold === Infinity) {
        // `x <= Infinity` holds for every x; `x < −Infinity` for none, with exchanged children.
        leftBranch = 1;
        tree.condition[id] = -Infinity;
      } else tree.condition[id] = nextUp32(floor32(threshold));
    } else {
      leftBranch = categoriesOf(tree, id, model, node);
    }
    place[first + leftBranch] = first;
    place[first + 1 - leftBranch] = first + 1;
    tree.left[id] = first;
    tree.right[id] = first + 1;
    tree.parent[first] = tree.parent[first + 1] = id;
    tree.defaultLeft[id] = trees.missing[node] === leftBranch ? 1 : 0;
  }
  flat.info.push(output);
  flat.weights.push(ensemble.treeWeight[t]);
  flat.trees.push(treeFields(flat.trees.length, schema.features.length, tree));
}

/** Lists the categories of a node's right child; left is where a value outside the vocabulary goes. */
function categoriesOf(tree: TreeArrays, i: number, model: Model, node: number): 0 | 1 {
  const { trees } = model.ensemble;
  const feature = model.schema.features[trees.feature[node]];
  if (feature.kind !== "categorical") return 0;
  const { length } = feature.categories;
  const at = trees.categoryAt[node];
  const branch = (code: number): 0 | 1 =>
    (trees.categoryPool[at + (code >>> 5)] >>> (code & 31) & 1) === 1 ? 0 : 1;
  const left = feature.unknown === "missing" ? trees.missing[node] as 0 | 1 : branch(length);
  const { categories } = tree;
  const begin = categories.values.length;
  for (let code = 0; code < length; code++) if (branch(code) !== left) categories.values.push(code);
  if (categories.values.length === begin) {
    // XGBoost wants no empty sets: what only parts missing values from the others is `x < Infinity`.
    tree.condition[i] = Infinity;
    return left;
  }
  categories.nodes.push(i);
  categories.segments.push(begin);
  categories.sizes.push(categories.values.length - begin);
  tree.splitType[i] = 1;
  return left;
}
