/**
 * Models of `tools/sklearn_export.py` and CatBoost's JSON scored straight from the file: shares no code
 * with the importers.
 *
 * @module
 */

/** A file that can be asked for sums of its trees. */
export interface SlowJson {
  readonly numFeatures: number;
  /** Features are float32. */
  readonly isSingle: boolean;
  readonly thresholds: readonly number[][];
  /** Largest category by feature, −1 where it is a number. */
  readonly topCategory: readonly number[];
  /** Names of the categories by feature, by code; undefined where the file has none. */
  readonly levels: readonly (readonly string[] | undefined)[];
  sums(row: Float64Array): number[];
}

// deno-lint-ignore no-explicit-any -- these are foreign documents
type Foreign = any;

const numberOf = (value: number | string | null): number =>
  value === null ? NaN : value === "inf" ? Infinity : value === "-inf" ? -Infinity : Number(value);

/** Opens an export of scikit-learn; the encoder makes a name that it does not know missing. */
export function slowSklearn(document: Foreign): SlowJson {
  const numFeatures = document.features.length;
  const known: (number[] | null)[] = document.known_categories ?? new Array(numFeatures).fill(null);
  const isSingle = document.input === "f32";
  const thresholds: number[][] = Array.from({ length: numFeatures }, () => []);
  for (const tree of document.trees) {
    tree.left.forEach((left: number, node: number) => {
      if (left !== -1 && !tree.categories?.[node]) {
        thresholds[tree.feature[node]].push(numberOf(tree.threshold[node]));
      }
    });
  }
  return {
    numFeatures,
    isSingle,
    thresholds,
    topCategory: known.map((codes) => codes === null ? -1 : Math.max(...codes)),
    levels: (document.levels ?? []).map((list: (string | number)[] | null) =>
      list?.map((level) => `${level}`)
    ),
    sums(row) {
      const out: number[] = new Array(document.outputs).fill(0);
      document.trees.forEach((tree: Foreign, t: number) => {
        let node = 0;
        while (tree.left[node] !== -1) {
          const f = tree.feature[node];
          const x = isSingle ? Math.fround(row[f]) : row[f];
          const set = tree.categories?.[node];
          const isMissing = Number.isNaN(x) || (set && !known[f]!.includes(x));
          const left = isMissing
            ? tree.missing_left[node] === 1
            : set
            ? set.includes(x)
            : x <= numberOf(tree.threshold[node]);
          node = left ? tree.left[node] : tree.right[node];
        }
        tree.value[node].forEach((value: number, k: number) => {
          out[document.tree_output?.[t] ?? k] += (document.weight ?? 1) * value;
        });
      });
      return out;
    },
  };
}

/** Opens a CatBoost model of float features. */
export function slowCatboost(document: Foreign): SlowJson {
  const features = document.features_info.float_features;
  const numFeatures = 1 +
    Math.max(...features.map((f: Foreign, i: number) => f.feature_index ?? i));
  const [scale, bias] = document.scale_and_bias;
  const width = Array.isArray(bias) ? Math.max(1, bias.length) : 1;
  const thresholds: number[][] = Array.from({ length: numFeatures }, () => []);
  for (const { splits } of document.oblivious_trees) {
    for (const { float_feature_index, border } of splits ?? []) {
      thresholds[float_feature_index].push(border);
    }
  }
  return {
    numFeatures,
    isSingle: true,
    thresholds,
    topCategory: new Array(numFeatures).fill(-1),
    levels: [],
    sums(row) {
      const out: number[] = new Array(width).fill(0);
      for (const { splits, leaf_values } of document.oblivious_trees) {
        let leaf = 0;
        (splits ?? []).forEach(({ float_feature_index, border }: Foreign, bit: number) => {
          const x = Math.fround(row[float_feature_index]);
          const isAbove = Number.isNaN(x)
            ? features[float_feature_index].nan_value_treatment === "AsTrue"
            : x > border;
          if (isAbove) leaf |= 1 << bit;
        });
        for (let k = 0; k < width; k++) out[k] += scale * leaf_values[leaf * width + k];
      }
      return out;
    },
  };
}
