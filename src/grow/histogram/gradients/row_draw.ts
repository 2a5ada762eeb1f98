/**
 * The rows that a tree learns from, drawn by all threads' caller or by a thread for itself: a factor and
 * a mask byte for each row, and gradients multiplied by the factors.
 *
 * @module
 */
import type { Rng } from "../../../util/rng.ts";
import { Op } from "../workspace/op.ts";
import type { Team } from "../workspace/team.ts";

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

/** As many draws with replacement as the share says; a row's factor is how often it was drawn. */
export function drawBootstrap(factors: Float64Array, share: number, rng: Rng): void {
  factors.fill(0);
  const draws = Math.max(1, Math.round(share * factors.length));
  for (let i = 0; i < draws; i++) factors[rng.nextInt(factors.length)]++;
}

/**
 * Draws rows, without those of the member's own part; their gradients are multiplied by what the draw
 * says, or will be when they are computed (`weighsAtOnce`).
 *
 * @param draw `undefined` takes every row.
 */
export function drawRows(
  team: Team,
  draw: RowDraw | undefined,
  member: number,
  rng: Rng,
): void {
  const { layout, memory, kernels } = team.context;
  const { numRows } = layout.sets[0].rows;
  const { factor, mask } = layout;
  const partOf = layout.members?.partOf ?? 0;
  if (draw?.sampling === "uniform") {
    const count = Math.max(1, Math.round(draw.share * numRows));
    kernels.chooseRows(numRows, count, rng.nextUint32(), partOf, member, factor, mask);
  } else {
    const factors = memory.f64.subarray(factor >>> 3, (factor >>> 3) + numRows);
    if (draw === undefined) factors.fill(1);
    else drawBootstrap(factors, draw.share, rng);
    const { u8 } = memory;
    for (let row = 0; row < numRows; row++) {
      if (partOf !== 0 && u8[partOf + row] === member) factors[row] = 0;
      u8[mask + row] = factors[row] > 0 ? 1 : 0;
    }
  }
  if (!layout.weighsAtOnce) team.run(Op.sample);
}
