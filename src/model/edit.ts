/**
 * Ensembles made of others: the trees of two in a row, or the first rounds of one.
 *
 * @module
 */
import { ModelError } from "../errors.ts";
import type { Ensemble, LinearLeaves, Trees } from "./types.ts";

/** Nodes of the first trees, then those of the others. */
function concatTrees(a: Trees, b: Trees): Trees {
  const nodes = a.kind.length;
  const pool = a.categoryPool.length;
  const join = <T extends Float64Array | Int32Array | Uint8Array | Uint32Array>(x: T, y: T): T => {
    const out = new (x.constructor as new (length: number) => T)(x.length + y.length);
    out.set(x as never, 0);
    out.set(y as never, x.length);
    return out;
  };
  const shift = (x: Int32Array, by: number) => x.map((at) => at < 0 ? at : at + by);
  return {
    treeStart: join(a.treeStart, b.treeStart.subarray(1).map((at) => at + nodes)),
    kind: join(a.kind, b.kind),
    feature: join(a.feature, b.feature),
    threshold: join(a.threshold, b.threshold),
    firstChild: join(a.firstChild, shift(b.firstChild, nodes)),
    missing: join(a.missing, b.missing),
    categoryAt: join(a.categoryAt, shift(b.categoryAt, pool)),
    categoryPool: join(a.categoryPool, b.categoryPool),
    leaf: join(a.leaf, b.leaf),
    cover: join(a.cover, b.cover),
    gain: join(a.gain, b.gain),
  };
}

/** The linear models of all nodes: constants where an ensemble has none. */
function termsOf({ linear, trees: { leaf, firstChild } }: Ensemble): LinearLeaves {
  return linear ?? {
    constant: leaf.map((value, node) => firstChild[node] < 0 ? value : 0),
    termStart: new Int32Array(leaf.length + 1),
    termFeature: new Int32Array(0),
    termCoefficient: new Float64Array(0),
  };
}

function concatTerms(a: LinearLeaves, b: LinearLeaves): LinearLeaves {
  const before = a.termFeature.length;
  return {
    constant: Float64Array.from([...a.constant, ...b.constant]),
    termStart: Int32Array.from([
      ...a.termStart,
      ...b.termStart.subarray(1).map((at) => at + before),
    ]),
    termFeature: Int32Array.from([...a.termFeature, ...b.termFeature]),
    termCoefficient: Float64Array.from([...a.termCoefficient, ...b.termCoefficient]),
  };
}

/** The first rounds of a sum or an average. */
export function firstRounds(ensemble: Ensemble, rounds: number): Ensemble {
  const count = rounds * ensemble.treesPerRound;
  const { trees } = ensemble;
  const nodes = trees.treeStart[count];
  // Trees share sets: the last one that is kept ends where the next one begins, whosever it is.
  const last = trees.categoryAt.subarray(0, nodes).reduce((most, at) => Math.max(most, at), -1);
  const pool = trees.categoryAt.subarray(nodes).reduce(
    (least, at) => at > last ? Math.min(least, at) : least,
    last < 0 ? 0 : trees.categoryPool.length,
  );
  return {
    ...ensemble,
    trees: {
      treeStart: trees.treeStart.slice(0, count + 1),
      kind: trees.kind.slice(0, nodes),
      feature: trees.feature.slice(0, nodes),
      threshold: trees.threshold.slice(0, nodes),
      firstChild: trees.firstChild.slice(0, nodes),
      missing: trees.missing.slice(0, nodes),
      categoryAt: trees.categoryAt.slice(0, nodes),
      categoryPool: trees.categoryPool.slice(0, pool),
      leaf: trees.leaf.slice(0, nodes * ensemble.leafWidth),
      cover: trees.cover.slice(0, nodes),
      gain: trees.gain.slice(0, nodes),
    },
    treeOutput: ensemble.treeOutput.slice(0, count),
    treeWeight: ensemble.treeWeight.slice(0, count),
    ...(ensemble.linear && { linear: firstTerms(ensemble.linear, nodes) }),
  };
}

/** The linear models of the first nodes. */
function firstTerms(linear: LinearLeaves, nodes: number): LinearLeaves {
  const terms = linear.termStart[nodes];
  return {
    constant: linear.constant.slice(0, nodes),
    termStart: linear.termStart.slice(0, nodes + 1),
    termFeature: linear.termFeature.slice(0, terms),
    termCoefficient: linear.termCoefficient.slice(0, terms),
  };
}

/**
 * The rounds of `first` followed by those of `next`, with the base score of `first`.
 *
 * @throws {ModelError} `E_MODEL_SCHEMA` where the two do not add up to one sum.
 */
export function appendEnsemble(first: Ensemble, next: Ensemble): Ensemble {
  const alike = first.aggregate === "sum" && next.aggregate === "sum" &&
    first.numOutputs === next.numOutputs && first.leafWidth === next.leafWidth &&
    first.treesPerRound === next.treesPerRound;
  if (!alike) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot join ensembles: expected sums with the same outputs and trees in each round, found ` +
        `${first.numOutputs} outputs, ${first.treesPerRound} trees and ${next.numOutputs} ` +
        `outputs, ${next.treesPerRound} trees`,
    );
  }
  const isLinear = first.linear !== undefined || next.linear !== undefined;
  return {
    ...first,
    ...(isLinear ? { linear: concatTerms(termsOf(first), termsOf(next)) } : {}),
    trees: concatTrees(first.trees, next.trees),
    treeOutput: Int32Array.from([...first.treeOutput, ...next.treeOutput]),
    treeWeight: Float64Array.from([...first.treeWeight, ...next.treeWeight]),
  };
}
