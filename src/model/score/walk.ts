/**
 * Tier 0: walks form Z as it lies in the file. Nothing is built beforehand, so the first score comes
 * at once; it is also the specification of the faster tiers for plain ensembles.
 *
 * @module
 */
import { createAggregate } from "./general.ts";
import type { Packed, Rules } from "../packed.ts";
import type { Scorer } from "./scorer.ts";

/** Slot value of a missing category: left, right. */
const MISSING_LEFT = -1;

/** Walks single trees of one row at a time. */
export interface TreeWalk {
  /** Takes in the encoded row at `x[at]`. */
  load(x: Float64Array, at: number): void;
  /** Leaf of the tree whose `n` inner nodes begin at `j` and whose leaves begin at `b`. */
  leafOf(j: number, n: number, b: number): number;
  /** The same leaf as a node number within its tree. */
  nodeOf(j: number, n: number): number;
}

/**
 * Makes a walk. Each row is doubled: slot 2f serves nodes that send missing values left, slot 2f + 1
 * those that send them right, so that a walk never asks whether a value is missing.
 */
export function createTreeWalk(packed: Packed): TreeWalk {
  const { feat2, cut, size, dictAt, setWords, cuts, sets } = packed;
  const numFeatures = dictAt.length;
  const slots = new Float64Array(2 * numFeatures);
  /** Inner nodes passed since the start of the tree, and where its last node was left. */
  let lastNode = 0;
  let wentRight = 0;

  function fillSlots(x: Float64Array, at: number): void {
    for (let f = 0; f < numFeatures; f++) {
      const value = x[at + f];
      if (value === value) slots[2 * f] = slots[2 * f + 1] = value;
      else if (setWords[f] === 0) {
        slots[2 * f] = -Infinity;
        slots[2 * f + 1] = NaN;
      } else {
        slots[2 * f] = MISSING_LEFT;
        slots[2 * f + 1] = -2;
      }
    }
  }

  /** Leaf of a tree whose n inner nodes begin at j and whose leaves begin at b. */
  function walkNumbers(j: number, n: number, b: number): number {
    while (n > 0) {
      const f = feat2[j];
      const s = size[j];
      if (slots[f] <= cuts[dictAt[f >>> 1] + cut[j]]) {
        j++;
        n = s - 1;
      } else {
        j += s;
        b += s;
        n -= s;
      }
    }
    return b;
  }

  function walk(j: number, n: number, b: number): number {
    const start = j;
    while (n > 0) {
      const f2 = feat2[j];
      const f = f2 >>> 1;
      const s = size[j];
      const value = slots[f2];
      let left: boolean;
      if (setWords[f] === 0) left = value <= cuts[dictAt[f] + cut[j]];
      else if (value < 0) left = value === MISSING_LEFT;
      else {
        const word = sets[dictAt[f] + cut[j] * setWords[f] + (value >>> 5)];
        left = (word >>> (value & 31) & 1) === 1;
      }
      lastNode = j - start;
      if (left) {
        wentRight = 0;
        j++;
        n = s - 1;
      } else {
        wentRight = 1;
        j += s;
        b += s;
        n -= s;
      }
    }
    return b;
  }

  return {
    load: fillSlots,
    leafOf: sets.length > 0 ? walk : walkNumbers,
    nodeOf(j, n) {
      if (n === 0) return 0;
      walk(j, n, 0);
      // The children of inner node k of a tree are its nodes 2k + 1 and 2k + 2.
      return 2 * lastNode + 1 + wentRight;
    },
  };
}

/** Makes the tier 0 scorer, which joins trees in any way. */
export function createWalker(packed: Packed, rules: Rules): Scorer {
  const { treeNodes, leaves, leafIndex } = packed;
  const { leafWidth, numOutputs, treeOutput, treeWeight, profile } = rules;
  const numFeatures = packed.dictAt.length;
  const round = profile.sum === "f32" ? Math.fround : (x: number) => x;
  const aggregate = createAggregate(rules, round);
  const vector = new Float64Array(leafWidth);
  const trees = createTreeWalk(packed);

  function scoreRow(numTrees: number, out: Float64Array, to: number): void {
    aggregate.begin(out, to);
    let j = 0;
    let b = 0;
    for (let t = 0; t < numTrees; t++) {
      const n = treeNodes[t];
      const leaf = trees.leafOf(j, n, b);
      j += n;
      b += n + 1;
      const from = (leafIndex === undefined ? leaf : leafIndex[leaf]) * leafWidth;
      for (let k = 0; k < leafWidth; k++) vector[k] = leaves[from + k];
      aggregate.add(out, to, vector, treeOutput[t], treeWeight[t]);
    }
    aggregate.end(out, to, numTrees);
  }

  return {
    score(x, rows, numTrees, out) {
      for (let r = 0; r < rows; r++) {
        trees.load(x, r * numFeatures);
        scoreRow(numTrees, out, r * numOutputs);
      }
    },
    leaves(x, rows, numTrees, out) {
      for (let r = 0; r < rows; r++) {
        trees.load(x, r * numFeatures);
        let j = 0;
        for (let t = 0; t < numTrees; t++) {
          const n = treeNodes[t];
          out[r * numTrees + t] = trees.nodeOf(j, n);
          j += n;
        }
      }
    },
  };
}
