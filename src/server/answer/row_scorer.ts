/**
 * Scores of encoded rows as a server wants them: the first rows as any model scores them, so that the
 * first answer waits for nothing, then by tables of leaf masks where the model allows it.
 *
 * @module
 */
import { isAdditive } from "../../model/score/additive.ts";
import { depthOf } from "../../model/score/depth.ts";
import type { MaskScorer } from "../../model/score/masks.ts";
import type { Model } from "../../model/model.ts";
import { createSliced } from "../../model/score/sliced.ts";
import type { PositionalScorer } from "../../model/positional.ts";
import { forMany } from "../body/for_many.ts";

/** Scores rows that an encoder made and whose rules were checked. */
export interface RowScorer {
  /**
   * Raw scores with all trees.
   *
   * @param x Row-major `rows × features`: values and codes, `NaN` for missing; with one number more a
   * row, where the model has an offset column, that is the raw score which the row starts from.
   * @param out Row-major `rows × numOutputs`; overwritten.
   */
  score(x: Float64Array, rows: number, out: Float64Array): void;
}

/** Rows that are scored before the tables are built: about what building costs. */
const FIRST_ROWS = 1024;
/** Rows that the bit-sliced kernel takes at once; for fewer it costs as much. */
const BATCH = 128;
/** Rows from which on that kernel is faster than walking, where there are no masks. */
const LEAST_BATCH = 64;
/** Groups of features up to which masks are faster than that kernel. */
const BATCH_GROUPS = 8;

/** Makes the scorer of a model. */
export function createRowScorer(model: Model): RowScorer {
  const plain = createPlainScorer(model);
  return model.info.offset === undefined ? plain : besideOffset(plain, model);
}

/** Scores rows of features, and adds the number that may come after them. */
function besideOffset(plain: RowScorer, model: Model): RowScorer {
  const numFeatures = model.schema.features.length;
  return {
    score(x, rows, out) {
      const width = x.length / rows;
      if (width === numFeatures) return plain.score(x, rows, out);
      const features = new Float64Array(rows * numFeatures);
      for (let row = 0; row < rows; row++) {
        const at = row * width;
        features.set(x.subarray(at, at + numFeatures), row * numFeatures);
      }
      plain.score(features, rows, out);
      // One output: training refuses a column of offsets for several.
      for (let row = 0; row < rows; row++) out[row] += x[row * width + numFeatures];
    },
  };
}

function createPlainScorer(model: Model): RowScorer {
  let positional: PositionalScorer | undefined;
  let left = FIRST_ROWS;
  let masks: MaskScorer | undefined | null = null;
  let sliced: RowScorer | undefined | null = null;
  return {
    score(x, rows, out) {
      if (left >= 0) left -= rows;
      // Until they are loaded, and where they cannot be, rows are scored as before.
      if (left < 0 && masks === null) masks = masksOf(model);
      if (masks && (rows < BATCH || masks.numGroups <= BATCH_GROUPS)) {
        masks.score(x, rows, out);
        return;
      }
      if (rows >= LEAST_BATCH) {
        if (sliced === null) sliced = slicedOf(model);
        if (sliced !== undefined) return sliced.score(x, rows, out);
      }
      positional ??= model.positional(model.schemaHash);
      if (rows === 1) positional.rawInto(x, out);
      else positional.rawRowsInto(x, out);
    },
  };
}

/** Tables of leaf masks; undefined where the model allows none, null while what makes them is not there. */
function masksOf(model: Model): MaskScorer | undefined | null {
  const { storage, rules } = model;
  if (storage.layout !== "packed" || !isAdditive(rules)) return undefined;
  const many = forMany();
  return many === undefined ? null : many.createMasks(storage.packed, rules);
}

/** The bit-sliced kernel without the checks of numbers by position: an encoder has made them. */
function slicedOf(model: Model): RowScorer | undefined {
  const { storage, rules } = model;
  if (storage.layout !== "packed" || !isAdditive(rules)) return undefined;
  const { packed } = storage;
  const scorer = createSliced(packed, rules, depthOf(packed));
  if (scorer === undefined) return undefined;
  const numTrees = packed.treeNodes.length;
  if (rules.profile.input !== "f32") {
    return { score: (x, rows, out) => scorer.score(x, rows, numTrees, out) };
  }
  let rounded = new Float64Array(0);
  return {
    score(x, rows, out) {
      if (rounded.length < x.length) rounded = new Float64Array(x.length);
      for (let i = 0; i < x.length; i++) rounded[i] = Math.fround(x[i]);
      scorer.score(rounded.subarray(0, x.length), rows, numTrees, out);
    },
  };
}
