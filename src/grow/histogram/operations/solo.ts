/**
 * A crew and a team of one: the calling thread performs every operation by itself.
 *
 * @module
 */
import type { Memory } from "../../../kernels/memory.ts";
import type { Kernels } from "../../../kernels/types.ts";
import { createContext, type HistContext, type ThreadState } from "../workspace/context.ts";
import { Control } from "../workspace/control.ts";
import type { OpNumber } from "../workspace/op.ts";
import type { Crew, Team } from "../workspace/team.ts";
import { opsWith, runHistOp, runOp } from "./ops.ts";

/** A crew of the calling thread alone. */
export function soloCrew(memory: Memory, kernels: Kernels): Crew {
  const state: ThreadState = { memory, kernels, thread: 0, context: undefined };
  const ops = opsWith({});
  const run = (op: OpNumber, meanwhile?: () => void) => {
    meanwhile?.();
    memory.i32[Control.counter >>> 2] = 0;
    runOp(op, state, ops);
  };
  return {
    memory,
    kernels,
    numThreads: 1,
    settle: () => Promise.resolve(),
    run,
    configure(layout) {
      return teamOfOne(state.context = createContext(memory, kernels, layout, 0));
    },
    close() {},
  };
}

/** A team of the calling thread alone. */
export function teamOfOne(context: HistContext): Team {
  const { layout, memory } = context;
  return {
    context,
    run(op, meanwhile) {
      meanwhile?.();
      memory.i32[layout.counter >>> 2] = 0;
      runHistOp(op, context);
    },
  };
}
