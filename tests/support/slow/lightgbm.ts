/**
 * LightGBM text scored straight from the file, as `Tree::NumericalDecision` and
 * `Tree::CategoricalDecision` are written: shares no code with the importer.
 *
 * @module
 */

/** A file that can be asked for raw scores. */
export interface SlowLightgbm {
  readonly numFeatures: number;
  readonly thresholds: readonly number[][];
  readonly topCategory: readonly number[];
  /** Names of the categories by feature, by code (pandas columns); undefined where the file has none. */
  readonly levels: readonly (readonly string[] | undefined)[];
  /** Sum of the trees of each output. */
  sums(row: Float64Array): number[];
}

const ZERO = Math.fround(1e-35);

/** Opens a model file's text. */
export function slowLightgbm(text: string): SlowLightgbm {
  const field = (block: string, key: string): string =>
    new RegExp(`^${key}=(.*)$`, "m").exec(block)?.[1] ?? "";
  const numbers = (block: string, key: string): number[] =>
    field(block, key).split(" ").filter((token) => token !== "").map((token) =>
      /^-?inf$/.test(token) ? (token.startsWith("-") ? -Infinity : Infinity) : Number(token)
    );
  // Features may be called "Tree": their importance follows the trees.
  const [header, ...rest] = text.split("\nend of trees")[0].split(/^Tree=\d+$/m);
  const numFeatures = Number(field(header, "max_feature_idx")) + 1;
  const numOutputs = Number(field(header, "num_tree_per_iteration") || field(header, "num_class"));
  const thresholds: number[][] = Array.from({ length: numFeatures }, () => []);
  const topCategory: number[] = new Array(numFeatures).fill(-1);
  // One list for each categorical column, in their order; such a column's info is no "[from:to]".
  const lists = JSON.parse(/^pandas_categorical:(.*)$/m.exec(text)?.[1] ?? "null") ?? [];
  const levels = field(header, "feature_infos").split(" ").map((info) =>
    info.startsWith("[") || lists.length === 0 ? undefined : lists.shift() as string[]
  );
  const trees = rest.map((block) => {
    const tree = {
      feature: numbers(block, "split_feature"),
      threshold: numbers(block, "threshold"),
      decision: numbers(block, "decision_type"),
      left: numbers(block, "left_child"),
      right: numbers(block, "right_child"),
      value: numbers(block, "leaf_value"),
      bounds: numbers(block, "cat_boundaries"),
      words: numbers(block, "cat_threshold"),
      isLinear: field(block, "is_linear") === "1",
      constant: numbers(block, "leaf_const"),
      terms: numbers(block, "num_features"),
      termFeature: numbers(block, "leaf_features"),
      coefficient: numbers(block, "leaf_coeff"),
    };
    tree.feature.forEach((feature, node) => {
      if ((tree.decision[node] & 1) === 0) {
        thresholds[feature].push(tree.threshold[node]);
        return;
      }
      const set = tree.words.slice(
        tree.bounds[tree.threshold[node]],
        tree.bounds[tree.threshold[node] + 1],
      );
      topCategory[feature] = Math.max(topCategory[feature], set.length * 32 - 1);
    });
    return tree;
  });

  function goesLeft(tree: typeof trees[number], node: number, row: Float64Array): boolean {
    let value = row[tree.feature[node]];
    // `RowPairFunctionFromDenseMatric` of src/c_api.cpp keeps |x| > 1e-35 and NaN; the rest is zero.
    if (Math.abs(value) <= ZERO) value = 0;
    const decision = tree.decision[node];
    if (decision & 1) {
      if (Number.isNaN(value)) return false;
      const code = value > 2147483647 || value < -2147483648 ? -1 : Math.trunc(value);
      if (code < 0) return false;
      const [from, to] = [tree.bounds[tree.threshold[node]], tree.bounds[tree.threshold[node] + 1]];
      const word = Math.floor(code / 32);
      return from + word < to && (tree.words[from + word] / 2 ** (code % 32) & 1) === 1;
    }
    const kind = decision >> 2 & 3;
    if (Number.isNaN(value) && kind !== 2) value = 0;
    if ((kind === 1 && value >= -ZERO && value <= ZERO) || (kind === 2 && Number.isNaN(value))) {
      return (decision & 2) !== 0;
    }
    return value <= tree.threshold[node];
  }

  /** A leaf's constant and terms, or its plain value where a term is missing. */
  function linear(tree: typeof trees[number], leaf: number, row: Float64Array): number {
    let at = 0;
    for (let i = 0; i < leaf; i++) at += tree.terms[i];
    let sum = tree.constant[leaf];
    for (let i = at; i < at + tree.terms[leaf]; i++) {
      const x = row[tree.termFeature[i]];
      if (Number.isNaN(x)) return tree.value[leaf];
      sum += tree.coefficient[i] * (Math.abs(x) <= ZERO ? 0 : x);
    }
    return sum;
  }

  return {
    numFeatures,
    thresholds,
    topCategory,
    levels,
    sums(row) {
      const out: number[] = new Array(numOutputs).fill(0);
      trees.forEach((tree, t) => {
        let node = tree.feature.length === 0 ? -1 : 0;
        while (node >= 0) node = goesLeft(tree, node, row) ? tree.left[node] : tree.right[node];
        out[t % numOutputs] += tree.isLinear ? linear(tree, ~node, row) : tree.value[~node];
      });
      return out;
    },
  };
}
