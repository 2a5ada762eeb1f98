/**
 * Whether the rows that are scored still look like the rows of training: the population stability index
 * of each feature and of the raw scores, against the statistics that training left in the model
 * (format/stats_section.ts). A model without them has no index.
 *
 * Below 0.1 little has changed, above 0.25 much has (Siddiqi, "Credit Risk Scorecards", 2006).
 *
 * @module
 */
import { readStats, type Spread } from "../../format/stats_section.ts";
import type { Model } from "../../model/model.ts";
import { log } from "../../util/math.ts";

/** Counts of one feature or output, beside what training had. */
interface Place {
  readonly name: string;
  /** Upper limits of the bins of numbers; undefined for categories. */
  readonly limits: readonly number[] | undefined;
  /** Categories that the model knows; those beyond the last place share it. */
  readonly size: number;
  /** Shares in training: missing, unknown, then bins or categories. */
  readonly expected: readonly number[];
  readonly seen: Float64Array;
}

/** Rows counted by feature and by output. */
export interface DriftMeter {
  /** Undefined until the second request, and where the model has no statistics. */
  features: readonly Place[] | undefined;
  scores: readonly Place[];
  /** Rows that the statistics of training are of. */
  trainingRows: number;
  rows: number;
  calls: number;
}

/** Index of one feature or output. */
export interface DriftIndex {
  readonly name: string;
  readonly psi: number;
}

/** Rows that are all counted; later only some are. */
const ALL_ROWS = 4096;
/** Later one request of so many is counted (a power of two). */
const EVERY = 16;
/** Rows of one request that are counted at most, at even distances. */
const MAX_ROWS = 64;
/** Rows below which an index says nothing. */
const LEAST_ROWS = 100;

/** Starts counting. */
export function createDriftMeter(): DriftMeter {
  return { features: undefined, scores: [], trainingRows: 0, rows: 0, calls: 0 };
}

/** Whether a model carries what drift is measured against. */
export function hasTrainingStats(model: Model): boolean {
  return model.attachments.has("STAT");
}

function prepare(meter: DriftMeter, model: Model): void {
  let stats;
  try {
    stats = readStats(model);
  } catch {
    return; // a section that cannot be read: scoring needs none
  }
  if (stats === undefined) return;
  const { features } = model.schema;
  meter.trainingRows = stats.rows;
  meter.scores = stats.scores.map((spread) => placeOf(spread, 0));
  meter.features = stats.features.map((spread, f) => {
    const feature = features[f];
    return placeOf(spread, feature.kind === "numeric" ? 0 : feature.categories.length);
  });
}

function placeOf({ name, missing, unknown, limits, shares }: Spread, size: number): Place {
  const expected = [missing, unknown, ...shares];
  return { name, limits, size, expected, seen: new Float64Array(expected.length) };
}

/**
 * Counts rows of a request.
 *
 * @param x Row-major `rows × features`, encoded; with one number more a row, which is not counted, where
 * rows start from an offset.
 * @param raw Row-major `rows × outputs`.
 */
export function countDrift(
  meter: DriftMeter,
  model: Model,
  rows: number,
  x: Float64Array,
  raw: Float64Array,
): void {
  const call = meter.calls++;
  if (call === 0) return; // the first answer of a process does not wait for the statistics
  if (call === 1) prepare(meter, model);
  if (meter.features === undefined) return;
  if (meter.rows >= ALL_ROWS && (call & (EVERY - 1)) !== 0) return;
  const count = Math.min(rows, MAX_ROWS);
  const width = x.length / rows;
  for (let i = 0; i < count; i++) countRow(meter, Math.floor(i * rows / count), width, x, raw);
  meter.rows += count;
}

function countRow(
  { features, scores }: DriftMeter,
  row: number,
  width: number,
  x: Float64Array,
  raw: Float64Array,
): void {
  for (let f = 0; f < features!.length; f++) count(features![f], x[row * width + f]);
  for (let k = 0; k < scores.length; k++) count(scores[k], raw[row * scores.length + k]);
}

function count({ limits, size, seen }: Place, value: number): void {
  if (value !== value) seen[0]++;
  else if (limits !== undefined) {
    let bin = 0;
    while (bin < limits.length && value > limits[bin]) bin++;
    seen[2 + bin]++;
  } else if (value >= size) seen[1]++;
  else seen[Math.min(2 + value, seen.length - 1)]++;
}

/** The indices, once a hundred rows are known; empty where there is nothing to compare with. */
export function driftIndices(
  meter: DriftMeter,
): { readonly features: DriftIndex[]; readonly scores: DriftIndex[] } {
  const { features, scores, rows, trainingRows } = meter;
  if (features === undefined || rows < LEAST_ROWS) return { features: [], scores: [] };
  const indexOf = (place: Place) => ({ name: place.name, psi: psiOf(place, rows, trainingRows) });
  return { features: features.map(indexOf), scores: scores.map(indexOf) };
}

/** Half a row is added to each place, then and now, so that an empty one has a logarithm. */
function psiOf({ expected, seen }: Place, rows: number, trainingRows: number): number {
  const extra = 0.5 * expected.length;
  let psi = 0;
  for (let i = 0; i < expected.length; i++) {
    const now = (seen[i] + 0.5) / (rows + extra);
    const before = (expected[i] * trainingRows + 0.5) / (trainingRows + extra);
    psi += (now - before) * log(now / before);
  }
  return psi;
}
