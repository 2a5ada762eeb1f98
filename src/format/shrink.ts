/**
 * Makes a model's file fit a size by giving up exactness: leaves are rounded to few levels, then
 * subtrees whose leaves are nearly equal are pruned, and trees of one leaf go into the base score. What a
 * raw score can change by at most is proved (cut_trees.ts); what it does change by is measured on rows.
 *
 * @module
 */
import { ModelError } from "../errors.ts";
import type { PredictInput } from "../model/encode.ts";
import { createModel, Model } from "../model/model.ts";
import { encodeModel } from "./binary.ts";
import { canCut, type Cut, makeCuttable } from "./cut_trees.ts";
import { makeVotesCuttable } from "./cut_votes.ts";
import { contentsOf, selfTestRows } from "./self_test.ts";

/** What was given up. */
export interface Shrunk {
  readonly model: Model;
  /** Bytes of its file, without covers, gains and attachments. */
  readonly bytes: number;
  /** Levels that leaves were rounded to; undefined when they are exact. */
  readonly levels?: number;
  /** Share of inner nodes that were pruned. */
  readonly pruned: number;
  /** Trees that are left; the others are part of the base score. */
  readonly trees: number;
  /** No raw score changes by more than this. */
  readonly bound: number;
  /** Largest and mean change of the raw scores of the rows given, or else of the model's self-test. */
  readonly measured?: { readonly rows: number; readonly largest: number; readonly mean: number };
}

/** Levels to try, finest first: a leaf then takes two bytes, or one. */
const LEVELS = [65536, 16384, 4096, 1024, 256, 64, 16];

/**
 * Shrinks a model until its file has at most `maxBytes`. A model whose trees went into its base score is
 * one round: its trees are no longer those of single rounds.
 *
 * @param options `rows`: measure the change on them.
 * @throws {ModelError} `E_MODEL_LIMIT` when the contract alone is larger, or the trees are not of the
 * kind that can be cut (linear leaves).
 */
export function shrinkModel(
  model: Model,
  options: { readonly maxBytes: number; readonly rows?: PredictInput },
): Shrunk {
  const { maxBytes, rows } = options;
  const lean = new Model({ ...contentsOf(model), attachments: new Map() });
  const exact = sizeOf(lean);
  if (exact <= maxBytes) return report(model, lean, exact, { span: -1 }, 0, rows);
  if (!canCut(model.ensemble)) throw tooLarge(exact, maxBytes, "it cannot be shrunk");
  const { schema } = model;
  const isVote = model.ensemble.aggregate === "vote";
  const rounded = isVote
    ? makeVotesCuttable(model.ensemble, schema)
    : makeCuttable(model.ensemble, schema, false);
  const attempt = (trees: typeof rounded, cut: Cut) => {
    const { ensemble, bound } = trees.cut(cut);
    const smaller = createModel({ ...contentsOf(lean), ensemble });
    return { smaller, bound, bytes: sizeOf(smaller), cut };
  };
  let best: ReturnType<typeof attempt> | undefined;
  // Votes know no levels: first what changes none.
  for (const cut of isVote ? [{ span: 0 }] : LEVELS.map((levels) => ({ levels, span: -1 }))) {
    best = attempt(rounded, cut);
    if (best.bytes <= maxBytes) break;
  }
  if (best!.bytes > maxBytes) {
    // The least span that fits, by halving; 256 levels leave pruning the finest choice.
    const folded = isVote ? rounded : makeCuttable(model.ensemble, schema, true);
    const levels = isVote ? {} : { levels: 256 };
    let low = 0;
    let high = folded.largestSpan;
    best = attempt(folded, { ...levels, span: high });
    if (best.bytes > maxBytes) throw tooLarge(best.bytes, maxBytes, "that is the smallest it gets");
    for (let i = 0; i < 16; i++) {
      const middle = (low + high) / 2;
      const next = attempt(folded, { ...levels, span: middle });
      if (next.bytes <= maxBytes) {
        best = next;
        high = middle;
      } else low = middle;
    }
  }
  return report(model, best!.smaller, best!.bytes, best!.cut, best!.bound, rows);
}

function sizeOf(model: Model): number {
  return encodeModel(model, { explain: false, attachments: false }).byteLength;
}

function report(
  before: Model,
  after: Model,
  bytes: number,
  cut: Cut,
  bound: number,
  rows: PredictInput | undefined,
): Shrunk {
  const inner = (model: Model) => model.ensemble.trees.gain.length - leaves(model);
  const old = inner(before);
  const measured = measure(before, after, rows);
  return {
    model: after,
    bytes,
    ...(cut.levels !== undefined && { levels: cut.levels }),
    pruned: old > 0 ? 1 - inner(after) / old : 0,
    trees: after.numTrees,
    bound,
    ...(measured && { measured }),
  };
}

function leaves(model: Model): number {
  return model.ensemble.trees.firstChild.reduce((count, child) => count + +(child < 0), 0);
}

function measure(
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
    const change = Math.abs(now[i] - old[i]);
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

function tooLarge(bytes: number, limit: number, why: string): ModelError {
  return new ModelError(
    "E_MODEL_LIMIT",
    `Cannot make this model fit ${limit} bytes: it has ${bytes}, and ${why}`,
    { details: { bytes, limit } },
  );
}
