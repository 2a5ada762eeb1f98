/**
 * Rows of a set that follow the rounds of a stepwise method: encoded once, they walk the trees of
 * each round block by block, on all threads of a run. Each row goes through the general scorer, so
 * its scores are those of the finished model.
 *
 * @module
 */
import type { Schema } from "../../data/types.ts";
import { blocksOf } from "../../metric/job.ts";
import type { Place } from "../../metric/types.ts";
import { createGeneralScorer } from "../../model/score/general.ts";
import type { Scorer } from "../../model/score/scorer.ts";
import type { Ensemble, Trees } from "../../model/types.ts";
import type { Task } from "./task.ts";

/** What all threads see: plain data and views of their memory. */
export interface StepRows {
  readonly schema: Schema;
  /** Encoded rows, row-major. */
  readonly x: Float64Array;
  readonly numRows: number;
  /** Scores, output-major. */
  readonly raw: Float64Array;
  /** The trees of a round, one an output, and the rule that joins them; starts from 0. */
  readonly round: Ensemble;
}

/** Nodes, and words of categories, of the trees of a round that find room. */
const MOST_NODES = 65_536;
const MOST_WORDS = 65_536;

/** Room for the trees of a round. */
export function treesSpace(place: Place, numTrees: number): Trees {
  const ints = (length: number) => place.ints(length);
  const bytes = (length: number) => {
    const { buffer, byteOffset } = ints(length / 4);
    return new Uint8Array(buffer, byteOffset, length);
  };
  const words = ints(MOST_WORDS);
  return {
    treeStart: ints(numTrees + 1),
    kind: bytes(MOST_NODES),
    feature: ints(MOST_NODES),
    threshold: place.floats(MOST_NODES),
    firstChild: ints(MOST_NODES),
    missing: bytes(MOST_NODES),
    categoryAt: ints(MOST_NODES),
    categoryPool: new Uint32Array(words.buffer, words.byteOffset, MOST_WORDS),
    leaf: place.floats(MOST_NODES),
    cover: place.floats(MOST_NODES),
    gain: new Float64Array(0), // no walk asks for it
  };
}

/** Writes trees whose leaves hold one number; false, and nothing, where there is no room for them. */
export function writeTrees(trees: Trees, space: Trees): boolean {
  if (trees.kind.length > MOST_NODES || trees.categoryPool.length > MOST_WORDS) return false;
  space.treeStart.set(trees.treeStart);
  space.kind.set(trees.kind);
  space.feature.set(trees.feature);
  space.threshold.set(trees.threshold);
  space.firstChild.set(trees.firstChild);
  space.missing.set(trees.missing);
  space.categoryAt.set(trees.categoryAt);
  space.categoryPool.set(trees.categoryPool);
  space.leaf.set(trees.leaf);
  space.cover.set(trees.cover);
  return true;
}

/** Makes the task: one step, which adds the trees to the scores. */
export function stepTask(rows: StepRows): Task {
  const scorer = createGeneralScorer(rows.round, rows.schema);
  const { count, start } = blocksOf(rows.numRows);
  return {
    run(_step, next) {
      for (let block = next(); block < count; block = next()) {
        addSteps(rows, scorer, start(block), start(block + 1));
      }
    },
  };
}

/** Rows whose steps are found in one go. */
const STRETCH = 1024;

/** Adds what a scorer of a round's trees gives to the scores of rows `from … to − 1`. */
export function addSteps(
  { schema, x, numRows, raw, round: { numOutputs } }: StepRows,
  scorer: Scorer,
  from: number,
  to: number,
): void {
  const width = schema.features.length;
  const steps = new Float64Array(Math.min(STRETCH, to - from) * numOutputs);
  for (let first = from; first < to; first += STRETCH) {
    const count = Math.min(STRETCH, to - first);
    scorer.score(x.subarray(first * width, (first + count) * width), count, numOutputs, steps);
    for (let k = 0; k < numOutputs; k++) {
      const at = k * numRows + first;
      for (let row = 0; row < count; row++) raw[at + row] += steps[row * numOutputs + k];
    }
  }
}
