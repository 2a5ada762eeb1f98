/**
 * Reads the section STAT, which training_stats.ts writes: a server needs no more of it.
 *
 * @module
 */
import { ModelError } from "../errors.ts";
import type { Model } from "../model/model.ts";

/** The distribution of one feature or raw score. */
export interface Spread {
  /** Name of the column or the output. */
  readonly name: string;
  /** Share of all rows whose value is missing. */
  readonly missing: number;
  /** Share of all rows whose value is not a category of the model; 0 for numbers. */
  readonly unknown: number;
  /** Numbers only: ascending limits between bins. Bin `i` holds values up to `limits[i]`. */
  readonly limits?: readonly number[];
  /**
   * Share of all rows in each bin, or in each category in the order of the schema; of more than 64
   * categories, the last share is that of all others.
   */
  readonly shares: readonly number[];
}

/** Statistics of the rows that a model was trained on. */
export interface TrainingStats {
  /** Number of rows that were counted. */
  readonly rows: number;
  /** Features in the order of the schema. */
  readonly features: readonly Spread[];
  /** Raw scores, one entry for each output. */
  readonly scores: readonly Spread[];
  /**
   * For a model that was continued or refitted on other rows: a hash of the `features` of each
   * earlier training, the oldest first.
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
