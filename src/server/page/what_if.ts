/**
 * What the score would be if one column had other values.
 *
 * @module
 */
import { TreelineError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import { scoreBatch } from "../answer/predict.ts";
import { probabilityAt, type Scores } from "../answer/scores.ts";
import { type Batch, createBatch } from "../body/batch.ts";
import type { Served } from "../models/types.ts";
import type { FeatureRange } from "./defaults.ts";
import { shownNumber } from "./shown.ts";

/** One point of a what-if curve. */
export interface WhatIfPoint {
  readonly label: string;
  readonly x: number;
  readonly score: number;
  readonly current: boolean;
}

/** How the score depends on one feature, all others as in the form. */
export interface WhatIf {
  readonly feature: number;
  readonly numeric: boolean;
  /** Whether scores are probabilities. */
  readonly percent: boolean;
  readonly points: readonly WhatIfPoint[];
}

/** The curve of one feature around a row; undefined where it would take longer than `maxMillis`. */
export function whatIfOf(
  served: Served,
  batch: Batch,
  feature: number,
  range: FeatureRange | undefined,
  maxMillis: number,
): WhatIf | undefined {
  const { model, encoder } = served;
  const width = encoder.schema.features.length;
  const input = encoder.schema.features[feature];
  const current = batch.x[feature];
  const numeric = input.kind === "numeric" || input.coded === true;
  const values = numeric ? gridOf(current, range) : categoryCodes(input, current);
  const rows = createBatch(encoder.schema, values.length, encoder.starts);
  values.forEach((value, row) => {
    rows.x.set(batch.x, row * width);
    rows.x[row * width + feature] = value;
  });
  const scores = scoreInTime(model, rows, maxMillis);
  if (scores === undefined) return undefined;
  const own = scoreBatch(model, batch);
  const { classes } = model.schema;
  const output = classes.length === 2 ? 1 : own.labels[0] ?? 0;
  const points = values.map((value, row): WhatIfPoint => ({
    label: labelOf(input, value),
    x: value,
    score: scores.isProbability
      ? probabilityAt(scores, classes.length, row, output)
      : scores.value[row * scores.numOutputs],
    current: Object.is(value, current),
  }));
  return { feature, numeric, percent: scores.isProbability, points };
}

function scoreInTime(model: Model, rows: Batch, maxMillis: number): Scores | undefined {
  try {
    return scoreBatch(model, rows, { maxMillis });
  } catch (error) {
    if (error instanceof TreelineError) return undefined;
    throw error;
  }
}

function labelOf(input: Served["model"]["schema"]["features"][number], value: number): string {
  if (value !== value) return "(missing)";
  if (input.kind === "numeric" || input.coded === true) return shownNumber(value);
  return input.categories[value] ?? "(another value)";
}

/** Evenly spaced values over the range, and the current one. */
function gridOf(current: number, range: FeatureRange | undefined): number[] {
  const { min, max } = range ?? { min: 0, max: 1 };
  const grid = Array.from({ length: 61 }, (_, i) => min + (max - min) * i / 60);
  if (current === current && !grid.includes(current)) grid.push(current);
  return grid.sort((a, b) => a - b);
}

function categoryCodes(
  input: { readonly categories?: readonly string[] },
  current: number,
): number[] {
  const count = Math.min(12, input.categories?.length ?? 0);
  const codes = Array.from({ length: count }, (_, code) => code);
  if (current === current && !codes.includes(current)) codes.push(current);
  return [...codes, NaN];
}
