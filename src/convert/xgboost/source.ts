/**
 * What an XGBoost model file says, whatever its form (JSON, UBJSON, legacy binary): one record that
 * `xgboost.ts` turns into a model.
 *
 * @module
 */
import type { NumberArray } from "../common/document.ts";
import type { ReadyTrees } from "./kernel.ts";

/** One tree as the library stores it; arrays are over node ids, deleted nodes included. */
export interface XgboostTree {
  readonly left: NumberArray;
  readonly right: NumberArray;
  readonly feature: NumberArray;
  /** Threshold of a split, value of a leaf. */
  readonly condition: NumberArray;
  /** 1 where a missing value goes left. */
  readonly defaultLeft: NumberArray;
  /** 1 where the split tests a set of categories; absent when none does. */
  readonly splitType?: NumberArray;
  /** Sum of hessians and loss decrease; absent in vector-leaf files of 2.x. */
  readonly cover?: NumberArray;
  readonly gain?: NumberArray;
  /** Categories that go right, by node. */
  readonly categories?: {
    readonly nodes: NumberArray;
    readonly segments: NumberArray;
    readonly sizes: NumberArray;
    readonly values: NumberArray;
  };
  /** Values of vector leaves. */
  readonly vector?: {
    readonly width: number;
    /** `node` counts every node; `leaf` counts leaves, and a leaf's right child is its index. */
    readonly by: "node" | "leaf";
    readonly values: NumberArray;
  };
}

/** A whole model file. */
export interface XgboostSource {
  /** "3.4.1", or what is known. */
  readonly version: string;
  readonly format: "xgboost-json" | "xgboost-ubj" | "xgboost-binary";
  readonly objective: string;
  readonly numFeatures: number;
  readonly numClasses: number;
  readonly numTargets: number;
  /** As stored: one number, or one for each output. */
  readonly baseScore: readonly number[];
  /** Files of 0.x store the base score as a margin already. */
  readonly baseIsMargin: boolean;
  /** `false` where the file says that the base score is the user's own, not one to be found from data. */
  readonly baseIsFound?: boolean;
  readonly featureNames: readonly string[];
  readonly featureTypes: readonly string[];
  /** Level names by feature; undefined where the file has none. */
  readonly levels: readonly (readonly string[] | undefined)[];
  /** Features whose level names the file has but cuts in the wrong places; `levels` leaves them out. */
  readonly doubtfulLevels: readonly number[];
  readonly attributes: ReadonlyMap<string, string>;
  readonly numParallelTree: number;
  readonly trees: readonly XgboostTree[];
  /** All trees, where they are laid out already; `trees` is empty then. */
  readonly ready?: ReadyTrees;
  /** Output of each tree. */
  readonly treeInfo: NumberArray;
  /** Factor of each tree (DART). */
  readonly weightDrop?: NumberArray;
}
