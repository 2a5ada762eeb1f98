/**
 * An operation of any kind, as the threads of a crew perform it: a part of common work, or whole trees.
 *
 * @module
 */
import { growTreesAlone } from "./histogram/alone.ts";
import { growMembersAlone } from "./histogram/members.ts";
import { Op, type OpNumber } from "./histogram/op.ts";
import { runOp, type ThreadState } from "./histogram/ops.ts";

/** Performs an operation together with the other threads. */
export function perform(op: OpNumber, state: ThreadState): void {
  if (op !== Op.growTrees && op !== Op.growMembers) return runOp(op, state);
  state.memory.refresh();
  if (op === Op.growTrees) growTreesAlone(state.context!);
  else growMembersAlone(state.context!);
}
