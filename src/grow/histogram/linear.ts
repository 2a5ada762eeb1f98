/**
 * Linear leaves of a tree on bins: fitted to the values and gradients of the rows that it learnt
 * from, and added to the scores of sets.
 *
 * @module
 */
import { leafOutput, type LinearColumns, pathFeatures, type TreeTerms } from "../linear_leaves.ts";
import { fitLeaf } from "../leaf_ridge.ts";
import { leavesOf } from "./workspace/layout.ts";
import { type LinearTree, writeLeaves } from "./linear_rows.ts";
import { Op } from "./workspace/op.ts";
import type { TableSpace } from "./workspace/pool.ts";
import type { Quanta } from "./gradients/quanta.ts";
import type { Team } from "./workspace/team.ts";
import type { GrownTree } from "./tree/tree.ts";

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
 * @param least Of each feature ({@linkcode leastSpreads}).
 */
export function fitHistLeaves(
  { context: { layout, memory } }: Team,
  columns: LinearColumns,
  tree: GrownTree,
  nodeOf: Int32Array,
  least: Float64Array,
  { output, lambda, rate, quanta }: LinearStep,
): TreeTerms {
  const { rows: { numRows } } = layout.sets[0];
  const leaves = leavesOf(memory, layout, 0);
  const rowsOf: number[][] = Array.from({ length: tree.nodes.count }, () => []);
  for (let row = 0; row < numRows; row++) {
    const isIn = layout.mask === 0 || memory.u8[layout.mask + row] === 1;
    if (isIn) rowsOf[nodeOf[leaves[row]]].push(row);
  }
  const floats = (at: number) => memory.f64.subarray((at >>> 3) + output * numRows);
  const task = {
    columns,
    gradient: floats(layout.gradient),
    hessian: floats(layout.hessian),
    // Where histograms are wide, the gradients are whole numbers by now.
    fixG: quanta.wide ? quanta.fixG : 1,
    fixH: quanta.wide ? quanta.fixH : 1,
    lambda,
    rate,
  };
  return leafPaths(tree, columns).map((features, node) => {
    const terms = features && fitLeaf(features, Int32Array.from(rowsOf[node]), {
      ...task,
      least: features.map((feature) => least[feature]),
    });
    return terms?.features.length === 0 ? undefined : terms;
  });
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
