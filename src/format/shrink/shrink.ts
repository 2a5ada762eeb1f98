/**
 * Makes a model's file fit a size by giving up exactness: leaves are rounded to few levels, then
 * subtrees that tell least are pruned, and trees of one leaf go into the base score. What a
 * raw score can change by at most is proved (cut_trees.ts); what it does change by is measured on rows.
 * Of linear leaves some become constants, or all do, whichever changes the rows' scores less.
 *
 * @module
 */
import { checkArgument, checkModel, checkOptions } from "../../door.ts";
import { ModelError } from "../../errors.ts";
import { createContract } from "../../model/contract.ts";
import { firstRounds } from "../../model/edit.ts";
import { encodeInput, type PredictInput } from "../../model/encode.ts";
import { createModel, Model } from "../../model/model.ts";
import { MissingBranch, type ModelInfo } from "../../model/types.ts";
import { decodeModel, encodeModel } from "../binary.ts";
import { contentsOf, renewSelfTest, type SelfTestRows, selfTestRows } from "../self_test.ts";
import { trainingStatsOf } from "../training_stats.ts";
import { childrenOf } from "./copy_nodes.ts";
import { createRanges, type FeatureRanges } from "./cut_linear.ts";
import { type Cut, type Cuttable, makeCuttable } from "./cut_trees.ts";
import { makeVotesCuttable } from "./cut_votes.ts";

/** What was given up. */
export interface Shrunk {
  /** The smaller model, with all that its file has: `saveModel` writes `bytes`. */
  readonly model: Model;
  /** Bytes of its file. */
  readonly bytes: number;
  /**
   * What the model had and the file has no room for, in the order in which it goes: covers, gains and
   * values of inner nodes; statistics of the training rows; the self-test, which else has the new scores.
   */
  readonly omitted: readonly ("explanations" | "statistics" | "self-test")[];
  /** Levels that leaves were rounded to; undefined when they are exact. */
  readonly levels?: number;
  /** Share of inner nodes that were pruned. */
  readonly pruned: number;
  /**
   * Which subtrees told least: by the rows of training that the covers count, or, where the model has
   * none, as if all branches of a node had as many. Absent where none was pruned.
   */
  readonly prunedBy?: "covers" | "branches";
  /** Trees that are left; the others are part of the base score. */
  readonly trees: number;
  /**
   * No raw score changes by more than this; with `within` only those of rows that lie there. Infinity:
   * nothing is proved, for the rows are so large that scores overflow.
   */
  readonly bound: number;
  /**
   * Of models with linear leaves: the features of their terms, and where `bound` holds, which is for
   * rows whose values lie in these ranges or are missing. Elsewhere there is no bound, for linear terms
   * grow with their features.
   */
  readonly within?: readonly FeatureRange[];
  /** Largest and mean change of the raw scores of the rows given, or else of the model's self-test. */
  readonly measured?: { readonly rows: number; readonly largest: number; readonly mean: number };
}

/** The finite values of a feature in the rows given, or in the self-test and the training statistics. */
export interface FeatureRange {
  /** Column name. */
  readonly name: string;
  /** Absent where the rows hold no value of it: there it must be missing. */
  readonly least?: number;
  /** Absent where the rows hold no value of it. */
  readonly most?: number;
}

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

/** A self-test is kept where it takes no more of the file. */
const TEST_SHARE = 0.05;

/** Rows that are encoded at once. */
const BLOCK = 1024;

/**
 * Shrinks a model until its file has at most `maxBytes`. Where trees went into the base score the model
 * is one round, for its trees are no longer those of single rounds; else rounds stay what they are.
 * A calibration stays, too, though it was fitted to the scores before, as figures of training in `info`
 * were. What goes before exactness is `omitted`; rounds that were kept after the best one go then, for
 * they weigh nothing.
 *
 * @param options `rows`: measure the change on them; models with linear leaves need rows, or those of
 * a self-test.
 * @throws {ModelError} `E_MODEL_LIMIT` with the smallest size when that is larger than `maxBytes`,
 * `E_MODEL_SCHEMA` for linear leaves without rows, and where missing values are shared out by
 * covers that are negative or infinite.
 */
export function shrinkModel(
  model: Model,
  options: { readonly maxBytes: number; readonly rows?: PredictInput },
): Shrunk {
  checkModel("shrinkModel", model);
  checkOptions<typeof options>("shrinkModel", options, { maxBytes: "number", rows: "any" });
  const { maxBytes, rows } = options;
  checkArgument("shrinkModel", "maxBytes", maxBytes, "number");
  const full = encodeModel(model).byteLength;
  if (full <= maxBytes) return report(model, exactly(model, full), rows);
  for (const ids of [["TEST", "STAT"], ["TEST"], []]) {
    const kept = [...model.attachments].filter(([id]) => ids.includes(id));
    const less = fileOf(new Model({ ...contentsOf(model), attachments: new Map(kept) }));
    if (less.bytes <= maxBytes) return report(model, less, rows);
  }
  checkShares(model);
  const lean = counted(model);
  const test = selfTestRows(model);
  const ranges = model.ensemble.linear && rangesOf(model, rows);
  const shrink = (room: number): Attempt => {
    if (model.info.kept !== undefined) {
      const fewer = exactly(lean, sizeOf(lean));
      if (fewer.bytes <= room) return fewer;
    }
    if (ranges === undefined) return fit(lean, room, attemptsOf(lean));
    return fitLinear(lean, room, ranges, (smaller) => measure(model, smaller, rows)?.mean ?? NaN);
  };
  const [best, keepsTest] = withRoom(shrink, maxBytes, test ? roomOf(lean, test) : 0);
  const attachments = new Map(
    test && keepsTest ? [["TEST", renewSelfTest(best.smaller, test)]] : [],
  );
  const file = fileOf(new Model({ ...contentsOf(best.smaller), attachments }));
  const shrunk = report(model, { ...best, ...file, cut: best.cut, bound: best.bound }, rows);
  return ranges ? { ...shrunk, within: namedRanges(model, ranges) } : shrunk;
}

/** Bytes that a self-test takes of a file. */
function roomOf(lean: Model, test: SelfTestRows): number {
  const attachments = new Map([["TEST", renewSelfTest(lean, test)]]);
  return sizeOf(new Model({ ...contentsOf(lean), attachments })) - sizeOf(lean);
}

/** Shrinks beside a self-test where that is a small part of the file, or else without it. */
function withRoom(
  shrink: (room: number) => Attempt,
  maxBytes: number,
  testBytes: number,
): [best: Attempt, keepsTest: boolean] {
  if (testBytes > 0 && testBytes <= TEST_SHARE * maxBytes) {
    try {
      return [shrink(maxBytes - testBytes), true];
    } catch (error) {
      if (!(error instanceof ModelError && error.code === "E_MODEL_LIMIT")) throw error;
    }
  }
  return [shrink(maxBytes), false];
}

/**
 * Refuses covers that are no shares, where rows are shared out by them: values then lie outside of what
 * the leaves below span, and nothing can be proved.
 */
function checkShares({ ensemble, schema }: Model): void {
  const { trees } = ensemble;
  trees.missing.forEach((missing, node) => {
    if (missing !== MissingBranch.fractional || trees.firstChild[node] < 0) return;
    const end = trees.firstChild[node] + childrenOf(trees, schema, node);
    for (let child = trees.firstChild[node]; child < end; child++) {
      const cover = trees.cover[child];
      if (cover >= 0 && cover < Infinity) continue;
      throw new ModelError(
        "E_MODEL_SCHEMA",
        `Cannot shrink this model: node ${node} shares rows out by covers, of which one is ${cover}; ` +
          "expected numbers from 0 on",
        { details: { node, cover } },
      );
    }
  });
}

/** A model as it is. */
function exactly(model: Model, bytes: number): Attempt {
  return { smaller: model, bytes, bound: 0, spread: 0, cut: { steps: 0 } };
}

/** A model as a file without covers and gains has it. */
function fileOf(model: Model): Attempt {
  const bytes = encodeModel(model, { explain: false });
  return exactly(decodeModel(bytes), bytes.byteLength);
}

/**
 * A model without attachments, of the rounds that count, where it keeps those after its best one, which
 * weigh nothing.
 */
function counted(model: Model): Model {
  const { kept, ...info } = model.info as ModelInfo & { readonly kept?: { rounds: number } };
  const contents = { ...contentsOf(model), attachments: new Map() };
  if (kept === undefined) return new Model(contents);
  return createModel({ ...contents, info, ensemble: firstRounds(model.ensemble, kept.rounds) });
}

/** A smaller model. */
interface Attempt {
  readonly smaller: Model;
  readonly bytes: number;
  readonly bound: number;
  readonly spread: number;
  readonly cut: Cut;
}

/** Bytes without a step and with all of them, roughly; NaN where that is not known. */
type Sizes = readonly [above: number, below: number];

/** Makes attempts at a model. */
function attemptsOf(lean: Model) {
  return (trees: Cuttable, cut: Cut): Attempt => {
    const { ensemble, bound, spread } = trees.cut(cut);
    const smaller = createModel({ ...contentsOf(lean), ensemble });
    return { smaller, bound, spread, bytes: sizeOf(smaller), cut };
  };
}

/** Makes a model without linear leaves fit. */
function fit(model: Model, maxBytes: number, attempt: ReturnType<typeof attemptsOf>): Attempt {
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
 */
function fitLinear(
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
    : fit(constants.smaller, maxBytes, (trees, cut) => {
      const next = attempt(trees, cut);
      return { ...next, bound: constants.bound + next.bound };
    });
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

/** Where the features of rows lie, or those of the self-test and of training. */
function rangesOf(model: Model, rows: PredictInput | undefined): FeatureRanges {
  const { schema, ensemble } = model;
  const width = schema.features.length;
  const found = createRanges(width, ensemble.profile.input);
  const stored = rows === undefined ? selfTestRows(model) : undefined;
  const encoded = rows && encodeInput(createContract(schema), rows);
  const count = stored?.rows ?? encoded?.rows ?? 0;
  if (count === 0) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      "Cannot shrink linear leaves without rows: their values grow with the features, so that a " +
        "change is told for rows alone. Give rows like those to be scored",
    );
  }
  if (stored) {
    found.add(stored.x, count);
    // A self-test is of few rows: the limits of the training statistics tell where most rows lay.
    for (const end of [0, -1]) {
      const limits = trainingStatsOf(model)?.features.map((f) => f.limits?.at(end) ?? NaN);
      if (limits) found.add(Float64Array.from(limits), 1);
    }
  }
  const x = new Float64Array(width * BLOCK);
  for (let from = 0; encoded && from < count; from += BLOCK) {
    const to = Math.min(count, from + BLOCK);
    encoded.fill(from, to, x);
    found.add(x, to - from);
  }
  return found.ranges;
}

/** The ranges of the features that linear terms have. */
function namedRanges({ ensemble, schema }: Model, { least, most }: FeatureRanges): FeatureRange[] {
  const used = [...new Set(ensemble.linear!.termFeature)].sort((a, b) => a - b);
  return used.map((f) => ({
    name: schema.features[f].name,
    ...(least[f] <= most[f] && { least: least[f], most: most[f] }),
  }));
}

function sizeOf(model: Model): number {
  return encodeModel(model, { explain: false }).byteLength;
}

function report(
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

function tooLarge(bytes: number, limit: number): ModelError {
  return new ModelError(
    "E_MODEL_LIMIT",
    `Cannot make this model fit ${limit} bytes: the smallest it gets is ${bytes}`,
    { details: { bytes, limit } },
  );
}
