/**
 * Rows of a refit, as a task of several threads: the leaf of each row in the trees that are due, sums
 * of derivatives by leaf, and the steps of new leaves. A sum is one thread's, in the order of the
 * rows, so that its bits are the same on any number.
 *
 * @module
 */
import { blocksOf } from "../../metric/job.ts";
import type { Place } from "../../metric/types.ts";
import type { Task } from "./task.ts";

/** What all threads see. */
export interface RefitRows {
  readonly numRows: number;
  readonly numTrees: number;
  /** Leaf of each row in each tree, row-major. */
  readonly leaves: Int32Array;
  /** Rows of weight 0 are left out, unless their derivatives have the weights in them and are not 0. */
  readonly weight?: Float64Array | undefined;
  /** Output-major. */
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
  /** Scores of each member of a committee, output-major. */
  readonly raw: Float64Array;
  readonly members: number;
  /** Output of each tree. */
  readonly outputs: Int32Array;
  /** Trees that are fitted to the same derivatives, one after the other. */
  readonly perTurn: number;
  /** Leaf of each row in one tree after the other, of as many trees as were put into order at once. */
  readonly held: Int32Array;
  /** Of the trees of a turn, `numNodes` each: sums and rows by node, and what a row's score gains. */
  readonly numNodes: number;
  readonly G: Float64Array;
  readonly H: Float64Array;
  readonly counts: Int32Array;
  readonly steps: Float64Array;
}

/** Steps of the task; each is told the first tree of its turn. */
export const RefitStep = {
  /** Puts leaves of some turns into the order of trees, where the turn is the first of them. */
  hold: 0,
  sum: 1,
  /** The same of derivatives that have the weights in them. */
  sumWeighted: 2,
  add: 3,
} as const;

/** Trees whose leaves are put in order at once: those that a line of the cache holds. */
const TREES_AT_ONCE = 16;

/** Room for a refit. */
export function refitRows(
  place: Place,
  given: Omit<RefitRows, "held" | "G" | "H" | "counts" | "steps">,
): RefitRows {
  const { numRows, numTrees, perTurn, numNodes } = given;
  const width = Math.min(numTrees, perTurn * Math.max(1, Math.floor(TREES_AT_ONCE / perTurn)));
  return {
    ...given,
    held: place.ints(width * numRows),
    G: place.floats(perTurn * numNodes),
    H: place.floats(perTurn * numNodes),
    counts: place.ints(perTurn * numNodes),
    steps: place.floats(perTurn * numNodes),
  };
}

/** The leaf of each row in a tree that is held. */
export function heldLeaves({ held, numRows }: RefitRows, tree: number): Int32Array {
  const at = tree % (held.length / numRows) * numRows;
  return held.subarray(at, at + numRows);
}

/** Makes the task. */
export function refitTask(rows: RefitRows): Task {
  const { numRows, numTrees, leaves, held, perTurn, numNodes, counts } = rows;
  const width = held.length / numRows;
  const { count, start } = blocksOf(numRows);

  /** Read where they stand, leaves of one tree are each in another line of the cache. */
  function hold(first: number, from: number, to: number): void {
    const trees = Math.min(width, numTrees - first);
    for (let row = from; row < to; row++) {
      const at = row * numTrees + first;
      for (let i = 0; i < trees; i++) held[i * numRows + row] = leaves[at + i];
    }
  }

  /** Sums a derivative by leaf. */
  function sum(tree: number, weighted: boolean, derivative: Float64Array, out: Float64Array): void {
    const { weight } = rows;
    const counted = out === rows.H;
    const at = rows.outputs[tree] * numRows;
    const first = tree % perTurn * numNodes;
    const own = heldLeaves(rows, tree);
    out.fill(0, first, first + numNodes);
    if (counted) counts.fill(0, first, first + numNodes);
    for (let row = 0; row < numRows; row++) {
      const w = weight === undefined ? 1 : weight[row];
      // Losses that have the weights in them may weigh queries by the mean of their rows.
      if (w === 0 && (!weighted || derivative[at + row] === 0)) continue;
      const node = first + own[row];
      out[node] += (weighted ? 1 : w) * derivative[at + row];
      if (counted) counts[node]++;
    }
  }

  function add(tree: number, from: number, to: number): void {
    const { raw, outputs, members, steps } = rows;
    const member = Math.floor(tree / perTurn) % members;
    const at = member * (raw.length / members) + outputs[tree] * numRows;
    const first = tree % perTurn * numNodes;
    const own = heldLeaves(rows, tree);
    for (let row = from; row < to; row++) raw[at + row] += steps[first + own[row]];
  }

  return {
    run(step, next, first) {
      if (step === RefitStep.hold && first % width !== 0) return;
      const weighted = step === RefitStep.sumWeighted;
      if (weighted || step === RefitStep.sum) {
        for (let item = next(); item < 2 * perTurn; item = next()) {
          const tree = first + (item >>> 1);
          if ((item & 1) === 0) sum(tree, weighted, rows.gradient, rows.G);
          else sum(tree, weighted, rows.hessian, rows.H);
        }
        return;
      }
      for (let block = next(); block < count; block = next()) {
        if (step === RefitStep.hold) hold(first, start(block), start(block + 1));
        else for (let i = 0; i < perTurn; i++) add(first + i, start(block), start(block + 1));
      }
    },
  };
}
