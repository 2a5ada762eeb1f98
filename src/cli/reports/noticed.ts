/**
 * What scoring noticed about its input, summed over batches, for people.
 *
 * @module
 */
import type { InputFeature, InputReport } from "../../data/types.ts";
import { unknownSentence } from "../../data/warnings/unknown_levels.ts";

/** Reports of several batches as one. */
export interface ReportSum {
  /** Adds the report of one batch. */
  add(report: InputReport): void;
  /**
   * A sentence for each thing worth a warning: absent columns, unknown values, and missing ones where
   * training lacked none.
   */
  warnings(): string[];
  /** A sentence for each thing that is usual: other missing values, and columns of no use. */
  notes(): string[];
}

/**
 * Begins with nothing noticed.
 *
 * @param features Those of the model.
 */
export function createReportSum(features: readonly InputFeature[]): ReportSum {
  const neverLacked = new Set(
    features.flatMap(({ name, missing }) => missing === "heavier" ? [name] : []),
  );
  let rows = 0;
  let absent: readonly string[] = [];
  let ignored: readonly string[] = [];
  const missing = new Map<string, number>();
  const unknown = new Map<string, number>();
  return {
    add(report) {
      rows += report.rows;
      for (const [name, count] of report.missing) addTo(missing, name, count);
      for (const [name, count] of report.unknown) addTo(unknown, name, count);
      absent = report.absent;
      ignored = report.ignored;
    },
    warnings: () => [
      ...(absent.length === 0 ? [] : [`the input has no ${list(absent)}: taken as missing`]),
      ...[...missing].filter(([name]) => neverLacked.has(name)).map(([name, count]) =>
        `${missingSentence(name, count, rows)}; training never lacked it`
      ),
      ...[...unknown].map(([name, count]) => unknownSentence(name, count, rows)),
    ],
    notes: () => [
      ...[...missing].filter(([name]) => !neverLacked.has(name)).map(([name, count]) =>
        missingSentence(name, count, rows)
      ),
      ...(ignored.length === 0 ? [] : [`the model has no use for ${list(ignored)}`]),
    ],
  };
}

function missingSentence(name: string, count: number, rows: number): string {
  return `${JSON.stringify(name)} is missing in ${count} of ${rows} rows`;
}

function addTo(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => JSON.stringify(name)).join(", ");
  const more = names.length > 8 ? ` and ${names.length - 8} more` : "";
  return `column${names.length > 1 ? "s" : ""} ${shown}${more}`;
}
