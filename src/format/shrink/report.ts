/**
 * What is told of a model that was shrunk: what was given up for its size, and what that changes.
 *
 * @module
 */
import type { PredictInput } from "../../model/encode.ts";
import { Model } from "../../model/model.ts";
import { contentsOf, selfTestRows } from "../self_test.ts";
import type { FeatureRange } from "./ranges.ts";
import type { Attempt } from "./types.ts";

/** A smaller model, and what its size costs. */
export interface Shrunk {
  /** The smaller model. Its file has `bytes` bytes. */
  readonly model: Model;
  /** Size of its file in bytes. */
  readonly bytes: number;
  /**
   * Parts of the model that its file has no room for, in the order of their removal: explanations
   * (covers, gains and values of inner nodes), statistics of the training rows, the self-test. A
   * self-test that is kept has the new scores.
   */
  readonly omitted: readonly ("explanations" | "statistics" | "self-test")[];
  /** Number of levels that leaves were rounded to; absent if they are exact. */
  readonly levels?: number;
  /** Share of the inner nodes that were pruned, 0 to 1. */
  readonly pruned: number;
  /**
   * How the effect of a subtree was weighed: by the number of training rows that the covers count,
   * or, without covers, as if all branches of a node had the same number. Absent if nothing was
   * pruned.
   */
  readonly prunedBy?: "covers" | "branches";
  /** Number of trees that are left; the others are part of the base score. */
  readonly trees: number;
  /**
   * The largest possible change of a raw score; with `within`, for the rows that lie there. Infinity
   * means that nothing is proved, since values are so large that scores overflow.
   */
  readonly bound: number;
  /**
   * For models with linear leaves: the range of each feature of their terms in which `bound` holds
   * (missing values are allowed). Outside there is no bound, since linear terms grow with their
   * features.
   */
  readonly within?: readonly FeatureRange[];
  /** Largest and mean change of raw scores, on the given rows or those of the self-test. */
  readonly measured?: { readonly rows: number; readonly largest: number; readonly mean: number };
}

/** Tells what a model gave up, and how its scores changed. */
export function report(
  before: Model,
  { smaller: after, bytes, cut, bound }: Attempt,
  rows: PredictInput | undefined,
): Shrunk {
  const inner = (model: Model) => model.ensemble.trees.gain.length - leaves(model);
  const old = inner(before);
  const measured = measure(before, after, rows);
  const lost = (id: string) => before.attachments.has(id) && !after.attachments.has(id);
  return {
    model: after,
    bytes,
    omitted: [
      ...(explains(before) && !explains(after) ? ["explanations"] as const : []),
      ...(lost("STAT") ? ["statistics"] as const : []),
      ...(lost("TEST") ? ["self-test"] as const : []),
    ],
    ...(cut.levels !== undefined && { levels: cut.levels }),
    pruned: old > 0 ? 1 - inner(after) / old : 0,
    ...(cut.steps > 0 && { prunedBy: hasCovers(before) ? "covers" : "branches" }),
    trees: after.numTrees,
    bound,
    ...(measured && { measured }),
  };
}

function explains({ ensemble: { trees: { cover, gain } } }: Model): boolean {
  return cover.some((value) => value !== 0) || gain.some((value) => value !== 0);
}

function hasCovers(model: Model): boolean {
  return model.ensemble.trees.cover.some((cover) => cover > 0);
}

function leaves(model: Model): number {
  return model.ensemble.trees.firstChild.reduce((count, child) => count + +(child < 0), 0);
}

/** How raw scores of rows change, or else those of the self-test; undefined where there is neither. */
export function measure(
  before: Model,
  after: Model,
  rows: PredictInput | undefined,
): Shrunk["measured"] {
  const stored = rows === undefined ? selfTestRows(before) : undefined;
  if (rows === undefined && stored === undefined) return undefined;
  const score = (model: Model) => {
    if (stored === undefined) return treesOf(model).predictRaw(rows!).data;
    const raw = new Float64Array(stored.raw.length);
    model.positional(model.schemaHash).rawRowsInto(stored.x, raw);
    return raw;
  };
  const old = score(before);
  const now = score(after);
  let largest = 0;
  let total = 0;
  for (let i = 0; i < now.length; i++) {
    // Scores that overflow alike do not change; Infinity − Infinity would be NaN.
    const change = Object.is(now[i], old[i]) ? 0 : Math.abs(now[i] - old[i]);
    largest = Math.max(largest, change);
    total += change;
  }
  const mean = now.length > 0 ? total / now.length : 0;
  return { rows: now.length / before.numOutputs, largest, mean };
}

/** A model of the same trees without an offset column, which changes no difference. */
function treesOf(model: Model): Model {
  const { offset, ...info } = model.info;
  return offset === undefined ? model : new Model({ ...contentsOf(model), info });
}
