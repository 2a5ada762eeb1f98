/**
 * Linear leaves of a tree on bins: fitted to the values and gradients of the rows that it learnt
 * from, and added to the scores of sets.
 *
 * @module
 */
import {
  fitLeaves,
  leafOutput,
  type LinearColumns,
  pathFeatures,
  type TreeTerms,
} from "../linear_leaves.ts";
import { leavesOf } from "./layout.ts";
import { writeLeaves } from "./linear_rows.ts";
import { Op } from "./op.ts";
import type { TableSpace } from "./pool.ts";
import type { Quanta } from "./quanta.ts";
import type { Team } from "./team.ts";
import type { GrownTree } from "./tree.ts";

/** Penalty and rate of a fit, and the output whose gradients it is to. */
export interface LinearStep {
  readonly output: number;
  readonly lambda: number;
  readonly rate: number;
  readonly quanta: Quanta;
}

/**
 * Fits the leaves of a tree; those without numeric features above them, or in which those say
 * nothing, stay constants.
 *
 * @param nodeOf Node of each leaf number.
 */
export function fitHistLeaves(
  { context: { layout, memory } }: Team,
  columns: LinearColumns,
  tree: GrownTree,
  nodeOf: Int32Array,
  { output, lambda, rate, quanta }: LinearStep,
): TreeTerms {
  const { rows: { numRows } } = layout.sets[0];
  const leaves = leavesOf(memory, layout, 0);
  // Where histograms are wide, the gradients are whole numbers by now.
  const derivatives = (start: number, fix: number) => {
    const from = (start >>> 3) + output * numRows;
    const found = memory.f64.subarray(from, from + numRows);
    return quanta.wide ? found.map((value) => value / fix) : found;
  };
  const paths = leafPaths(tree, columns);
  const leafOf = new Int32Array(numRows);
  for (let row = 0; row < numRows; row++) {
    const isIn = layout.mask === 0 || memory.u8[layout.mask + row] === 1;
    leafOf[row] = isIn ? nodeOf[leaves[row]] : -1;
  }
  return fitLeaves({
    columns,
    paths,
    leafOf,
    gradient: derivatives(layout.gradient, quanta.fixG),
    hessian: derivatives(layout.hessian, quanta.fixH),
    lambda,
    rate,
    counts: "rows",
  }).map((terms) => terms?.features.length === 0 ? undefined : terms);
}

/** Numeric features above each leaf that is left, by node; undefined where there are none. */
export function leafPaths(
  { nodes }: GrownTree,
  columns: LinearColumns,
): readonly (readonly number[] | undefined)[] {
  const split = (node: number) => {
    const feature = nodes.feature[node];
    const left = nodes.left[node];
    return feature < 0 ? undefined : { feature, children: [left, left + 1] };
  };
  return pathFeatures(nodes.count, split, columns)
    .map((path) => path?.length === 0 ? undefined : path);
}

/** Leaves of a tree as rows see them. */
export interface LinearTree {
  readonly nodeOf: Int32Array;
  /** Constant of each node. */
  readonly value: Float64Array;
  readonly terms: TreeTerms;
}

/** Adds a tree, whose leaf numbers the rows of a set have, to the set's scores. */
export function addLinearLeaves(
  team: Team,
  { columns, tables }: { readonly columns: LinearColumns; readonly tables: TableSpace },
  tree: LinearTree,
  { set, output, factor }: {
    readonly set: number;
    readonly output: number;
    readonly factor: number;
  },
): void {
  const { nodeOf, value, terms } = tree;
  const { layout, memory } = team.context;
  if (layout.linear !== undefined) {
    const leaves = tables.put(writeLeaves(tree));
    memory.f64.set([set, output, factor, leaves, nodeOf.length], layout.args >>> 3);
    team.run(Op.addLinear);
    return;
  }
  const { raw, rows: { numRows } } = layout.sets[set];
  const leaves = leavesOf(memory, layout, set);
  const from = (raw >>> 3) + output * numRows;
  const { f64 } = memory;
  for (let row = 0; row < numRows; row++) {
    const node = nodeOf[leaves[row]];
    f64[from + row] += factor * leafOutput(value[node], terms[node], columns, row);
  }
}
