/**
 * Ensembles made of others: the trees of two in a row, or the first rounds of one.
 *
 * @module
 */
import { ModelError } from "../errors.ts";
import type { Ensemble, Trees } from "./types.ts";

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

/**
 * The rounds of `first` followed by those of `next`, with the base score of `first`.
 *
 * @throws {ModelError} `E_MODEL_SCHEMA` where the two do not add up to one sum.
 */
export function appendEnsemble(first: Ensemble, next: Ensemble): Ensemble {
  const alike = first.aggregate === "sum" && next.aggregate === "sum" &&
    first.numOutputs === next.numOutputs && first.leafWidth === next.leafWidth &&
    first.treesPerRound === next.treesPerRound && first.linear === undefined &&
    next.linear === undefined;
  if (!alike) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot join ensembles: expected sums with the same outputs and trees in each round, found ` +
        `${first.numOutputs} outputs, ${first.treesPerRound} trees and ${next.numOutputs} ` +
        `outputs, ${next.treesPerRound} trees`,
    );
  }
  return {
    ...first,
    trees: concatTrees(first.trees, next.trees),
    treeOutput: Int32Array.from([...first.treeOutput, ...next.treeOutput]),
    treeWeight: Float64Array.from([...first.treeWeight, ...next.treeWeight]),
  };
}
