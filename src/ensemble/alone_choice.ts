/**
 * Which trees of a round threads grow by themselves, and which all of them grow together.
 *
 * @module
 */
import type { HistLayout } from "../grow/histogram/layout.ts";
import { drawOf } from "../grow/histogram/row_draw.ts";
import type { BoostPlan } from "./plan.ts";

/** What the choice depends on. */
type ChoiceLayout = Pick<HistLayout, "alone" | "numThreads" | "sets">;

/**
 * How many of a round's trees threads grow by themselves: as many as keep all threads busy, and the
 * rest too where few threads would wait for them.
 */
export function treesAlone(numTrees: number, numThreads: number): number {
  const rest = numTrees % numThreads;
  return 4 * rest >= 3 * numThreads ? numTrees : numTrees - rest;
}

/** Up to so many rows threads gain next to nothing by sharing one tree. */
const FEW_ROWS = 65536;

/** How many members of a committee threads grow by themselves. */
export function membersAlone({ alone, numThreads, sets }: ChoiceLayout, plan: BoostPlan): number {
  // GOSS looks at all gradients before it draws; its members are grown together.
  const isKnown = drawOf(plan) !== undefined && plan.committee !== undefined;
  if (alone?.memberBytes === undefined || !isKnown) return 0;
  const { members } = plan.committee!;
  return sets[0].rows.numRows <= FEW_ROWS ? members : treesAlone(members, numThreads);
}

/** Whether other threads are busy with a round while the calling thread does something else. */
export function hasTimeMeanwhile(layout: ChoiceLayout, plan: BoostPlan): boolean {
  return membersAlone(layout, plan) > 0;
}
