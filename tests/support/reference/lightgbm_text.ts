/**
 * LightGBM's model text as plain arrays, read without the code under test.
 *
 * @module
 */

/** One tree of a model file. */
export interface LightgbmTree {
  readonly numLeaves: number;
  readonly splitFeature: readonly number[];
  readonly splitGain: readonly number[];
  readonly threshold: readonly number[];
  readonly decisionType: readonly number[];
  readonly leftChild: readonly number[];
  readonly rightChild: readonly number[];
  readonly leafValue: readonly number[];
  readonly leafCount: readonly number[];
  readonly catBoundaries: readonly number[];
  readonly catThreshold: readonly number[];
  /** Linear trees: constant and terms of each leaf. */
  readonly leafConst: readonly number[];
  readonly numTerms: readonly number[];
  readonly termFeature: readonly number[];
  readonly termCoefficient: readonly number[];
}

/** What a model file says. */
export interface LightgbmText {
  readonly featureNames: readonly string[];
  readonly numClasses: number;
  readonly trees: readonly LightgbmTree[];
}

/** Reads a model file. */
export function readLightgbmText(text: string): LightgbmText {
  const [head, ...blocks] = text.split("\nend of trees")[0].split(/\nTree=\d+\n/);
  const fields = (block: string) =>
    new Map(
      block.split("\n").filter((line) => line.includes("=")).map((line) => {
        const at = line.indexOf("=");
        return [line.slice(0, at), line.slice(at + 1)] as const;
      }),
    );
  const trees = blocks.map((block): LightgbmTree => {
    const field = fields(block);
    const numbers = (name: string) =>
      (field.get(name) ?? "").split(" ").filter((word) => word !== "")
        .map((word) => word === "inf" ? Infinity : Number(word));
    return {
      numLeaves: Number(field.get("num_leaves")),
      splitFeature: numbers("split_feature"),
      splitGain: numbers("split_gain"),
      threshold: numbers("threshold"),
      decisionType: numbers("decision_type"),
      leftChild: numbers("left_child"),
      rightChild: numbers("right_child"),
      leafValue: numbers("leaf_value"),
      leafCount: numbers("leaf_count"),
      catBoundaries: numbers("cat_boundaries"),
      catThreshold: numbers("cat_threshold"),
      leafConst: numbers("leaf_const"),
      numTerms: numbers("num_features"),
      termFeature: numbers("leaf_features"),
      termCoefficient: numbers("leaf_coeff"),
    };
  });
  const top = fields(head);
  return {
    featureNames: (top.get("feature_names") ?? "").split(" "),
    numClasses: Number(top.get("num_tree_per_iteration")),
    trees,
  };
}
