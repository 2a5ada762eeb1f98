/**
 * Statistics of a round's gradients, added up in an order that does not depend on threads.
 *
 * @module
 */
import { Op } from "../workspace/op.ts";
import type { Team } from "../workspace/team.ts";
import type { GradientStats } from "./quanta.ts";

/** Statistics of the gradients of one output. */
export function gradientStats(team: Team, output: number): GradientStats {
  const { layout, memory } = team.context;
  const { f64 } = memory;
  f64[layout.args >>> 3] = output;
  if (!layout.statsAtOnce) team.run(Op.stats);
  let maxG = 0;
  let sumG = 0;
  let maxH = 0;
  let sumH = 0;
  const pieces = layout.sets[0].numBlocks * layout.piecesPerBlock;
  for (let piece = 0; piece < pieces; piece++) {
    const at = (layout.stats >>> 3) + 4 * (output * pieces + piece);
    maxG = Math.max(maxG, f64[at]);
    sumG += f64[at + 1];
    maxH = Math.max(maxH, f64[at + 2]);
    sumH += f64[at + 3];
  }
  return { maxG, sumG, maxH, sumH };
}
