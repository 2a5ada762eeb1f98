/**
 * What every protocol does with a filled batch: check, score, count, and let a shadow score too.
 *
 * @module
 */
import type { InputReport } from "../data/types.ts";
import { countDrift } from "./drift.ts";
import type { Batch, Encoder } from "./encoder.ts";
import type { Exchange, Server } from "./exchange.ts";
import { countReport, countScores } from "./metrics.ts";
import { scoreBatch, type Scores } from "./predict.ts";
import type { ModelRegistry, Served } from "./registry.ts";
import { type ColumnRule, reportBatch } from "./rules.ts";

/** A batch after scoring. */
export interface Scored {
  readonly scores: Scores;
  readonly report: InputReport;
}

/** The model of a path segment `name` or `name@version`, if it is loaded. */
export function findServed(registry: ModelRegistry, segment: string): Served | undefined {
  const served = registry.peek(segment);
  if (served !== undefined) return served;
  const at = segment.lastIndexOf("@");
  return at > 0 ? registry.peek(segment.slice(0, at), segment.slice(at + 1)) : undefined;
}

/** The model of a path segment `name` or `name@version`, loaded if need be. */
export function getServed(registry: ModelRegistry, segment: string): Promise<Served> {
  const at = segment.lastIndexOf("@");
  if (at <= 0 || registry.names().includes(segment)) return registry.get(segment);
  return registry.get(segment.slice(0, at), segment.slice(at + 1));
}

/** Checks, scores and counts a batch. */
export function scoreRequest(
  server: Server,
  exchange: Exchange,
  served: Served,
  batch: Batch,
  columns: ColumnRule,
): Scored {
  exchange.model = served.name;
  exchange.version = served.version;
  exchange.rows += batch.rows;
  if (server.logFeatures) exchange.features = shownFeatures(served, batch);
  const report = reportBatch(served.encoder, batch, columns);
  const scores = scoreBatch(served.model, batch, { maxMillis: server.maxMillis });
  countReport(served.meter, served, report);
  countScores(served.meter, scores.value, scores.numOutputs);
  countDrift(served.meter.drift, served.model, batch.input);
  return { scores, report };
}

/** Scores the same request with the shadow version after the answer has gone, and compares. */
export function shadowRequest(
  server: Server,
  served: Served,
  { scores }: Scored,
  refill: (encoder: Encoder) => Batch,
): void {
  const shadow = server.registry.shadow(served.name);
  if (shadow === undefined) return;
  shadow.then((other) => {
    setTimeout(() => {
      try {
        compare(served, scores, scoreBatch(other.model, refill(other.encoder)), other);
      } catch {
        served.meter.shadow.failures++; // a shadow may not disturb what is served
      }
    });
  }, () => served.meter.shadow.failures++);
}

function compare(served: Served, scores: Scores, others: Scores, other: Served): void {
  const { shadow } = served.meter;
  const labelOf = (at: Served, index: number) => at.model.schema.classes[index];
  for (let row = 0; row < scores.rows; row++) {
    shadow.rows++;
    if (labelOf(served, scores.labels[row]) !== labelOf(other, others.labels[row])) {
      shadow.classChanges++;
    }
    const last = (row + 1) * scores.numOutputs - 1;
    const otherLast = (row + 1) * others.numOutputs - 1;
    const difference = Math.abs(scores.value[last] - others.value[otherLast]);
    if (difference === difference) shadow.absoluteDifference += difference;
  }
}

/** First rows by name, for logs whose owner asked for values. */
function shownFeatures(served: Served, batch: Batch): unknown {
  const { features } = served.model.schema;
  return Array.from({ length: Math.min(3, batch.rows) }, (_, row) =>
    features.map((feature, f) => {
      const value = batch.x[row * features.length + f];
      const shown = feature.kind === "categorical" ? feature.categories[value] ?? null : value;
      return [feature.name, shown];
    }));
}
