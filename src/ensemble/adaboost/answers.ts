/**
 * What a tree of AdaBoost answers: to the model, and to the rows whose weights follow from it.
 *
 * @module
 */
import { createAnswers } from "../../grow/tree/answers.ts";
import { valuedNode } from "../../grow/tree/pack.ts";
import type { GrownTree } from "../../grow/tree/tree.ts";
import type { BoostedRows } from "../../parallel/rows/adaboost.ts";
import { log } from "../../util/math.ts";

/** Smallest class share under SAMME.R: the distance of 1 from the next double. */
const EPSILON = 2.220446049250313e-16;

/** Class shares of every node, or its number, on demand. */
function sharesOf(tree: GrownTree): (node: number) => Float64Array {
  const cache: Float64Array[] = [];
  return (node) => {
    if (cache[node] === undefined) {
      cache[node] = new Float64Array(tree.criterion.leafWidth);
      tree.criterion.leafValue(tree.stats, node * tree.channels, cache[node]);
    }
    return cache[node];
  };
}

function largest(values: Float64Array): number {
  let best = 0;
  for (let k = 1; k < values.length; k++) if (values[k] > values[best]) best = k;
  return best;
}

/**
 * Leaves whose weighted average under softmax is the method's probability: one vote over K − 1
 * (SAMME), ln p less its mean (SAMME.R), or the value (R2).
 */
export function leafOption(
  tree: GrownTree,
  variant: BoostedRows["variant"],
  numClasses: number,
): (node: number, out: Float64Array) => void {
  const shares = sharesOf(tree);
  if (variant === "r2") return (node, out) => out.set(shares(node));
  return (node, out) => {
    const share = shares(node);
    if (variant === "samme") {
      out.fill(0);
      out[largest(share)] = 1 / Math.max(1, numClasses - 1);
      return;
    }
    let mean = 0;
    for (let k = 0; k < numClasses; k++) {
      out[k] = log(Math.max(share[k], EPSILON));
      mean += out[k] / numClasses;
    }
    for (let k = 0; k < numClasses; k++) out[k] -= mean;
  };
}

/**
 * Writes what every number of the rows stands for as the model will hear it: the answer of its leaf,
 * or what the leaves of several branches say by share where a missing value goes to all of them.
 *
 * @param numbers A leaf, or −1 − row.
 */
export function writeAnswers(
  tree: GrownTree,
  numbers: readonly number[],
  { variant, numClasses, said, told }: BoostedRows,
): void {
  const answer = leafOption(tree, variant, numClasses);
  const shares = sharesOf(tree);
  const apart = createAnswers(tree, answer);
  const out = new Float64Array(tree.criterion.leafWidth);
  numbers.forEach((stands, number) => {
    const leaf = stands < 0 ? -1 : valuedNode(tree, stands);
    if (leaf < 0) apart(-1 - stands, -1, 0, out);
    else if (variant !== "samme") answer(leaf, out);
    if (variant === "r2") {
      told[number] = out[0];
      return;
    }
    said[number] = largest(leaf < 0 ? out : shares(leaf));
    if (variant === "samme") return;
    const at = number * (numClasses + 1);
    told.set(out, at);
    told[at + numClasses] = out.reduce((sum, value) => sum + value, 0);
  });
}
