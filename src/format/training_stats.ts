/**
 * Section STAT: what the training data looked like, so that serving can tell when its rows no longer
 * look like it.
 *
 * The index of drift is the population stability index (Siddiqi, "Credit Risk Scorecards", 2006): below
 * 0.1 little has changed, above 0.25 much has.
 *
 * @module
 */
import { checkModel } from "../door.ts";
import type { Schema } from "../data/types.ts";
import { ModelError } from "../errors.ts";
import { createContract } from "../model/contract.ts";
import { type EncodedInput, encodeInput, type PredictInput } from "../model/encode.ts";
import { canonicalJson } from "../model/hash.ts";
import { Model } from "../model/model_class.ts";
import { log } from "../util/math.ts";
import { contentsOf } from "./self_test.ts";
import { readStats, type Spread, type TrainingStats } from "./stats_section.ts";

export type { Spread, TrainingStats };

/** Drift of one feature or score. */
export interface Drift {
  /** Column name, or that of the output. */
  readonly name: string;
  /** Population stability index. */
  readonly psi: number;
  /** Shares now. */
  readonly missing: number;
  /** Share of rows now whose value is outside the vocabulary. */
  readonly unknown: number;
}

const BINS = 10;
/** Digits of a limit: those of float32 do not tell more, and bins are wide. */
const DIGITS = 6;
/** Categories that are told apart; the others share the last place. */
const MAX_CATEGORIES = 64;

/** A model that carries statistics of the rows it was trained on. */
export function withTrainingStats(model: Model, input: PredictInput): Model {
  checkModel("withTrainingStats", model);
  const attachments = new Map(model.attachments).set("STAT", statsSectionOf(model, input));
  return new Model({ ...contentsOf(model), attachments });
}

/** The section STAT of a model: statistics of rows and of their raw scores. */
export function statsSectionOf(model: Model, input: PredictInput): Uint8Array {
  const { columns, scores, rows } = columnsOf(model, input);
  const { features } = model.schema;
  const stats: TrainingStats = {
    rows,
    features: features.map((feature, f) =>
      describe(feature.name, columns[f], bins(model.schema, f, columns[f]))
    ),
    scores: scores.map((values, k) =>
      describe(scoreName(model, k), values, { limits: cuts(values) })
    ),
  };
  return new TextEncoder().encode(canonicalJson(stats));
}

/** The statistics that a model carries; undefined when it carries none. */
export function trainingStatsOf(model: Model): TrainingStats | undefined {
  checkModel("trainingStatsOf", model);
  return readStats(model);
}

/**
 * Compares rows with those of training, feature by feature and score by score.
 *
 * @throws {ModelError} `E_MODEL_SCHEMA` when the model carries no statistics.
 */
export function driftOf(model: Model, input: PredictInput): readonly Drift[] {
  checkModel("driftOf", model);
  const stats = trainingStatsOf(model);
  if (stats === undefined) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      "Cannot tell drift: the model has no training statistics",
    );
  }
  const { columns, scores, rows } = columnsOf(model, input);
  const drift = (before: Spread, values: Float64Array, size?: number): Drift => {
    const now = describe(
      before.name,
      values,
      before.limits ? { limits: before.limits } : { size: size! },
    );
    const old = [before.missing, before.unknown, ...before.shares];
    let psi = 0;
    [now.missing, now.unknown, ...now.shares].forEach((share, i) => {
      // Half a row in each place, so that an empty one has a logarithm.
      const actual = (share * rows + 0.5) / (rows + 0.5 * old.length);
      const expected = (old[i] * stats.rows + 0.5) / (stats.rows + 0.5 * old.length);
      psi += (actual - expected) * log(actual / expected);
    });
    return { name: before.name, psi, missing: now.missing, unknown: now.unknown };
  };
  const { features } = model.schema;
  return [
    ...stats.features.map((spread, f) => {
      const feature = features[f];
      return drift(spread, columns[f], feature.kind === "numeric" ? 0 : feature.categories.length);
    }),
    ...stats.scores.map((spread, k) => drift(spread, scores[k])),
  ];
}

/** Values of a table that {@linkcode looksTrainedOn} holds at once. */
const MOST_LOOKED_AT = 2e7;

/**
 * Whether rows look like those that the model was trained on: as many of them, spread alike in each
 * column (the first ones of a very large table). False for models without statistics.
 */
export function looksTrainedOn(model: Model, input: PredictInput): boolean {
  const stats = trainingStatsOf(model);
  if (stats === undefined) return false;
  const encoded = encodeInput(createContract(model.schema), input);
  if (encoded.rows === 0 || encoded.rows !== stats.rows) return false;
  const columns = encodedColumns(model.schema, encoded, Math.floor(MOST_LOOKED_AT / stats.rows));
  return columns.every((values, f) => {
    const now = describe(stats.features[f].name, values, bins(model.schema, f, values));
    return canonicalJson(now) === canonicalJson(stats.features[f]);
  });
}

function scoreName(model: Model, output: number): string {
  const { classes } = model.schema;
  return model.numOutputs === 1 ? "raw" : `raw ${classes[output] ?? output}`;
}

/** Encoded columns and raw scores. */
function columnsOf(
  model: Model,
  input: PredictInput,
): { columns: Float64Array[]; scores: Float64Array[]; rows: number } {
  const encoded = encodeInput(createContract(model.schema), input);
  const { rows } = encoded;
  const columns = encodedColumns(model.schema, encoded);
  const { data, cols } = model.predictRaw(input);
  const scores = Array.from(
    { length: cols },
    (_, k) => Float64Array.from({ length: rows }, (_, r) => data[r * cols + k]),
  );
  return { columns, scores, rows };
}

/** The first columns, at least one. */
function encodedColumns(
  { features }: Schema,
  { rows, fill }: Pick<EncodedInput, "rows" | "fill">,
  most = features.length,
): Float64Array[] {
  const count = Math.min(features.length, Math.max(1, most));
  const columns = Array.from({ length: count }, () => new Float64Array(rows));
  const x = new Float64Array(features.length);
  for (let r = 0; r < rows; r++) {
    fill(r, r + 1, x);
    for (let f = 0; f < count; f++) columns[f][r] = x[f];
  }
  return columns;
}

type Bins = { readonly limits: readonly number[] } | { readonly size: number };

function bins(schema: Schema, f: number, values: Float64Array): Bins {
  const feature = schema.features[f];
  return feature.kind === "numeric"
    ? { limits: cuts(values) }
    : { size: feature.categories.length };
}

/** Limits that hold about the same number of values each. */
function cuts(values: Float64Array): number[] {
  const sorted = values.filter((v) => v === v).sort();
  const limits: number[] = [];
  for (let i = 1; i < BINS && sorted.length > 0; i++) {
    const limit = sorted[Math.min(sorted.length - 1, Math.floor(i * sorted.length / BINS))];
    // JSON has no infinities; values up to the largest number are all but them.
    const finite = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, shorten(limit)));
    if (limits.length === 0 || finite > limits[limits.length - 1]) limits.push(finite);
  }
  return limits;
}

function shorten(value: number): number {
  return Number(value.toPrecision(DIGITS));
}

function describe(name: string, values: Float64Array, by: Bins): Spread {
  const limits = "limits" in by ? by.limits : undefined;
  const size = "size" in by ? by.size : 0;
  const counts = new Float64Array(limits ? limits.length + 1 : Math.min(size, MAX_CATEGORIES));
  let missing = 0;
  let unknown = 0;
  for (const value of values) {
    if (value !== value) missing++;
    else if (limits !== undefined) {
      let bin = 0;
      while (bin < limits.length && value > limits[bin]) bin++;
      counts[bin]++;
    } else if (value >= size) unknown++;
    else counts[Math.min(value, counts.length - 1)]++;
  }
  const rows = Math.max(1, values.length);
  return {
    name,
    missing: shorten(missing / rows),
    unknown: shorten(unknown / rows),
    ...(limits && { limits }),
    shares: Array.from(counts, (count) => shorten(count / rows)),
  };
}
