/**
 * Working space of a grower, the same for tree after tree: the nodes of the tree, and what is known of
 * each as long as it may still be split.
 *
 * @module
 */
import type { FeatureSplit } from "../split/scan.ts";
import type { NodeSums } from "../split/score.ts";
import { createNodes, type TreeNodes } from "./nodes.ts";

/** Arrays by node; of most fields only nodes that are still open have a meaning. */
export interface GrowSpace {
  readonly nodes: TreeNodes;
  readonly depth: Int32Array;
  /** Its row segments; the record buffer they are in goes by the depth. */
  readonly entry: Int32Array;
  /** Sums in whole numbers, and the value that its children are smoothed towards. */
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
  readonly value: Float64Array;
  /** Address of its histogram, or 0. */
  readonly histogram: Uint32Array;
  /** 1 where depth and rows let it be split. */
  readonly mayBeSplit: Uint8Array;
  /** Its best split; a gain of 0 where there is none. */
  readonly splitGain: Float64Array;
  readonly splitFeature: Int32Array;
  readonly splitBin: Int32Array;
  readonly splitKind: Uint8Array;
  readonly splitMissingLeft: Uint8Array;
  /** Sums of the left child, in whole numbers. */
  readonly splitGradient: Float64Array;
  readonly splitHessian: Float64Array;
  readonly splitRows: Int32Array;
  /** Address of the table of each inner node. */
  readonly table: Uint32Array;
}

/** Space for trees of so many leaves. Pages of the system are taken as nodes come. */
export function createGrowSpace(maxLeaves: number): GrowSpace {
  const size = 2 * maxLeaves - 1;
  return {
    nodes: createNodes(size),
    depth: new Int32Array(size),
    entry: new Int32Array(size),
    gradient: new Float64Array(size),
    hessian: new Float64Array(size),
    value: new Float64Array(size),
    histogram: new Uint32Array(size),
    mayBeSplit: new Uint8Array(size),
    splitGain: new Float64Array(size),
    splitFeature: new Int32Array(size),
    splitBin: new Int32Array(size),
    splitKind: new Uint8Array(size),
    splitMissingLeft: new Uint8Array(size),
    splitGradient: new Float64Array(size),
    splitHessian: new Float64Array(size),
    splitRows: new Int32Array(size),
    table: new Uint32Array(size),
  };
}

/** Which of the two record buffers holds a node's rows: each split moves them to the other. */
export function bufferOf({ depth }: GrowSpace, node: number): number {
  return depth[node] & 1;
}

/** Sums of a node as one record. */
export function sumsOf(space: GrowSpace, node: number): NodeSums {
  const { nodes } = space;
  return {
    gradient: space.gradient[node],
    hessian: space.hessian[node],
    count: nodes.rows[node],
    lower: nodes.lower[node],
    upper: nodes.upper[node],
    value: space.value[node],
  };
}

/** The best split of a node as one record. */
export function splitOf(space: GrowSpace, node: number): FeatureSplit {
  return {
    gain: space.splitGain[node],
    feature: space.splitFeature[node],
    bin: space.splitBin[node],
    kind: space.splitKind[node],
    missingLeft: space.splitMissingLeft[node] === 1,
    gradient: space.splitGradient[node],
    hessian: space.splitHessian[node],
    count: space.splitRows[node],
  };
}
