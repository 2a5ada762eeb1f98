/**
 * Scores a batch once and turns the raw scores into what was asked for.
 *
 * @module
 */
import { DataError, ParameterError, RequestError } from "../../errors.ts";
import { respondInto } from "../../model/calibrate.ts";
import type { LeafMatrix, Model } from "../../model/model.ts";
import { treesOfRounds } from "../../model/rounds.ts";
import { isProbability } from "../../model/postprocess.ts";
import { leastCost } from "../../util/least_cost.ts";
import { type Batch, inputOf } from "../body/batch.ts";
import { classText, classTexts, numbersText, numberText } from "./json_text.ts";
import { probabilityAt, type Scores } from "./scores.ts";
import { createRowScorer, type RowScorer } from "./row_scorer.ts";

/** What a prediction is. `default` is a class with its probabilities, or a number. */
export type PredictionKind = "default" | "value" | "class" | "proba" | "raw" | "leaf";

const KINDS: ReadonlySet<string> = new Set(["default", "value", "class", "proba", "raw", "leaf"]);

/**
 * Reads the `kind` of a request.
 *
 * @throws {ParameterError} `E_PARAM_RANGE`.
 */
export function kindOf(text: string | undefined): PredictionKind {
  if (text === undefined) return "default";
  if (KINDS.has(text)) return text as PredictionKind;
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot answer kind ${JSON.stringify(text.slice(0, 40))}: expected value, class, proba, raw ` +
      "or leaf",
    { details: { param: "kind" } },
  );
}

/** Whether a model's responses are probabilities of its classes. */
export function givesProbabilities(model: Model): boolean {
  return model.schema.classes.length > 0 &&
    (isProbability(model.rules.postprocess.name) ||
      model.calibration?.some((c) => c.method !== "temperature") === true);
}

/** Rows times trees between two looks at the clock: about a thousandth to a tenth of a second. */
const BLOCK_WORK = 1 << 20;
/** Rows that a block has at most. */
const MAX_BLOCK = 512;
/** Numbers of leaves that one answer may hold. */
const MAX_LEAVES = 2_000_000;
/** Scores that one answer of several rows may hold: rows × outputs. */
const MAX_SCORES = 2_000_000;

/** What bounds the scoring of a batch. */
export interface ScoreOptions {
  /** Use only the first rounds. @default all */
  readonly rounds?: number;
  /** Milliseconds after which scoring is given up. @default Infinity */
  readonly maxMillis?: number;
  /** Scores of as many rows that may be overwritten. @default new ones */
  readonly into?: Scores;
}

/**
 * Room for the scores of some rows.
 *
 * @throws {DataError} `E_DATA_LIMIT` for several rows with more than two million scores.
 */
export function createScores(model: Model, rows: number): Scores {
  const { numOutputs } = model;
  const found = rows * numOutputs;
  if (found > MAX_SCORES && rows > 1) {
    throw new DataError(
      "E_DATA_LIMIT",
      `Cannot answer ${found} scores: expected at most ${MAX_SCORES}; send fewer rows at once`,
      { details: { limit: "maxScores", value: MAX_SCORES, found } },
    );
  }
  return {
    rows,
    numOutputs,
    raw: new Float64Array(rows * numOutputs),
    value: new Float64Array(rows * numOutputs),
    labels: new Int32Array(model.schema.classes.length > 0 ? rows : 0),
    isProbability: givesProbabilities(model),
  };
}

/**
 * Scores a batch.
 *
 * @throws {RequestError} `E_HTTP_BUSY` when the time budget is spent; the clock is read every 512 rows, or
 * sooner where the model has more than 2048 trees.
 */
export function scoreBatch(model: Model, batch: Batch, options: ScoreOptions = {}): Scores {
  const scores = options.into ?? createScores(model, batch.rows);
  const { rounds, maxMillis = Infinity } = options;
  if (rounds === undefined) scoreInto(model, scorerOf(model), batch, scores, maxMillis);
  else scoreInto(model, prefixScorer(model, rounds), batch, scores, maxMillis);
  return scores;
}

/** Scores with the first rounds; few ask for that, so nothing is kept for it. */
function prefixScorer(model: Model, rounds: number): RowScorer {
  const { length } = model.schema.features;
  return {
    score(x, rows, out) {
      const input = inputOf(rows, x, x.length > rows * length);
      out.set(model.predictRaw(input, { rounds }).data);
    },
  };
}

/** As `scoreBatch` with all rounds, into scores of as many rows. */
export function scoreInto(
  model: Model,
  scorer: RowScorer,
  batch: Batch,
  scores: Scores,
  maxMillis: number,
): void {
  scoreRawInto(model, scorer, batch, maxMillis, scores.raw);
  respond(model, scores);
}

/** Raw scores → responses and labels. */
function respond(model: Model, scores: Scores): void {
  const { numOutputs: cols, raw, value, labels, isProbability: proba } = scores;
  if (raw.length === 1) value[0] = raw[0];
  else value.set(raw);
  respondInto(model.rules.postprocess, model.calibration, value, cols);
  const numClasses = model.schema.classes.length;
  const from = proba ? value : raw;
  const { costs } = model.rules.postprocess;
  for (let row = 0; row < labels.length; row++) {
    let best = 0;
    if (cols === 1) best = numClasses > 1 && from[row] > (proba ? 0.5 : 0) ? 1 : 0;
    else if (costs !== undefined) best = leastCost(costs, from, row * cols, cols);
    else {for (let k = 1; k < cols; k++) {
        if (from[row * cols + k] > from[row * cols + best]) best = k;
      }}
    labels[row] = best;
  }
}

function scoreRawInto(
  model: Model,
  scorer: RowScorer,
  batch: Batch,
  maxMillis: number,
  raw: Float64Array,
): void {
  const { rows, x } = batch;
  const { numOutputs } = model;
  if (rows === 1) {
    scorer.score(x, 1, raw);
    return;
  }
  const width = x.length / rows;
  const until = performance.now() + maxMillis;
  const block = Math.max(1, Math.min(MAX_BLOCK, Math.floor(BLOCK_WORK / model.numTrees)));
  for (let at = 0; at < rows; at += block) {
    if (at > 0 && performance.now() > until) throw timeSpent("score", rows, at, maxMillis);
    const to = Math.min(rows, at + block);
    const out = raw.subarray(at * numOutputs, to * numOutputs);
    scorer.score(x.subarray(at * width, to * width), to - at, out);
  }
}

/** The error for work that took longer than it may. */
export function timeSpent(
  verb: string,
  rows: number,
  done: number,
  maxMillis: number,
): RequestError {
  return new RequestError(
    "E_HTTP_BUSY",
    rows === 1
      ? `Cannot ${verb} a row in ${maxMillis} ms`
      : `Cannot ${verb} ${rows} rows in ${maxMillis} ms: ${done} were done; send fewer at once`,
    { details: { limit: "maxMillis", value: maxMillis, rows: done } },
  );
}

/**
 * Numbers of leaves.
 *
 * @throws {DataError} `E_DATA_LIMIT` for more than two million, before any work is done.
 */
export function leavesOf(model: Model, batch: Batch, rounds?: number): LeafMatrix {
  checkLeaves(model, batch, rounds);
  return model.predictLeaf(batch.input, rounds === undefined ? {} : { rounds });
}

/** Refuses more leaves than an answer may hold; says how many there are. */
export function checkLeaves(model: Model, batch: Batch, rounds?: number): number {
  const found = batch.rows * treesOfRounds(model, rounds, false);
  if (found > MAX_LEAVES) {
    throw new DataError(
      "E_DATA_LIMIT",
      `Cannot answer ${found} leaves: expected at most ${MAX_LEAVES}; send fewer rows at once`,
      { details: { limit: "maxLeaves", value: MAX_LEAVES, found } },
    );
  }
  return found;
}

const scorers = new WeakMap<Model, RowScorer>();

/** The scorer of rows that are encoded already; it holds buffers, so each model has one. */
export function scorerOf(model: Model): RowScorer {
  let scorer = scorers.get(model);
  if (scorer === undefined) scorers.set(model, scorer = createRowScorer(model));
  return scorer;
}

/**
 * JSON text of each row's prediction.
 *
 * @param rounds Leaves of so many rounds, which the scores are of as well. @default all
 * @throws {ParameterError} `E_PARAM_CONFLICT` when the model does not have what `kind` asks for.
 */
export function predictionTexts(
  model: Model,
  batch: Batch,
  scores: Scores,
  kind: PredictionKind,
  rounds?: number,
): string[] {
  const { classes } = model.schema;
  checkKind(model, kind);
  const { rows, numOutputs } = scores;
  switch (kind) {
    case "raw":
      return matrixTexts(scores.raw, rows, numOutputs);
    case "leaf": {
      const { data, cols } = leavesOf(model, batch, rounds);
      return Array.from({ length: rows }, (_, row) => numbersText(data, row * cols, cols));
    }
    case "class":
      return Array.from(scores.labels, (label) => JSON.stringify(classes[label]));
    case "proba":
      return Array.from({ length: rows }, (_, row) => {
        const numbers = classes.map((_, k) => probabilityAt(scores, classes.length, row, k));
        return numbersText(numbers, 0, numbers.length);
      });
    case "value":
      return matrixTexts(scores.value, rows, numOutputs);
  }
  if (classes.length === 0) return matrixTexts(scores.value, rows, numOutputs);
  const pieces = classTexts(classes);
  return Array.from({ length: rows }, (_, row) => classText(scores, pieces, row));
}

/**
 * Refuses a kind of prediction that the model does not have.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT`.
 */
export function checkKind(model: Model, kind: PredictionKind): void {
  const { classes, task } = model.schema;
  if (kind === "class" && classes.length === 0) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      'Cannot answer kind "class": the model has no classes; ask for value or raw',
      { details: { param: "kind", task } },
    );
  }
  if (kind === "proba" && !givesProbabilities(model)) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      'Cannot answer kind "proba": the model gives no probabilities; ask for value or raw',
      { details: { param: "kind", task } },
    );
  }
}

/** One number a row as it is, several as an array. */
function matrixTexts(data: Float64Array, rows: number, cols: number): string[] {
  const texts = new Array<string>(rows);
  for (let row = 0; row < rows; row++) {
    texts[row] = cols === 1 ? numberText(data[row]) : numbersText(data, row * cols, cols);
  }
  return texts;
}
