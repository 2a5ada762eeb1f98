/**
 * The path polynomial of TreeSHAP for one tree and one row: what each feature on a path adds to the
 * weights of its leaf.
 *
 * Lundberg et al., "From local explanations to global understanding with explainable AI for trees",
 * Nature Machine Intelligence 2 (2020), algorithm 2. Three things are more general here: nodes may
 * have many children, a missing value may take every branch by its share, and a value may stop at a
 * node. Where surrogates decide, their branch is what the missing value of the tested feature did.
 *
 * @module
 */
import type { Schema } from "../data/types.ts";
import { ModelError } from "../errors.ts";
import { type Branches, branchOf, childCount, partOf, Route } from "./branch.ts";

/** Deepest tree that is explained; a path costs memory by its square. */
const MAX_SHAP_DEPTH = 1000;

/** Steps of a leaf, the square of its path, that take some milliseconds together. */
const MUCH = 1 << 20;

/** Explains rows of one tree after the other. */
export interface TreeExplainer {
  /**
   * Adds contributions of tree `tree` for the row at `x[at …]`.
   *
   * @param add Receives feature, node whose value counts, and the place in `factors` of the factor on
   * that value.
   * @param look Called after each {@linkcode MUCH} steps; what it throws ends the work.
   */
  explain(
    tree: number,
    x: Float64Array,
    at: number,
    add: (feature: number, node: number, place: number) => void,
    look?: () => void,
  ): void;
  /** Written before each call of `add`. */
  readonly factors: Float64Array;
}

/** Makes an explainer; `depth` is that of the deepest tree. */
export function createTreeExplainer(
  ensemble: Branches,
  schema: Schema,
  share: Float64Array,
  depth: number,
): TreeExplainer {
  const { trees } = ensemble;
  if (depth > MAX_SHAP_DEPTH) {
    throw new ModelError(
      "E_MODEL_LIMIT",
      `Cannot explain a tree of depth ${depth}: expected at most ${MAX_SHAP_DEPTH}`,
      { details: { depth } },
    );
  }
  // One stretch of the arrays for each level: path entries are copied when a level is entered. Numbers
  // go from function to function in these arrays, since V8 makes an object of each double that a call
  // takes or returns: 400 kB a row for 250 trees.
  const size = (depth + 2) * (depth + 3) / 2 + depth + 3;
  const pathFeature = new Int32Array(size);
  const pathZero = new Float64Array(size);
  const pathOne = new Float64Array(size);
  const pathWeight = new Float64Array(size);
  const factors = new Float64Array(depth + 2);
  let x = new Float64Array(0);
  let row = 0;
  let add: (feature: number, node: number, place: number) => void = () => {};
  let look: (() => void) | undefined;
  let steps = 0;

  /** Appends the entry at `base + length`, which has been written but for its weight, to a path. */
  function extend(base: number, length: number): void {
    const zero = pathZero[base + length];
    const one = pathOne[base + length];
    pathWeight[base + length] = length === 0 ? 1 : 0;
    for (let i = length - 1; i >= 0; i--) {
      pathWeight[base + i + 1] += one * pathWeight[base + i] * (i + 1) / (length + 1);
      pathWeight[base + i] = zero * pathWeight[base + i] * (length - i) / (length + 1);
    }
  }

  /**
   * Takes entry `index` off a path whose last entry is at `last`. Weights below `turn` are found from the
   * first one up, the others from the last one down: each of both ways makes errors smaller there and
   * larger elsewhere, without end on paths of a hundred features and more.
   */
  function unwind(base: number, last: number, index: number): void {
    const one = pathOne[base + index];
    const zero = pathZero[base + index];
    const turn = zero === 0 ? 0 : one === 0 ? last : Math.floor(last * zero / (one + zero));
    const count = last + 1;
    let rest = count * pathWeight[base + last];
    let weight = 0;
    let i = 0;
    for (; i < turn; i++) {
      weight = (count * pathWeight[base + i] - one * weight * i) / (zero * (last - i));
      pathWeight[base + i] = weight;
    }
    // Where both parts are 0 so are all weights, and stay it.
    for (i = last - 1; i >= turn && one !== 0; i--) {
      weight = rest / ((i + 1) * one);
      rest = count * pathWeight[base + i] - weight * zero * (last - i);
      pathWeight[base + i] = weight;
    }
    for (i = index; i < last; i++) {
      pathFeature[base + i] = pathFeature[base + i + 1];
      pathZero[base + i] = pathZero[base + i + 1];
      pathOne[base + i] = pathOne[base + i + 1];
    }
  }

  /** Writes the factor of entry `index`: the path's weights as if it were taken off, times its part. */
  function putFactor(base: number, last: number, index: number): void {
    const one = pathOne[base + index];
    const zero = pathZero[base + index];
    const turn = zero === 0 ? 0 : one === 0 ? last : Math.floor(last * zero / (one + zero));
    const count = last + 1;
    let rest = count * pathWeight[base + last];
    let weight = 0;
    let total = 0;
    let i = 0;
    for (; i < turn; i++) {
      weight = (count * pathWeight[base + i] - one * weight * i) / (zero * (last - i));
      total += weight;
    }
    for (i = last - 1; i >= turn && one !== 0; i--) {
      weight = rest / ((i + 1) * one);
      total += weight;
      rest = count * pathWeight[base + i] - weight * zero * (last - i);
    }
    factors[index] = total * (one - zero);
  }

  /** Hands the value of `node` to the features on the path that ends at `last`. */
  function settle(base: number, last: number, node: number): void {
    steps += (last + 1) * (last + 1);
    if (steps > MUCH) {
      steps = 0;
      look?.();
    }
    for (let i = 1; i <= last; i++) {
      putFactor(base, last, i);
      if (factors[i] !== 0) add(pathFeature[base + i], node, i);
    }
  }

  /** Writes what `extend` reads. */
  function enter(at: number, zero: number, one: number, feature: number): void {
    pathFeature[at] = feature;
    pathZero[at] = zero;
    pathOne[at] = one;
  }

  /** Visits a node whose own entry has been written behind the `length` entries of its path. */
  function visit(node: number, length: number, parentBase: number): void {
    const base = parentBase + length;
    for (let i = 0; i < length; i++) {
      pathFeature[base + i] = pathFeature[parentBase + i];
      pathZero[base + i] = pathZero[parentBase + i];
      pathOne[base + i] = pathOne[parentBase + i];
      pathWeight[base + i] = pathWeight[parentBase + i];
    }
    extend(base, length);
    const first = trees.firstChild[node];
    if (first < 0) return settle(base, length, node);

    const split = trees.feature[node];
    let entry = 1;
    while (entry <= length && pathFeature[base + entry] !== split) entry++;
    let incomingZero = 1;
    let incomingOne = 1;
    let last = length;
    if (entry <= length) {
      incomingZero = pathZero[base + entry];
      incomingOne = pathOne[base + entry];
      unwind(base, length, entry);
      last--;
    }
    const route = branchOf(ensemble, schema, node, x, row);
    const count = childCount(trees, schema, node);
    for (let branch = 0; branch < count; branch++) {
      const child = first + branch;
      // Scoring shares by the stored weights, whatever background the expectations are of.
      const part = route === Route.fractional
        ? partOf(trees, first, count, child)
        : route === branch
        ? 1
        : 0;
      // Behind the copy that the child makes at `base + last + 1` of entries 0 to `last`.
      enter(base + 2 * (last + 1), incomingZero * share[child], incomingOne * part, split);
      visit(child, last + 1, base);
    }
    if (route === Route.stop) {
      // The node's own value counts where the feature is known; nothing of it where it is not.
      const own = base + last + 1;
      for (let i = 0; i <= last; i++) {
        pathFeature[own + i] = pathFeature[base + i];
        pathZero[own + i] = pathZero[base + i];
        pathOne[own + i] = pathOne[base + i];
        pathWeight[own + i] = pathWeight[base + i];
      }
      enter(own + last + 1, 0, incomingOne, split);
      extend(own, last + 1);
      settle(own, last + 1, node);
    }
  }

  return {
    explain(tree, values, at, receive, lookNow) {
      x = values as Float64Array<ArrayBuffer>;
      row = at;
      add = receive;
      look = lookNow;
      enter(0, 1, 1, -1);
      visit(trees.treeStart[tree], 0, 0);
    },
    factors,
  };
}
