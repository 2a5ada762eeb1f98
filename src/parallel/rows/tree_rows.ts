/**
 * Rows of the trees of a run as a task of several threads: which of them weigh something, and in
 * which leaf each one ended. Growing sorts the rows by leaf, so the leaf of most of them is read from
 * that list; rows that were left out walk the tree.
 *
 * @module
 */
import type { TreePlan } from "../../grow/plan/plan.ts";
import type { Frame } from "../../grow/rows/frame.ts";
import {
  type CodeColumn,
  type CodeTree,
  codeTreeSpace,
  numberOfRow,
  writeCodeTree,
} from "../../grow/tree/code_tree.ts";
import { type GrownTree, leafOfRow, leavesOf } from "../../grow/tree/tree.ts";
import { blocksOf } from "../../metric/job.ts";
import type { Place } from "../../metric/types.ts";
import type { Task } from "./task.ts";

/** What all threads see. */
export interface TreeRows {
  readonly columns: readonly CodeColumn[];
  /** The rows to choose from, and how many of each block of them weigh something. */
  readonly all: Int32Array;
  readonly counts: Int32Array;
  /** The rows that a tree grows on, which it sorts by leaf. */
  readonly rows: Int32Array;
  /** Where the rows of a number begin in that list, and the end of the last. */
  readonly starts: Int32Array;
  /** Number of each row. */
  readonly numberOf: Int32Array;
  readonly tree: CodeTree;
}

/** Steps; they are told how many rows there are to choose from, or how many numbers. */
const RowStep = { count: 0, gather: 1, list: 2, walk: 3 } as const;

/** Words of sets of categories, and leaves, of a tree that threads walk. */
const MOST_WORDS = 65_536;
const MOST_WALKED = 65_536;

/** Leaves of a tree, at most. */
export function mostLeaves({ splitter, limits }: TreePlan, numRows: number): number {
  // A node of several branches has one for each level.
  if (splitter === "c45" || splitter === "id3") return numRows;
  return Math.min(numRows, limits.maxLeaves, 2 ** Math.min(limits.maxDepth, 31));
}

/** Makes room for rows of a frame. */
export function treeRows({ numRows, features }: Frame, plan: TreePlan, place: Place): TreeRows {
  const leaves = mostLeaves(plan, numRows);
  const isWalked = leaves <= MOST_WALKED;
  return {
    columns: features.map(({ codes, numCodes }) => ({ codes, numCodes })),
    all: place.ints(numRows),
    counts: place.ints(blocksOf(numRows).count),
    rows: place.ints(numRows),
    starts: place.ints(leaves + 1),
    numberOf: place.ints(numRows),
    tree: codeTreeSpace(place.ints, isWalked ? 2 * leaves : 0, isWalked ? MOST_WORDS : 0),
  };
}

/** Makes the task. `weight` is what the rows weigh; without it all are taken. */
export function treeRowsTask(space: TreeRows, weight: Float64Array | undefined): Task {
  const { counts, numberOf, rows, starts } = space;
  const { count, start } = blocksOf(numberOf.length);
  return {
    isSmall: count === 1,
    run(step, next, arg) {
      for (let block = next(); block < count; block = next()) {
        const from = start(block);
        const to = start(block + 1);
        if (step === RowStep.list) listRows(rows, starts, arg, numberOf, from, to);
        else if (step === RowStep.walk) walkRows(space, from, to);
        else {
          const end = Math.min(arg, to);
          if (step === RowStep.count) counts[block] = countRows(space.all, weight, from, end);
          else gatherRows(space, weight, from, end, block);
        }
      }
    },
  };
}

function countRows(
  all: Int32Array,
  weight: Float64Array | undefined,
  from: number,
  to: number,
): number {
  if (weight === undefined) return Math.max(0, to - from);
  let count = 0;
  for (let i = from; i < to; i++) count += Number(weight[all[i]] > 0);
  return count;
}

function gatherRows(
  { all, counts, rows }: TreeRows,
  weight: Float64Array | undefined,
  from: number,
  to: number,
  block: number,
): void {
  let at = 0;
  for (let b = 0; b < block; b++) at += counts[b];
  const end = at + counts[block];
  for (let i = from; i < to && at < end; i++) {
    const row = all[i];
    rows[at] = row;
    // Without a branch: which rows are in a bag is hard to foresee.
    at += weight === undefined ? 1 : Number(weight[row] > 0);
  }
}

/** Writes the numbers of the rows in places `from … to − 1` of the list. */
function listRows(
  rows: Int32Array,
  starts: Int32Array,
  numbers: number,
  numberOf: Int32Array,
  from: number,
  to: number,
): void {
  let low = 0;
  let high = numbers - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle] <= from) low = middle;
    else high = middle - 1;
  }
  for (let number = low; number < numbers && starts[number] < to; number++) {
    const end = Math.min(to, starts[number + 1]);
    for (let i = Math.max(from, starts[number]); i < end; i++) numberOf[rows[i]] = number;
  }
}

function walkRows({ columns, numberOf, tree }: TreeRows, from: number, to: number): void {
  for (let row = from; row < to; row++) {
    if (numberOf[row] < 0) numberOf[row] = numberOfRow(tree, columns, row);
  }
}

/** Has a step done by all threads. */
export type RunRows = (step: number, arg: number) => void;

/** The rows among the first `numRows` of `all` that weigh something, for a tree to grow on. */
export function chooseRows({ counts, rows }: TreeRows, numRows: number, run: RunRows): Int32Array {
  run(RowStep.count, numRows);
  run(RowStep.gather, numRows);
  return rows.subarray(0, counts.reduce((sum, count) => sum + count, 0));
}

/**
 * Numbers the leaves of a tree that grew on chosen rows, and writes the number of every row.
 *
 * @param apart Rows that are not in one leaf as a whole get numbers of their own; otherwise they
 * follow the heaviest branch.
 * @returns What a number stands for: a leaf, or −1 − row.
 */
export function numberRows(
  tree: GrownTree,
  space: TreeRows,
  run: RunRows,
  apart = false,
): readonly number[] {
  const { numberOf, starts } = space;
  const every = leavesOf(tree);
  const leaves = every.filter((leaf) => tree.to[leaf] > tree.from[leaf]);
  const inPlace = leaves.every((leaf) =>
    tree.rows[leaf] === tree.rows[0] && tree.share[leaf] === undefined
  );
  if (!inPlace) return numberByShare(tree, numberOf, leaves, apart);
  leaves.sort((a, b) => tree.from[a] - tree.from[b]);
  leaves.forEach((leaf, number) => starts[number] = tree.from[leaf]);
  const listed = tree.to[0] - tree.from[0];
  starts[leaves.length] = listed;
  const all = listed === numberOf.length;
  if (!all) numberOf.fill(-1);
  run(RowStep.list, leaves.length);
  if (all) return leaves;
  const known = new Map(leaves.map((leaf, number) => [leaf, number]));
  const isKnown = every.length === leaves.length;
  if (isKnown && writeCodeTree(tree, space.tree, (leaf) => known.get(leaf) ?? -1)) {
    run(RowStep.walk, 0);
    return leaves;
  }
  return numberOthers(tree, numberOf, leaves, apart);
}

/** As {@linkcode numberRows} where rows may be in several leaves: those are not listed. */
function numberByShare(
  tree: GrownTree,
  numberOf: Int32Array,
  leaves: readonly number[],
  apart: boolean,
): readonly number[] {
  numberOf.fill(-1);
  leaves.forEach((leaf, number) => {
    const rows = tree.rows[leaf];
    const share = tree.share[leaf];
    for (let i = tree.from[leaf]; i < tree.to[leaf]; i++) {
      // A row that went down several branches is at its leaf only where all of it went.
      if (share === undefined || share[i] === 1) numberOf[rows[i]] = number;
    }
  });
  return numberOthers(tree, numberOf, leaves, apart);
}

/** Rows without a number walk; a leaf that nothing was listed in gets a number when a row comes. */
function numberOthers(
  tree: GrownTree,
  numberOf: Int32Array,
  leaves: readonly number[],
  apart: boolean,
): readonly number[] {
  const all = [...leaves];
  const known = new Map(leaves.map((leaf, number) => [leaf, number]));
  for (let row = 0; row < numberOf.length; row++) {
    if (numberOf[row] >= 0) continue;
    const stands = apart ? -1 - row : leafOfRow(tree, row);
    let number = apart ? undefined : known.get(stands);
    if (number === undefined) {
      number = all.push(stands) - 1;
      known.set(stands, number);
    }
    numberOf[row] = number;
  }
  return all;
}
