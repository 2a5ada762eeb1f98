/**
 * How much worse a model does when one column is shuffled: the importance that looks at data, not at
 * trees.
 *
 * Breiman, "Random Forests", Machine Learning 45 (2001); the repeats as in scikit-learn's
 * `permutation_importance`.
 *
 * @module
 */
import { checkShape } from "../data/dataset/shape.ts";
import { checkArgument, checkOptions } from "../door.ts";
import type { Column, Dataset } from "../data/types.ts";
import { DataError, ParameterError } from "../errors.ts";
import { forkRng, type Rng } from "../util/rng.ts";

/** How much worse the score becomes when a feature is shuffled. */
export interface PermutationImportance {
  /** Name of the column. */
  readonly feature: string;
  /** Mean over the repeats; positive if the feature helps. */
  readonly mean: number;
  /** Standard deviation over the repeats, divided by n. */
  readonly deviation: number;
}

/** Options of {@linkcode permutationImportance}. */
export interface PermutationOptions {
  /** How often each feature is shuffled, 1 or more. @default 5 */
  readonly repeats?: number;
  /** Seed of the shuffles, a whole number. @default 0 */
  readonly seed?: number;
  /** Whether larger scores are better. @default true */
  readonly higherIsBetter?: boolean;
  /** Names of the features to shuffle. @default all columns of the data */
  readonly features?: readonly string[];
}

/**
 * Shuffles each column in turn and measures how much worse the score becomes (Breiman, "Random
 * Forests", 2001). {@linkcode modelImportance} does the same by a metric of a model.
 *
 * @param score Computes the score on data: `(data) => evaluate(model, data, ["auc"]).metrics.auc`.
 * @returns One entry for each feature, in the order of the data.
 * @throws {ParameterError} `E_PARAM_RANGE` unless `repeats` is a whole number of 1 or more.
 * @throws {DataError} `E_DATA_SHAPE` for a feature that the data do not have.
 *
 * @example
 * ```ts
 * import { assert, assertEquals } from "@std/assert";
 * import { createDataset } from "@treeline/treeline";
 * const data = createDataset([
 *   { kind: "numeric", name: "used", values: new Float64Array([1, 2, 3, 4]) },
 *   { kind: "numeric", name: "unused", values: new Float64Array([1, 2, 3, 4]) },
 * ]);
 * // A score that is 0 when "used" is in place.
 * const [used, unused] = permutationImportance(data, ({ features: [used] }) =>
 *   used.kind === "numeric" ? -Math.abs(used.values[3] - 4) : 0
 * );
 * assert(used.mean > 0);
 * assertEquals(unused, { feature: "unused", mean: 0, deviation: 0 });
 * ```
 */
export function permutationImportance(
  data: Dataset,
  score: (data: Dataset) => number,
  options: PermutationOptions = {},
): readonly PermutationImportance[] {
  checkShape("permutationImportance", data);
  checkArgument("permutationImportance", "score", score, "function");
  checkOptions<PermutationOptions>("permutationImportance", options, {
    repeats: "count",
    seed: "whole",
    higherIsBetter: "flag",
    features: "texts",
  });
  const { repeats = 5, seed = 0, higherIsBetter = true } = options;
  const columns = columnsToShuffle(data, options);
  const base = score(data);
  return columns.map((f) => {
    const scores = Array.from(
      { length: repeats },
      (_, r) => score(shuffleColumn(data, f, seed, r)),
    );
    return summarise(data.features[f].name, base, scores, higherIsBetter);
  });
}

/**
 * Numbers of the columns that are shuffled.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` where repeats are no whole number from 1 on.
 * @throws {DataError} `E_DATA_SHAPE` for a feature that the data does not have.
 */
export function columnsToShuffle(
  { features }: Dataset,
  options: Pick<PermutationOptions, "repeats" | "features">,
): number[] {
  const { repeats = 5 } = options;
  if (!(Number.isInteger(repeats) && repeats >= 1)) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot shuffle ${repeats} times: expected a whole number of at least 1`,
      { details: { param: "repeats", value: repeats } },
    );
  }
  const names = features.map(({ name }) => name);
  const absent = options.features?.find((name) => !names.includes(name));
  if (absent !== undefined) {
    throw new DataError(
      "E_DATA_SHAPE",
      `Cannot shuffle column ${JSON.stringify(absent)}: the data has ${
        names.map((name) => JSON.stringify(name)).join(", ")
      }`,
      { details: { column: absent } },
    );
  }
  return names.flatMap((name, f) => options.features?.includes(name) ?? true ? [f] : []);
}

/** The data with column `feature` in the random order of `repeat`. */
export function shuffleColumn(
  data: Dataset,
  feature: number,
  seed: number,
  repeat: number,
): Dataset {
  const order = permutation(data.numRows, forkRng(seed, feature, repeat));
  return {
    ...data,
    features: data.features.with(feature, shuffled(data.features[feature], order)),
  };
}

/** Mean and deviation of what the shuffles of a feature cost. */
export function summarise(
  feature: string,
  base: number,
  scores: readonly number[],
  higherIsBetter: boolean,
): PermutationImportance {
  const sign = higherIsBetter ? 1 : -1;
  const drops = scores.map((score) => sign * (base - score));
  const mean = drops.reduce((sum, drop) => sum + drop, 0) / drops.length;
  const variance = drops.reduce((sum, drop) => sum + (drop - mean) ** 2, 0) / drops.length;
  return { feature, mean, deviation: Math.sqrt(variance) };
}

/** A random order of 0 … n − 1 (Fisher and Yates). */
function permutation(n: number, rng: Rng): Int32Array {
  const order = Int32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = rng.nextInt(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

function shuffled(column: Column, order: Int32Array): Column {
  if (column.kind === "numeric") {
    const values = new Float64Array(order.length);
    for (let i = 0; i < order.length; i++) values[i] = column.values[order[i]];
    return { ...column, values };
  }
  return { ...column, codes: order.map((row) => column.codes[row]) };
}
