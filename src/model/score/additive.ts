/**
 * The two ends of a sum of trees: what a row's raw scores start from, and what is done to them when
 * all trees are in.
 *
 * @module
 */
import type { Rules } from "../packed.ts";

/** Ends of a sum. */
export interface Ends {
  /** Start values, length `numOutputs`. */
  readonly start: Float64Array;
  /** Whether `finish` has anything to do. */
  readonly needsFinish: boolean;
  /** Divides averages and adds a base score that comes last. */
  finish(numTrees: number, out: Float64Array, to: number): void;
}

/** Whether trees simply add up (or average). */
export function isAdditive({ aggregate }: Rules): boolean {
  return aggregate === "sum" || aggregate === "average";
}

/** Ends of the sums of an ensemble. */
export function createEnds(rules: Rules): Ends {
  const { leafWidth, numOutputs, treeOutput, treeWeight, baseScore, profile, aggregate } = rules;
  const f32 = profile.sum === "f32";
  const baseFirst = profile.base === "first" && aggregate === "sum";
  const weights = new Float64Array(numOutputs);
  let weighed = -1;

  /** Sums the weights of the first trees, in order, once a prefix. */
  function weigh(numTrees: number): void {
    weighed = numTrees;
    weights.fill(0);
    for (let t = 0; t < numTrees; t++) {
      if (leafWidth === 1) weights[treeOutput[t]] += treeWeight[t];
      else for (let k = 0; k < numOutputs; k++) weights[k] += treeWeight[t];
    }
  }

  return {
    start: baseFirst ? baseScore.slice() : new Float64Array(numOutputs),
    needsFinish: !baseFirst,
    finish(numTrees, out, to) {
      if (aggregate === "average" && weighed !== numTrees) weigh(numTrees);
      for (let k = 0; k < numOutputs; k++) {
        let value = out[to + k];
        if (aggregate === "average" && weights[k] > 0) value /= weights[k];
        if (f32) value = Math.fround(value);
        value = baseScore[k] + value;
        out[to + k] = f32 ? Math.fround(value) : value;
      }
    },
  };
}

/** Value that a tree adds: its weight times a leaf value, as the profile rounds it. */
export function weighLeaf(rules: Rules, tree: number, value: number): number {
  const weight = rules.treeWeight[tree];
  const product = weight === 1 ? value : weight * value;
  return rules.profile.sum === "f32" ? Math.fround(product) : product;
}
