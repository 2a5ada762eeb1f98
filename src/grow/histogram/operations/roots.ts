/**
 * Histograms of the roots of several outputs' trees in one reading of the codes, with the quantisation of
 * their gradients: a piece of rows is quantised for every output and added to the cells of all of them
 * while it is near. Each thread fills cells of its own; whoever grows a tree adds up those of its output.
 *
 * @module
 */
import { ROOT_OUTPUTS, ROOT_VALUE_BYTES } from "../../../kernels/types.ts";
import { Op } from "../workspace/op.ts";
import { forPieces, type HistContext } from "../workspace/context.ts";
import type { Quanta } from "../gradients/quanta.ts";
import type { Team } from "../workspace/team.ts";

/** Float64 of a task: output, quanta, seed of the dither. */
const TASK = 6;

/** Bytes of the sums of a thread: those of the outputs, then those of a piece. */
export const ROOT_SUM_BYTES = 16 * (ROOT_OUTPUTS + 1);

/** Bytes of the tasks. */
export const ROOT_TASK_BYTES = 8 * TASK * ROOT_OUTPUTS;

/** An output whose root is to be built. */
export interface RootTask {
  readonly output: number;
  readonly quanta: Quanta;
  /** Seed of the dither. */
  readonly dither: number;
}

/** A root that is there: its place among those built at once, and its sums in whole numbers. */
export interface BuiltRoot {
  readonly place: number;
  readonly gradient: number;
  readonly hessian: number;
}

/** Has a team build the roots of at most {@linkcode ROOT_OUTPUTS} outputs with packed gradients. */
export function buildRoots(team: Team, tasks: readonly RootTask[]): BuiltRoot[] {
  const { layout, memory: { f64 } } = team.context;
  const { tasks: at, sums, copies } = layout.roots!;
  tasks.forEach(({ output, quanta: { fixG, fixH, packG, packH }, dither }, place) => {
    f64.set([output, fixG, fixH, packG, packH, dither], (at >>> 3) + TASK * place);
  });
  f64[layout.args >>> 3] = tasks.length;
  team.run(Op.roots);
  return tasks.map((_, place) => {
    let gradient = 0;
    let hessian = 0;
    for (let copy = 0; copy < copies; copy++) {
      const from = ((sums + copy * ROOT_SUM_BYTES) >>> 3) + 2 * place;
      gradient += f64[from];
      hessian += f64[from + 1];
    }
    return { place, gradient, hessian };
  });
}

/** Packed gradients of a root's output. */
export function packedOf({ layout }: HistContext, { place }: BuiltRoot): number {
  return layout.roots!.packed + 4 * place * layout.sets[0].rows.numRows;
}

/** The operation: blocks of rows, until none is left. */
export function fillRoots(context: HistContext): void {
  const { layout, memory, kernels, thread } = context;
  const { f64, u8 } = memory;
  const roots = layout.roots!;
  const { rows8, numRows } = layout.sets[0].rows;
  const { stride8, slots8 } = layout.bins;
  const numOutputs = f64[layout.args >>> 3];
  const even8 = (slots8.length + 1) & ~1;
  const cells = roots.cells + thread * roots.cellBytes;
  const values = roots.values + thread * ROOT_VALUE_BYTES;
  const sums = (roots.sums + thread * ROOT_SUM_BYTES) >>> 3;
  const piece = sums + 2 * ROOT_OUTPUTS;
  u8.fill(0, cells, cells + roots.cellBytes);
  f64.fill(0, sums, piece);
  forPieces(context, (at, count) => {
    for (let k = 0; k < numOutputs; k++) {
      const task = (roots.tasks >>> 3) + TASK * k;
      const packed = roots.packed + 4 * (k * numRows + at);
      const [output, fixG, fixH, packG, packH, seed] = f64.subarray(task, task + TASK);
      const row = output * numRows + at;
      const g = layout.gradient + 8 * row;
      if (layout.signed !== undefined) {
        const factor = layout.curvatureFactor;
        const signed = layout.signed.at + 4 * row;
        kernels.quantiseSigned(signed, count, at, factor, packed, packG, packH, seed, 8 * piece);
      } else {
        kernels.quantise(
          g,
          g - layout.gradient + layout.hessian,
          count,
          at,
          0,
          values, // who grows the tree lists the rows
          packed,
          fixG,
          fixH,
          packG,
          packH,
          seed,
          8 * piece,
        );
      }
      f64[sums + 2 * k] += f64[piece];
      f64[sums + 2 * k + 1] += f64[piece + 1];
    }
    kernels.addRoots(
      count,
      rows8 + at * stride8,
      stride8,
      even8,
      roots.packed + 4 * at,
      4 * numRows,
      numOutputs,
      values,
      cells,
    );
  });
}
