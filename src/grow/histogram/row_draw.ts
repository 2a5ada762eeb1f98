/**
 * The rows that a tree learns from, drawn by all threads' caller or by a thread for itself: a factor and
 * a mask byte for each row, and gradients multiplied by the factors.
 *
 * @module
 */
import type { Rng } from "../../util/rng.ts";
import { bootstrapRows, type RowSampler, subsampleRows } from "../row_sampler.ts";
import { Op } from "./op.ts";
import type { Team } from "./team.ts";

/** A draw that does not look at the gradients; plain data. */
export interface RowDraw {
  readonly sampling: "uniform" | "bootstrap";
  readonly share: number;
}

/** The draw that parameters ask for; undefined for GOSS, which looks at the gradients. */
export function drawOf(
  { sampling = "uniform", subsample = 1 }: {
    readonly sampling?: RowDraw["sampling"] | "goss";
    readonly subsample?: number;
  },
): RowDraw | undefined {
  return sampling === "goss" ? undefined : { sampling, share: subsample };
}

/** The sampler of a draw. */
export function rowDrawer({ sampling, share }: RowDraw): RowSampler {
  return sampling === "bootstrap" ? bootstrapRows(share) : subsampleRows(share);
}

/** Whether a draw takes every row. */
export function takesAll({ sampling, share }: RowDraw): boolean {
  return sampling === "uniform" && share >= 1;
}

/**
 * Draws rows, without those of the member's own part, and multiplies their gradients by what the draw
 * says. Where members keep their rows, these are there, and are seen to with the gradients by kernels.
 *
 * @param sampler `undefined` takes every row.
 */
export function drawRows(
  team: Team,
  sampler: RowSampler | undefined,
  member: number,
  rng: Rng,
): void {
  const { layout, memory } = team.context;
  if (layout.members?.rows !== undefined) {
    if (layout.lossKernel === undefined) team.run(Op.sample);
    return;
  }
  const { numRows } = layout.sets[0].rows;
  const factor = memory.f64.subarray(layout.factor >>> 3, (layout.factor >>> 3) + numRows);
  if (sampler === undefined) factor.fill(1);
  else sampler(factor, rng);
  const mask = memory.u8.subarray(layout.mask, layout.mask + numRows);
  if (layout.members === undefined) {
    for (let row = 0; row < numRows; row++) mask[row] = factor[row] > 0 ? 1 : 0;
  } else {
    const { partOf } = layout.members;
    const part = memory.u8.subarray(partOf, partOf + numRows);
    for (let row = 0; row < numRows; row++) {
      if (part[row] === member) factor[row] = 0;
      mask[row] = factor[row] > 0 ? 1 : 0;
    }
  }
  team.run(Op.sample);
}
