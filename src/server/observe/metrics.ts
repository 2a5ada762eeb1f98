/**
 * What is counted, in constant memory: every label value comes from a closed set (routes, statuses,
 * codes, models and features of the registry).
 *
 * @module
 */
import type { InputReport } from "../../data/types.ts";
import type { DriftMeter } from "./drift.ts";
import { createLoad, type Load } from "../admission/load.ts";

/** Upper bounds of the latency histogram in seconds. */
export const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** Upper bounds of the score histogram where responses are probabilities. */
const SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

interface RouteMeter {
  readonly buckets: Float64Array;
  seconds: number;
  /** Requests that were answered with 200. */
  answered: number;
  /** Requests by other statuses. */
  readonly statuses: Map<number, number>;
}

/** What is counted for one version of a model. */
export interface ModelMeter {
  rows: number;
  /** By feature. */
  readonly missing: Float64Array;
  readonly unknown: Float64Array;
  /** Score histogram, last is above all bounds. */
  readonly scores: Float64Array;
  readonly bounds: readonly number[];
  scoreSum: number;
  readonly drift: DriftMeter;
  readonly shadow: ShadowMeter;
}

/** How a shadow version differs from the one that answers. */
export interface ShadowMeter {
  rows: number;
  classChanges: number;
  absoluteDifference: number;
  /** Requests that the shadow could not score. */
  failures: number;
  /** Requests that it was not asked for, since too many waited for it. */
  skipped: number;
  /** Requests that wait for it, and the bytes of their bodies. */
  waiting: number;
  waitingBytes: number;
}

/** Everything that is counted. */
export interface Metrics {
  readonly routes: Map<string, RouteMeter>;
  readonly errors: Map<string, number>;
  readonly load: Load;
  inFlight: number;
}

/** Starts counting. */
export function createMetrics(): Metrics {
  return { routes: new Map(), errors: new Map(), load: createLoad(), inFlight: 0 };
}

/** A meter for one version of a model. */
export function createModelMeter(
  numFeatures: number,
  isProbability: boolean,
  drift: DriftMeter,
): ModelMeter {
  const bounds = isProbability ? SHARES : symmetricBounds();
  return {
    rows: 0,
    missing: new Float64Array(numFeatures),
    unknown: new Float64Array(numFeatures),
    scores: new Float64Array(bounds.length + 1),
    bounds,
    scoreSum: 0,
    drift,
    shadow: {
      rows: 0,
      classChanges: 0,
      absoluteDifference: 0,
      failures: 0,
      skipped: 0,
      waiting: 0,
      waitingBytes: 0,
    },
  };
}

/** −10⁶ … 10⁶ by decades, 0 in the middle: responses of unknown scale. */
function symmetricBounds(): readonly number[] {
  const positive = [-2, -1, 0, 1, 2, 3, 4, 5, 6].map((e) => Number(`1e${e}`));
  return [...positive.map((x) => -x).reverse(), 0, ...positive];
}

/** Counts one answered request. */
export function countRequest(
  metrics: Metrics,
  route: string,
  status: number,
  seconds: number,
): void {
  const meter = metrics.routes.get(route) ?? addRoute(metrics, route);
  let bucket = 0;
  while (bucket < SECONDS.length && seconds > SECONDS[bucket]) bucket++;
  meter.buckets[bucket]++;
  meter.seconds += seconds;
  if (status === 200) meter.answered++;
  else meter.statuses.set(status, (meter.statuses.get(status) ?? 0) + 1);
}

function addRoute(metrics: Metrics, route: string): RouteMeter {
  const buckets = new Float64Array(SECONDS.length + 1);
  const meter = { buckets, seconds: 0, answered: 0, statuses: new Map() };
  metrics.routes.set(route, meter);
  return meter;
}

/** Counts one error by its code. */
export function countError(metrics: Metrics, code: string): void {
  metrics.errors.set(code, (metrics.errors.get(code) ?? 0) + 1);
}

/**
 * Counts what a request's input lacked.
 *
 * @param byName Position of each feature.
 */
export function countReport(
  meter: ModelMeter,
  byName: ReadonlyMap<string, number>,
  report: InputReport,
): void {
  meter.rows += report.rows;
  for (const [name, count] of report.missing) meter.missing[byName.get(name)!] += count;
  for (const [name, count] of report.unknown) meter.unknown[byName.get(name)!] += count;
}

/** Counts the scores of a request: the response of the last output (the positive class). */
export function countScores(meter: ModelMeter, value: Float64Array, cols: number): void {
  const { bounds, scores } = meter;
  for (let at = cols - 1; at < value.length; at += cols) {
    const score = value[at];
    if (score !== score) continue;
    let bucket = 0;
    while (bucket < bounds.length && score > bounds[bucket]) bucket++;
    scores[bucket]++;
    if (score - score === 0) meter.scoreSum += score;
  }
}
