/**
 * What is counted as Prometheus text.
 *
 * @module
 */
import type { Schema } from "../../data/types.ts";
import type { Model } from "../../model/model.ts";
import { numberText } from "../answer/json_text.ts";
import { driftIndices, hasTrainingStats } from "./drift.ts";
import { type Metrics, type ModelMeter, SECONDS } from "./metrics.ts";

/** What is told of a model that is served. */
interface Metered {
  readonly name: string;
  readonly version: string;
  readonly model: Model;
  readonly encoder: { readonly schema: Schema };
  readonly meter: ModelMeter;
}

/** The exposition text, format 0.0.4. */
export function metricsText(metrics: Metrics, models: readonly Metered[]): string {
  const lines: string[] = [];
  const family = (name: string, type: string, help: string) =>
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);

  family("treeline_requests_total", "counter", "Answered requests.");
  for (const [route, { answered, statuses }] of metrics.routes) {
    for (const [status, count] of [[200, answered], ...statuses]) {
      if (count === 0) continue;
      lines.push(
        `treeline_requests_total{${labels({ route, status: `${status}` })}} ${valueText(count)}`,
      );
    }
  }
  family("treeline_request_seconds", "histogram", "Time from a request's start to its answer.");
  for (const [route, { buckets, seconds }] of metrics.routes) {
    histogram(lines, "treeline_request_seconds", { route }, SECONDS, buckets, seconds);
  }
  family("treeline_errors_total", "counter", "Refused or failed requests by code.");
  for (const [code, count] of metrics.errors) {
    lines.push(`treeline_errors_total{${labels({ code })}} ${valueText(count)}`);
  }
  family("treeline_shed_total", "counter", "Requests refused because of load.");
  lines.push(`treeline_shed_total ${valueText(metrics.load.shed)}`);
  family("treeline_in_flight", "gauge", "Requests being answered.");
  lines.push(`treeline_in_flight ${valueText(metrics.inFlight)}`);
  // Labels of one model share what is counted.
  modelLines(lines, family, [...new Map(models.map((served) => [served.meter, served])).values()]);
  return lines.join("\n") + "\n";
}

function modelLines(
  lines: string[],
  family: (name: string, type: string, help: string) => void,
  models: readonly Metered[],
): void {
  family("treeline_rows_total", "counter", "Scored rows.");
  for (const served of models) {
    lines.push(`treeline_rows_total{${labels(of(served))}} ${valueText(served.meter.rows)}`);
  }
  for (const kind of ["missing", "unknown"] as const) {
    family(`treeline_${kind}_total`, "counter", `Rows in which a feature was ${kind}.`);
    for (const served of models) {
      const { features } = served.encoder.schema;
      features.forEach(({ name }, f) => {
        if (kind === "unknown" && features[f].kind === "numeric") return;
        const set = labels({ ...of(served), feature: name });
        lines.push(`treeline_${kind}_total{${set}} ${valueText(served.meter[kind][f])}`);
      });
    }
  }
  family("treeline_score", "histogram", "Responses (of the last class, where there are classes).");
  for (const served of models) {
    const { bounds, scores, scoreSum } = served.meter;
    histogram(lines, "treeline_score", of(served), bounds, scores, scoreSum);
  }
  driftLines(lines, family, models);
  const shadows = models.filter(({ meter: { shadow } }) =>
    shadow.rows + shadow.failures + shadow.skipped > 0
  );
  if (shadows.length === 0) return;
  for (
    const [name, key, help] of [
      ["treeline_shadow_rows_total", "rows", "Rows also scored by the shadow version."],
      ["treeline_shadow_class_changes_total", "classChanges", "Rows whose class differs there."],
      ["treeline_shadow_failures_total", "failures", "Requests the shadow could not score."],
      ["treeline_shadow_skipped_total", "skipped", "Requests left out, too many waiting for it."],
      ["treeline_shadow_difference_sum", "absoluteDifference", "Sum of absolute differences."],
    ] as const
  ) {
    family(name, "counter", help);
    for (const served of shadows) {
      lines.push(`${name}{${labels(of(served))}} ${valueText(served.meter.shadow[key])}`);
    }
  }
}

/** Nothing is told of models without statistics but that they have none. */
function driftLines(
  lines: string[],
  family: (name: string, type: string, help: string) => void,
  models: readonly Metered[],
): void {
  family("treeline_training_statistics", "gauge", "1 where the model has what PSI is measured by.");
  for (const served of models) {
    const has = Number(hasTrainingStats(served.model));
    lines.push(`treeline_training_statistics{${labels(of(served))}} ${valueText(has)}`);
  }
  family("treeline_psi_rows_total", "counter", "Rows that PSI was measured on, a sample of all.");
  for (const served of models) {
    lines.push(
      `treeline_psi_rows_total{${labels(of(served))}} ${valueText(served.meter.drift.rows)}`,
    );
  }
  const indices = models.map(({ meter }) => driftIndices(meter.drift));
  family("treeline_psi", "gauge", "Population stability index of raw scores against training.");
  models.forEach((served, i) => {
    for (const { name, psi } of indices[i].scores) {
      lines.push(`treeline_psi{${labels({ ...of(served), score: name })}} ${valueText(psi)}`);
    }
  });
  family("treeline_feature_psi", "gauge", "The same of the values of each feature.");
  models.forEach((served, i) => {
    for (const { name, psi } of indices[i].features) {
      lines.push(
        `treeline_feature_psi{${labels({ ...of(served), feature: name })}} ${valueText(psi)}`,
      );
    }
  });
}

function of(served: Metered): { readonly [label: string]: string } {
  return { model: served.name, version: served.version };
}

function histogram(
  lines: string[],
  name: string,
  set: { readonly [label: string]: string },
  bounds: readonly number[],
  buckets: Float64Array,
  sum: number,
): void {
  const own = labels(set);
  let count = 0;
  for (let i = 0; i < buckets.length; i++) {
    count += buckets[i];
    const le = i < bounds.length ? valueText(bounds[i]) : "+Inf";
    lines.push(`${name}_bucket{${own},le="${le}"} ${valueText(count)}`);
  }
  lines.push(`${name}_sum{${own}} ${valueText(sum)}`, `${name}_count{${own}} ${valueText(count)}`);
}

function labels(set: { readonly [label: string]: string }): string {
  let text = "";
  for (const key of Object.keys(set)) {
    text += `${text === "" ? "" : ","}${key}="${escapeLabel(set[key])}"`;
  }
  return text;
}

function escapeLabel(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}

/** A value in the exposition format. */
export function valueText(value: number): string {
  return value - value === 0 ? numberText(value) : `${value}`; // Prometheus has NaN and infinities
}
