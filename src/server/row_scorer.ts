/**
 * Scores of encoded rows as a server wants them: the first rows as any model scores them, so that the
 * first answer waits for nothing, then by tables of leaf masks where the model allows it.
 *
 * @module
 */
import { isAdditive } from "../model/additive.ts";
import { createMasks, type MaskScorer } from "../model/masks.ts";
import type { Model } from "../model/model.ts";
import type { PositionalScorer } from "../model/positional.ts";

/** Scores rows that an encoder made and whose rules were checked. */
export interface RowScorer {
  /**
   * Raw scores with all trees.
   *
   * @param x Row-major `rows × features`: values and codes, `NaN` for missing.
   * @param out Row-major `rows × numOutputs`; overwritten.
   */
  score(x: Float64Array, rows: number, out: Float64Array): void;
}

/** Rows that are scored before the tables are built: about what building costs. */
const FIRST_ROWS = 1024;
/** Rows from which on the bit-sliced kernel of a model takes a batch. */
const BATCH = 64;
/** Groups of features up to which masks are faster than that kernel. */
const BATCH_GROUPS = 14;

/** Makes the scorer of a model. */
export function createRowScorer(model: Model): RowScorer {
  let positional: PositionalScorer | undefined;
  let left = FIRST_ROWS;
  let masks: MaskScorer | undefined;
  return {
    score(x, rows, out) {
      if (left >= 0) {
        left -= rows;
        if (left < 0) masks = masksOf(model);
      }
      if (masks !== undefined && (rows < BATCH || masks.numGroups <= BATCH_GROUPS)) {
        masks.score(x, rows, out);
        return;
      }
      positional ??= model.positional(model.schemaHash);
      if (rows === 1) positional.rawInto(x, out);
      else positional.rawRowsInto(x, out);
    },
  };
}

function masksOf(model: Model): MaskScorer | undefined {
  const { storage, rules } = model;
  if (storage.layout !== "packed" || !isAdditive(rules)) return undefined;
  return createMasks(storage.packed, rules);
}
