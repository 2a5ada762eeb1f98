/**
 * The compact form Z of an ensemble of two-way nodes, which is also the form in the file: a scorer
 * can walk the bytes of the file as they are.
 *
 * Inner nodes of a tree lie in preorder. A node knows which feature and entry of that feature's
 * dictionary it tests, and the number of inner nodes of its left subtree; leaves lie in order from
 * left to right. A walk holds (j, n, b): the subtree whose n inner nodes begin at j and whose n + 1
 * leaves begin at b. Left is (j + 1, s − 1, b), right is (j + s, n − s, b + s), where
 * s = `size[j]`; at n = 0 the leaf is b.
 *
 * @module
 */
import type { InputFeature, Schema } from "../data/types.ts";
import type { Ensemble } from "./types.ts";

/** Unsigned integers in the narrowest array that holds them. */
export type Words = Uint8Array | Uint16Array | Uint32Array;

/** Real numbers in float32 where that is exact for all of them. */
export type Reals = Float32Array | Float64Array;

/** Two-way trees in form Z. */
export interface Packed {
  /** Inner nodes of each tree. */
  readonly treeNodes: Words;
  /** Inner nodes of all trees: 2 · feature, plus 1 where missing values go right. */
  readonly feat2: Words;
  /** Entry of the feature's dictionary: its thresholds in ascending order, or its category sets. */
  readonly cut: Words;
  /** Inner nodes of the left subtree, plus 1. */
  readonly size: Words;
  /** Entries in the dictionary of each feature. */
  readonly dictSize: Uint32Array;
  /** Where the dictionary of each feature begins, in `cuts` or in `sets`. */
  readonly dictAt: Uint32Array;
  /** Words of one set of each feature; 0 for numeric features. */
  readonly setWords: Uint32Array;
  /** Categories of each feature, the unknown one not counted; 0 for numeric features. */
  readonly numCategories: Uint32Array;
  /** Thresholds of all numeric features. */
  readonly cuts: Reals;
  /** Category sets of all features: member goes left; bit K is the unknown value. */
  readonly sets: Uint32Array;
  /** Values of leaves in order, `leafWidth` each; or the distinct ones, when `leafIndex` is there. */
  readonly leaves: Reals;
  /** Which of the distinct leaves each leaf is. */
  readonly leafIndex?: Uint8Array | Uint16Array;
}

/** What explanations need and scoring does not; nodes are numbered as in `Trees`. */
export interface NodeStats {
  /** Weight that reached each node. */
  readonly cover?: Reals;
  /** Loss decrease of each split, inner nodes in preorder. */
  readonly gain?: Reals;
  /** Values of inner nodes in preorder, `leafWidth` each; NaN where not known. */
  readonly value?: Reals;
}

/** An ensemble without its nodes: how trees are combined. */
export type Rules = Omit<Ensemble, "trees" | "linear" | "surrogates">;

/** What scoring does not need; comes along, so that what only scores does not carry it. */
export interface Unscored {
  readonly stats: NodeStats;
  /** Gives all nodes. */
  unpack(rules: Rules): Ensemble;
}

/** How a model holds its trees. */
export type Storage =
  | {
    readonly layout: "packed";
    readonly packed: Packed;
    readonly unscored: Unscored;
  }
  | { readonly layout: "general"; readonly ensemble: Ensemble };

/** Features of a file that are numbers without rules of their own, all of them. */
export const numbersAlone = new WeakSet<readonly unknown[]>();

/** A number of each feature; 0 for numbers. */
function ofEach(
  { features }: Schema,
  countOf: (feature: InputFeature) => number,
): Uint32Array {
  return numbersAlone.has(features)
    ? new Uint32Array(features.length)
    : Uint32Array.from(features, countOf);
}

/** Words of a set of the categories of each feature, the unknown one included; 0 for numbers. */
export function setWordsOf(schema: Schema): Uint32Array {
  return ofEach(
    schema,
    (f) => f.kind === "categorical" ? (f.categories.length >>> 5) + 1 : 0,
  );
}

/** Categories of each feature; 0 for numbers. */
export function numCategoriesOf(schema: Schema): Uint32Array {
  return ofEach(
    schema,
    (f) => f.kind === "categorical" ? f.categories.length : 0,
  );
}

/**
 * Where each feature's dictionary begins; thresholds and words of sets are counted apart. Sums stay
 * exact since each count fits 32 bits.
 */
export function dictStarts(
  dictSize: Uint32Array,
  setWords: Uint32Array,
): { readonly dictAt: Uint32Array; readonly numCuts: number; readonly numWords: number } {
  let numCuts = 0;
  let numWords = 0;
  const dictAt = dictSize.map(
    setWords.some(Boolean)
      ? (entries, f) => {
        const words = setWords[f];
        if (words > 0) return (numWords += entries * words) - entries * words;
        return (numCuts += entries) - entries;
      }
      : (entries) => (numCuts += entries) - entries,
  );
  return { dictAt, numCuts, numWords };
}
