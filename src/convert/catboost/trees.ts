/**
 * CatBoost's float features and oblivious trees. Every level of such a tree asks one question, so a tree
 * of depth d is unfolded into a binary tree of 2^d leaves.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import { NodeKind } from "../../model/types.ts";
import {
  asFields,
  fieldError,
  type Fields,
  integerAt,
  listAt,
  numberAt,
  objectAt,
  optional,
} from "../common/document.ts";
import { type Forest, placeTree, shapeError } from "../common/forest.ts";
import { checkLimit, type FullLimits } from "../common/limits.ts";

const MAX_DEPTH = 20; // CatBoost itself stops at 16

/** A feature of the file. */
export interface FloatFeature {
  readonly name: string;
  /** Whether the file names it. */
  readonly isNamed: boolean;
  /** Branch of NaN: 1 where it counts as the largest value. */
  readonly missing: 0 | 1;
}

/** A test that trees may ask for, by its number: all borders of the first feature, then the next. */
export interface Split {
  readonly feature: number;
  readonly border: number;
}

/** The features, and the tests that trees may ask for. */
export function readFeatures(
  root: Fields,
  limits: FullLimits,
): { readonly features: readonly FloatFeature[]; readonly splits: readonly Split[] } {
  const list = listAt(objectAt(root, "features_info"), "float_features");
  const features: FloatFeature[] = [];
  const splits: Split[] = [];
  const columns = new Set<number>();
  list.forEach((item, i) => {
    const path = `float_features[${i}]`;
    const feature = asFields(item, path);
    const index = checkLimit(
      "a feature index",
      integerAt(feature, "feature_index", i),
      limits.maxFeatures,
    );
    const treatment = optional(feature, "nan_value_treatment") ?? "AsIs";
    if (treatment !== "AsIs" && treatment !== "AsFalse" && treatment !== "AsTrue") {
      throw fieldError(`${path}.nan_value_treatment`, treatment, "AsIs, AsFalse or AsTrue");
    }
    if (features[index] !== undefined) throw fieldError(`${path}.feature_index`, index, "another");
    // The library counts the borders below a value: they have to be in order.
    let last = -Infinity;
    for (const border of Array.from(plainNumbers(feature, "borders"), Math.fround)) {
      if (!(border > last)) throw fieldError(`${path}.borders`, border, "numbers in order");
      splits.push({ feature: index, border: last = border });
    }
    const name = optional(feature, "feature_id") ?? optional(feature, "feature_name");
    // Without a name it is column `flat_feature_index`, which counts categorical columns too.
    const column = optional(feature, "flat_feature_index") === undefined
      ? index
      : integerAt(feature, "flat_feature_index");
    if (columns.has(column)) {
      throw fieldError(`${path}.flat_feature_index`, column, "another column");
    }
    columns.add(column);
    const isNamed = typeof name === "string" && name !== "";
    features[index] = {
      name: isNamed ? name : `f${column}`,
      isNamed,
      // A feature that had no missing values compares NaN with its borders.
      missing: treatment === "AsTrue" && optional(feature, "has_nans") === true ? 1 : 0,
    };
  });
  return {
    features: Array.from(
      features,
      (feature, i) => feature ?? { name: `f${i}`, isNamed: false, missing: 0 },
    ),
    splits,
  };
}

/** A list of finite numbers: the library takes anything else for 0, or drops what follows. */
function plainNumbers(fields: Fields, key: string, length?: number): readonly number[] {
  const list = listAt(fields, key);
  const odd = list.findIndex((item) => !Number.isFinite(item));
  if (odd >= 0) throw fieldError(`${key}[${odd}]`, list[odd], "a finite number");
  if (length !== undefined && list.length !== length) {
    throw fieldError(key, list, `${length} numbers`);
  }
  return list as readonly number[];
}

/** Adds an oblivious tree as a binary one. */
export function addTree(
  forest: Forest,
  tree: Fields,
  t: number,
  features: readonly FloatFeature[],
  known: readonly Split[],
): void {
  // A tree without splits has null.
  const given = optional(tree, "splits") === null ? [] : listAt(tree, "splits");
  const splits = given.map((item, i) => readSplit(asFields(item, `splits[${i}]`), t, known));
  const depth = splits.length;
  if (depth > MAX_DEPTH) {
    throw shapeError(t, 0, `its depth is ${depth}, expected at most ${MAX_DEPTH}`);
  }
  const numLeaves = 2 ** depth;
  const width = forest.leafWidth;
  const values = plainNumbers(tree, "leaf_values");
  if (values.length !== numLeaves * width) {
    throw shapeError(t, 0, `it has ${values.length} leaf values, expected ${numLeaves} × ${width}`);
  }
  const weights = optional(tree, "leaf_weights") === undefined
    ? []
    : plainNumbers(tree, "leaf_weights");
  const hasWeights = weights.length === numLeaves;
  // Node 2^l − 1 + i is node i of level l. Bit k of a leaf's index answers split k. The last split is the
  // root, as for the library's ShapValues, which depend on the order: the high bits of a leaf's index
  // come first, and leaves stand in theirs.
  const numNodes = 2 * numLeaves - 1;
  const left = new Int32Array(numNodes).fill(-1);
  const right = new Int32Array(numNodes).fill(-1);
  const cover = new Float64Array(numNodes);
  for (let i = 0; i < numLeaves; i++) cover[numLeaves - 1 + i] = hasWeights ? weights[i] : 0;
  for (let node = numLeaves - 2; node >= 0; node--) {
    left[node] = 2 * node + 1;
    right[node] = 2 * node + 2;
    cover[node] = cover[left[node]] + cover[right[node]];
  }
  const start = placeTree(forest, left, right);
  for (let place = start; place < forest.numNodes; place++) {
    const node = forest.sourceId[place];
    forest.cover[place] = cover[node];
    if (node >= numLeaves - 1) {
      const leaf = node - (numLeaves - 1);
      forest.sourceId[place] = leaf;
      for (let k = 0; k < width; k++) {
        forest.leaf[place * width + k] = values[leaf * width + k];
      }
      continue;
    }
    const split = splits[depth - 32 + Math.clz32(node + 1)];
    forest.kind[place] = NodeKind.threshold;
    forest.feature[place] = split.feature;
    forest.threshold[place] = split.border; // `x > border` goes right
    forest.missing[place] = features[split.feature].missing;
  }
}

/** A split by its number, which is what the library goes by; its feature and border have to agree. */
function readSplit(split: Fields, t: number, known: readonly Split[]): Split {
  const type = optional(split, "split_type") ?? "FloatFeature";
  if (type !== "FloatFeature") {
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot import tree ${t}: it tests a ${type}, which CatBoost makes of a category or a text; ` +
        "expected FloatFeature only: train with numbers in their place",
      { details: { tree: t, splitType: type } },
    );
  }
  const [feature, index] = ["float_feature_index", "split_index"].map((key) => {
    const number = integerAt(split, key);
    if (typeof split[key] === "number") return number;
    throw fieldError(key, split[key], "an integer"); // the library takes text for 0
  });
  const border = Math.fround(numberAt(split, "border")); // a float32 in the library
  const found = known[index];
  if (found?.feature !== feature || found.border !== border) {
    throw shapeError(
      t,
      0,
      `it tests feature ${feature} at ${border}, by its split_index ${index} ${
        found === undefined ? "nothing" : `feature ${found.feature} at ${found.border}`
      }`,
    );
  }
  return found;
}
