/**
 * Operations on columns: finding bins, codes, rows. They need no layout.
 *
 * @module
 */
import {
  codeJob,
  JOB_BYTES,
  mapJob,
  quantileJob,
  rowsJob,
  widenJob,
} from "../../../binning/bin_job.ts";
import type { Memory } from "../../../kernels/memory.ts";
import { type Kernels, MAP_TABLE_BYTES } from "../../../kernels/types.ts";
import {
  createContext,
  forItems,
  type HistContext,
  type ThreadState,
} from "../workspace/context.ts";
import { Control } from "../workspace/control.ts";
import { Op } from "../workspace/op.ts";

/** What each operation does, by its number. */
export const BIN_OPS: { readonly [op: number]: (state: ThreadState) => void } = {
  [Op.stop]() {},
  [Op.configure](state) {
    state.context = readLayout(state);
  },
  [Op.widenColumns]({ memory, kernels }) {
    const [first, count, stretches] = argsOf(memory);
    forItems(memory, count * stretches, (i) => {
      const job = first + Math.floor(i / stretches) * JOB_BYTES;
      widenJob(memory, kernels, job, i % stretches);
    });
  },
  [Op.closeBins]({ memory, kernels }) {
    const [first, count] = argsOf(memory);
    forItems(memory, count, (i) => quantileJob(memory, kernels, first + i * JOB_BYTES));
  },
  [Op.codeColumns]({ memory, kernels, thread }) {
    const [first, count, space, spaceBytes] = argsOf(memory);
    forItems(memory, count, (i) => {
      awaitItem(memory, kernels, i);
      codeJob(memory, kernels, first + i * JOB_BYTES, space + thread * spaceBytes);
    });
  },
  [Op.mapColumns]({ memory, kernels, thread }) {
    const [first, count, stretches, space] = argsOf(memory);
    const tables = space + thread * MAP_TABLE_BYTES;
    forItems(memory, count * stretches, (i) => {
      const job = first + Math.floor(i / stretches) * JOB_BYTES;
      mapJob(memory, kernels, job, i % stretches, tables);
    });
  },
  [Op.toRows]({ memory, kernels }) {
    const [job, stretches] = argsOf(memory);
    forItems(memory, stretches, (stretch) => rowsJob(memory, kernels, job, stretch));
  },
};

function argsOf({ f64 }: Memory): Float64Array {
  return f64.subarray(Control.args >>> 3, (Control.args >>> 3) + 4);
}

/** Looks at the word a few times, and sleeps: copying a column takes about 300 µs. */
const LOOKS = 2000;

/** Waits until the calling thread says that an item is ready. */
function awaitItem({ i32 }: Memory, kernels: Kernels, item: number): void {
  const at = Control.ready >>> 2;
  for (;;) {
    const ready = Atomics.load(i32, at);
    if (ready > item) return;
    const now = kernels.lookWhile(Control.ready, ready, LOOKS);
    if (now === ready) Atomics.wait(i32, at, ready);
  }
}

/** Reads the layout that the main thread has written. */
function readLayout({ memory, kernels, thread }: ThreadState): HistContext {
  const { u8, u32 } = memory;
  const at = u32[Control.layoutAt >>> 2];
  const bytes = u8.slice(at, at + u32[Control.layoutBytes >>> 2]);
  return createContext(memory, kernels, JSON.parse(new TextDecoder().decode(bytes)), thread);
}
