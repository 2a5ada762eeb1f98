/**
 * Leaves of losses that set them themselves, in the methods that repeat another library's arithmetic:
 * each leaf's constant is found by one of the threads that help to grow the trees.
 *
 * @module
 */
import { TeamWord, TeamWork } from "../../grow/split_team.ts";
import type { Labels } from "../../data/types.ts";
import { lossOfRecipe } from "../../loss/losses.ts";
import type { LossRecipe } from "../../loss/recipe.ts";
import { together, type Turns } from "./turns.ts";
import type { MakeBuffer } from "../../util/buffers.ts";

/** Room for the rows of a tree by leaf. */
export interface LeafRows {
  readonly rows: Int32Array;
  /** First row, and the one after the last, in the list, leaf by leaf. */
  readonly parts: Int32Array;
  /** The constants. */
  readonly values: Float64Array;
}

/** What leaves are found from; arrays are views of shared memory. */
export interface LeafPlan {
  readonly recipe: LossRecipe;
  readonly labels: Labels;
  /** Scores, output-major. */
  readonly raw: Float64Array;
  /** Where the loss sets leaves by itself. */
  readonly leaves?: LeafRows | undefined;
}

/** Makes room for so many leaves at most. */
export function leafRows(
  numRows: number,
  numLeaves: number,
  buffer: MakeBuffer,
): LeafRows {
  return {
    rows: new Int32Array(buffer(4 * numRows)),
    parts: new Int32Array(buffer(8 * numLeaves)),
    values: new Float64Array(buffer(8 * numLeaves)),
  };
}

/** Takes leaves until none is left. */
export function leavesOf(plan: LeafPlan, control: Int32Array): () => void {
  const { labels, raw, leaves } = plan;
  const { rows, parts, values } = leaves!;
  const loss = lossOfRecipe(plan.recipe);
  return () => {
    for (;;) {
      const leaf = Atomics.add(control, TeamWord.next, 1);
      if (leaf >= control[TeamWord.rows]) return;
      const some = rows.subarray(parts[2 * leaf], parts[2 * leaf + 1]);
      values[leaf] = loss.refitLeaf!(labels, raw, some, control[TeamWord.output]);
    }
  };
}

/** The thread that keeps the trees: finds the constants of so many leaves of an output's tree. */
export function leadLeaves(
  plan: LeafPlan,
  control: Int32Array,
  helpers: Turns,
): (numLeaves: number, output: number) => void {
  const own = leavesOf(plan, control);
  return (numLeaves, output) => {
    control[TeamWord.rows] = numLeaves;
    control[TeamWord.output] = output;
    together(control, helpers, TeamWork.leaves, own);
  };
}
