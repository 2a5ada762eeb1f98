/**
 * Which trees of a round threads grow by themselves, and which all of them grow together.
 *
 * @module
 */
import { drawOf } from "../../grow/histogram/gradients/row_draw.ts";
import type { HistLayout } from "../../grow/histogram/workspace/layout.ts";
import type { BoostPlan } from "../plan.ts";

/** What the choice depends on. */
type ChoiceLayout = Pick<HistLayout, "alone" | "numThreads" | "sets">;

/** Up to so many rows, half of the threads may wait for the last trees: sharing one costs as much. */
const SHORT_ROWS = 2 ** 18;

/**
 * How many of a round's trees threads grow by themselves: as many as keep all threads busy, and the
 * rest too where few threads would wait for them.
 *
 * @param numRows Rows that a tree learns from.
 */
export function treesAlone(numTrees: number, numThreads: number, numRows: number): number {
  const rest = numTrees % numThreads;
  const isShort = numTrees > numThreads && numRows <= SHORT_ROWS;
  const least = isShort ? numThreads / 2 : 3 * numThreads / 4;
  return rest >= least ? numTrees : numTrees - rest;
}

/** Up to so many rows threads gain next to nothing by sharing one tree. */
const FEW_ROWS = 65536;

/** How many members of a committee threads grow by themselves. */
export function membersAlone({ alone, numThreads, sets }: ChoiceLayout, plan: BoostPlan): number {
  // GOSS looks at all gradients before it draws; its members are grown together.
  const isKnown = drawOf(plan) !== undefined && plan.committee !== undefined;
  if (alone?.memberBytes === undefined || !isKnown) return 0;
  const { members } = plan.committee!;
  const { numRows } = sets[0].rows;
  return numRows <= FEW_ROWS ? members : treesAlone(members, numThreads, numRows);
}

/**
 * Whether other threads are busy with a round while the calling thread tells the one before: with members
 * of a committee, or with gradients where nothing of the round before is measured.
 */
export function hasTimeMeanwhile(
  layout: ChoiceLayout,
  plan: BoostPlan,
  isWatched: boolean,
): boolean {
  const { committee, dart, loss } = plan;
  if (committee !== undefined) return membersAlone(layout, plan) > 0;
  return layout.numThreads > 1 && !isWatched && dart === undefined && loss.kernel !== undefined;
}
