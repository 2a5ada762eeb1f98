/**
 * Scores any ensemble by walking its `Trees`: the specification that faster scorers must equal bit
 * for bit, and the path of what they do not take (multiway and `equal` nodes, fractional missing,
 * stop rules, linear leaves).
 *
 * @module
 */
import type { Schema } from "../../data/types.ts";
import type { Rules } from "../packed.ts";
import { createEnds, isAdditive } from "./additive.ts";
import type { Scorer } from "./scorer.ts";
import { numChildren } from "../children.ts";
import { type Ensemble, MissingBranch, NodeKind } from "../types.ts";

/** `categoryPool` entry of a multiway node for "stop here". */
const STOP = 0xffffffff;

/** Code that stops a walk at the first node that tests it, by feature; −1 where there is none. */
function stopCodes(schema: Schema): Int32Array {
  return Int32Array.from(
    schema.features,
    (f) => f.kind === "categorical" && f.unknown === "node" ? f.categories.length : -1,
  );
}

/** Makes the general scorer of an ensemble. */
export function createGeneralScorer(ensemble: Ensemble, schema: Schema): Scorer {
  const { trees, leafWidth, numOutputs, treeOutput, treeWeight, profile, linear, surrogates } =
    ensemble;
  const { kind, feature, threshold, firstChild, missing, categoryAt, categoryPool } = trees;
  const { leaf, cover, treeStart } = trees;
  const numFeatures = schema.features.length;
  const stop = stopCodes(schema);
  const round = profile.sum === "f32" ? Math.fround : (x: number) => x;
  const vector = new Float64Array(leafWidth);

  /** Next node, the node itself to stop there, or −1 to go down every branch. */
  function next(node: number, x: Float64Array, at: number): number {
    const f = feature[node];
    const value = x[at + f];
    if (value !== value) {
      const branch = surrogates === undefined ? missing[node] : standIn(node, x, at);
      if (branch === MissingBranch.stop) return node;
      return branch === MissingBranch.fractional ? -1 : firstChild[node] + branch;
    }
    switch (kind[node]) {
      case NodeKind.threshold:
        return firstChild[node] + (value <= threshold[node] ? 0 : 1);
      case NodeKind.equal:
        return firstChild[node] + (value === threshold[node] ? 0 : 1);
    }
    if (value === stop[f]) return node;
    const pool = categoryAt[node];
    if (kind[node] === NodeKind.multiway) {
      const branch = categoryPool[pool + value];
      return branch === STOP ? node : firstChild[node] + branch;
    }
    const bit = categoryPool[pool + (value >>> 5)] >>> (value & 31) & 1;
    return firstChild[node] + 1 - bit;
  }

  /** Branch by the first surrogate that can tell, else the node's own for missing values. */
  function standIn(node: number, x: Float64Array, at: number): number {
    const { start, feature: f, threshold: t, below, categoryAt: c, pool } = surrogates!;
    for (let i = start[node]; i < start[node + 1]; i++) {
      const value = x[at + f[i]];
      if (value !== value) continue;
      if (c[i] < 0) return value <= t[i] ? below[i] : 1 - below[i];
      if (pool[c[i] + value] !== 255) return pool[c[i] + value];
    }
    return missing[node];
  }

  /** Adds `share` of the value of the subtree at `node` to `vector`. */
  function gather(node: number, x: Float64Array, at: number, share: number): void {
    while (kind[node] !== NodeKind.leaf) {
      const child = next(node, x, at);
      if (child === node) break;
      if (child < 0) return gatherBranches(node, x, at, share);
      node = child;
    }
    if (linear !== undefined && leafWidth === 1) {
      vector[0] += share * linearValue(node, x, at);
      return;
    }
    for (let k = 0; k < leafWidth; k++) vector[k] += share * leaf[node * leafWidth + k];
  }

  function gatherBranches(node: number, x: Float64Array, at: number, share: number): void {
    const first = firstChild[node];
    const end = first + childCount(ensemble, schema, node);
    let total = 0;
    for (let child = first; child < end; child++) total += cover[child];
    for (let child = first; child < end; child++) {
      const part = total > 0 ? cover[child] / total : 1 / (end - first);
      if (part > 0) gather(child, x, at, share * part);
    }
  }

  function linearValue(node: number, x: Float64Array, at: number): number {
    const { constant, termStart, termFeature, termCoefficient } = linear!;
    if (termStart[node] === termStart[node + 1]) return leaf[node];
    let sum = constant[node];
    for (let i = termStart[node]; i < termStart[node + 1]; i++) {
      const value = x[at + termFeature[i]];
      if (value !== value) return leaf[node];
      sum += termCoefficient[i] * value;
    }
    return sum;
  }

  const aggregate = createAggregate(ensemble, round);
  return {
    score(x, rows, numTrees, out) {
      for (let r = 0; r < rows; r++) {
        const to = r * numOutputs;
        aggregate.begin(out, to);
        for (let tree = 0; tree < numTrees; tree++) {
          // Zeros below zero: a leaf that is added alone keeps its bits, its sign among them.
          for (let k = 0; k < leafWidth; k++) vector[k] = -0;
          gather(treeStart[tree], x, r * numFeatures, 1);
          aggregate.add(out, to, vector, treeOutput[tree], treeWeight[tree]);
        }
        aggregate.end(out, to, numTrees);
      }
    },
    leaves(x, rows, numTrees, out) {
      for (let r = 0; r < rows; r++) {
        for (let tree = 0; tree < numTrees; tree++) {
          const root = treeStart[tree];
          let node = root;
          while (kind[node] !== NodeKind.leaf) {
            let child = next(node, x, r * numFeatures);
            if (child === node) break;
            if (child < 0) child = heaviestChild(ensemble, schema, node);
            node = child;
          }
          out[r * numTrees + tree] = node - root;
        }
      }
    },
  };
}

/** Number of children of an inner node. */
function childCount({ trees }: Ensemble, schema: Schema, node: number): number {
  const input = schema.features[trees.feature[node]];
  return numChildren(trees, node, input.kind === "categorical" ? input.categories.length : 0);
}

function heaviestChild(ensemble: Ensemble, schema: Schema, node: number): number {
  const { firstChild, cover } = ensemble.trees;
  let best = firstChild[node];
  for (let i = 1; i < childCount(ensemble, schema, node); i++) {
    if (cover[firstChild[node] + i] > cover[best]) best = firstChild[node] + i;
  }
  return best;
}

/** How the values of trees become raw scores. */
interface Aggregate {
  begin(out: Float64Array, at: number): void;
  add(out: Float64Array, at: number, vector: Float64Array, output: number, weight: number): void;
  end(out: Float64Array, at: number, numTrees: number): void;
}

/** How the values of trees are joined by an ensemble's rules; `round` is the profile's. */
export function createAggregate(rules: Rules, round: (x: number) => number): Aggregate {
  const { aggregate, numOutputs, leafWidth } = rules;
  const ends = createEnds(rules);
  const additive = isAdditive(rules);
  const counts = new Float64Array(numOutputs);
  const votes: [number, number][][] = Array.from({ length: numOutputs }, () => []);
  const values = new Float64Array(numOutputs);

  return {
    begin(out, at) {
      for (let k = 0; k < numOutputs; k++) {
        out[at + k] = ends.start[k];
        counts[k] = 0;
        votes[k].length = 0;
      }
    },
    add(out, at, vector, output, weight) {
      if (aggregate === "vote") {
        let best = 0;
        for (let k = 1; k < leafWidth; k++) if (vector[k] > vector[best]) best = k;
        out[at + best] += weight;
        return;
      }
      for (let k = 0; k < leafWidth; k++) {
        const to = leafWidth === 1 ? output : k;
        // A tree that weighs nothing adds nothing, however large a linear leaf may be.
        const value = round(weight && weight * vector[k]);
        if (additive) out[at + to] = round(out[at + to] + value);
        else if (aggregate === "median") votes[to].push([vector[k], weight]);
        else if (counts[to] === 0) values[to] = value;
        else values[to] = Math[aggregate as "min" | "max"](values[to], value);
        counts[to]++;
      }
    },
    end(out, at, numTrees) {
      if (aggregate === "vote") return;
      for (let k = 0; k < numOutputs && !additive; k++) {
        if (aggregate === "median") out[at + k] = weightedMedian(votes[k]);
        else if (counts[k] > 0) out[at + k] = values[k];
      }
      if (ends.needsFinish) ends.finish(numTrees, out, at);
    },
  };
}

/** Smallest value at which the cumulated weight reaches half of the total (0 for no values). */
function weightedMedian(votes: [number, number][]): number {
  votes.sort((a, b) => a[0] - b[0]);
  let total = 0;
  for (const vote of votes) total += vote[1];
  let sum = 0;
  for (const [value, weight] of votes) {
    sum += weight;
    if (sum >= total / 2) return value;
  }
  return 0;
}
