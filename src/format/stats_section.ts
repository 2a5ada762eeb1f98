/**
 * Reads the section STAT, which training_stats.ts writes: a server needs no more of it.
 *
 * @module
 */
import { ModelError } from "../errors.ts";
import type { Model } from "../model/model.ts";

/** How the values of one feature (or score) spread. */
export interface Spread {
  /** Column name, or that of the output. */
  readonly name: string;
  /** Shares of all rows. */
  readonly missing: number;
  /** Share of all rows whose value is outside the vocabulary; 0 for numbers. */
  readonly unknown: number;
  /** Ascending limits between the bins of numbers: bin i holds values up to `limits[i]`. */
  readonly limits?: readonly number[];
  /** Share of all rows in each bin, or in each category in the order of the schema. */
  readonly shares: readonly number[];
}

/** What the training data looked like. */
export interface TrainingStats {
  /** Rows that were counted. */
  readonly rows: number;
  /** Input columns in the order of the schema. */
  readonly features: readonly Spread[];
  /** Raw scores of each output. */
  readonly scores: readonly Spread[];
  /**
   * Of rows that taught the model before it was continued or refitted on others: a hash of `features`
   * for each, the first comes first.
   */
  readonly earlier?: readonly string[];
}

/** The statistics that a model carries; undefined when it carries none. */
export function readStats(model: Model): TrainingStats | undefined {
  const bytes = model.attachments.get("STAT");
  if (bytes === undefined) return undefined;
  try {
    const stats = JSON.parse(new TextDecoder().decode(bytes)) as TrainingStats;
    const { features, scores, earlier = [] } = stats;
    const whole = [...features, ...scores].every((s) =>
      Array.isArray(s.shares) && s.shares.every(Number.isFinite) &&
      (s.limits === undefined || s.limits.length === s.shares.length - 1)
    );
    if (!whole || features.length !== model.schema.features.length) throw new TypeError("shape");
    if (scores.length !== model.numOutputs) throw new TypeError("outputs");
    if (!Array.isArray(earlier)) throw new TypeError("earlier");
    return stats;
  } catch (cause) {
    throw new ModelError("E_MODEL_CORRUPT", "Cannot read the training statistics of this model", {
      cause,
    });
  }
}
