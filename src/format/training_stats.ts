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
import { selectRows } from "../data/dataset/dataset.ts";
import type { Dataset, Schema } from "../data/types.ts";
import { ModelError } from "../errors.ts";
import { createContract } from "../model/contract.ts";
import { type EncodedInput, encodeInput, type PredictInput } from "../model/encode.ts";
import { canonicalJson, hash64 } from "../model/hash.ts";
import { Model } from "../model/model_class.ts";
import { log } from "../util/math.ts";
import { contentsOf } from "./self_test.ts";
import { readStats, type Spread, type TrainingStats } from "./stats_section.ts";

export type { Spread, TrainingStats };

/** Drift of one feature or raw score. */
export interface Drift {
  /** Name of the column or the output. */
  readonly name: string;
  /** Population stability index: below 0.1 little has changed, above 0.25 much has. */
  readonly psi: number;
  /** Share of the given rows whose value is missing. */
  readonly missing: number;
  /** Share of the given rows whose value is not a category of the model. */
  readonly unknown: number;
}

const BINS = 10;
/** Digits of a limit: those of float32 do not tell more, and bins are wide. */
const DIGITS = 6;
/** Categories that are told apart; the others share the last place. */
const MAX_CATEGORIES = 64;

/**
 * A copy of a model that carries statistics of these rows, for {@linkcode driftOf}: how the values of
 * each feature and the raw scores are distributed.
 *
 * @param input The rows that the model was trained on, or a sample of them.
 * @throws {ModelError} `E_MODEL_SCHEMA` for rows that do not fit the model.
 */
export function withTrainingStats(model: Model, input: PredictInput): Model {
  checkModel("withTrainingStats", model);
  const attachments = new Map(model.attachments).set("STAT", statsSectionOf(model, input));
  return new Model({ ...contentsOf(model), attachments });
}

/**
 * The section STAT of a model: statistics of rows and of their raw scores.
 *
 * @param known What {@linkcode knownRows} says of the model that the training began with.
 */
export function statsSectionOf(
  model: Model,
  input: PredictInput,
  known: readonly string[] = [],
): Uint8Array {
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
  const hash = hashOf(stats.features);
  const earlier = known.filter((other) => other !== hash);
  return new TextEncoder().encode(
    canonicalJson({ ...stats, ...(earlier.length > 0 && { earlier }) }),
  );
}

/** Trainings that a model knows: the first and the last ones. */
const MOST_KNOWN = 16;

/** A hash of the rows of each training of a model, the first comes first. */
export function knownRows(model: Model): readonly string[] {
  const stats = readStats(model);
  if (stats === undefined) return [];
  const all = [...(stats.earlier ?? []), hashOf(stats.features)];
  return all.filter((_, i) => i === 0 || i > all.length - MOST_KNOWN);
}

/** Of how columns spread; categories may be added behind. */
function hashOf(features: readonly Spread[]): string {
  const spreads = features.map(({ shares, ...spread }) => ({
    ...spread,
    shares: shares.slice(0, shares.findLastIndex((share) => share > 0) + 1),
  }));
  return hash64(canonicalJson(spreads));
}

/**
 * The statistics of training rows that a model carries, or undefined.
 *
 * @throws {ModelError} `E_MODEL_CORRUPT` if they are damaged.
 */
export function trainingStatsOf(model: Model): TrainingStats | undefined {
  checkModel("trainingStatsOf", model);
  return readStats(model);
}

/**
 * Compares rows with those of training by the population stability index (Siddiqi, "Credit Risk
 * Scorecards", 2006): Σ (aᵢ − eᵢ) ln(aᵢ / eᵢ) over the bins, where aᵢ and eᵢ are the shares of the
 * rows now and in training, each smoothed by half a row.
 *
 * @returns One entry for each feature in the order of the schema, then one for each raw score.
 * @throws {ModelError} `E_MODEL_SCHEMA` if the model carries no statistics, or for rows that do not
 * fit it.
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

/** How many rows each training of a model had: the first, those that continued it, the last refit. */
export function trainedRows({ info }: Model): ReadonlySet<number> {
  const { numRows, refitted, continued } = info as {
    readonly [name: string]: unknown;
    readonly refitted?: { readonly numRows?: unknown };
    readonly continued?: readonly { readonly numRows?: unknown }[];
  };
  const runs = Array.isArray(continued) ? continued : [];
  const counts = [numRows, refitted?.numRows, ...runs.map((run) => run?.numRows)];
  return new Set(counts.filter((count) => typeof count === "number"));
}

/**
 * Whether rows look like those that the model was trained on, at last or before it was continued or
 * refitted: as many of them, spread alike in each column. False for models without statistics.
 */
export function looksTrainedOn(model: Model, data: Dataset): boolean {
  const stats = trainingStatsOf(model);
  if (stats === undefined || data.numRows === 0) return false;
  // How many rows each refit but the last had is not known.
  if (stats.earlier === undefined && !trainedRows(model).has(data.numRows)) return false;
  return knownRows(model).includes(spreadHash(model.schema, data));
}

/**
 * A hash of how the columns of a table spread, by which its rows are known again. Of large tables, rows at
 * even distances count.
 */
export function spreadHash(schema: Schema, data: Dataset): string {
  const rows = statRows(data.numRows, schema.features.length);
  const sample = rows.length < data.numRows ? selectRows(data, rows) : data;
  const columns = encodedColumns(schema, encodeInput(createContract(schema), sample));
  return hashOf(
    schema.features.map(({ name }, f) => describe(name, columns[f], bins(schema, f, columns[f]))),
  );
}

/** Most rows that statistics are taken of, and most numbers in them. */
const STAT_ROWS = 4096;
const STAT_CELLS = 1 << 20;

/** The rows, at even distances, that statistics of a table are taken of. */
export function statRows(numRows: number, numFeatures: number): Int32Array {
  const most = Math.min(numRows, STAT_ROWS, Math.floor(STAT_CELLS / Math.max(1, numFeatures)));
  const count = Math.max(1, most);
  return Int32Array.from({ length: count }, (_, i) => Math.floor(i * numRows / count));
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

function encodedColumns(
  { features }: Schema,
  { rows, fill }: Pick<EncodedInput, "rows" | "fill">,
): Float64Array[] {
  const columns = features.map(() => new Float64Array(rows));
  const x = new Float64Array(features.length);
  for (let r = 0; r < rows; r++) {
    fill(r, r + 1, x);
    for (let f = 0; f < columns.length; f++) columns[f][r] = x[f];
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
