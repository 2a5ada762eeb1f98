/**
 * The operations that all threads perform together. Each is a function of its own, called by its number:
 * V8 would compile what runs them and all of them as one, anew in each thread.
 *
 * @module
 */
import { BIN_OPS } from "./bins.ts";
import type { HistContext, ThreadState } from "../workspace/context.ts";
import { evaluate, fillStripes } from "../evaluate/evaluate.ts";
import {
  computeGradients,
  leafSums,
  listRows,
  outputStats,
  quantise,
  sampleRows,
  spread,
} from "../gradients/ops.ts";
import { goss } from "../gradients/goss.ts";
import { Op, type OpNumber } from "../workspace/op.ts";
import { fillRoots } from "./roots.ts";
import { addLeaves, partition, route } from "./rows.ts";

/** What each operation on the layout's own places does, by its number. */
const HIST_OPS: { readonly [op: number]: (context: HistContext) => void } = {
  [Op.gradients]: computeGradients,
  [Op.sample]: sampleRows,
  [Op.goss]: goss,
  [Op.stats]: outputStats,
  [Op.quantise]: quantise,
  [Op.listRows]: listRows,
  [Op.roots]: fillRoots,
  [Op.spread]: spread,
  [Op.partition]: partition,
  [Op.evaluate]: evaluate,
  [Op.fillStripes]: fillStripes,
  [Op.leafSums]: leafSums,
  [Op.addLeaves]: addLeaves,
  [Op.route]: route,
};

/** What a thread does in each operation, by its number. */
export type Ops = { readonly [op: number]: (state: ThreadState) => void };

/** The operations of a thread: these, and some that only some runs need. */
export function opsWith(others: { readonly [op: number]: (context: HistContext) => void }): Ops {
  const entries = Object.entries({ ...HIST_OPS, ...others }).map(([op, work]) => [
    op,
    ({ context }: ThreadState) => work(context!),
  ]);
  return { ...BIN_OPS, ...Object.fromEntries(entries) };
}

/** Performs an operation together with the other threads. */
export function runOp(op: OpNumber, state: ThreadState, ops: Ops): void {
  state.memory.refresh();
  ops[op](state);
}

/** Performs an operation on the layout's own places. */
export function runHistOp(op: OpNumber, context: HistContext): void {
  HIST_OPS[op](context);
}
