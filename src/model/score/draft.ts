/**
 * Scores a model that has not been packed yet: its first rows walk the trees as they came, so that
 * the first score waits for nothing; packing comes once there are rows that it pays for.
 *
 * @module
 */
import { createGeneralScorer } from "./general.ts";
import type { Scorer } from "./scorer.ts";
import type { Schema } from "../../data/types.ts";
import type { Ensemble } from "../types.ts";

/** Rows that are scored before the ensemble is packed. */
const FIRST_ROWS = 16;

/**
 * Makes the scorer of a draft.
 *
 * @param draft Additive, with two-way nodes or not.
 * @param pack Gives the scorer of the packed ensemble; asked once.
 */
export function createDraftScorer(draft: Ensemble, schema: Schema, pack: () => Scorer): Scorer {
  let first: Scorer | undefined = createGeneralScorer(draft, schema);
  let packed: Scorer | undefined;
  let left = FIRST_ROWS;

  function settled(): Scorer {
    first = undefined; // lets go of the draft
    return packed ??= pack();
  }

  return {
    score(x, rows, numTrees, out) {
      left -= rows;
      const scorer = first !== undefined && left >= 0 ? first : settled();
      scorer.score(x, rows, numTrees, out);
    },
    // Nodes are numbered by packing.
    leaves: (x, rows, numTrees, out) => settled().leaves(x, rows, numTrees, out),
  };
}
