// deno-lint-ignore-file camelcase -- the field names are XGBoost's
/**
 * XGBoost JSON scored straight from the file, one comparison at a time in the library's own terms
 * (`x < t` on float32): shares no code with the importer.
 *
 * @module
 */

/** A tree as the JSON file has it. */
export interface SlowTree {
  readonly left_children: number[];
  readonly right_children: number[];
  readonly split_indices: number[];
  readonly split_conditions: (number | null)[];
  readonly default_left: (number | boolean)[];
  readonly split_type?: number[];
  readonly categories?: number[];
  readonly categories_nodes?: number[];
  readonly categories_segments?: number[];
  readonly categories_sizes?: number[];
  readonly base_weights: number[];
  readonly leaf_weights?: number[];
  readonly tree_param: { readonly size_leaf_vector: string };
}

/** A file that can be asked for margins. */
export interface SlowXgboost {
  readonly numFeatures: number;
  /** Thresholds by feature. */
  readonly thresholds: readonly number[][];
  /** Largest category by feature, −1 where there is none. */
  readonly topCategory: readonly number[];
  /** Names of the categories by feature, by code; undefined where the file has none. */
  readonly levels: readonly (readonly string[] | undefined)[];
  /** Sum of the trees of each output, from zero, in float32. */
  sums(row: Float64Array): number[];
}

const f = Math.fround;

/** What a file says, whatever its form. */
export interface SlowParts {
  readonly numFeatures: number;
  readonly numOutputs: number;
  readonly trees: readonly SlowTree[];
  /** Output of each tree. */
  readonly treeInfo: readonly number[];
  readonly weights?: readonly number[];
  readonly levels: readonly (readonly string[] | undefined)[];
}

/** Opens a model file's text. */
export function slowXgboost(text: string): SlowXgboost {
  // Bare NaN only stands for "no threshold" here.
  const document = JSON.parse(text.replaceAll(/([\[,:])NaN/g, "$1null"));
  const { learner } = document;
  const params = learner.learner_model_param;
  const booster = learner.gradient_booster;
  const { model } = booster.gbtree ?? booster;
  const weights = (booster.weight_drop ?? model.weight_drop) as number[] | undefined;
  return slowParts({
    numFeatures: Number(params.num_feature),
    numOutputs: Math.max(1, Number(params.num_class), Number(params.num_target ?? 1)),
    trees: model.trees,
    treeInfo: model.tree_info,
    levels: (model.cats?.enc ?? []).map(namesOf),
    ...(weights && { weights }),
  });
}

/** Names of one feature: the bytes of all one after the other, cut at the offsets. */
function namesOf(enc: { readonly offsets?: number[]; readonly values: number[] }) {
  const { offsets, values } = enc;
  if (offsets === undefined || offsets.length < 2) return undefined;
  const bytes = Uint8Array.from(values, (value) => value & 255); // the file's bytes are signed
  return offsets.slice(1).map((end, i) => new TextDecoder().decode(bytes.slice(offsets[i], end)));
}

/** The evaluator of a file's parts. */
export function slowParts(parts: SlowParts): SlowXgboost {
  const { numFeatures, numOutputs, trees, treeInfo, weights, levels } = parts;
  const thresholds: number[][] = Array.from({ length: numFeatures }, () => []);
  const topCategory: number[] = new Array(numFeatures).fill(-1);
  for (const tree of trees) {
    tree.left_children.forEach((left, node) => {
      if (left === -1) return;
      const feature = tree.split_indices[node];
      if (tree.split_type?.[node] === 1) {
        for (const c of categoriesOf(tree, node)) {
          topCategory[feature] = Math.max(topCategory[feature], c);
        }
      } else thresholds[feature]?.push(f(tree.split_conditions[node]!));
    });
  }
  return {
    numFeatures,
    thresholds,
    topCategory,
    levels,
    sums(row) {
      const out: number[] = new Array(numOutputs).fill(0);
      trees.forEach((tree, t) => {
        const leaf = walk(tree, row);
        const width = Number(tree.tree_param.size_leaf_vector);
        const weight = weights === undefined ? 1 : f(weights[t]);
        const add = (output: number, value: number) => {
          out[output] = f(out[output] + f(f(value) * weight));
        };
        if (width <= 1) add(treeInfo[t], tree.split_conditions[leaf]!);
        else {
          for (let k = 0; k < width; k++) {
            const value = tree.leaf_weights === undefined
              ? tree.base_weights[leaf * width + k]
              : tree.leaf_weights[tree.right_children[leaf] * width + k];
            add(k, value);
          }
        }
      });
      return out;
    },
  };
}

function categoriesOf(tree: SlowTree, node: number): number[] {
  const at = tree.categories_nodes!.indexOf(node);
  const from = tree.categories_segments![at];
  return tree.categories!.slice(from, from + tree.categories_sizes![at]);
}

function walk(tree: SlowTree, row: Float64Array): number {
  let node = 0;
  while (tree.left_children[node] !== -1) {
    const value = f(row[tree.split_indices[node]]);
    let goesLeft: boolean;
    if (Number.isNaN(value)) goesLeft = Boolean(tree.default_left[node]);
    else if (tree.split_type?.[node] === 1) {
      const isInvalid = value < 0 || value >= 16777216;
      goesLeft = isInvalid || !categoriesOf(tree, node).includes(Math.trunc(value));
    } else goesLeft = value < f(tree.split_conditions[node]!);
    node = goesLeft ? tree.left_children[node] : tree.right_children[node];
  }
  return node;
}
