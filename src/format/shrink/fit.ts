/**
 * The search for the cut of a model's trees that meets a size and changes its scores least.
 *
 * @module
 */
import { ModelError } from "../../errors.ts";
import { createModel, type Model } from "../../model/model.ts";
import type { ModelInfo } from "../../model/types.ts";
import { encodeModel } from "../binary.ts";
import { contentsOf } from "../self_test.ts";
import { makeCuttable } from "./cut_trees.ts";
import { makeVotesCuttable } from "./cut_votes.ts";
import type { FeatureRanges } from "./ranges.ts";
import type { Attempt, Cut, Cuttable } from "./types.ts";

/** Levels in one byte of each leaf. */
const BYTE = 256;

/** Levels to try where no node need be pruned, finest first: a leaf takes two bytes, or less. */
const FINER = [65536, 16384, 4096];

/** The last of them. Where its file is too large, finer ones are, too. */
const COARSEST = 1024;

/** A file is written in bits where that saves a third: one of more levels may be so much smaller. */
const BITS_SAVE = 1.5;

/**
 * Levels of leaves of several numbers. They are stored once for all that are alike, and of fewer levels
 * more are: in forests of classes leaves of 0 and 1, which are nearly all, cost next to nothing.
 */
const WIDE = [2, 16, BYTE];

/** A file that takes this share of the bytes is not made larger by further attempts. */
const NEAR = 0.995;

/** Where in that share attempts aim at. */
const AIM = 0.9975;

/** Bytes without a step and with all of them, roughly; NaN where that is not known. */
type Sizes = readonly [above: number, below: number];

/**
 * Makes a model without linear leaves fit.
 *
 * @param attempt Cuts its trees.
 * @throws {ModelError} `E_MODEL_LIMIT` with the smallest size where that is too large.
 */
export function fit(model: Model, maxBytes: number, attempt = attemptsOf(model)): Attempt {
  const { aggregate, leafWidth } = model.ensemble;
  const isVote = aggregate === "vote";
  const trees = (isVote ? makeVotesCuttable : makeCuttable)(model.ensemble, model.schema);
  // Votes know no levels: first what changes none.
  const whole = attempt(trees, { levels: isVote ? undefined : BYTE, steps: 0 });
  if (!isVote && whole.bytes <= BITS_SAVE * maxBytes) {
    const coarsest = attempt(trees, { levels: COARSEST, steps: 0 });
    for (const levels of coarsest.bytes <= maxBytes ? FINER : []) {
      const finer = attempt(trees, { levels, steps: 0 });
      if (finer.bytes <= maxBytes) return finer;
    }
    if (coarsest.bytes <= maxBytes) return coarsest;
  }
  if (whole.bytes <= maxBytes) return whole;
  let best: Attempt | undefined;
  let least = Infinity;
  for (const levels of isVote ? [undefined] : leafWidth > 1 ? WIDE : [BYTE]) {
    const last = attempt(trees, { levels, steps: trees.steps });
    least = Math.min(least, last.bytes);
    if (last.bytes > maxBytes) continue;
    const tried = (steps: number) => attempt(trees, { levels, steps });
    const sizes: Sizes = [whole.bytes, last.bytes];
    const next = fewestSteps(trees.steps, tried, maxBytes, sizes, best?.spread);
    if (next && !(next.spread >= best?.spread!)) best = next;
  }
  if (best === undefined) throw tooLarge(least, maxBytes);
  return best;
}

/**
 * Makes a model with linear leaves fit. Proved bounds add up what trees do at worst, which hardly tells
 * good attempts from bad ones: what changes the scores of rows least, in the mean, is taken.
 *
 * @param meanOf By how much the scores of rows change, in the mean.
 * @throws {ModelError} as `fit`.
 */
export function fitLinear(
  lean: Model,
  maxBytes: number,
  within: FeatureRanges,
  meanOf: (smaller: Model) => number,
): Attempt {
  const { ensemble, schema } = lean;
  const attempt = attemptsOf(lean);
  const dropped = makeCuttable(ensemble, schema, { within, weighed: false });
  const constants = attempt(dropped, { steps: 0, dropTerms: true });
  // Constants alone are stored in a fraction of the bytes, and rounded and pruned as such.
  let best = constants.bytes <= maxBytes
    ? constants
    : fit(constants.smaller, maxBytes, attemptsOf(lean, constants.bound));
  let mean = meanOf(best.smaller);
  for (const weighed of [false, true]) {
    const trees = weighed ? makeCuttable(ensemble, schema, { within, weighed }) : dropped;
    const some = fewestSteps(trees.steps, (steps) => attempt(trees, { steps }), maxBytes);
    const next = some ? meanOf(some.smaller) : NaN;
    if (!(next < mean)) continue;
    best = some!;
    mean = next;
  }
  return best;
}

/**
 * Makes attempts at a model.
 *
 * @param lost By how much the raw scores of what is cut differ already.
 */
function attemptsOf(lean: Model, lost = 0) {
  return (trees: Cuttable, cut: Cut): Attempt => {
    const { ensemble, bound: more, spread } = trees.cut(cut);
    const bound = lost + more;
    const smaller = createModel({ ...contentsOf(lean), info: shrunkInfo(lean, bound), ensemble });
    return { smaller, bound, spread, bytes: sizeOf(smaller), cut };
  };
}

/**
 * The story of a model whose raw scores changed by at most `bound`, added to what it lost before. Of
 * linear leaves nothing is proved beyond the ranges that `bound` is of.
 */
function shrunkInfo({ info, ensemble }: Model, bound: number): ModelInfo {
  if (bound === 0) return info;
  const before = info.shrunk?.bound ?? (info.shrunk === undefined ? 0 : Infinity);
  const all = ensemble.linear === undefined ? before + bound : Infinity;
  return { ...info, shrunk: { bound: all < Infinity ? roundedUp(all) : null } };
}

/** Three digits, no less than the number. */
function roundedUp(value: number): number {
  return Number((1.0051 * value).toPrecision(3));
}

/**
 * The fewest steps that fit, or nearly so; undefined where no attempt did, or all that fit are known to
 * spread more than `limit`.
 */
function fewestSteps(
  most: number,
  attempt: (steps: number) => Attempt,
  maxBytes: number,
  [above, below]: Sizes = [NaN, NaN],
  limit = Infinity,
): Attempt | undefined {
  let best: Attempt | undefined;
  let [low, high] = [0, most];
  for (let tries = 1; low <= high; tries++) {
    // Bytes are nearly even in steps: a line between what is known hits soon, or else halves end it.
    const part = tries % 3 === 0 ? 0.5 : (above - AIM * maxBytes) / (above - below);
    const steps = Math.floor(low + (high - low) * (part >= 0 && part <= 1 ? part : 0.5));
    const next = attempt(steps);
    if (next.bytes <= maxBytes) {
      best = next;
      if (next.bytes > NEAR * maxBytes) break;
      high = steps - 1;
      below = next.bytes;
    } else {
      // More steps spread more.
      if (next.spread > limit) return undefined;
      low = steps + 1;
      above = next.bytes;
    }
  }
  return best;
}

/** Bytes of a model's file without covers and gains. */
export function sizeOf(model: Model): number {
  return encodeModel(model, { explain: false }).byteLength;
}

function tooLarge(bytes: number, limit: number): ModelError {
  return new ModelError(
    "E_MODEL_LIMIT",
    `Cannot make this model fit ${limit} bytes: the smallest it gets is ${bytes}`,
    { details: { bytes, limit } },
  );
}
