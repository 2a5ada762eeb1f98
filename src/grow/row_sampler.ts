/**
 * Which rows a tree learns from, as a factor for each row: 0 leaves it out.
 *
 * @module
 */
import type { Rng } from "../util/rng.ts";

/** Writes the factor of every row. */
export type RowSampler = (factor: Float64Array, rng: Rng) => void;

/** As many draws with replacement as the share says; the factor is how often a row was drawn. */
export function bootstrapRows(share: number): RowSampler {
  return (factor, rng) => {
    factor.fill(0);
    const draws = Math.max(1, Math.round(share * factor.length));
    for (let i = 0; i < draws; i++) factor[rng.nextInt(factor.length)]++;
  };
}
