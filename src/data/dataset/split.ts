/**
 * Hold-out and k-fold splits: seeded, stratified by class where asked, whole queries for ranking. Rows
 * of weight 0 (queries whose rows all weigh 0) are dealt by themselves, after the others, which are then
 * dealt as if they were alone: no part is made of rows that do not count.
 *
 * @module
 */
import { checkOptions } from "../../door.ts";
import { checkShape } from "./shape.ts";
import { ParameterError } from "../../errors.ts";
import { createRng, type Rng, shuffle } from "../../util/rng.ts";
import { selectRows } from "./dataset.ts";
import type { Dataset } from "../types.ts";

/** How {@linkcode splitDataset} divides rows. */
export interface SplitOptions {
  /** Share of the rows in each part. The shares add up to 1. @default [0.8, 0.2] */
  readonly fractions?: readonly number[];
  /** Seed of the random order, a whole number: the same seed gives the same parts. @default 0 */
  readonly seed?: number;
  /** Whether each part gets the same shares of the classes. @default false */
  readonly stratify?: boolean;
}

/** How {@linkcode kFold} divides rows. */
export interface FoldOptions {
  /** Number of folds, 2 or more. @default 5 */
  readonly folds?: number;
  /** Seed of the random order, a whole number: the same seed gives the same folds. @default 0 */
  readonly seed?: number;
  /** Whether each fold gets the same shares of the classes. @default true for classes */
  readonly stratify?: boolean;
}

/** Row numbers of one fold, ascending. */
export interface Fold {
  /** Rows to train on, counted from 0. */
  readonly train: Int32Array;
  /** Rows to test on, counted from 0: all rows that are not in `train`. */
  readonly test: Int32Array;
}

/**
 * Divides rows at random into datasets. The rows of a part keep their order, and the rows of a query
 * stay together.
 *
 * @returns One dataset for each fraction.
 * @throws {ParameterError} `E_PARAM_RANGE` unless the fractions are positive and add up to 1, or if
 * a part would have no rows (or only rows of weight 0).
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const x = { kind: "numeric", name: "x", values: new Float64Array(10) } as const;
 * const [train, test] = splitDataset({ numRows: 10, features: [x] }, { seed: 7 });
 * assertEquals([train.numRows, test.numRows], [8, 2]);
 * ```
 */
export function splitDataset(data: Dataset, options: SplitOptions = {}): Dataset[] {
  checkShape("splitDataset", data);
  checkOptions<SplitOptions>("splitDataset", options, {
    fractions: "numbers",
    seed: "whole",
    stratify: "flag",
  });
  return splitRows(data, options).map((rows) => selectRows(data, rows));
}

/** Row numbers of each part, ascending; see {@linkcode splitDataset}. */
export function splitRows(data: Dataset, options: SplitOptions = {}): Int32Array[] {
  const fractions = options.fractions ?? [0.8, 0.2];
  const total = fractions.reduce((sum, share) => sum + share, 0);
  if (fractions.some((share) => !(share > 0)) || Math.abs(total - 1) > 1e-9) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot split by fractions ${fractions.join(", ")}: expected shares above 0 that add up to 1`,
      { details: { param: "fractions", value: fractions } },
    );
  }
  const units = unitsOf(data);
  const parts = deal(
    data,
    units,
    fractions,
    createRng(options.seed ?? 0),
    options.stratify === true,
  );
  if (parts.some(({ counted }) => counted === 0)) {
    const isWeighed = units.weightless.length > 0;
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot split ${data.numRows} rows by fractions ${fractions.join(", ")}: a part is empty${
        isWeighed ? ", or all of it weighs 0" : ""
      }`,
      { details: { param: "fractions", rows: data.numRows } },
    );
  }
  return parts.map(({ rows }) => rows);
}

/**
 * Divides rows at random into folds. Each row is in the test part of exactly one fold, and the rows
 * of a query stay together.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` unless `folds` is between 2 and the number of rows (or of
 * queries) whose weight is not 0.
 */
export function kFold(data: Dataset, options: FoldOptions = {}): Fold[] {
  checkShape("kFold", data);
  checkOptions<FoldOptions>("kFold", options, { folds: "count", seed: "whole", stratify: "flag" });
  const folds = options.folds ?? 5;
  const units = unitsOf(data);
  const most = units.counted.length;
  if (!Number.isInteger(folds) || folds < 2 || folds > most) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot make ${folds} folds: expected a whole number from 2 to ${most}${
        units.weightless.length > 0 ? " (those that weigh something)" : ""
      }`,
      { details: { param: "folds", value: folds } },
    );
  }
  const stratify = options.stratify ?? data.target?.kind === "classification";
  const shares = new Array<number>(folds).fill(1 / folds);
  const tests = deal(data, units, shares, createRng(options.seed ?? 0), stratify);
  return tests.map(({ rows: test }) => {
    const train = new Int32Array(data.numRows - test.length);
    let at = 0;
    let next = 0;
    for (let row = 0; row < data.numRows; row++) {
      if (row === test[next]) next++;
      else train[at++] = row;
    }
    return { train, test };
  });
}

/** What is dealt as one: rows, or whole queries. */
interface Units {
  /** First row of each, and the number of rows. */
  readonly starts: readonly number[];
  /** Numbers of those that weigh something; of all where none does. */
  readonly counted: readonly number[];
  readonly weightless: readonly number[];
}

function unitsOf({ group, numRows, sampleWeight }: Dataset): Units {
  const starts: number[] = [];
  const isWeighty: boolean[] = [];
  for (let row = 0; row < numRows; row++) {
    if (group === undefined || row === 0 || group[row] !== group[row - 1]) {
      starts.push(row);
      isWeighty.push(false);
    }
    if (sampleWeight?.[row] !== 0) isWeighty[starts.length - 1] = true;
  }
  const all = starts.map((_, unit) => unit);
  starts.push(numRows);
  const counted = all.filter((unit) => isWeighty[unit]);
  if (counted.length === 0 || counted.length === all.length) {
    return { starts, counted: all, weightless: [] };
  }
  return { starts, counted, weightless: all.filter((unit) => !isWeighty[unit]) };
}

/** Rows of a part, ascending, and how many of its units weigh something. */
interface Part {
  readonly rows: Int32Array;
  readonly counted: number;
}

/**
 * Deals units to parts in a random order: each unit goes to the part that is furthest behind its share.
 * Dealt class by class, every part gets its share of every class to within one row, and of all rows
 * likewise. Units that weigh nothing are dealt after the others in the same way.
 */
function deal(
  { target }: Dataset,
  { starts, counted, weightless }: Units,
  shares: readonly number[],
  rng: Rng,
  stratify: boolean,
): Part[] {
  const partOf = new Int32Array(starts.length - 1);
  for (const units of [counted, weightless]) {
    const order = shuffle([...units], rng);
    if (stratify && target?.kind === "classification") {
      const { codes } = target;
      // Stable, so the order within a class stays random.
      order.sort((a, b) => codes[starts[a]] - codes[starts[b]]);
    }
    const behind = new Float64Array(shares.length);
    for (const unit of order) {
      let best = 0;
      for (let part = 0; part < shares.length; part++) {
        behind[part] += shares[part];
        if (behind[part] > behind[best] + 1e-9) best = part;
      }
      behind[best] -= 1;
      partOf[unit] = best;
    }
  }
  const rows: number[][] = shares.map(() => []);
  partOf.forEach((part, unit) => {
    for (let row = starts[unit]; row < starts[unit + 1]; row++) rows[part].push(row);
  });
  const numCounted = new Int32Array(shares.length);
  for (const unit of counted) numCounted[partOf[unit]]++;
  return rows.map((list, part) => ({ rows: Int32Array.from(list), counted: numCounted[part] }));
}
